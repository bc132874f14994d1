"""The code and the command lines in docs/mfm.md run from top to bottom and print what stands below each piece."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PAGE = (ROOT / "docs" / "mfm.md").read_text(encoding="utf-8")

MOST_LINES = 350

END = "-- end of a piece --"

# Command lines are run in the same process: a page full of them takes seconds then, not a minute.
START = """
import shlex, sys
from contextlib import redirect_stderr
from echo.cli.main import main

def run_line(line):
    sys.argv = shlex.split(line)
    with redirect_stderr(sys.stdout):
        try:
            main()
        except SystemExit:
            pass
"""

BLOCK = re.compile(r"^```(python)?\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


class Piece:
    """Python code or command lines, and the output below; None where the page shows none."""

    def __init__(self, code: str, *, shell: bool) -> None:
        self.code, self.shell = code, shell
        self.printed: str | None = None

    @property
    def program(self) -> str:
        if not self.shell:
            return self.code
        return "".join(f"run_line({line!r})\n" for line in self.code.splitlines())


def pieces(page: str) -> list[Piece]:
    found: list[Piece] = []
    end = -1
    for block in BLOCK.finditer(page):
        shell = block[1] is None and block[2].startswith("echo-memory ")
        if block[1] or shell:
            found.append(Piece(block[2], shell=shell))
        else:
            assert page[end : block.start()].strip() == "", f"an output below nothing: {block[2]!r}"
            found[-1].printed = block[2]
        end = block.end()
    return found


PIECES = pieces(PAGE)

RUN = [piece for piece in PIECES if piece.printed is not None or not piece.shell]
"""A server, or a command whose output is long, is shown without output and not run."""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    program = START + "".join(f"{piece.program}\nprint({END!r}, flush=True)\n" for piece in RUN)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path_factory.mktemp("page"),
        env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout.split(f"{END}\n")


def test_the_pieces_print_what_stands_below_them(printed: list[str]):
    assert printed == [*(piece.printed or "" for piece in RUN), ""]


def test_the_page_shows_both_code_and_commands_with_their_output():
    shown = [piece.shell for piece in RUN if piece.printed is not None]
    assert shown.count(True) >= 8
    assert shown.count(False) >= 4


def test_the_page_can_be_read_in_one_sitting():
    assert len(PAGE.splitlines()) < MOST_LINES


def test_its_conditions_and_switches_are_those_of_the_code():
    from dataclasses import fields

    from echo.mfm.options import MemoryOptions
    from echo.mfm.procedural.conditions import CONDITIONS

    assert [name for name in CONDITIONS if f"`{name}`" not in PAGE] == []
    switches = re.findall(r"^\| `(\w+)` \|", PAGE.partition("| switched off |")[2], flags=re.MULTILINE)
    assert switches == [each.name for each in fields(MemoryOptions)]


def test_every_flag_of_query_is_told():
    from echo.cli.query_arguments import OURS, PUBLISHED

    told = set(re.findall(r"--[a-z-]+", PAGE))
    assert [flag for flag in (*PUBLISHED, *OURS) if flag not in told] == ["--help"]

"""The code and command lines of docs/mfm.md run from top to bottom and print what stands below each piece."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path

import pytest

from echo.cli.query_arguments import OURS, PUBLISHED
from echo.mfm.options import MemoryOptions
from echo.mfm.procedural.conditions import CONDITIONS

ROOT = Path(__file__).resolve().parents[2]

PAGE = (ROOT / "docs" / "mfm.md").read_text(encoding="utf-8")

MOST_LINES = 400

END = "-- end of a piece --"

# Command lines are run in the same process: a page full of them takes seconds then, not a minute.
START = """
import shlex, sys
from contextlib import redirect_stderr
from echo.cli.main import main

def run_line(line):
    print(line)
    sys.argv = shlex.split(line)
    with redirect_stderr(sys.stdout):
        try:
            main()
        except SystemExit:
            pass
"""

BLOCK = re.compile(r"^```(python)?\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A piece of Python, or of command lines each with its output below it."""

    program: str
    """Prints `printed`."""
    printed: str
    is_shell: bool


def pieces(page: str) -> list[Piece]:
    """Return what is run: all Python, and the blocks of command lines in which an output stands.

    Others, such as that of a server, are only looked at by `test_commands`.
    """
    found: list[Piece] = []
    end = -1
    for block in BLOCK.finditer(page):
        lines = block[2].splitlines()
        typed = [line for line in lines if line.startswith("echo-memory ")]
        if block[1]:
            found.append(Piece(program=block[2], printed="", is_shell=False))
        elif not typed:
            assert page[end : block.start()].strip() == "", f"an output below nothing: {block[2]!r}"
            found[-1] = replace(found[-1], printed=block[2])
        elif typed != lines:
            program = "".join(f"run_line({line!r})\n" for line in typed)
            found.append(Piece(program=program, printed=block[2], is_shell=True))
        end = block.end()
    return found


PIECES = pieces(PAGE)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    program = START + "".join(f"{piece.program}\nprint({END!r}, flush=True)\n" for piece in PIECES)
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
    assert printed == [*(piece.printed for piece in PIECES), ""]


def test_the_page_shows_both_code_and_commands_with_their_output():
    shown = [piece.is_shell for piece in PIECES if piece.printed]
    assert (shown.count(True) >= 7, shown.count(False) >= 2) == (True, True)


def test_the_page_can_be_read_in_one_sitting():
    assert len(PAGE.splitlines()) < MOST_LINES


def test_its_conditions_and_switches_are_those_of_the_code():
    assert [name for name in CONDITIONS if f"`{name}`" not in PAGE] == []
    switches = re.findall(r"^\| `(\w+)` \|", PAGE.partition("| switched off |")[2], flags=re.MULTILINE)
    assert switches == [each.name for each in fields(MemoryOptions)]


def test_every_flag_of_query_is_told():
    told = set(re.findall(r"--[a-z-]+", PAGE))
    assert [flag for flag in (*PUBLISHED, *OURS) if flag not in told] == ["--help"]

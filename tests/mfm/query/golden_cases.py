"""What the golden files hold: command lines by topic, each with all that a run of it prints.

A file is a list of runs: '$ ' and the command line, its output after '| ', its errors after '! ', its exit
code after '= '. To add a run, add its command line to a file and let `python -m
tests.mfm.query.golden_cases` run all lines anew; read what it changed before keeping it.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.mfm.query.sample_memory import write_memory

GOLDEN = Path(__file__).parent / "golden"
TOPICS = tuple(sorted(path.stem for path in GOLDEN.glob("*.txt")))

_PROMPT = "$ echo-memory query"


def held(topic: str) -> str:
    """Return the golden file of a topic."""
    return (GOLDEN / f"{topic}.txt").read_bytes().decode("utf-8")


def command_lines(topic: str) -> list[str]:
    """Return the arguments of the runs that a golden file holds, as a shell would be given them."""
    return [
        line.removeprefix(_PROMPT).strip() for line in held(topic).split("\n") if line.startswith(_PROMPT)
    ]


def shown(line: str, code: int, out: bytes, error: bytes) -> str:
    """Return what a run did, as the golden files have it."""
    parts = [f"{_PROMPT} {line}".rstrip()]
    for mark, data in (("|", out), ("!", error)):
        text = data.decode("utf-8")
        if text and not text.endswith("\n"):
            text += "<no line feed>\n"
        parts += [f"{mark} {each}" for each in text.split("\n")[:-1]]
    return "\n".join([*parts, f"= {code}"]) + "\n"


def run_program(root: Path, line: str) -> str:
    """Run the real program with the arguments in `line`, standing in `root`, and return what it did."""
    program = Path(sys.executable).parent / "echo-memory"
    done = subprocess.run(
        [program, "query", *shlex.split(line)], cwd=root, capture_output=True, check=False, timeout=60
    )
    return shown(line, done.returncode, done.stdout, done.stderr)


def write_golden() -> None:
    """Run all command lines anew and write what they did."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "memory"
        write_memory(root)
        for topic in TOPICS:
            text = "\n".join(run_program(root, line) for line in command_lines(topic))
            (GOLDEN / f"{topic}.txt").write_bytes(text.encode())


if __name__ == "__main__":
    write_golden()

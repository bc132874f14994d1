from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from echo.mfm.program import MOST_BYTES, ProgramFailed, ask_program


def python(script: str) -> str:
    return f"{sys.executable} -c {script!r}"


def test_a_long_text_goes_in_and_comes_out_whole():
    given = "é" * 300_000
    assert ask_program(python("import sys; sys.stdout.write(sys.stdin.read())"), given, seconds=20) == given


def test_a_program_that_does_not_read_is_no_hindrance():
    assert ask_program(python("print(1)"), "x" * 1_000_000, seconds=20) == "1\n"


def test_an_endless_output_is_stopped_at_the_bound():
    began = time.monotonic()
    with pytest.raises(ProgramFailed, match=f"expected at most {MOST_BYTES:,} bytes"):
        ask_program(python("while True: print('x' * 65536)"), "", seconds=30)
    assert time.monotonic() - began < 20


def test_what_a_program_started_ends_with_it(tmp_path: Path):
    mark = str(tmp_path / "mark")
    script = f"import subprocess; subprocess.run(['sh', '-c', 'sleep 30; echo {mark}'])"
    with pytest.raises(ProgramFailed, match=r"within 0\.5 s"):
        ask_program(python(script), "", seconds=0.5)
    assert mark not in subprocess.run(["ps", "-ef"], capture_output=True, text=True, check=True).stdout


def test_a_program_that_leaves_something_running_still_answers():
    script = "import subprocess; subprocess.Popen(['sleep', '30']); print('done', flush=True)"
    began = time.monotonic()
    assert ask_program(python(script), "", seconds=20) == "done\n"
    assert time.monotonic() - began < 10


def test_the_end_of_what_a_failing_program_says_is_told():
    with pytest.raises(ProgramFailed, match=r"expected exit code 0 of .*, got 3 \(too hot\)"):
        ask_program(python("import sys; sys.stderr.write('too hot'); sys.exit(3)"), "", seconds=20)

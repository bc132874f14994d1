"""The Python code in docs/bank.md runs from top to bottom and prints what stands below each piece."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PAGE = (ROOT / "docs" / "bank.md").read_text(encoding="utf-8")

BLOCKS = re.findall(r"^```python\n(.*?)^```\n+```\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)

END = "-- end of a piece --\n"


def test_every_piece_of_code_on_the_page_has_its_output_below_it():
    assert len(BLOCKS) == PAGE.count("```python\n") >= 4


def test_the_pieces_print_what_stands_below_them(tmp_path: Path):
    program = "".join(f"{code}\nprint({END.rstrip()!r})\n" for code, _ in BLOCKS)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.split(END) == [*(printed for _, printed in BLOCKS), ""]

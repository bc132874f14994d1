"""The Python code in the README runs and prints what stands below it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

BLOCKS = re.findall(
    r"^```python\n(.*?)^```\n+```\n(.*?)^```$",
    (ROOT / "README.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE | re.DOTALL,
)


def test_the_readme_has_an_example_of_the_memory():
    assert any("csd.bank" in code for code, _ in BLOCKS)


@pytest.mark.parametrize(("code", "expected"), BLOCKS)
def test_an_example_prints_what_stands_below_it(code: str, expected: str, tmp_path: Path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == (expected, "", 0)

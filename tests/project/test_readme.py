"""The Python code in the README runs and prints what stands below it."""

from __future__ import annotations

import os
import re
import shlex
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


def words_of(page: str) -> list[list[str]]:
    text = (ROOT / page).read_text(encoding="utf-8")
    lines = re.findall(r"^(?:echo-memory|cd) .*$", text, flags=re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines]


@pytest.mark.parametrize("page", ["README.md", "docs/finetune.md"])
def test_memories_that_are_named_are_folders_that_a_run_shown_leaves(page: str):
    made = set()
    for words in words_of(page):
        if words[1] == "run" and "--seeds" in words:
            first, *last = words[words.index("--seeds") + 1].split("-")
            agents = words[words.index("--agents") + 1].split(",")
            out = words[words.index("--out") + 1]
            seeds = range(int(first), int(last[0] if last else first) + 1)
            made |= {f"{out}/memories/{agent}-s{seed:02}" for agent in agents for seed in seeds}
    named = {word for words in words_of(page) for word in words if "/memories/" in word}
    assert named
    assert named <= made

"""What docs/tasks.md shows works: its memory runs and prints what stands below it, its files are read."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from echo.experiments.spec_files import SIZES
from echo.experiments.tasks.experiment import KEYS, load_experiment, read_spec
from echo.experiments.tasks.loading import read_task

ROOT = Path(__file__).resolve().parents[2]

PAGE = (ROOT / "docs" / "tasks.md").read_text(encoding="utf-8")

BLOCKS = re.findall(r"^```python\n(.*?)^```\n+```\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)

SPEC, TASK = re.findall(r"^```toml\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


def test_every_piece_of_code_on_the_page_has_its_output_below_it():
    assert len(BLOCKS) == PAGE.count("```python\n") == 1


def test_the_memory_prints_what_stands_below_it(tmp_path: Path):
    ((code, printed),) = BLOCKS
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == (printed, "", 0)


def test_the_spec_is_read(tmp_path: Path):
    (tmp_path / "patroller.toml").write_text(SPEC)
    spec = read_spec(tmp_path / "patroller.toml")
    assert ([one.label for one in spec.agents], spec.runs) == (["mp5", "mp5/-patroller", "echo"], 20)


def test_the_task_is_read():
    task = read_task(TASK, where="docs/tasks.md")
    assert (task.name, task.steps, len(task.starts)) == ("bowl", 60, 2)


def test_every_key_of_a_spec_is_named():
    section = PAGE.split("## A spec of your own")[1].split("\n## ")[0]
    assert [key for key in KEYS if f"`{key}`" not in section] == []


def test_the_sizes_are_as_the_table_says():
    said = {
        kind: tuple(int(number) for number in re.findall(r"(\d+) (?:runs|of)", " ".join(rest.split("|")[1:])))
        for kind, rest in re.findall(r"^\| `run (\w+)` (.*)$", PAGE, flags=re.MULTILINE)
    }
    real = {kind: tuple(load_experiment(f"{kind}-{size}").runs for size in SIZES) for kind in said}
    assert said == real
    assert set(said) == {"tasks", "continual", "ablate", "mfm"}

"""What docs/cluster.md shows can be typed, and does what it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from echo.experiments.pool_folder import Slice

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_the_tasks_of_the_job_array_play_every_run_once(tmp_path):
    script = tmp_path / "tasks.sbatch"
    script.write_text(block("bash"))
    command = tmp_path / ".venv" / "bin" / "echo-memory"
    command.parent.mkdir(parents=True)
    command.write_text('#!/bin/sh\necho "$@"\n')
    command.chmod(0o755)
    array = re.search(r"--array=([0-9]+)-([0-9]+)$", script.read_text(), re.MULTILINE)
    processors = re.search(r"--cpus-per-task=([0-9]+)$", script.read_text(), re.MULTILINE)
    assert array is not None
    assert processors is not None
    plan, played = range(2_880), []
    for number in range(int(array[1]), int(array[2]) + 1):
        given = {"SLURM_ARRAY_TASK_ID": str(number), "SLURM_CPUS_PER_TASK": processors[1]}
        told = subprocess.run(
            ["bash", str(script)],
            env={**os.environ, "SLURM_SUBMIT_DIR": str(tmp_path), **given},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        assert told[: told.index("--slice")] == [
            "run",
            "tasks",
            "--size",
            "standard",
            "--jobs",
            processors[1],
        ]
        played += Slice.parse(told[told.index("--slice") + 1]).take(plan)
    assert sorted(played) == list(plan)


def test_what_is_imported_is_there():
    exec(compile(block("python"), "docs/cluster.md", "exec"), {})


def test_the_documentation_leads_to_the_page():
    assert "(cluster.md)" in (ROOT / "docs" / "README.md").read_text(encoding="utf-8")

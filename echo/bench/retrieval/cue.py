"""What a word search costs from the shell, as a whole process, beside ripgrep on the same text."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from csd.axes import AXES
from csd.descriptor import Csd
from csd.render import render_axis
from echo.bench.retrieval.contest import environment
from echo.bench.retrieval.question import Data

ROWS = (3_083, 100_000)
"""The numbers of records that there is a bar for."""
SEARCHES = 30


BANK = "bank.sqlite"


def bank_in(folder: Path) -> Path:
    """Return the file of the bank in `folder`."""
    return folder / BANK


def cue_command(bank: Path, words: str) -> list[str]:
    """Return the command that finds `words` in a bank."""
    script = shutil.which("echo-memory", path=str(Path(sys.executable).parent))
    # A checkout that is not installed has no script.
    program = [script] if script else [sys.executable, "-m", "echo.cli.main"]
    return [*program, "cue", *words.split(), "--bank", str(bank)]


def measure_cue(data: Data, bank: Path, work: Path) -> dict[str, Any]:
    """Return median milliseconds of both commands; one that cannot be run has none, and a reason.

    Args:
        data: what the bank holds.
        bank: its file.
        work: a folder for the text that ripgrep searches: one line a record.
    """
    cues = [f"tool {row}" for row in np.linspace(0, data.size - 1, SEARCHES).astype(int).tolist()]
    measured: dict[str, Any] = {}
    try:
        measured["echo_ms"] = _median_ms([cue_command(bank, cue) for cue in cues])
    except (OSError, subprocess.CalledProcessError) as error:
        measured["not_run"] = f"{type(error).__name__}: {error}"[:200]
    here = str(Path(sys.executable).parent)
    ripgrep = shutil.which("rg") or shutil.which("rg", path=here)
    if ripgrep is None:
        measured["ripgrep_not_run"] = "not installed: pip install ripgrep"
        return measured
    text = work / "text.txt"
    with text.open("w", encoding="utf-8") as file:
        for start in range(0, data.size, 5_000):
            for record in data.records(start, min(start + 5_000, data.size)):
                csd = Csd.from_json(record)
                file.write(f"{csd.id} " + " ".join(render_axis(csd, axis) for axis in AXES) + "\n")
    searches = [[ripgrep, "--fixed-strings", "--max-count", "10", cue, str(text)] for cue in cues]
    measured["ripgrep_ms"] = _median_ms(searches)
    return measured


def _median_ms(commands: Sequence[list[str]]) -> float:
    """Run each command, the first one once more before, and check that each finds something."""
    ms = []
    for command in (commands[0], *commands):
        began = time.perf_counter()
        found = subprocess.run(command, capture_output=True, check=True, env=environment())
        ms.append(1e3 * (time.perf_counter() - began))
        if not found.stdout.strip():
            raise OSError(f"{' '.join(command[:4])} found nothing")
    return float(np.median(ms[1:]))

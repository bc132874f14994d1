"""Writes the report of task runs: page, sample pages, figures as PNG and CSV, all numbers as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echo.experiments.drawing import render_png
from echo.experiments.tasks.records import TaskRun
from echo.experiments.tasks.report.as_json import numbers_json
from echo.experiments.tasks.report.figures import make_drawings
from echo.experiments.tasks.report.numbers import Numbers, measure
from echo.experiments.tasks.report.page import render_report
from echo.experiments.tasks.report.reading import read_experiment
from echo.experiments.tasks.report.samples import sample_name, sample_page
from echo.experiments.whole_files import write_atomically


@dataclass(frozen=True, kw_only=True)
class TaskReport:
    """A written report of task runs."""

    page: Path
    told: Numbers
    numbers: dict[str, Any]
    """The content of report.json, beside the page."""


def write_task_report(folders: Sequence[Path], target: Path) -> TaskReport:
    """Make a report of one results folder, or of several that hold different kinds of experiments.

    Args:
        folders: Results folders, at least one.
        target: Folder of the report; made where it is missing, files of an earlier report are replaced.

    Raises:
        UsageError: if a folder holds no results.
        ResultsError: if a result is unreadable, of another version, or the circumstances do not go together.
    """
    numbers = measure([read_experiment(folder) for folder in folders])
    drawings = make_drawings(numbers)
    for name, drawing in drawings.items():
        write_atomically(target / f"{name}.png", render_png(drawing.draw, drawing.height))
        write_atomically(target / f"{name}.csv", drawing.csv())
    samples = choose_samples(numbers.runs)
    for run in samples:
        write_atomically(target / "samples" / sample_name(run), sample_page(run).encode())
    page = target / "report.html"
    write_atomically(page, render_report(numbers, drawings, samples).encode())
    content = numbers_json(numbers)
    write_atomically(target / "report.json", (json.dumps(content, indent=1, allow_nan=False) + "\n").encode())
    return TaskReport(page=page, told=numbers, numbers=content)


def choose_samples(runs: Sequence[TaskRun]) -> tuple[TaskRun, ...]:
    """Return one run of each competitor and task, that of the lowest number, with and without skills."""
    found: dict[tuple[str, str, str], TaskRun] = {}
    for run in runs:
        key = (run.spec.competitor.label, run.spec.task, run.spec.installed or "")
        if key not in found or run.spec.run < found[key].spec.run:
            found[key] = run
    return tuple(found.values())

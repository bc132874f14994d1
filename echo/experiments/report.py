"""Write the report of a results folder: one page, its figures beside it, and the numbers as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echo.experiments.drawing import render_png, render_svg
from echo.experiments.figures import draw_curves, draw_sources, draw_speedups, draw_timeline
from echo.experiments.report_html import render_page
from echo.experiments.results import read_results
from echo.experiments.summary import Summary, summarise, summary_json
from echo.experiments.timeline import choose_run, tell_run
from echo.experiments.whole_files import write_atomically


@dataclass(frozen=True, kw_only=True)
class Report:
    """A written report."""

    page: Path
    summary: Summary
    numbers: dict[str, Any]
    """The content of report.json, beside the page."""


def write_report(folder: Path, timeline: str | None = None) -> Report:
    """Make ``report/`` in a results folder from its result files alone.

    Args:
        folder: Results folder.
        timeline: Name of the run to tell, or None for the first of echo's runs that kept frames.

    Raises:
        UsageError: if the folder holds no results, or no run called `timeline`.
        ResultsError: if a result is unreadable, of another version, or made in other circumstances.
    """
    summary = summarise(read_results(folder))
    told = tell_run(choose_run(summary.runs, folder, timeline), folder)
    rows = len(summary.competitors)
    drawings = {
        "curves": (draw_curves(summary), 5.2, "Unique items over counted actions"),
        "speedup": (draw_speedups(summary), 4.2, "Speed-up of echo over the other agents"),
        "sources": (draw_sources(summary), max(3.4, 1.2 + 0.62 * rows), "Unlocks by source and axis"),
        "timeline": (draw_timeline(told.run), 4.4, f"Unlocks of {told.run.spec.name}"),
    }
    target = folder / "report"
    elements: dict[str, str] = {}
    for name, (draw, height, title) in drawings.items():
        write_atomically(target / f"{name}.png", render_png(draw, height))
        elements[name] = render_svg(draw, height, title)
    page = target / "report.html"
    write_atomically(page, render_page(summary, elements, told).encode())
    numbers = summary_json(summary)
    write_atomically(target / "report.json", (json.dumps(numbers, indent=1, allow_nan=False) + "\n").encode())
    return Report(page=page, summary=summary, numbers=numbers)

"""The page of two experiments side by side, and its files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from echo.experiments.drawing import Theme, render_png
from echo.experiments.report_page import counted, dense_table, page, section, table
from echo.experiments.statistics.strata import Interval
from echo.experiments.tasks.report.cells import interval_json
from echo.experiments.tasks.report.comparing import Comparison, Sides, compare
from echo.experiments.tasks.report.drawing import Drawing, dot, figure_of, fit, name_rows, panels, share_axis
from echo.experiments.tasks.report.paper import load_paper
from echo.experiments.tasks.report.reading import read_experiment
from echo.experiments.tasks.report.wording import TITLES, named, points, with_span
from echo.experiments.whole_files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, kw_only=True)
class ComparisonReport:
    """A written comparison."""

    page: Path
    told: Comparison
    numbers: dict[str, Any]
    """The content of report.json, beside the page."""


def write_comparison(first: Path, second: Path, target: Path) -> ComparisonReport:
    """Make the page that shows two results folders of one kind side by side.

    Args:
        first: Results folder that the other is compared with.
        second: The other one.
        target: Folder of the report; made where it is missing, files of an earlier report are replaced.

    Raises:
        UsageError: if a folder holds no results.
        ResultsError: if a result is unreadable, or the two cannot be compared.
    """
    told = compare(read_experiment(first), read_experiment(second))
    drawing = draw_comparison(told)
    write_atomically(target / f"{drawing.name}.png", render_png(drawing.draw, drawing.height))
    write_atomically(target / f"{drawing.name}.csv", drawing.csv())
    where = target / "report.html"
    write_atomically(where, render_comparison(told, drawing).encode())
    content = comparison_json(told)
    write_atomically(target / "report.json", (json.dumps(content, indent=1, allow_nan=False) + "\n").encode())
    return ComparisonReport(page=where, told=told, numbers=content)


def comparison_json(told: Comparison) -> dict[str, Any]:
    """Return a comparison as a JSON object."""

    def sides(one: Sides) -> dict[str, Any]:
        return {
            "first": interval_json(one.first),
            "second": interval_json(one.second),
            "difference": interval_json(one.difference),
            "runs": list(one.runs),
        }

    return {
        "format": 1,
        "kind": told.kind,
        "measure": measure_name(told),
        "folders": [str(told.first.folder), str(told.second.folder)],
        "differing": {name: list(pair) for name, pair in told.differing.items()},
        "paired": told.paired,
        "same_runs": told.same,
        "shared_runs": told.shared,
        "comparison": {label: sides(one) for label, one in told.overall.items()},
        "tasks": {
            label: {task: sides(one) for task, one in row.items()} for label, row in told.tasks.items()
        },
        "only_first": list(told.alone[0]),
        "only_second": list(told.alone[1]),
        "unscored": [
            {one.name: one.reason for one in experiment.unscored} for experiment in (told.first, told.second)
        ],
    }


def measure_name(told: Comparison) -> str:
    """Return in words what is compared."""
    if told.kind == "mfm":
        return "milestones a run"
    return f"share of the first {told.window} episodes that reach the goal"


def draw_comparison(told: Comparison) -> Drawing:
    """Draw both sides of every agent, the first hollow, and beside them the difference."""
    labels = list(told.overall)
    share = told.kind != "mfm"
    factor = 100 if share else 1

    def draw(figure: Figure, theme: Theme) -> None:
        left, right = panels(figure, theme, 1, 2)
        for row, label in enumerate(labels):
            one = told.overall[label]
            dot(left, one.first, row + 0.2, label, hollow=True, theme=theme)
            dot(left, one.second, row - 0.14, label, hollow=False, theme=theme)
            dot(right, _scaled(one.difference, factor), row, label, hollow=False, theme=theme)
        right.axvline(0, color=theme.ink, linewidth=0.8)
        if share:
            share_axis(left, 0, min(1.0, 1.1 * left.get_xlim()[1]))
        left.set_xlabel("percent" if share else "milestones", fontsize=9)
        right.set_xlabel("difference, points" if share else "difference", fontsize=9)
        name_rows(left, labels)
        fit(figure, left=0.25 + 0.068 * max(map(len, labels)), bottom=0.55, across=0.2)

    height = 0.75 + 0.26 * len(labels)
    return Drawing(
        name="comparison",
        title="First (hollow) and second experiment, and the difference",
        draw=draw,
        height=height,
        narrow_height=height,
        rows=tuple(
            {
                "agent": label,
                "task": task,
                "first": one.first.value,
                "first_low": one.first.low,
                "first_high": one.first.high,
                "second": one.second.value,
                "second_low": one.second.low,
                "second_high": one.second.high,
                "difference": one.difference.value,
                "difference_low": one.difference.low,
                "difference_high": one.difference.high,
                "runs_first": one.runs[0],
                "runs_second": one.runs[1],
            }
            for label, overall in told.overall.items()
            for task, one in {"all": overall, **told.tasks[label]}.items()
        ),
    )


def render_comparison(told: Comparison, drawing: Drawing) -> str:
    """Return the page."""
    how = "paired by task and land" if told.paired else "not paired, since the seeds differ"
    note = (
        f"{measure_name(told).capitalize()}; difference: second less first, {how}, 95&nbsp;% bootstrap "
        f"interval."
    )
    body = "\n".join(
        (
            _head(told),
            section("What differs", "", _differing(told)),
            section("Agent by agent", note, figure_of(drawing), _overall(told)),
            section("Task by task", "Second less first.", _tasks(told)),
        )
    )
    return page(f"Comparison: {TITLES[told.kind]}", body)


def _head(told: Comparison) -> str:
    lines = "".join(
        f"<p>{name}: <code>{escape(str(one.folder))}</code>, {counted(len(one.runs), 'run')}, "
        f"{len(one.unscored)} unscored.</p>"
        for name, one in (("First", told.first), ("Second", told.second))
    )
    same = (
        f"<p>{told.same} of {counted(told.shared, 'run')} of the same name went exactly alike.</p>"
        if told.shared
        else ""
    )
    alone = "".join(
        f'<p class="warn">Only in the {side} experiment, so not compared: {escape(", ".join(labels))}.</p>'
        for side, labels in (("first", told.alone[0]), ("second", told.alone[1]))
        if labels
    )
    title = f"{TITLES[told.kind].capitalize()}: two experiments compared"
    return f"<header>\n<h1>{escape(title)}</h1>\n{lines}{same}{alone}\n</header>"


def _differing(told: Comparison) -> str:
    if not told.differing:
        return "<p>Nothing: circumstances, code, versions and command are the same.</p>"
    rows = [
        [
            escape(name.replace("_", " ")),
            *(f'<span class="wrap"><code>{escape(side)}</code></span>' for side in pair),
        ]
        for name, pair in told.differing.items()
    ]
    return table(["", "first", "second"], rows)


def _overall(told: Comparison) -> str:
    scale = 1 if told.kind == "mfm" else 100
    rows = [
        [
            named(label),
            with_span(one.first, scale),
            with_span(one.second, scale),
            _difference(told, one),
            f"{one.runs[0]}, {one.runs[1]}",
        ]
        for label, one in told.overall.items()
    ]
    return table(["agent", "first", "second", "difference", "runs"], rows)


def _tasks(told: Comparison) -> str:
    paper = load_paper()
    tasks = list(dict.fromkeys(task for row in told.tasks.values() for task in row))
    rows = [
        [named(label), *(_difference(told, row[task]) if task in row else "" for task in tasks)]
        for label, row in told.tasks.items()
    ]
    return dense_table(["agent", *(escape(paper.title(task)) for task in tasks)], rows)


def _difference(told: Comparison, one: Sides) -> str:
    return with_span(one.difference, 1, 2) if told.kind == "mfm" else points(one.difference)


def _scaled(one: Interval, factor: float) -> Interval:
    if one.low is None or one.high is None:
        return Interval(value=factor * one.value, low=None, high=None)
    return Interval(value=factor * one.value, low=factor * one.low, high=factor * one.high)

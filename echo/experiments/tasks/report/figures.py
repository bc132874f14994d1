"""Which figures a report has, for what its results hold."""

from __future__ import annotations

from csd.axes import AXES
from echo.experiments.tasks.report.cells import ECHO
from echo.experiments.tasks.report.draw_ablation import draw_bars, draw_heatmap
from echo.experiments.tasks.report.draw_rest import draw_costs, draw_failures, draw_ladder, draw_sources
from echo.experiments.tasks.report.draw_success import (
    draw_family_learning,
    draw_learning,
    draw_overall,
    draw_table1,
)
from echo.experiments.tasks.report.drawing import Drawing
from echo.experiments.tasks.report.numbers import Numbers

AXIS_VARIANTS: tuple[str, ...] = tuple(
    f"{ECHO}/{prefix}{axis.value}" for axis in AXES for prefix in ("-", "only-")
)
"""Variants of echo that a section of their own shows."""


def rows_shown(numbers: Numbers) -> tuple[str, ...]:
    """Return the competitors that tables and figures show: axis variants only where there is little else."""
    plain = tuple(label for label in numbers.labels if label not in AXIS_VARIANTS)
    return plain if len(plain) > 2 else numbers.labels


def make_drawings(numbers: Numbers) -> dict[str, Drawing]:
    """Return the figures by name, in the order of the page; none without runs to show."""
    found: list[Drawing] = []
    if numbers.success is not None:
        found += [draw_table1(numbers.success), draw_overall(numbers.success)]
        found.append(draw_learning(numbers.curves, "curves", "Success over episodes, mean of all tasks"))
        if numbers.family_curves:
            found.append(draw_family_learning(numbers.family_curves))
    if numbers.continual:
        found.append(draw_learning(numbers.continual, "continual", "Success over mixed episodes"))
    if numbers.ablation is not None:
        found.append(draw_bars(numbers.ablation))
        if numbers.ablation.has_axes:
            found.append(draw_heatmap(numbers.ablation))
    if numbers.folder_memory is not None and numbers.folder_memory.ladders:
        found.append(draw_ladder(numbers.folder_memory))
    behind = next(iter(numbers.behind.values()))
    shown = rows_shown(numbers)
    found += [
        draw_failures(behind.failures, shown),
        draw_costs(behind.spending, shown),
        draw_sources(behind.sources, shown),
    ]
    return {one.name: one for one in found}

"""F1 of each axis and column as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from csd.axes import AXES
from finetune.evaluation.figures import Figures
from finetune.evaluation.table import titles

SHOWN = (
    "before",
    "before_constrained",
    "before_explained",
    "after",
    "repaired",
    "constrained",
    "out_of_template",
    "out_of_template_constrained",
    "texts",
)
"""Columns in the picture."""

COLOURS = (
    "#c9ced6",
    "#9aa4b2",
    "#6b7686",
    "#e0a391",
    "#cf7259",
    "#b5432a",
    "#a8c3b0",
    "#5f8f6f",
    "#8a78a8",
)


def draw(columns: Mapping[str, Figures], path: Path) -> None:
    """Draw F1 by axis of the columns in `SHOWN` that have any, and write it to `path` as PNG."""
    from matplotlib.figure import Figure

    shown = [
        (name, colour)
        for name, colour in zip(SHOWN, COLOURS, strict=True)
        if name in columns and columns[name].mean_f1 is not None
    ]
    figure = Figure(figsize=(8.0, 4.5), dpi=120, layout="constrained")
    axes = figure.subplots()
    width = 0.8 / max(1, len(shown))
    for place, (name, colour) in enumerate(shown):
        heights = [columns[name].f1[axis.value] or 0.0 for axis in AXES]
        left = [number - 0.4 + width * (place + 0.5) for number in range(len(AXES))]
        axes.bar(left, heights, width=width, color=colour, label=titles()[name])
    axes.set_xticks(range(len(AXES)), [axis.value for axis in AXES])
    axes.set_ylim(0.0, 1.0)
    axes.set_ylabel("F1 of statements, mean over rows")
    axes.spines[["top", "right"]].set_visible(False)
    if shown:
        figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    figure.savefig(path, metadata={"Software": None})

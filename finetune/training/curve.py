"""The course of the loss, as a table and as a picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from csd.vectors.files import replace
from finetune.training.records import CURVE_PICTURE, CURVE_TABLE

COLUMNS: Mapping[str, str] = {
    "step": "step",
    "epoch": "epoch",
    "seconds": "seconds",
    "loss": "loss",
    "learning_rate": "learning_rate",
    "grad_norm": "gradient_norm",
    "eval_loss": "validation_loss",
}
"""What transformers calls a number -> the column it stands in."""

TRAINING, VALIDATION = "#9aa4b2", "#b5432a"


WIDE = 5
"""Where the greatest loss is more than so many times the least, ticks stand at 1, 2, 5, 10, ..."""


def write_curve(history: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Write the table (one line a step) and the picture of a run into `folder`.

    Args:
        history: what the trainer logged, in its order; a measurement of the validation rows stands in the
            line of its step.
        folder: where to.
    """
    lines = curve(history)
    text = io.StringIO()
    table = csv.DictWriter(text, fieldnames=list(COLUMNS.values()), lineterminator="\n")
    table.writeheader()
    table.writerows(lines)
    replace(folder / CURVE_TABLE, text.getvalue().encode())
    _draw(lines, folder / CURVE_PICTURE)


def curve(history: Sequence[Mapping[str, Any]]) -> list[dict[str, float]]:
    """Return a line for each step in `history`, ascending; what was not measured there is absent."""
    lines: dict[int, dict[str, float]] = {}
    for each in history:
        found = {column: each[name] for name, column in COLUMNS.items() if name in each}
        if "loss" in found or "validation_loss" in found:
            lines.setdefault(int(each["step"]), {}).update(found)
    return [lines[step] for step in sorted(lines)]


def _draw(lines: Sequence[Mapping[str, float]], path: Path) -> None:
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

    figure = Figure(figsize=(8.0, 4.5), dpi=120, layout="constrained")
    axes = figure.subplots()
    for name, label, colour, style in (
        ("loss", "training, each step", TRAINING, {"linewidth": 1.0}),
        ("validation_loss", "validation", VALIDATION, {"linewidth": 1.6, "marker": "o", "markersize": 4}),
    ):
        shown = [(each["step"], each[name]) for each in lines if name in each]
        if shown:
            axes.plot(*zip(*shown, strict=True), color=colour, label=label, **style)
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)) if high > WIDE * low else MaxNLocator(6))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("steps")
    axes.set_ylabel("loss per token of the answers (nats)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Software": None})

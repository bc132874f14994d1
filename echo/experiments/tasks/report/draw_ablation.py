"""Figures of Fig. 7: what removing or keeping each axis changes, and our heat map beside the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from csd.axes import AXES
from echo.experiments.drawing import Theme, colour_scale
from echo.experiments.figures import AXIS_COLOURS
from echo.experiments.statistics.strata import Floats
from echo.experiments.tasks.report.ablation import ALL, Ablation, Change
from echo.experiments.tasks.report.drawing import Drawing, fit, is_narrow, name_rows, panels, text_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_OTHER = "#8d99ae"


def draw_bars(ablation: Ablation) -> Drawing:
    """Draw the change in success of every variant of echo, family by family, with 95 % intervals."""
    families = {name: row for name, row in ablation.changes.items() if name != ALL and row}
    switches = list(dict.fromkeys(switch for row in families.values() for switch in row))

    def draw(figure: Figure, theme: Theme) -> None:
        narrow = is_narrow(figure)
        columns = min(len(families), 2 if narrow else 4)
        found = panels(figure, theme, -(-len(families) // columns), columns)
        for axes in found[len(families) :]:
            axes.set_visible(False)
        for axes, (family, row) in zip(found, families.items(), strict=False):
            _bars(axes, switches, row, theme)
            axes.set_title(family.capitalize(), fontsize=11, color=theme.ink, loc="left")
            name_rows(axes, switches, 9)
            axes.tick_params(labelsize=8.5)
        lows = [axes.get_xlim()[0] for axes in found[: len(families)]]
        highs = [axes.get_xlim()[1] for axes in found[: len(families)]]
        for axes in found[: len(families)]:
            axes.set_xlim(min(lows), max(highs))
        for axes in found[max(0, len(families) - columns) : len(families)]:
            axes.set_xlabel("change, points", fontsize=9)
        fit(figure, left=1.1, top=0.35, bottom=0.5, across=0.18, down=0.6)

    return Drawing(
        name="ablation",
        title="Change in success when parts of echo are removed or kept alone, percentage points",
        draw=draw,
        height=0.9 + 0.235 * len(switches),
        narrow_height=(0.8 + 0.21 * len(switches)) * -(-len(families) // 2) + 0.2,
        rows=tuple(
            {
                "family": family,
                "switch": switch,
                "delta": change.difference.value,
                "low": change.difference.low,
                "high": change.difference.high,
                "p": change.p,
                "p_holm": change.p_holm,
                "pairs": change.pairs,
            }
            for family, row in ablation.changes.items()
            for switch, change in row.items()
        ),
    )


def _bars(axes: Axes, switches: list[str], row: Mapping[str, Change], theme: Theme) -> None:
    for place, switch in enumerate(switches):
        change = row.get(switch)
        if change is None:
            continue
        one = change.difference
        colour = AXIS_COLOURS.get(switch.removeprefix("-").removeprefix("only-"), _OTHER)
        kept = switch.startswith("only-")
        axes.barh(place, 100 * one.value, 0.66, color=colour, alpha=0.45 if kept else 1.0)
        if one.low is not None and one.high is not None:
            axes.plot([100 * one.low, 100 * one.high], [place, place], color=theme.ink, linewidth=1.1)
    axes.axvline(0, color=theme.ink, linewidth=0.8)


def draw_heatmap(ablation: Ablation) -> Drawing:
    """Draw three maps of family and axis: lost by removal, gained alone, and the paper's."""
    families = list(ablation.heatmap)

    def draw(figure: Figure, theme: Theme) -> None:
        narrow = is_narrow(figure)
        found = panels(figure, theme, 3 if narrow else 1, 1 if narrow else 3)
        removed = _matrix(ablation, "removed")
        only = _matrix(ablation, "only")
        paper = np.array([[cell.paper for cell in row.values()] for row in ablation.heatmap.values()])
        _map(found[0], 100 * removed, "ours: lost when removed, points", "{:+.0f}", theme)
        _map(found[1], 100 * only, "ours: gained by it alone, points", "{:+.0f}", theme)
        _map(found[2], paper, "the paper's correlation", "{:.2f}", theme)
        for axes in found:
            axes.set_yticks(range(len(families)), [family.capitalize() for family in families], fontsize=9.5)
        fit(figure, left=0.95, top=0.35, bottom=0.35, across=0.2, down=0.75)

    return Drawing(
        name="heatmap",
        title="Families and axes: ours beside the paper's",
        draw=draw,
        height=0.75 + 0.48 * max(len(families), 2),
        narrow_height=3 * (0.7 + 0.4 * max(len(families), 2)),
        rows=tuple(
            {
                "family": family,
                "axis": axis,
                "removed": None if cell.removed is None else cell.removed.value,
                "removed_low": None if cell.removed is None else cell.removed.low,
                "removed_high": None if cell.removed is None else cell.removed.high,
                "only": None if cell.only is None else cell.only.value,
                "only_low": None if cell.only is None else cell.only.low,
                "only_high": None if cell.only is None else cell.only.high,
                "paper": cell.paper,
            }
            for family, row in ablation.heatmap.items()
            for axis, cell in row.items()
        ),
    )


def _matrix(ablation: Ablation, name: str) -> Floats:
    """Return one of our maps, (families, axes), nan where the runs are missing."""
    rows = ablation.heatmap.values()
    cells = [[getattr(cell, name) for cell in row.values()] for row in rows]
    return np.array([[np.nan if one is None else one.value for one in row] for row in cells])


def _map(axes: Axes, values: Floats, title: str, form: str, theme: Theme) -> None:
    """Draw a map with its numbers; signed values in colours that part at zero."""
    known = values[np.isfinite(values)]
    signed = "+" in form
    top = float(np.abs(known).max()) if known.size else 1.0
    top = top or 1.0
    colours = colour_scale("PuOr" if signed else "Purples")
    for row, column in np.ndindex(values.shape):
        value = values[row, column]
        if not np.isfinite(value):
            axes.text(column, row, "no runs", ha="center", va="center", fontsize=8, color=theme.ink)
            continue
        colour = colours(float((value / top + 1) / 2 if signed else value))
        axes.fill_between([column - 0.48, column + 0.48], row - 0.46, row + 0.46, color=colour, linewidth=0)
        axes.text(
            column, row, form.format(value), ha="center", va="center", fontsize=9.5, color=text_on(colour)
        )
    axes.set_xlim(-0.5, values.shape[1] - 0.5)
    axes.set_ylim(values.shape[0] - 0.5, -0.5)
    axes.set_xticks(range(values.shape[1]), [axis.value for axis in AXES], fontsize=9.5)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(title, fontsize=10, color=theme.ink, loc="left")

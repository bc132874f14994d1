"""What the figures of task runs share: a drawing for two widths with its numbers, colours, and panels."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from echo.experiments.drawing import WIDTH, Draw, Theme, quieten, render_svg
from echo.experiments.figures import AGENT_COLOURS
from echo.experiments.statistics.strata import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NARROW = 4.0
"""Inches that a figure is wide on a phone; there its letters are as large as on a desk."""

COLOURS: dict[str, str] = {
    "direct": "#8d99ae",
    "deps": "#56b4e9",
    "voyager": "#cc79a7",
    "mrsteve": "#c9a227",
    "mp5": "#009e73",
    "jarvis-1": "#4a6fdc",
    "pro-long": "#8a5fd0",
    "vista": "#a0704b",
    "mfm": "#55b8c4",
    "echo-release": "#e39b84",
    "echo": AGENT_COLOURS["echo"],
}
"""Agent -> colour; markers and names say the same for those who see no colours."""

MARKERS: dict[str, str] = {
    "direct": "x",
    "deps": "v",
    "voyager": "s",
    "mrsteve": "P",
    "mp5": "D",
    "jarvis-1": "^",
    "pro-long": "<",
    "vista": ">",
    "mfm": "h",
    "echo-release": "d",
    "echo": "o",
}

CAUSE_COLOURS: dict[str, str] = {
    "precheck": "#0072b2",
    "verifier": "#e69f00",
    "surprise": "#cc79a7",
    "budget": "#8d99ae",
    "stuck": "#4d5560",
}

TASK_SOURCE_COLOURS: dict[str, str] = {
    "collect": "#8d99ae",
    "exploration": "#3f88c5",
    "edit": "#2a9d8f",
    "adaptation": "#a3c4e0",
    "transfer": "#e4572e",
    "pattern": "#c9a227",
    "role": "#cc79a7",
    "plan": "#5b6673",
}

OTHER_COLOUR = "#b0b8c1"
"""Of a source that no table knows."""

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """One figure of a report: drawn for a desk and for a phone, with its numbers."""

    name: str
    """Of its files, without ending."""
    title: str
    draw: Draw
    height: float
    """Inches, of a width of 10."""
    narrow_height: float
    """Inches, of a width of `NARROW`."""
    rows: tuple[Row, ...]
    """Its numbers, one point a row, all with the same keys."""

    def csv(self) -> bytes:
        """Return its numbers as CSV with a heading; an unknown number is an empty field."""
        stream = io.StringIO()
        if self.rows:
            writer = csv.DictWriter(stream, fieldnames=list(self.rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)
        return stream.getvalue().encode()


def colour_of(label: str) -> str:
    """Return the colour of a competitor: that of its agent."""
    return COLOURS.get(label.partition("/")[0], "#8d99ae")


def marker_of(label: str) -> str:
    """Return the marker of a competitor: that of its agent."""
    return MARKERS.get(label.partition("/")[0], "o")


def is_narrow(figure: Figure) -> bool:
    """Return whether a figure is drawn for a phone."""
    return bool(figure.get_figwidth() < (NARROW + 10) / 2)


def panels(figure: Figure, theme: Theme, rows: int, columns: int, *, share: bool = True) -> list[Axes]:
    """Return quiet axes in rows; where they share an axis of agents, only the first of a row names them."""
    grid = figure.subplots(rows, columns, sharey=share, squeeze=False)
    found: list[Axes] = list(grid.ravel())
    for axes in found:
        quieten(axes, theme)
        axes.title.set_color(theme.ink)
    return found


def name_rows(axes: Axes, labels: Sequence[str], size: float = 9) -> None:
    """Name the rows of a drawing, first at the top."""
    axes.set_yticks(range(len(labels)), labels, fontsize=size)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)


def dot(axes: Axes, value: Interval, row: float, label: str, *, hollow: bool, theme: Theme) -> None:
    """Draw a value with its interval in a row."""
    colour = colour_of(label)
    if value.low is not None and value.high is not None:
        axes.plot([value.low, value.high], [row, row], color=colour, linewidth=1.8, alpha=0.65)
    fill = theme.paper if hollow else colour
    axes.plot(
        [value.value], [row], marker_of(label), color=colour, markerfacecolor=fill, markersize=5.5,
        markeredgewidth=1.4,
    )  # fmt: skip


def legend_below(figure: Figure, theme: Theme, handles: Sequence[Any], columns: int, size: float = 9) -> None:
    """Put one legend at the foot of a figure."""
    legend = figure.legend(
        handles=list(handles), loc="lower center", ncols=columns, frameon=False, fontsize=size,
        handlelength=1.6, columnspacing=1.2,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_color(theme.ink)


def fit(figure: Figure, *, left: float, right: float = 0.12, top: float = 0.12, bottom: float = 0.5,
        across: float = 0.25, down: float = 0.45) -> None:  # fmt: skip
    """Set margins in inches, so that they hold the same letters at every size.

    Args:
        figure: Figure, whose panels are all of one size.
        left: Room for names.
        right: Room at the right.
        top: Room above the first row of panels.
        bottom: Room below the last one.
        across: Between panels beside each other.
        down: Between panels above each other.
    """
    width, height = figure.get_figwidth(), figure.get_figheight()
    place = figure.axes[0].get_subplotspec()
    grid = place.get_gridspec() if place is not None else None
    columns, rows = (grid.ncols, grid.nrows) if grid is not None else (1, 1)
    panel_width = max((width - left - right - across * (columns - 1)) / columns, 0.1)
    panel_height = max((height - top - bottom - down * (rows - 1)) / rows, 0.1)
    figure.subplots_adjust(
        left=left / width,
        right=1 - right / width,
        top=1 - top / height,
        bottom=bottom / height,
        wspace=across / panel_width,
        hspace=down / panel_height,
    )


def share_axis(axes: Axes, low: float = 0.0, high: float = 1.0) -> None:
    """Label an axis of shares in percent."""
    axes.set_xlim(low, high)
    axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}")


def text_on(colour: Sequence[float]) -> str:
    """Return black or white, whichever reads better on a colour of red, green and blue in [0, 1]."""
    linear = [((c + 0.055) / 1.055) ** 2.4 if c > 0.04045 else c / 12.92 for c in colour[:3]]
    luminance = float(np.dot(linear, [0.2126, 0.7152, 0.0722]))
    return "#000000" if (luminance + 0.05) ** 2 > 0.05 * 1.05 else "#ffffff"


def figure_of(drawing: Drawing) -> str:
    """Return a drawing for desks and one for phones, of which the page shows the one that fits."""
    wide = render_svg(drawing.draw, drawing.height, drawing.title, WIDTH)
    narrow = render_svg(drawing.draw, drawing.narrow_height, drawing.title, NARROW)
    return (
        f'<figure class="wide">{wide}</figure>\n<figure class="narrow">{narrow}</figure>\n'
        f'<p class="files">{escape(drawing.title)}: <a href="{drawing.name}.png">PNG</a> '
        f'<a href="{drawing.name}.csv">CSV</a></p>'
    )

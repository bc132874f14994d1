"""What all figures share: colours of the page, quiet axes, and their two forms, PNG and SVG."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, kw_only=True)
class Theme:
    """Colours of everything that is not data."""

    ink: str
    faint: str
    paper: str


LIGHT = Theme(ink="#22272e", faint="#d5dae1", paper="#ffffff")

# Colours no other part of a figure uses, replaced in the SVG by the page's own.
_MARKED = Theme(ink="#010203", faint="#040506", paper="#070809")

Draw = Callable[["Figure", Theme], None]

WIDTH = 10.0
"""Inches that a figure is wide where nothing else is said."""


def line_key(label: str, *, color: str, marker: str) -> Any:
    """Return an entry of a legend for a line with markers."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color=color, marker=marker, markersize=5, linewidth=1.6, label=label)


def patch_key(label: str, *, color: str) -> Any:
    """Return an entry of a legend for an area."""
    from matplotlib.patches import Patch

    return Patch(color=color, label=label)


def colour_scale(name: str) -> Callable[[float], tuple[float, ...]]:
    """Return matplotlib's colour map of that name: [0, 1] -> red, green, blue and alpha in [0, 1]."""
    import matplotlib

    scale: Callable[[float], tuple[float, ...]] = matplotlib.colormaps[name]
    return scale


def spread(values: Sequence[float], gap: float) -> list[float]:
    """Return places near `values`, in their order, no two nearer than `gap`, so that labels do not overlap.

    Of equal values the first gets the highest place.

    >>> spread([10.0, 10.0, 50.0], 4.0)
    [14.0, 10.0, 50.0]
    """
    places = list(values)
    lowest = float("-inf")
    for index in sorted(range(len(places)), key=lambda index: (values[index], -index)):
        places[index] = max(places[index], lowest + gap)
        lowest = places[index]
    return places


def quiet_axes(figure: Figure, theme: Theme) -> Axes:
    """Return axes over the whole figure with a quiet frame and grid."""
    axes = figure.add_subplot()
    quieten(axes, theme)
    return axes


def quieten(axes: Axes, theme: Theme) -> None:
    """Give axes a quiet frame and grid, and their figure the colour of the page."""
    axes.figure.patch.set_facecolor(theme.paper)
    axes.set_facecolor(theme.paper)
    axes.grid(color=theme.faint, linewidth=0.7)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(theme.faint)
    axes.tick_params(colors=theme.ink, length=0)
    axes.xaxis.label.set_color(theme.ink)
    axes.yaxis.label.set_color(theme.ink)


def render_png(draw: Draw, height: float, width: float = WIDTH) -> bytes:
    """Return a drawing of `width` x `height` inches as PNG, 150 pixels an inch."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    draw(figure, LIGHT)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=150, metadata={"Software": None})
    return stream.getvalue()


def render_svg(draw: Draw, height: float, title: str, width: float = WIDTH) -> str:
    """Return a drawing as an inline SVG element that fills its column and follows the page's colours."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": f"{title}, {width:g}"}):
        figure = Figure(figsize=(width, height))
        draw(figure, _MARKED)
        stream = io.StringIO()
        figure.savefig(
            stream, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
        )
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<style[^>]*>.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    text = text.replace("<svg", f'<svg role="img" aria-label="{title}"', 1)
    for marked, variable in ((_MARKED.ink, "--ink"), (_MARKED.faint, "--line"), (_MARKED.paper, "--paper")):
        text = text.replace(marked, f"var({variable})")
    return text

"""Figures of a report, each drawn once as PNG and once as SVG that takes its colours from the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from echo.experiments.drawing import Draw, Theme, quiet_axes, spread
from echo.experiments.results import SOURCES, RunResult
from echo.experiments.summary import Competitor, Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


AGENT_COLOURS: dict[str, str] = {
    "echo": "#e4572e",
    "none": "#8d99ae",
    "edits": "#3f88c5",
    "name-similarity": "#2a9d8f",
    "bow": "#c9a227",
    "voyager": "#cc79a7",
    "jarvis-1": "#4a6fdc",
    "mrsteve": "#7d8f29",
    "mp5": "#009e73",
    "pro-long": "#8a5fd0",
    "vista": "#a0704b",
    "echo-release": "#e39b84",
}
VARIANT_COLOURS: tuple[str, ...] = ("#9b5de5", "#c45a8a", "#7a6ff0", "#b08968", "#6a994e", "#d08c60")
SOURCE_COLOURS: dict[str, str] = {
    "collect": "#8d99ae",
    "exploration": "#3f88c5",
    "edit": "#2a9d8f",
    "transfer": "#e4572e",
    "pattern": "#c9a227",
}
AXIS_COLOURS: dict[str, str] = {
    "struct": "#7a4fd0",
    "attr": "#d06a9c",
    "proc": "#8a5a35",
    "func": "#9acd32",
    "inter": "#8fd3f0",
}


def competitor_colours(competitors: Sequence[Competitor]) -> dict[str, str]:
    """Return a colour for each label; agents keep theirs in every report, variants take the next free one."""
    variants = [one.label for one in competitors if one.label not in AGENT_COLOURS]
    spare = {label: VARIANT_COLOURS[i % len(VARIANT_COLOURS)] for i, label in enumerate(variants)}
    return {one.label: AGENT_COLOURS.get(one.label) or spare[one.label] for one in competitors}


def draw_curves(summary: Summary) -> Draw:
    """Return a drawing of unique items over counted actions: means with 95 % bands, named at their ends."""

    def draw(figure: Figure, theme: Theme) -> None:
        axes = quiet_axes(figure, theme)
        colours = competitor_colours(summary.competitors)
        for one in summary.competitors:
            counts, colour = one.curve.counts, colours[one.label]
            if counts.low is not None and counts.high is not None:
                axes.fill_between(
                    one.curve.grid, counts.low, counts.high, color=colour, alpha=0.16, linewidth=0
                )
            line = "-" if one.label in AGENT_COLOURS else "--"
            width = 2.4 if one.label == "echo" else 1.7
            axes.plot(one.curve.grid, counts.mean, color=colour, linestyle=line, linewidth=width)
        axes.set_xlim(0, summary.steps)
        axes.set_ylim(0, 1.06 * axes.get_ylim()[1])
        ends = [float(one.curve.counts.mean[-1]) for one in summary.competitors]
        gap = 0.062 * axes.get_ylim()[1]
        for one, end, place in zip(summary.competitors, ends, spread(ends, gap), strict=True):
            text = f"{one.label}  {end:.0f}"
            axes.annotate(
                text,
                (summary.steps, place),
                xytext=(8, 0),
                textcoords="offset points",
                color=colours[one.label],
                va="center",
                fontsize=10,
                annotation_clip=False,
            )
        axes.set_xlabel("counted actions")
        axes.set_ylabel("unique items")
        figure.subplots_adjust(left=0.075, right=0.8, top=0.96, bottom=0.13)

    return draw


def draw_speedups(summary: Summary) -> Draw:
    """Return a drawing of echo's speed-up over each other competitor: medians with 95 % intervals."""

    def draw(figure: Figure, theme: Theme) -> None:
        axes = quiet_axes(figure, theme)
        colours = competitor_colours(summary.competitors)
        compared = [one for one in summary.competitors if one.speedup is not None]
        counts = list(compared[0].speedup or {}) if compared else []
        for row, one in enumerate(compared):
            for place, count in enumerate(counts):
                value = (one.speedup or {})[count]
                if value.median is None:
                    continue
                x = place + (row - (len(compared) - 1) / 2) * 0.8 / max(len(compared), 1)
                if value.low is not None and value.high is not None:
                    axes.plot(
                        [x, x], [value.low, value.high], color=colours[one.label], linewidth=2, alpha=0.6
                    )
                fill = theme.paper if value.censored else colours[one.label]
                axes.plot(
                    [x], [value.median], "o", color=colours[one.label], markerfacecolor=fill, markersize=7
                )
            axes.plot([], [], "o", color=colours[one.label], label=f"over {one.label}")
        if not any(value.median is not None for one in compared for value in (one.speedup or {}).values()):
            axes.text(0.5, 0.6, _nothing_compared(counts), transform=axes.transAxes, color=theme.ink,
                      ha="center", fontsize=11)  # fmt: skip
        axes.axhline(1, color=theme.ink, linewidth=1, linestyle=":")
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}x")
        axes.set_xlim(-0.5, max(len(counts), 1) - 0.5)
        axes.set_xticks(range(len(counts)), [f"{count} items" for count in counts])
        axes.set_ylabel("times fewer actions")
        if compared:
            legend = axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=10)
            for text in legend.get_texts():
                text.set_color(theme.ink)
        figure.subplots_adjust(left=0.075, right=0.775, top=0.96, bottom=0.1)

    return draw


def _nothing_compared(counts: Sequence[int]) -> str:
    """Return why a figure of speed-ups at `counts` items shows none."""
    if not counts:
        return "Nothing to compare: no runs of echo beside another agent."
    return f"No pair of runs reached {' or '.join(f'{count}' for count in counts)} items."


def draw_sources(summary: Summary) -> Draw:
    """Return a drawing of mean unlocks by source (upper bar) and of credit by axis (lower, thinner bar)."""

    def draw(figure: Figure, theme: Theme) -> None:
        axes = quiet_axes(figure, theme)
        axes.grid(axis="y", visible=False)
        for row, one in enumerate(summary.competitors):
            left = 0.0
            for source in SOURCES:
                width = one.sources.items[source]
                axes.barh(row - 0.1, width, 0.42, left=left, color=SOURCE_COLOURS[source])
                if source == "transfer":
                    _credit_bar(axes, one, row + 0.22, left)
                left += width
            axes.text(left, row - 0.1, f"  {left:.0f}", color=theme.ink, va="center", fontsize=10)
        for source in SOURCES:
            axes.barh(0, 0, color=SOURCE_COLOURS[source], label=source)
        for axis, colour in AXIS_COLOURS.items():
            axes.barh(0, 0, color=colour, label=f"credit: {axis}")
        axes.set_yticks(range(len(summary.competitors)), [one.label for one in summary.competitors])
        axes.set_ylim(len(summary.competitors) - 0.4, -0.6)
        axes.set_xlabel("unique items, mean over seeds")
        legend = axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=9)
        for text in legend.get_texts():
            text.set_color(theme.ink)
        figure.subplots_adjust(left=0.17, right=0.8, top=0.97, bottom=0.13)

    return draw


def _credit_bar(axes: Axes, one: Competitor, y: float, left: float) -> None:
    """Draw the axes' credit below the part of the bar that transfer and pattern make up."""
    for axis, colour in AXIS_COLOURS.items():
        axes.barh(y, one.sources.axes[axis], 0.16, left=left, color=colour)
        left += one.sources.axes[axis]


def draw_timeline(run: RunResult) -> Draw:
    """Return a drawing of one run: each unlock a dot coloured by source, milestones named."""

    def draw(figure: Figure, theme: Theme) -> None:
        axes = quiet_axes(figure, theme)
        actions = [unlock.action for unlock in run.unlocks]
        axes.step([0, *actions, run.actions], [0, *range(1, len(actions) + 1), len(actions)], where="post",
                  color=theme.faint, linewidth=1.2)  # fmt: skip
        for source in SOURCES:
            dots = [(u.action, rank) for rank, u in enumerate(run.unlocks, 1) if u.source == source]
            if dots:
                x, y = zip(*dots, strict=True)
                axes.plot(x, y, "o", markersize=4.5, color=SOURCE_COLOURS[source], label=source)
        last = -1e9
        for rank, unlock in enumerate(run.unlocks, 1):
            if unlock.item in run.milestones and unlock.action - last > 0.02 * run.spec.steps:
                axes.annotate(unlock.item, (unlock.action, rank), xytext=(9, -5), textcoords="offset points",
                              color=theme.ink, fontsize=8.5)  # fmt: skip
                last = unlock.action
        axes.set_xlim(0, run.spec.steps)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("counted actions")
        axes.set_ylabel("unique items")
        if run.unlocks:
            legend = axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=10)
            for text in legend.get_texts():
                text.set_color(theme.ink)
        figure.subplots_adjust(left=0.075, right=0.84, top=0.96, bottom=0.13)

    return draw

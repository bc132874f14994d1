"""Figures of what lies behind success: why episodes fail, what they cost, where items come from; ladders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from echo.experiments.drawing import Theme, colour_scale, patch_key
from echo.experiments.figures import AXIS_COLOURS
from echo.experiments.tasks.report.drawing import (
    CAUSE_COLOURS,
    OTHER_COLOUR,
    TASK_SOURCE_COLOURS,
    Drawing,
    colour_of,
    fit,
    is_narrow,
    legend_below,
    marker_of,
    name_rows,
    panels,
    share_axis,
    text_on,
)
from echo.experiments.tasks.report.failures import CAUSES, Failures
from echo.experiments.tasks.report.milestones import FolderMemory
from echo.experiments.tasks.report.sources import MOVED, Sources
from echo.experiments.tasks.report.spending import Spending

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_failures(failures: Mapping[str, Failures], shown: Sequence[str]) -> Drawing:
    """Draw failed episodes by main cause, shares of all episodes."""
    labels = [label for label in failures if label in shown]

    def draw(figure: Figure, theme: Theme) -> None:
        narrow = is_narrow(figure)
        (axes,) = panels(figure, theme, 1, 1)
        for row, label in enumerate(labels):
            left = 0.0
            for cause in CAUSES:
                width = failures[label].main[cause] / max(failures[label].episodes, 1)
                axes.barh(row, width, 0.66, left=left, color=CAUSE_COLOURS[cause])
                left += width
            axes.text(left, row, f" {100 * left:.0f}", color=theme.ink, va="center", fontsize=8.5)
        share_axis(axes, 0, 1.0)
        axes.set_xlabel("failed episodes, percent of all")
        name_rows(axes, labels)
        handles = [patch_key(cause, color=CAUSE_COLOURS[cause]) for cause in CAUSES]
        legend_below(figure, theme, handles, 3 if narrow else 5)
        fit(figure, left=_names(labels), right=0.3, bottom=1.05 if narrow else 0.85)

    height = 1.1 + 0.22 * len(labels)
    return Drawing(
        name="failures",
        title="Why episodes failed",
        draw=draw,
        height=height,
        narrow_height=height + 0.2,
        rows=tuple(
            {
                "agent": label,
                "cause": cause,
                "main": one.main[cause],
                "any": one.any[cause],
                "failed": one.failed,
                "episodes": one.episodes,
            }
            for label, one in failures.items()
            for cause in CAUSES
        ),
    )


_COSTS: Sequence[tuple[str, Callable[[Spending], float | None]]] = (
    ("steps a success", lambda one: one.steps.a_success),
    ("decisions a success", lambda one: one.decisions.a_success),
    ("seconds an episode", lambda one: one.seconds.an_episode),
    ("tokens a success", lambda one: one.tokens.a_success),
)


def draw_costs(spending: Mapping[str, Spending], shown: Sequence[str]) -> Drawing:
    """Draw what a success costs; tokens only where a language model took part."""
    labels = [label for label in spending if label in shown]
    asked = any(one.tokens.an_episode for one in spending.values())
    costs = _COSTS if asked else _COSTS[:-1]

    def draw(figure: Figure, theme: Theme) -> None:
        columns = 1 if is_narrow(figure) else len(costs)
        for axes, (title, cost) in zip(
            panels(figure, theme, len(costs) // columns, columns), costs, strict=True
        ):
            for row, label in enumerate(labels):
                value = cost(spending[label])
                if value is not None:
                    axes.plot([0, value], [row, row], color=colour_of(label), linewidth=1.2, alpha=0.5)
                    axes.plot([value], [row], marker_of(label), color=colour_of(label), markersize=6)
            axes.set_xlim(left=0)
            axes.set_title(title, fontsize=10.5, color=theme.ink, loc="left")
            name_rows(axes, labels)
        fit(figure, left=_names(labels), top=0.35, bottom=0.35, across=0.2, down=0.7)

    return Drawing(
        name="costs",
        title="What success costs",
        draw=draw,
        height=0.75 + 0.22 * len(labels),
        narrow_height=len(costs) * (0.75 + 0.2 * len(labels)),
        rows=tuple(
            {
                "agent": label,
                "episodes": one.episodes,
                "successes": one.successes,
                "steps_an_episode": one.steps.an_episode,
                "steps_a_success": one.steps.a_success,
                "decisions_an_episode": one.decisions.an_episode,
                "decisions_a_success": one.decisions.a_success,
                "seconds_an_episode": one.seconds.an_episode,
                "seconds_a_success": one.seconds.a_success,
                "tokens_an_episode": one.tokens.an_episode,
                "tokens_a_success": one.tokens.a_success,
                "episodes_a_minute": one.episodes_a_minute,
            }
            for label, one in spending.items()
        ),
    )


def draw_sources(sources: Mapping[str, Sources], shown: Sequence[str]) -> Drawing:
    """Draw new items an episode by source, and below, where there are some, the axes of what was moved."""
    labels = [label for label in sources if label in shown]
    found = dict.fromkeys(source for one in sources.values() for source in one.tallies)
    kinds = [*(source for source in found if source not in MOVED), *(one for one in MOVED if one in found)]

    def draw(figure: Figure, theme: Theme) -> None:
        narrow = is_narrow(figure)
        (axes,) = panels(figure, theme, 1, 1)
        for row, label in enumerate(labels):
            one = sources[label]
            left, start = 0.0, 0.0
            for source in kinds:
                width = one.tallies[source].new / max(one.episodes, 1) if source in one.tallies else 0.0
                colour = TASK_SOURCE_COLOURS.get(source, OTHER_COLOUR)
                axes.barh(row - 0.08, width, 0.46, left=left, color=colour)
                left += width
                start = start if source in MOVED else left
            moved = left - start
            for axis, share in one.axes_made.items():
                axes.barh(row + 0.26, moved * share, 0.16, left=start, color=AXIS_COLOURS[axis])
                start += moved * share
            axes.text(left, row - 0.08, f" {left:.2f}", color=theme.ink, va="center", fontsize=8.5)
        axes.set_xlim(0, 1.12 * axes.get_xlim()[1])
        axes.set_xlabel("new items an episode")
        name_rows(axes, labels)
        handles = [patch_key(kind, color=TASK_SOURCE_COLOURS.get(kind, OTHER_COLOUR)) for kind in kinds]
        if any(one.axes_made for one in sources.values()):
            handles += [patch_key(f"axis {axis}", color=colour) for axis, colour in AXIS_COLOURS.items()]
        columns = 3 if narrow else 6
        legend_below(figure, theme, handles, columns)
        fit(figure, left=_names(labels), bottom=0.62 + 0.21 * -(-len(handles) // columns))

    height = 1.2 + 0.25 * len(labels)
    return Drawing(
        name="sources",
        title="Where new items come from",
        draw=draw,
        height=height,
        narrow_height=height + 0.5,
        rows=tuple(
            {
                "agent": label,
                "source": source,
                **tally.model_dump(),
                "made_share": one.share(source, "made"),
                "new_share": one.share(source, "new"),
                "episodes": one.episodes,
            }
            for label, one in sources.items()
            for source, tally in one.tallies.items()
        ),
    )


def draw_ladder(told: FolderMemory) -> Drawing:
    """Draw which share of runs held each milestone, with the median steps until then."""
    labels = list(told.ladders)

    def draw(figure: Figure, theme: Theme) -> None:
        narrow = is_narrow(figure)
        (axes,) = panels(figure, theme, 1, 1)
        colours = colour_scale("Purples")
        for row, label in enumerate(labels):
            for column, mark in enumerate(told.ladders[label].milestones):
                share = mark.reached / mark.runs
                colour = colours(share)
                axes.fill_between(
                    [column - 0.48, column + 0.48], row - 0.46, row + 0.46, color=colour, linewidth=0
                )
                text = f"{mark.median:,.0f}" if mark.median is not None else f"{mark.reached}/{mark.runs}"
                axes.text(column, row, text, ha="center", va="center", fontsize=7.5 if narrow else 9.5,
                          color=text_on(colour))  # fmt: skip
        axes.set_xlim(-0.5, len(told.items) - 0.5)
        named = [item.replace("_", " ") for item in told.items]
        axes.set_xticks(range(len(named)), named, rotation=45, ha="right", fontsize=8.5 if narrow else 9.5)
        name_rows(axes, labels, 8.5 if narrow else 9.5)
        axes.grid(visible=False)
        fit(figure, left=1.3, bottom=1.05)

    height = 1.3 + 0.32 * len(labels)
    return Drawing(
        name="ladder",
        title="Milestones on the way to a diamond",
        draw=draw,
        height=height,
        narrow_height=height,
        rows=tuple(
            {
                "agent": label,
                "milestone": mark.item,
                "reached": mark.reached,
                "runs": mark.runs,
                "median_steps": mark.median,
            }
            for label, ladder in told.ladders.items()
            for mark in ladder.milestones
        ),
    )


def _names(labels: Sequence[str]) -> float:
    """Return the inches that the longest label takes."""
    return 0.25 + 0.068 * max(map(len, labels), default=0)

"""Figures of Table 1: success of each agent on each task, over all tasks, and over episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from echo.experiments.drawing import Theme, line_key, spread
from echo.experiments.statistics.strata import Floats, Interval
from echo.experiments.tasks.report.drawing import (
    Drawing,
    Row,
    colour_of,
    dot,
    fit,
    is_narrow,
    legend_below,
    marker_of,
    name_rows,
    panels,
    share_axis,
)
from echo.experiments.tasks.report.learning import LearningCurve
from echo.experiments.tasks.report.paper import load_paper
from echo.experiments.tasks.report.success import Cell, Success

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plain_agents(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the competitors without a switch, all of them where there is none without."""
    return tuple(label for label in labels if "/" not in label) or tuple(labels)


def draw_table1(success: Success) -> Drawing:
    """Draw success on each task: dots @0->30, hollow @0->10, with 95 % intervals."""
    labels = plain_agents(
        [label for label, row in success.table.items() if any(c.runs for c in row.values())]
    )
    tasks = list(dict.fromkeys(task for label in labels for task in success.table[label]))
    paper = load_paper()

    def draw(figure: Figure, theme: Theme) -> None:
        narrow = is_narrow(figure)
        columns = min(len(tasks), 3 if narrow else 6)
        found = panels(figure, theme, -(-len(tasks) // columns), columns)
        for axes in found[len(tasks) :]:
            axes.set_visible(False)
        for axes, task in zip(found, tasks, strict=False):
            for row, label in enumerate(labels):
                _task_dots(axes, success.table[label][task], row, label, theme)
            axes.set_title(paper.title(task), fontsize=8.5 if narrow else 10, color=theme.ink)
            share_axis(axes, -0.03, 1.03)
            axes.set_xticks([0, 0.5, 1])
            axes.tick_params(labelsize=8)
            name_rows(axes, labels, 8 if narrow else 9)
        fit(figure, left=0.86 if narrow else 1.0, top=0.3, bottom=0.3, across=0.14, down=0.55)

    narrow_rows, rows = -(-len(tasks) // 3), -(-len(tasks) // 6)
    return Drawing(
        name="table1",
        title="Success by task, percent",
        draw=draw,
        height=rows * (0.6 + 0.19 * len(labels)) + 0.25,
        narrow_height=narrow_rows * (0.6 + 0.165 * len(labels)) + 0.25,
        rows=tuple(
            _cell_row(label, task, success.table[label][task]) for label in success.table for task in tasks
        ),
    )


def _task_dots(axes: Axes, cell: Cell, row: int, label: str, theme: Theme) -> None:
    if cell.at10 is not None:
        dot(axes, Interval(value=cell.at10, low=None, high=None), row + 0.18, label, hollow=True, theme=theme)
    if cell.at30 is not None:
        value = Interval(value=cell.at30, low=cell.low30, high=cell.high30)
        dot(axes, value, row - 0.12, label, hollow=False, theme=theme)


def _cell_row(label: str, task: str, cell: Cell) -> Row:
    return {
        "agent": label,
        "task": task,
        "at10": cell.at10,
        "low10": cell.low10,
        "high10": cell.high10,
        "at30": cell.at30,
        "low30": cell.low30,
        "high30": cell.high30,
        "runs": cell.runs,
        "unscored": cell.unscored,
    }


def draw_overall(success: Success) -> Drawing:
    """Draw the mean over all tasks of every competitor, with and without switches."""
    labels = list(success.overall)

    def draw(figure: Figure, theme: Theme) -> None:
        (axes,) = panels(figure, theme, 1, 1)
        for row, label in enumerate(labels):
            mean = success.overall[label]
            dot(axes, mean.at10, row + 0.2, label, hollow=True, theme=theme)
            dot(axes, mean.at30, row - 0.14, label, hollow=False, theme=theme)
        if "echo" in success.overall:
            axes.axvline(success.overall["echo"].at30.value, color=theme.ink, linewidth=0.8, linestyle=":")
        top = max((mean.at30.high or mean.at30.value for mean in success.overall.values()), default=1.0)
        share_axis(axes, 0, min(1.0, 1.12 * top + 0.02))
        axes.set_xlabel("success, percent")
        name_rows(axes, labels)
        fit(figure, left=1.75 if any("/" in label for label in labels) else 1.05, bottom=0.55)

    rows = tuple(
        {
            "agent": label,
            "at10": one.at10.value,
            "low10": one.at10.low,
            "high10": one.at10.high,
            "at30": one.at30.value,
            "low30": one.at30.low,
            "high30": one.at30.high,
            "iqm30": one.iqm30.value,
            "tasks": one.tasks,
            "runs": one.runs,
            "unscored": one.unscored,
        }
        for label, one in success.overall.items()
    )
    height = 0.75 + 0.25 * len(labels)
    return Drawing(
        name="overall",
        title="Mean success over all tasks",
        draw=draw,
        height=height,
        narrow_height=height,
        rows=rows,
    )


def draw_learning(curves: Mapping[str, LearningCurve], name: str, title: str) -> Drawing:
    """Draw smoothed success over episodes, with 95 % bands, each line named at its end."""
    labels = plain_agents(list(curves))

    def draw(figure: Figure, theme: Theme) -> None:
        narrow = is_narrow(figure)
        (axes,) = panels(figure, theme, 1, 1)
        for label in labels:
            _curve(axes, label, curves[label], theme)
        last = max(curves[label].episodes for label in labels)
        axes.set_xlim(1, max(2, last))
        axes.set_ylim(0, min(1.0, 1.06 * axes.get_ylim()[1]))
        axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}")
        axes.set_xlabel("episode")
        axes.set_ylabel("success, percent")
        if narrow:
            legend_below(figure, theme, _handles(labels), 3, 8.5)
            fit(figure, left=0.55, bottom=0.65 + 0.2 * -(-len(labels) // 3))
            return
        ends = [float(curves[label].smoothed.mean[-1]) for label in labels]
        for label, end, place in zip(labels, ends, spread(ends, 0.058 * axes.get_ylim()[1]), strict=True):
            axes.annotate(
                f"{label}  {100 * end:.0f}",
                (last, place),
                xytext=(8, 0),
                textcoords="offset points",
                color=colour_of(label),
                va="center",
                fontsize=10,
                annotation_clip=False,
            )
        fit(figure, left=0.7, right=1.5, bottom=0.55)

    return Drawing(
        name=name, title=title, draw=draw, height=4.8, narrow_height=4.4 + 0.2 * -(-len(labels) // 3),
        rows=tuple(_curve_rows(curves)),
    )  # fmt: skip


def draw_family_learning(families: Mapping[str, Mapping[str, LearningCurve]]) -> Drawing:
    """Draw success over episodes in each family."""
    labels = plain_agents(list(dict.fromkeys(label for curves in families.values() for label in curves)))

    def draw(figure: Figure, theme: Theme) -> None:
        narrow = is_narrow(figure)
        columns = 1 if narrow else 2
        found = panels(figure, theme, -(-len(families) // columns), columns)
        for axes in found[len(families) :]:
            axes.set_visible(False)
        for axes, (family, curves) in zip(found, families.items(), strict=False):
            for label in labels:
                if label in curves:
                    _curve(axes, label, curves[label], theme)
            axes.set_title(family.capitalize(), fontsize=11, color=theme.ink, loc="left")
            axes.set_xlim(1, max(2, *(curve.episodes for curve in curves.values())))
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}")
        for axes in found[max(0, len(families) - columns) : len(families)]:
            axes.set_xlabel("episode")
        legend_below(figure, theme, _handles(labels), 3 if narrow else 6, 8.5 if narrow else 10)
        rows = -(-len(labels) // (3 if narrow else 6))
        fit(figure, left=0.5, top=0.35, bottom=0.6 + 0.21 * rows, across=0.35, down=0.6)

    return Drawing(
        name="families",
        title="Success over episodes by family, percent",
        draw=draw,
        height=6.8 if len(families) > 2 else 3.9,
        narrow_height=1.0 + 2.5 * len(families),
        rows=tuple(
            {"family": family, **row} for family, curves in families.items() for row in _curve_rows(curves)
        ),
    )


def _curve(axes: Axes, label: str, curve: LearningCurve, theme: Theme) -> None:
    band, colour = curve.smoothed, colour_of(label)
    episodes = range(1, curve.episodes + 1)
    if band.low is not None and band.high is not None:
        axes.fill_between(
            episodes, band.low, band.high, color=colour, alpha=0.2 if label == "echo" else 0.07, linewidth=0
        )
    width = 2.6 if label == "echo" else 1.4
    axes.plot(
        episodes, band.mean, color=colour, linewidth=width, marker=marker_of(label), markersize=4.5,
        markevery=max(1, curve.episodes // 6),
        markerfacecolor=colour if label == "echo" else theme.paper, zorder=4 if label == "echo" else 3,
    )  # fmt: skip


def _handles(labels: Sequence[str]) -> list[Any]:
    return [line_key(label, color=colour_of(label), marker=marker_of(label)) for label in labels]


def _curve_rows(curves: Mapping[str, LearningCurve]) -> list[Row]:
    def at(values: Floats | None, index: int) -> float | None:
        return None if values is None else float(values[index])

    return [
        {
            "agent": label,
            "episode": index + 1,
            "mean": float(curve.raw.mean[index]),
            "low": at(curve.raw.low, index),
            "high": at(curve.raw.high, index),
            "smoothed": float(curve.smoothed.mean[index]),
            "smoothed_low": at(curve.smoothed.low, index),
            "smoothed_high": at(curve.smoothed.high, index),
            "runs": curve.runs,
        }
        for label, curve in curves.items()
        for index in range(curve.episodes)
    ]

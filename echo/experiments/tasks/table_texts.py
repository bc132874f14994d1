"""Tables of README and docs as Markdown: tasks from their files, the rest from committed results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from csd.axes import AXES
from echo.experiments.results import ResultsError
from echo.experiments.tasks import table_tuned
from echo.experiments.tasks.committed import SUFFIX
from echo.experiments.tasks.loading import load_task, task_names
from echo.experiments.tasks.report.numbers import Numbers, measure
from echo.experiments.tasks.report.reading import KINDS, read_experiment
from echo.experiments.tasks.report.sources import SOURCES
from echo.experiments.tasks.report.success import Success
from echo.experiments.tasks.table_cells import interval, markdown, mean_of, p_value, percent, points, share
from finetune.evaluation.errors import EvaluationError
from finetune.evaluation.packed import SUFFIX as PACKED_TUNING
from finetune.evaluation.packed import Tuning, read_tuning

TUNING = f"finetune{PACKED_TUNING}"
"""Name of the file of the tuned model."""

INVENTED = "-invented"
"""Ends the name of a file of results with invented names, such as ``tasks-invented.jsonl.xz``."""

_AXIS_NAMES: tuple[str, ...] = tuple(axis.value for axis in AXES)

_HOW = "Make it with: echo-memory results pack DIR --out FILE"

Part = TypeVar("Part")


@dataclass(frozen=True)
class Committed:
    """Results that are committed with the code."""

    folder: Path
    """``data/results`` of a checkout."""

    @cached_property
    def real(self) -> Numbers:
        """Everything measured under real names."""
        return self._measure("")

    @cached_property
    def invented(self) -> Numbers:
        """Everything measured under invented names."""
        return self._measure(INVENTED)

    @cached_property
    def tuning(self) -> Tuning:
        """A small model that was taught to write descriptors, before and after."""
        try:
            return read_tuning(self.folder / TUNING)
        except EvaluationError as error:
            raise ResultsError(str(error)) from error

    @property
    def has_invented(self) -> bool:
        """Whether tasks played under invented names are among them."""
        return (self.folder / f"tasks{INVENTED}{SUFFIX}").exists()

    def _measure(self, ending: str) -> Numbers:
        paths = [self.folder / f"{kind}{ending}{SUFFIX}" for kind in KINDS]
        found = [read_experiment(path) for path in paths if path.exists()]
        if not found:
            raise ResultsError(f"expected one of {', '.join(map(str, paths))}; got none. {_HOW}")
        return measure(found)


def table_tasks(committed: Committed) -> str:
    """Return the twelve tasks: goal, budget and starts, as their files say."""
    rows = []
    for name in task_names():
        task = load_task(name)
        told = task.told(lambda item: item.replace("_", " "))
        rows.append(
            [f"`{name}`", task.family, told, str(task.steps), str(len(task.starts)), str(len(task.shown))]
        )
    return markdown(
        ["task", "family", "what the agent is told", "steps", "starts", "own demonstrations"], rows
    )


def table_success(committed: Committed) -> str:
    """Return Table 1: success in % over the first 10 and over 30 episodes, each agent in each task."""
    return markdown(*_table_1(_known(committed.real.success, "tasks", committed)))


def _table_1(told: Success) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of Table 1."""
    tasks = [task for task in task_names() if any(task in row for row in told.table.values())]
    rows = []
    for label, mean in told.overall.items():
        cells = [told.table[label].get(task) for task in tasks]
        shown = [
            "-" if cell is None or cell.at10 is None else f"{percent(cell.at10)}/{percent(cell.at30)}"
            for cell in cells
        ]
        rows.append([f"`{label}`", *shown, f"{percent(mean.at10.value)}/{percent(mean.at30.value)}"])
    return ["agent", *(load_task(task).title for task in tasks), "mean"], rows


def table_leads(committed: Committed) -> str:
    """Return how far echo lies above each other agent, over all tasks, paired by land."""
    told = _known(committed.real.success, "tasks", committed)
    rows = [
        [
            f"`{label}`",
            points(lead.difference),
            p_value(lead.p_holm),
            f"{lead.improvement.value:.2f}",
            str(lead.pairs),
        ]
        for label, lead in told.leads.items()
    ]
    heads = ["echo over", "points @0->30", "p, corrected", "probability of improvement", "pairs of runs"]
    return markdown(heads, rows)


_FEWER_AXES = ("echo/only-", *(f"echo/-{axis}" for axis in _AXIS_NAMES))


def table_families(committed: Committed) -> str:
    """Return success in % over 30 episodes by family, echo with fewer axes left out."""
    told = _known(committed.real.success, "tasks", committed)
    families = list(told.families)
    rows = [
        [f"`{label}`", *(share(told.families[family].get(label)) for family in families)]
        for label in told.overall
        if not label.startswith(_FEWER_AXES)
    ]
    return markdown(["agent", *families], rows)


def table_ablation(committed: Committed) -> str:
    """Return the change of success over 30 episodes, in points, when parts of echo are taken away."""
    told = _known(committed.real.ablation, "ablate", committed)
    families = list(told.changes)
    switches = list(dict.fromkeys(switch for row in told.changes.values() for switch in row))
    rows = []
    for switch in switches:
        changes = [told.changes[family].get(switch) for family in families]
        shown = [
            "-" if one is None else points(one.difference) + ("*" if one.p_holm < 0.05 else "")
            for one in changes
        ]
        rows.append([f"`echo/{switch}`", *shown])
    agreement = told.agreement
    if agreement.rho is None:
        fit = f"no rank correlation with the paper's heat map: {agreement.reason}"
    else:
        span = "" if agreement.low is None else f" ({agreement.low:.2f} to {agreement.high:.2f})"
        fit = (
            f"Spearman's rank correlation with the paper's heat map: {agreement.rho:.2f}{span}, "
            f"{agreement.cells} cells"
        )
    return markdown(["switch", *families], rows) + f"\n\\* p < 0.05, corrected for all cells; {fit}.\n"


def table_heatmap(committed: Committed) -> str:
    """Return the points lost when an axis is removed, by family, and the paper's correlation beside it."""
    told = _known(committed.real.ablation, "ablate", committed)
    rows = []
    for family, row in told.heatmap.items():
        cells = [f"{points(row[axis].removed)} ({row[axis].paper:.2f})" for axis in _AXIS_NAMES]
        rows.append([family, *cells])
    return markdown(["family: points lost (paper)", *_AXIS_NAMES], rows)


def table_continual(committed: Committed) -> str:
    """Return success in % along mixed episodes: five around each, over all runs."""
    told = _known(committed.real.continual, "continual", committed)
    length = min(curve.episodes for curve in told.values())
    marks = [episode for episode in (5, 10, 15, 20, 25, 30) if episode <= length] or [length]
    rows = [
        [
            f"`{label}`",
            *(percent(float(curve.smoothed.mean[episode - 1])) for episode in marks),
            percent(float(curve.raw.mean.mean())),
            str(curve.runs),
        ]
        for label, curve in told.items()
    ]
    return markdown(["agent", *(f"episode {episode}" for episode in marks), "all", "runs"], rows)


def table_milestones(committed: Committed) -> str:
    """Return median steps until each milestone was first held, and in how many runs it was."""
    told = _known(committed.real.folder_memory, "mfm", committed)
    rows = []
    for label, ladder in told.ladders.items():
        cells = [
            f"{'-' if mark.median is None else format(mark.median, ',.0f')} ({mark.reached}/{mark.runs})"
            for mark in ladder.milestones
        ]
        rows.append([f"`{label}`", *cells])
    return markdown(["agent", *(item.replace("_", " ") for item in told.items)], rows)


def table_skills(committed: Committed) -> str:
    """Return mean steps an episode without and with skills learned in another task."""
    told = _known(committed.real.folder_memory, "mfm", committed)
    rows = [
        [
            f"`{one.task}`",
            f"`{one.installed}`",
            f"{one.steps_without:,.0f} -> {one.steps_with:,.0f}",
            interval(one.difference, 0),
            f"{percent(one.success_without)} -> {percent(one.success_with)}",
            str(one.pairs),
        ]
        for one in told.skills
    ]
    heads = ["task", "skills of", "steps without -> with", "difference", "success, %", "pairs of runs"]
    return markdown(heads, rows)


def table_sources(committed: Committed) -> str:
    """Return the share of each source in all new items, in %, over the episodes of each agent."""
    told = _known(committed.real.behind.get("tasks"), "tasks", committed).sources
    found = [name for name in SOURCES if any(name in one.tallies for one in told.values())]
    rows = [
        [f"`{label}`", *(percent(one.share(name, "new"), 0) for name in found), f"{one.episodes:,}"]
        for label, one in told.items()
    ]
    return markdown(["agent", *found, "episodes"], rows)


def table_costs(committed: Committed) -> str:
    """Return what an episode of each agent costs, what a success does, and how many episodes fit a minute."""
    told = _known(committed.real.behind.get("tasks"), "tasks", committed).spending
    rows = [
        [
            f"`{label}`",
            f"{one.steps.an_episode:.0f}",
            "-" if one.steps.a_success is None else f"{one.steps.a_success:,.0f}",
            f"{one.decisions.an_episode:.0f}",
            "-" if one.episodes_a_minute is None else f"{one.episodes_a_minute:,.0f}",
        ]
        for label, one in told.items()
    ]
    heads = ["agent", "steps an episode", "steps a success", "decisions an episode", "episodes a minute"]
    return markdown(heads, rows)


def table_negative_transfer(committed: Committed) -> str:
    """Return how often, and how many steps, transfer cost or saved: echo beside echo without it."""
    told = _known(committed.real.negative_transfer, "tasks", committed)
    rows = [
        [
            family,
            f"{one.pairs:,}",
            percent(one.worse, 0),
            "-" if one.lost is None else f"{one.lost:.0f}",
            "-" if one.gained is None else f"{one.gained:.0f}",
            interval(one.difference, 1),
        ]
        for family, one in told.items()
    ]
    heads = ["tasks", "pairs", "% worse", "steps lost in those", "steps saved in others", "difference"]
    return markdown(heads, rows)


def table_invented(committed: Committed) -> str:
    """Return Table 1 under invented names, with the mean over the same tasks under real names beside it.

    Where no results under invented names are committed it says so.
    """
    if not committed.has_invented:
        return f"*No results under invented names are committed (`tasks{INVENTED}{SUFFIX}`).*\n"
    real = _known(committed.real.success, "tasks", committed)
    invented = _known(committed.invented.success, f"tasks{INVENTED}", committed)
    heads, rows = _table_1(invented)
    for label, row in zip(invented.overall, rows, strict=True):
        row.append(mean_of(real.table.get(label, {}), list(invented.table[label])))
    return markdown([*heads, "mean, real names"], rows)


TABLES: Mapping[str, Callable[[Committed], str]] = {
    "tasks": table_tasks,
    "success": table_success,
    "leads": table_leads,
    "families": table_families,
    "ablation": table_ablation,
    "heatmap": table_heatmap,
    "continual": table_continual,
    "milestones": table_milestones,
    "skills": table_skills,
    "invented": table_invented,
    "sources": table_sources,
    "costs": table_costs,
    "negative-transfer": table_negative_transfer,
    "tuned": lambda committed: table_tuned.main_table(committed.tuning),
    "tuned-whole": lambda committed: table_tuned.whole_table(committed.tuning),
    "tuned-helps": lambda committed: table_tuned.helps_table(committed.tuning),
}
"""Name between the markers of a page -> what stands there."""


def _known(part: Part | None, kind: str, committed: Committed) -> Part:
    """Return a part of the numbers that a table needs.

    Raises:
        ResultsError: if its results are not committed.
    """
    if not part:
        raise ResultsError(f"expected {committed.folder / kind}{SUFFIX}; got none for a table. {_HOW}")
    return part

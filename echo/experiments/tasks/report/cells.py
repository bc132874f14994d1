"""Runs laid out as a table: agents down, tasks across, and in each cell one run a land."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from echo.experiments.statistics.strata import Floats, Interval
from echo.experiments.tasks.records import MIXED, TaskRun
from echo.experiments.tasks.report.paper import load_paper, plain_task
from echo.experiments.tasks.report.reading import Experiment, Unscored, in_order

ECHO = "echo"
"""Label of the agent that the others are compared with."""

Measure = Callable[[TaskRun], float]


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """The same runs of two competitors, one array a task."""

    tasks: tuple[str, ...]
    """Tasks in which both have a run of the same number."""
    one: tuple[Floats, ...]
    """(runs,) float64 a task, by number of the run."""
    other: tuple[Floats, ...]

    @property
    def count(self) -> int:
        """Pairs of runs."""
        return sum(len(values) for values in self.one)


@dataclass(frozen=True, kw_only=True)
class Cells:
    """All runs of one kind by competitor, task and number."""

    labels: tuple[str, ...]
    """In the order of all tables."""
    tasks: tuple[str, ...]
    """In the paper's order, others after them by name."""
    runs: Mapping[tuple[str, str], Mapping[int, TaskRun]]
    """(label, task) -> number of the run -> run, rising; a cell without runs is missing."""
    unscored: tuple[Unscored, ...]

    @classmethod
    def from_experiment(cls, experiment: Experiment) -> Cells:
        """Lay out the runs of an experiment, without those that were given skills first."""
        runs = [run for run in experiment.runs if run.spec.installed is None]
        return cls.from_runs(runs, experiment.unscored)

    @classmethod
    def from_runs(cls, runs: Iterable[TaskRun], unscored: Iterable[Unscored] = ()) -> Cells:
        """Lay out runs, of which no two have competitor, task and number in common."""
        missing = tuple(unscored)
        found: dict[tuple[str, str], dict[int, TaskRun]] = {}
        for run in sorted(runs, key=lambda run: run.spec.run):
            cell = found.setdefault((run.spec.competitor.label, run.spec.task), {})
            cell[run.spec.run] = run
        labels = [label for label, _ in found] + [one.label for one in missing]
        tasks = [task for _, task in found] + [one.task for one in missing if one.task]
        return cls(
            labels=in_order(labels),
            tasks=tasks_in_order(task for task in tasks if task != MIXED) or (MIXED,),
            runs=found,
            unscored=missing,
        )

    @property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of all runs, rising."""
        return tuple(sorted({number for cell in self.runs.values() for number in cell}))

    @property
    def episodes(self) -> int:
        """Episodes of every run; 0 where there is none."""
        return next((run.spec.episodes for cell in self.runs.values() for run in cell.values()), 0)

    def of(self, label: str, tasks: Sequence[str] | None = None) -> tuple[TaskRun, ...]:
        """Return the runs of a competitor, by task and number; of `tasks` only where given."""
        wanted = self.tasks if tasks is None else tasks
        return tuple(run for task in wanted for run in self.runs.get((label, task), {}).values())

    def strata(self, label: str, measure: Measure, tasks: Sequence[str] | None = None) -> list[Floats]:
        """Return what was measured of a competitor, (runs,) a task, without tasks that it has no run of."""
        wanted = self.tasks if tasks is None else tasks
        cells = [self.runs.get((label, task), {}) for task in wanted]
        return [np.array([measure(run) for run in cell.values()]) for cell in cells if cell]

    def pairs(
        self, one: str, other: str, measure: Measure, tasks: Sequence[str] | None = None
    ) -> Pairs | None:
        """Return what was measured of the runs that both competitors played, None where there are none."""
        kept: list[str] = []
        ours: list[Floats] = []
        theirs: list[Floats] = []
        for task in self.tasks if tasks is None else tasks:
            mine, yours = self.runs.get((one, task), {}), self.runs.get((other, task), {})
            shared = [number for number in mine if number in yours]
            if shared:
                kept.append(task)
                ours.append(np.array([measure(mine[number]) for number in shared]))
                theirs.append(np.array([measure(yours[number]) for number in shared]))
        return Pairs(tasks=tuple(kept), one=tuple(ours), other=tuple(theirs)) if kept else None

    def unscored_of(self, label: str, task: str | None = None) -> int:
        """Return how many runs of a competitor (on a task) were asked for and have no result."""
        return sum(one.label == label and task in (None, one.task) for one in self.unscored)

    def families(self) -> dict[str, tuple[str, ...]]:
        """Return the families of which a task was played, with those tasks, in the paper's order."""
        paper = load_paper()
        found: dict[str, list[str]] = {family: [] for family in paper.families}
        for task in self.tasks:
            family = paper.family_of(task)
            if family is not None:
                found[family].append(task)
        return {family: tuple(tasks) for family, tasks in found.items() if tasks}


def success(window: int) -> Measure:
    """Return the measure of success over the first `window` episodes, a share in [0, 1]."""
    return lambda run: run.success_within(window)


def windows(episodes: int) -> tuple[int, int]:
    """Return over how many first episodes success is told: 10 and 30, or fewer where runs are shorter.

    >>> windows(31), windows(6)
    ((10, 30), (6, 6))
    """
    return min(10, episodes), min(30, episodes)


def tasks_in_order(tasks: Iterable[str]) -> tuple[str, ...]:
    """Return tasks once each, in the paper's order, others after them by name."""
    place = {task: number for number, task in enumerate(load_paper().order)}
    return tuple(
        sorted(dict.fromkeys(tasks), key=lambda task: (place.get(plain_task(task), len(place)), task))
    )


def interval_json(interval: Interval | None, name: str = "mean") -> dict[str, float | None]:
    """Return an interval as JSON, the value called `name`; null where there is none."""
    if interval is None:
        return {name: None, "low": None, "high": None}
    return {name: interval.value, "low": interval.low, "high": interval.high}

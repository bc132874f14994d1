"""Two experiments of one kind side by side: real and invented names, or one state of the code and another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from echo.experiments.results import ResultsError
from echo.experiments.statistics.bootstrap import difference_interval, mean_interval, resampled_means
from echo.experiments.statistics.strata import Floats, Interval, named_seed, percentile_interval
from echo.experiments.tasks.loading import load_task
from echo.experiments.tasks.records import Kind, TaskRun
from echo.experiments.tasks.report.cells import Cells, Measure, success, tasks_in_order, windows
from echo.experiments.tasks.report.milestones import first_held
from echo.experiments.tasks.report.reading import Experiment, in_order

LEVEL = 0.95


@dataclass(frozen=True, kw_only=True)
class Sides:
    """One agent in both experiments, over the tasks that both played."""

    first: Interval
    second: Interval
    difference: Interval
    """Second less first; paired by task and land where both have the same seed."""
    runs: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two experiments of one kind."""

    first: Experiment
    second: Experiment
    differing: Mapping[str, tuple[str, str]]
    """What their circumstances, code and versions differ in -> how it is in the first and in the second."""
    paired: bool
    """Whether runs of one number share their land."""
    window: int
    """First episodes that success is told over; for mfm, episodes of a run."""
    overall: Mapping[str, Sides]
    """Label -> both sides; only agents that both played."""
    tasks: Mapping[str, Mapping[str, Sides]]
    """Label -> task -> both sides."""
    alone: tuple[tuple[str, ...], tuple[str, ...]]
    """Agents that only the first played, and only the second."""
    same: int
    """Pairs of runs of one name in which exactly the same happened."""
    shared: int
    """Pairs of runs of one name."""

    @property
    def kind(self) -> Kind:
        """Kind of both experiments."""
        return self.first.kind


def compare(first: Experiment, second: Experiment) -> Comparison:
    """Compare two experiments of one kind, agent by agent.

    Raises:
        ResultsError: if they are of different kinds or numbers of episodes, or share no agent and task.
    """
    if first.kind != second.kind:
        raise ResultsError(
            f"expected two experiments of one kind; got {first.kind!r} in {first.folder} and "
            f"{second.kind!r} in {second.folder}."
        )
    lengths = [one.runs[0].spec.episodes for one in (first, second)]
    if lengths[0] != lengths[1]:
        raise ResultsError(
            f"expected as many episodes a run on both sides; got {lengths[0]} in {first.folder} and "
            f"{lengths[1]} in {second.folder}. Success over other numbers of episodes is another measure."
        )
    sides = (_cells(first), _cells(second))
    measure, window = measure_of(first.kind, lengths[0])
    paired = first.circumstances.get("seed") == second.circumstances.get("seed")
    compared = _Comparing(sides=sides, measure=measure, paired=paired)
    tasks = tasks_in_order(task for task in sides[0].tasks if task in sides[1].tasks)
    labels = in_order(label for label in sides[0].labels if label in sides[1].labels)
    overall = {label: found for label in labels if (found := compared.sides_of(label, tasks))}
    if not overall:
        raise ResultsError(
            f"expected an agent that played a task in both folders; got none in {first.folder} and "
            f"{second.folder}. Make a report of each."
        )
    twins = _twins(first.runs, second.runs)
    return Comparison(
        first=first,
        second=second,
        differing=_differing(first, second),
        paired=paired,
        window=window,
        overall=overall,
        tasks={
            label: {task: found for task in tasks if (found := compared.sides_of(label, (task,)))}
            for label in overall
        },
        alone=(
            tuple(label for label in sides[0].labels if label not in overall),
            tuple(label for label in sides[1].labels if label not in overall),
        ),
        same=sum(one.episodes == other.episodes for one, other in twins),
        shared=len(twins),
    )


def measure_of(kind: Kind, episodes: int) -> tuple[Measure, int]:
    """Return what is compared in experiments of a kind, and over how many first episodes.

    Milestones reached a run for mfm; success, a share in [0, 1], for all others.
    """
    if kind == "mfm":
        return (lambda run: float(len(first_held(run)))), episodes
    window = episodes if kind == "continual" else windows(episodes)[1]
    return success(window), window


@dataclass(frozen=True, kw_only=True)
class _Comparing:
    """Two tables of runs, and how their cells are compared."""

    sides: tuple[Cells, Cells]
    measure: Measure
    paired: bool

    def sides_of(self, label: str, tasks: Sequence[str]) -> Sides | None:
        """Return one agent on both sides over the tasks that it played on both, None where there are none.

        Where runs pair by land, only pairs count.
        """
        kept = {task: numbers for task in tasks if all(numbers := self._numbers(label, task))}
        if not kept:
            return None
        first, second = (
            [
                np.array([self.measure(side.runs[label, task][number]) for number in numbers[place]])
                for task, numbers in kept.items()
            ]
            for place, side in enumerate(self.sides)
        )
        seed = named_seed("compare")
        return Sides(
            first=mean_interval(first, seed=seed),
            second=mean_interval(second, seed=seed),
            difference=difference_interval(second, first, seed=seed)
            if self.paired
            else unpaired_difference(second, first),
            runs=(sum(map(len, first)), sum(map(len, second))),
        )

    def _numbers(self, label: str, task: str) -> tuple[list[int], list[int]]:
        """Return the numbers of the runs compared in one cell, of both sides."""
        first, second = (list(side.runs.get((label, task), {})) for side in self.sides)
        if self.paired:
            shared = [number for number in first if number in second]
            return shared, shared
        return first, second


def unpaired_difference(one: Sequence[Floats], other: Sequence[Floats]) -> Interval:
    """Return the mean over strata of `one` less that of `other`, both sides resampled on their own.

    Args:
        one: One (runs,) array a stratum.
        other: The same strata, of other runs, as many or not.
    """
    value = float(np.mean([values.mean() for values in one]) - np.mean([values.mean() for values in other]))
    if any(len(values) < 2 for values in (*one, *other)):
        return Interval(value=value, low=None, high=None)
    samples = [
        resampled_means([values[:, None] for values in strata], seed=named_seed("unpaired", side))[:, 0]
        for side, strata in (("one", one), ("other", other))
    ]
    return percentile_interval(value, samples[0] - samples[1], LEVEL)


def _cells(experiment: Experiment) -> Cells:
    """Return the runs of an experiment, those of mfm on ladders alone."""
    if experiment.kind != "mfm":
        return Cells.from_experiment(experiment)
    plain = [run for run in experiment.runs if run.spec.installed is None]
    return Cells.from_runs(run for run in plain if load_task(run.spec.task).milestones)


def _twins(first: Sequence[TaskRun], second: Sequence[TaskRun]) -> list[tuple[TaskRun, TaskRun]]:
    """Return the pairs of runs of one name."""
    by_name = {run.spec.name: run for run in second}
    return [(run, by_name[run.spec.name]) for run in first if run.spec.name in by_name]


def _differing(first: Experiment, second: Experiment) -> dict[str, tuple[str, str]]:
    """Return what the experiments differ in, by name."""
    found: dict[str, tuple[str, str]] = {}
    for name in dict.fromkeys((*first.circumstances, *second.circumstances)):
        pair = (str(first.circumstances.get(name)), str(second.circumstances.get(name)))
        if pair[0] != pair[1]:
            found[name] = pair
    told: Sequence[tuple[str, Callable[[TaskRun], str]]] = (
        ("code", lambda run: run.commit or "unknown"),
        ("versions", lambda run: ", ".join(f"{name} {value}" for name, value in run.versions.items())),
        ("command", lambda run: run.command),
    )
    for name, tell in told:
        sides = [", ".join(dict.fromkeys(tell(run) for run in one.runs)) for one in (first, second)]
        if sides[0] != sides[1]:
            found[name] = (sides[0], sides[1])
    return found

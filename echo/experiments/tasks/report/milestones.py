"""The folder memory's experiments: milestones on a ladder, its components, and skills from another task."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from echo.experiments.statistics.bootstrap import difference_interval, mean_interval
from echo.experiments.statistics.significance import holm, permutation_p
from echo.experiments.statistics.strata import Interval, named_seed
from echo.experiments.tasks.loading import load_task
from echo.experiments.tasks.records import TaskRun
from echo.experiments.tasks.report.cells import Cells

FOLDER = "mfm"
"""The agent whose components are removed."""


@dataclass(frozen=True, kw_only=True)
class Milestone:
    """One rung of a ladder under one agent."""

    item: str
    median: float | None
    """Steps of the run until it was first held, all episodes counted; a run that never held it counts as
    later than all others, and None means that this is so of half the runs or more."""
    reached: int
    """Runs that held it in any episode."""
    runs: int


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """How far up one agent came."""

    milestones: tuple[Milestone, ...]
    """Lowest first; also those that no run held."""
    reached: Interval
    """Milestones a run."""
    success: Interval
    """Share of episodes that reached the goal."""


@dataclass(frozen=True, kw_only=True)
class Component:
    """What removing one part of the folder memory changes, paired by run."""

    milestones: Interval
    """Milestones a run."""
    success: Interval
    """Share of episodes that reached the goal."""
    p: float
    """Of the success, sign-flip test."""
    p_holm: float
    pairs: int


@dataclass(frozen=True, kw_only=True)
class SkillUse:
    """One task without and with what was learned in another, paired by run."""

    task: str
    installed: str
    steps_without: float
    """Mean steps an episode; a failed one counts with its budget."""
    steps_with: float
    difference: Interval
    """With less without: below 0 where the skills save steps."""
    success_without: float
    success_with: float
    pairs: int


@dataclass(frozen=True, kw_only=True)
class FolderMemory:
    """Everything that the runs of kind mfm state."""

    items: tuple[str, ...]
    """Milestones, lowest first."""
    ladders: Mapping[str, Ladder]
    """Label -> how far up."""
    components: Mapping[str, Component]
    """Switch of mfm -> what it changes."""
    skills: tuple[SkillUse, ...]


def measure_folder_memory(runs: Sequence[TaskRun]) -> FolderMemory:
    """Compute what runs of kind mfm come to."""
    rungs = {task: load_task(task).milestones for task in dict.fromkeys(run.spec.task for run in runs)}
    cells = Cells.from_runs(run for run in runs if rungs[run.spec.task] and run.spec.installed is None)
    items = tuple(dict.fromkeys(item for items in rungs.values() for item in items))
    ladders = {label: _ladder(cells, label, items) for label in cells.labels if cells.of(label)}
    return FolderMemory(
        items=items,
        ladders=ladders,
        components=_components(cells),
        skills=_skills(runs),
    )


def first_held(run: TaskRun) -> dict[str, int]:
    """Return the steps of a run, all its episodes counted, until it first held what it ever held."""
    found: dict[str, int] = {}
    before = 0
    for episode in run.episodes:
        for item, step in episode.milestones.items():
            found.setdefault(item, before + step)
        before += episode.steps
    return found


def _ladder(cells: Cells, label: str, items: Sequence[str]) -> Ladder:
    runs = cells.of(label)
    held = [first_held(run) for run in runs]
    seed = named_seed("ladder")
    return Ladder(
        milestones=tuple(_milestone(item, held) for item in items),
        reached=mean_interval(cells.strata(label, _reached), seed=seed),
        success=mean_interval(cells.strata(label, _success), seed=seed),
    )


def _milestone(item: str, held: Sequence[Mapping[str, int]]) -> Milestone:
    """Return when one milestone was held; a run that never held it counts as later than all others."""
    steps = sorted(one[item] for one in held if item in one)
    middle = sorted([*map(float, steps), *[np.inf] * (len(held) - len(steps))])
    median = statistics.median(middle)
    return Milestone(
        item=item, median=float(median) if np.isfinite(median) else None, reached=len(steps), runs=len(held)
    )


def _components(cells: Cells) -> dict[str, Component]:
    found: dict[str, Component] = {}
    seed = named_seed("components")
    for label in cells.labels:
        agent, _, switch = label.partition("/")
        success = cells.pairs(label, FOLDER, _success) if agent == FOLDER and switch else None
        reached = cells.pairs(label, FOLDER, _reached)
        if success is None or reached is None:
            continue
        p = permutation_p(success.one, success.other, seed=seed)
        found[switch] = Component(
            milestones=difference_interval(reached.one, reached.other, seed=seed),
            success=difference_interval(success.one, success.other, seed=seed),
            p=p,
            p_holm=p,
            pairs=success.count,
        )
    adjusted = holm({switch: one.p for switch, one in found.items()})
    return {
        switch: Component(
            milestones=one.milestones,
            success=one.success,
            p=one.p,
            p_holm=adjusted[switch],
            pairs=one.pairs,
        )
        for switch, one in found.items()
    }


def _skills(runs: Sequence[TaskRun]) -> tuple[SkillUse, ...]:
    """Return each pair of task and skills that was played both with and without, by name."""
    plain = {
        (run.spec.competitor.label, run.spec.task, run.spec.run): run
        for run in runs
        if run.spec.installed is None
    }
    used: dict[tuple[str, str], list[tuple[TaskRun, TaskRun]]] = {}
    for run in runs:
        partner = plain.get((run.spec.competitor.label, run.spec.task, run.spec.run))
        if run.spec.installed is not None and partner is not None:
            used.setdefault((run.spec.task, run.spec.installed), []).append((partner, run))
    return tuple(_skill_use(task, installed, used[task, installed]) for task, installed in sorted(used))


def _skill_use(task: str, installed: str, pairs: Sequence[tuple[TaskRun, TaskRun]]) -> SkillUse:
    without = np.array([_steps(one) for one, _ in pairs])
    with_ = np.array([_steps(one) for _, one in pairs])
    return SkillUse(
        task=task,
        installed=installed,
        steps_without=float(without.mean()),
        steps_with=float(with_.mean()),
        difference=difference_interval([with_], [without], seed=named_seed("skills", task, installed)),
        success_without=float(np.mean([_success(one) for one, _ in pairs])),
        success_with=float(np.mean([_success(one) for _, one in pairs])),
        pairs=len(pairs),
    )


def _reached(run: TaskRun) -> float:
    return float(len(first_held(run)))


def _success(run: TaskRun) -> float:
    return sum(one.success for one in run.episodes) / len(run.episodes)


def _steps(run: TaskRun) -> float:
    return sum(one.steps if one.success else one.budget for one in run.episodes) / len(run.episodes)

"""Table 1: success over the first 10 and 30 episodes, by task, family and overall; echo against others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from echo.experiments.statistics.bootstrap import difference_interval, iqm_interval, mean_interval
from echo.experiments.statistics.significance import holm, permutation_p, probability_of_improvement
from echo.experiments.statistics.strata import Interval, named_seed
from echo.experiments.tasks.report.cells import ECHO, Cells, success, windows

Key = TypeVar("Key")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Success of one agent on one task, shares in [0, 1], with 95 % intervals over runs.

    A cell of which every run is unscored has no success at all, which is not 0.
    """

    at10: float | None
    at30: float | None
    low10: float | None
    high10: float | None
    low30: float | None
    high30: float | None
    runs: int
    unscored: int


@dataclass(frozen=True, kw_only=True)
class Mean:
    """Success of one agent over several tasks, each task counting the same."""

    at10: Interval
    at30: Interval
    iqm30: Interval
    """Interquartile mean of the runs of all tasks."""
    tasks: int
    runs: int
    unscored: int


@dataclass(frozen=True, kw_only=True)
class Lead:
    """Echo less another agent at @0->30, over the runs that both played, paired by land."""

    difference: Interval
    p: float
    """Two-sided, of the sign-flip test."""
    p_holm: float
    """The same, adjusted for all comparisons of its table."""
    improvement: Interval
    """Probability that a run of echo beats one of the other on a task drawn at random."""
    pairs: int
    tasks: int

    @property
    def shown(self) -> bool:
        """Whether echo is above the other with an interval that excludes zero."""
        return self.difference.value > 0 and self.difference.excludes(0.0)


@dataclass(frozen=True, kw_only=True)
class Success:
    """Everything that Table 1 states."""

    windows: tuple[int, int]
    """Episodes that 'at10' and 'at30' cover; fewer than 10 and 30 where runs are shorter."""
    table: Mapping[str, Mapping[str, Cell]]
    """Label -> task -> cell."""
    overall: Mapping[str, Mean]
    """Label -> mean; without agents of which every run is unscored."""
    leads: Mapping[str, Lead]
    """Label of another agent -> echo's lead over it."""
    families: Mapping[str, Mapping[str, Mean]]
    """Family -> label -> mean."""
    family_leads: Mapping[str, Mapping[str, Lead]]


def measure_success(cells: Cells) -> Success:
    """Compute Table 1 and the comparisons under it."""
    families = cells.families()
    overall = {label: mean for label in cells.labels if (mean := _mean(cells, label, cells.tasks, "all"))}
    by_family = {
        family: {label: mean for label in cells.labels if (mean := _mean(cells, label, tasks, family))}
        for family, tasks in families.items()
    }
    family_leads = {
        (family, label): lead
        for family, tasks in families.items()
        for label in cells.labels
        if (lead := _lead(cells, label, tasks, family))
    }
    adjusted = _adjusted(family_leads)
    return Success(
        windows=windows(cells.episodes),
        table={label: {task: _cell(cells, label, task) for task in cells.tasks} for label in cells.labels},
        overall=overall,
        leads=_adjusted(
            {label: lead for label in cells.labels if (lead := _lead(cells, label, cells.tasks))}
        ),
        families=by_family,
        family_leads={
            family: {label: lead for (of, label), lead in adjusted.items() if of == family}
            for family in families
        },
    )


def _cell(cells: Cells, label: str, task: str) -> Cell:
    first, whole = windows(cells.episodes)
    unscored = cells.unscored_of(label, task)
    runs = cells.of(label, [task])
    if not runs:
        nothing = dict.fromkeys(("at10", "at30", "low10", "high10", "low30", "high30"))
        return Cell(**nothing, runs=0, unscored=unscored)
    seed = named_seed("cell", task)
    at10 = mean_interval(cells.strata(label, success(first), [task]), seed=seed)
    at30 = mean_interval(cells.strata(label, success(whole), [task]), seed=seed)
    return Cell(
        at10=at10.value,
        at30=at30.value,
        low10=at10.low,
        high10=at10.high,
        low30=at30.low,
        high30=at30.high,
        runs=len(runs),
        unscored=unscored,
    )


def _mean(cells: Cells, label: str, tasks: Sequence[str], name: str) -> Mean | None:
    """Return the mean of an agent over `tasks`, None where it has no run of them."""
    first, whole = windows(cells.episodes)
    at30 = cells.strata(label, success(whole), tasks)
    if not at30:
        return None
    seed = named_seed("mean", name)
    return Mean(
        at10=mean_interval(cells.strata(label, success(first), tasks), seed=seed),
        at30=mean_interval(at30, seed=seed),
        iqm30=iqm_interval(at30, seed=seed),
        tasks=len(at30),
        runs=sum(map(len, at30)),
        unscored=sum(cells.unscored_of(label, task) for task in tasks),
    )


def _lead(cells: Cells, label: str, tasks: Sequence[str], name: str = "all") -> Lead | None:
    """Return echo's lead over an agent, its p not adjusted yet; None over itself or without pairs."""
    _, whole = windows(cells.episodes)
    paired = None if label == ECHO else cells.pairs(ECHO, label, success(whole), tasks)
    if paired is None:
        return None
    seed = named_seed("lead", name)
    p = permutation_p(paired.one, paired.other, seed=seed)
    return Lead(
        difference=difference_interval(paired.one, paired.other, seed=seed),
        p=p,
        p_holm=p,
        improvement=probability_of_improvement(paired.one, paired.other, seed=seed),
        pairs=paired.count,
        tasks=len(paired.tasks),
    )


def _adjusted(leads: Mapping[Key, Lead]) -> dict[Key, Lead]:
    """Return leads with their p adjusted for the number of them."""
    keys = list(leads)
    adjusted = holm({str(number): leads[key].p for number, key in enumerate(keys)})
    return {key: replace(leads[key], p_holm=adjusted[str(number)]) for number, key in enumerate(keys)}

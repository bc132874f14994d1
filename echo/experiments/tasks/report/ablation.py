"""Fig. 7: what removing or keeping parts of echo changes, family by family, and how that fits the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from csd.axes import AXES
from echo.baselines.memories import MEMORIES, SHOTS
from echo.experiments.statistics.bootstrap import difference_interval, resampled_means
from echo.experiments.statistics.ranks import rank_correlation, rank_correlation_interval
from echo.experiments.statistics.significance import holm, permutation_p
from echo.experiments.statistics.strata import DRAWS, Floats, Interval, named_seed
from echo.experiments.tasks.report.cells import ECHO, Cells, success, windows
from echo.experiments.tasks.report.paper import load_paper

WITHOUT_TRANSFER = f"{ECHO}/-ical"
"""Echo that suggests nothing from memory: what keeping a single axis is measured against."""

PARTS: tuple[str, ...] = tuple(switch for switch in MEMORIES[ECHO] if switch not in SHOTS)
"""Switches that take parts of echo away; fewer demonstrations are a matter of Table 1."""

ALL = "all"
"""In the place of a family: every task."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """Success @0->30 of a variant less that of echo as it is, over the runs that both played."""

    difference: Interval
    p: float
    p_holm: float
    """Adjusted for all cells of the families."""
    pairs: int


@dataclass(frozen=True, kw_only=True)
class AxisCell:
    """What one axis is worth in one family, shares in [-1, 1]; None where the runs are missing."""

    removed: Interval | None
    """Success lost @0->30 when the axis is removed: echo less echo without it, paired."""
    only: Interval | None
    """Success gained @0->30 by this axis alone: echo with it alone less echo without transfer, paired."""
    paper: float
    """The paper's correlation of task and axis."""


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Spearman's rank correlation of what removal costs here with the paper's heat map."""

    rho: float | None
    low: float | None
    high: float | None
    cells: int
    """Cells compared, of 20."""
    reason: str | None
    """Why there is no correlation; None where there is one."""


@dataclass(frozen=True, kw_only=True)
class Ablation:
    """Everything that Fig. 7 states."""

    changes: Mapping[str, Mapping[str, Change]]
    """Family, and 'all' first -> switch of echo -> change."""
    heatmap: Mapping[str, Mapping[str, AxisCell]]
    """Family -> axis -> what it is worth."""
    agreement: Agreement

    @property
    def has_axes(self) -> bool:
        """Whether any cell of the heat map is known."""
        cells = (cell for row in self.heatmap.values() for cell in row.values())
        return any(cell.removed is not None or cell.only is not None for cell in cells)


def measure_ablation(cells: Cells) -> Ablation | None:
    """Compute Fig. 7, None where echo was not played beside a variant of itself."""
    switches = [one for one in PARTS if f"{ECHO}/{one}" in cells.labels]
    families = cells.families()
    changes: dict[str, dict[str, Change]] = {}
    for family, tasks in {ALL: cells.tasks, **families}.items():
        found = {one: _change(cells, one, family, tasks) for one in switches}
        changes[family] = {one: change for one, change in found.items() if change is not None}
    if not any(changes.values()):
        return None
    return Ablation(
        changes=_adjusted(changes),
        heatmap={
            family: {axis.value: _axis_cell(cells, axis.value, family, tasks) for axis in AXES}
            for family, tasks in families.items()
        },
        agreement=_agreement(cells, families),
    )


def _change(cells: Cells, switch: str, family: str, tasks: Sequence[str]) -> Change | None:
    measure = success(windows(cells.episodes)[1])
    paired = cells.pairs(f"{ECHO}/{switch}", ECHO, measure, tasks)
    if paired is None:
        return None
    seed = named_seed("ablation", family)
    p = permutation_p(paired.one, paired.other, seed=seed)
    return Change(
        difference=difference_interval(paired.one, paired.other, seed=seed),
        p=p,
        p_holm=p,
        pairs=paired.count,
    )


def _adjusted(changes: Mapping[str, Mapping[str, Change]]) -> dict[str, dict[str, Change]]:
    """Return the changes with adjusted p: all cells of the families as one table, all tasks as another."""
    of_families = {
        f"{family}/{switch}": change.p
        for family, row in changes.items()
        for switch, change in row.items()
        if family != ALL
    }
    adjusted = {**holm(of_families), **holm({f"{ALL}/{one}": c.p for one, c in changes[ALL].items()})}
    return {
        family: {
            switch: Change(
                difference=change.difference,
                p=change.p,
                p_holm=adjusted[f"{family}/{switch}"],
                pairs=change.pairs,
            )
            for switch, change in row.items()
        }
        for family, row in changes.items()
    }


def _axis_cell(cells: Cells, axis: str, family: str, tasks: Sequence[str]) -> AxisCell:
    measure = success(windows(cells.episodes)[1])
    removed = cells.pairs(ECHO, f"{ECHO}/-{axis}", measure, tasks)
    only = cells.pairs(f"{ECHO}/only-{axis}", WITHOUT_TRANSFER, measure, tasks)
    seed = named_seed("heat map", family)
    return AxisCell(
        removed=difference_interval(removed.one, removed.other, seed=seed) if removed else None,
        only=difference_interval(only.one, only.other, seed=seed) if only else None,
        paper=load_paper().heatmap[family][axis],
    )


def _agreement(cells: Cells, families: Mapping[str, Sequence[str]]) -> Agreement:
    """Return the rank correlation over the families in which echo and all five removals share runs."""
    paper = load_paper()
    ours: list[Floats] = []
    theirs: list[float] = []
    samples: list[Floats] = []
    single = False
    for family, tasks in families.items():
        strata = _losses(cells, tasks)
        if not strata:
            continue
        single = single or any(len(values) < 2 for values in strata)
        ours.append(np.mean([values.mean(axis=0) for values in strata], axis=0))
        samples.append(resampled_means(strata, seed=named_seed("agreement", family), draws=DRAWS))
        theirs += [paper.heatmap[family][axis.value] for axis in AXES]
    if not ours:
        return _no_agreement(0, "no family has runs of echo and of all five removals")
    cells_of_ours = np.concatenate(ours)
    if np.all(cells_of_ours == cells_of_ours[0]):
        return _no_agreement(len(cells_of_ours), "removing any axis costs the same, so there is no order")
    if single:
        rho = rank_correlation(cells_of_ours, np.array(theirs))
        return Agreement(rho=rho, low=None, high=None, cells=len(cells_of_ours), reason=None)
    told = rank_correlation_interval(np.concatenate(samples, axis=1), np.array(theirs), ours=cells_of_ours)
    return Agreement(rho=told.value, low=told.low, high=told.high, cells=len(cells_of_ours), reason=None)


def _no_agreement(cells: int, reason: str) -> Agreement:
    return Agreement(rho=None, low=None, high=None, cells=cells, reason=reason)


def _losses(cells: Cells, tasks: Sequence[str]) -> list[Floats]:
    """Return success lost by each removal, (runs, axes) a task, over the runs that all six played."""
    measure = success(windows(cells.episodes)[1])
    labels = [ECHO, *(f"{ECHO}/-{axis.value}" for axis in AXES)]
    strata: list[Floats] = []
    for task in tasks:
        played = [cells.runs.get((label, task), {}) for label in labels]
        shared = [number for number in played[0] if all(number in cell for cell in played)]
        if shared:
            values = np.array([[measure(cell[number]) for cell in played] for number in shared])
            strata.append(values[:, :1] - values[:, 1:])
    return strata

"""When milestones fall, and where unlocks come from: counts over the runs of one competitor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from csd.axes import AXES
from echo.experiments.results import SOURCES, RunResult


@dataclass(frozen=True, kw_only=True)
class Milestone:
    """When the runs of one competitor first held an item.

    Estimator: median over all runs, a run that never held it counting as later than every other; so it is
    None ("never") where half of the runs or more did not get there.
    """

    item: str
    median: float | None
    """Counted actions."""
    earliest: int | None
    reached: int
    """Runs that held it."""
    n: int
    """Runs."""


@dataclass(frozen=True, kw_only=True)
class SourceShare:
    """Unlocks of one competitor by source, and the credit of axes within transfer and pattern."""

    items: dict[str, float]
    """Source -> mean number of unlocks a run, in the order of `SOURCES`."""
    axes: dict[str, float]
    """Axis -> mean number of unlocks a run credited to it (shares of credit added up), in axis order."""
    attempts: dict[str, dict[str, float]]
    """Source -> mean attempts a run: tried, made, new."""
    n: int
    """Runs."""

    @property
    def total(self) -> float:
        """Mean number of unlocks a run."""
        return sum(self.items.values())


def median_with_never(values: Sequence[int | None]) -> float | None:
    """Return the median where None is later than every number; None where that is no number.

    >>> median_with_never([10, None, 30]), median_with_never([10, None])
    (30.0, None)
    """
    if not values:
        return None
    middle = median(math.inf if value is None else float(value) for value in values)
    return None if math.isinf(middle) else middle


def tally_milestone(runs: Sequence[RunResult], item: str) -> Milestone:
    """Return when `runs` first held `item`, which must be among their milestones."""
    actions = [run.milestones.get(item) for run in runs]
    reached = [action for action in actions if action is not None]
    return Milestone(
        item=item,
        median=median_with_never(actions),
        earliest=min(reached, default=None),
        reached=len(reached),
        n=len(runs),
    )


def tally_sources(runs: Sequence[RunResult]) -> SourceShare:
    """Return from where the unlocks of `runs` (at least one) came."""
    n = len(runs)
    unlocks = [unlock for run in runs for unlock in run.unlocks]
    tried: dict[str, dict[str, float]] = {}
    for run in runs:
        for source, counts in run.attempts.items():
            row = tried.setdefault(source, {})
            for name, count in counts.items():
                row[name] = row.get(name, 0.0) + count / n
    return SourceShare(
        items={source: sum(unlock.source == source for unlock in unlocks) / n for source in SOURCES},
        axes={axis.value: sum(unlock.axes.get(axis.value, 0.0) for unlock in unlocks) / n for axis in AXES},
        attempts=dict(sorted(tried.items())),
        n=n,
    )

"""Paired speed-up: how many times fewer counted actions one agent needs for the same number of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from echo.experiments.results import RunResult
from echo.experiments.statistics.strata import Floats, named_seed, outer_percentiles

RESAMPLES = 10_000
"""Bootstrap samples behind an interval."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The same seed played by two agents: actions to the n-th item, None where it was not reached."""

    echo: int | None
    other: int | None


@dataclass(frozen=True, kw_only=True)
class Speedup:
    """Actions of the other agent divided by actions of echo, over seeds.

    Estimator: median of the paired ratios; 95 % percentile bootstrap over pairs. A pair in which only echo
    reached the count enters with budget / echo, the least its ratio can be; one in which only the other did
    enters with other / budget, the most it can be. Pairs that neither reached say nothing and are dropped.
    """

    median: float | None
    """None where no pair could be compared."""
    low: float | None
    """None with fewer than two pairs."""
    high: float | None
    n: int
    """Pairs that entered."""
    lower_bounds: int
    """Of these, pairs of which only a lower bound is known (the other never reached the count)."""
    upper_bounds: int
    """Of these, pairs of which only an upper bound is known (echo never reached it)."""
    dropped: int
    """Pairs that neither reached."""

    @property
    def censored(self) -> int:
        """Pairs that entered with a bound instead of a measured ratio."""
        return self.lower_bounds + self.upper_bounds


def actions_to_count(run: RunResult, count: int) -> int | None:
    """Return the action at which `run` had `count` (>= 1) unique items, None where it never had."""
    actions = sorted(unlock.action for unlock in run.unlocks)
    return actions[count - 1] if len(actions) >= count else None


def pair_runs(echo: Sequence[RunResult], other: Sequence[RunResult], count: int) -> tuple[Pair, ...]:
    """Return a pair for every seed that both played, in the order of `echo`."""
    theirs = {run.spec.seed: run for run in other}
    return tuple(
        Pair(echo=actions_to_count(run, count), other=actions_to_count(theirs[run.spec.seed], count))
        for run in echo
        if run.spec.seed in theirs
    )


def ratio(pair: Pair, budget: int) -> float | None:
    """Return the pair's speed-up, a bound of it where one side is unknown, None where both are.

    >>> ratio(Pair(echo=200, other=500), 1000), ratio(Pair(echo=200, other=None), 1000)
    (2.5, 5.0)
    """
    if pair.echo is None and pair.other is None:
        return None
    echo = budget if pair.echo is None else pair.echo
    other = budget if pair.other is None else pair.other
    return other / echo


def paired_speedup(pairs: Sequence[Pair], *, budget: int, rng: np.random.Generator) -> Speedup:
    """Return the speed-up over `pairs` (see `Speedup`).

    Args:
        pairs: One a seed.
        budget: Counted actions that every run was allowed.
        rng: Draws the bootstrap samples.
    """
    ratios = [value for pair in pairs if (value := ratio(pair, budget)) is not None]
    values = np.array(ratios, dtype=np.float64)
    low, high = bootstrap_median(values, rng) if len(values) > 1 else (None, None)
    return Speedup(
        median=float(np.median(values)) if len(values) else None,
        low=low,
        high=high,
        n=len(values),
        lower_bounds=sum(1 for pair in pairs if pair.other is None and pair.echo is not None),
        upper_bounds=sum(1 for pair in pairs if pair.echo is None and pair.other is not None),
        dropped=len(pairs) - len(values),
    )


def bootstrap_median(values: Floats, rng: np.random.Generator) -> tuple[float, float]:
    """Return the 2.5 % and 97.5 % percentiles of the median over resamples of `values`, (n,) float64."""
    picks = rng.integers(len(values), size=(RESAMPLES, len(values)))
    return outer_percentiles(np.median(values[picks], axis=1))


def named_generator(*names: object) -> np.random.Generator:
    """Return a generator that depends on `names` alone, so that a report is the same every time."""
    return np.random.default_rng(named_seed(*names))

"""Unlock curves: how many unique items after how many counted actions, averaged over seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from echo.experiments.results import RunResult
from echo.experiments.spec import CHECKPOINTS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Student's t, 97.5 % quantile, for 1 to 30 degrees of freedom.
_T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class MeanInterval:
    """Mean over seeds with its 95 % interval, one value a point.

    Estimator: mean +- t(n - 1; 0.975) * s / sqrt(n), s the sample deviation (n - 1), t Student's. The
    seeds are taken as independent draws; the interval speaks of the mean, not of single runs.
    """

    mean: Floats
    """(points,) float64."""
    low: Floats | None
    """(points,) float64; None with a single seed, of whose spread nothing is known."""
    high: Floats | None
    n: int
    """Number of seeds."""


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Unique items of one competitor over a grid of counted actions."""

    grid: Ints
    """(points,) int64, rising from 0 to the budget."""
    counts: MeanInterval


def student_t_975(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's t for `degrees` >= 1 degrees of freedom.

    Tabled to 30, beyond that by the Cornish-Fisher expansion (error below 1e-4).
    """
    if degrees < 1:
        raise ValueError(f"expected at least 1 degree of freedom; got {degrees}. Give two seeds or more.")
    if degrees <= len(_T_975):
        return _T_975[degrees - 1]
    z = 1.959964
    return z + (z**3 + z) / (4 * degrees) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)


def action_grid(steps: int, points: int = 201) -> Ints:
    """Return at most `points` evenly spaced action numbers from 0 to `steps`, (points,) int64."""
    return np.unique(np.linspace(0, steps, min(points, steps + 1)).round().astype(np.int64))


def count_unlocks(actions: Sequence[int], grid: Ints) -> Ints:
    """Return how many of `actions` (each the action of one unlock) are at most each grid point.

    >>> count_unlocks([1, 4, 4], np.array([0, 1, 3, 4, 9])).tolist()
    [0, 1, 1, 3, 3]
    """
    return np.searchsorted(np.sort(np.asarray(actions, dtype=np.int64)), grid, side="right").astype(np.int64)


def mean_interval(values: Floats) -> MeanInterval:
    """Average over seeds.

    Args:
        values: (seeds, points) float64, at least one seed.
    """
    n = values.shape[0]
    if n == 0:
        raise ValueError(
            "expected values of at least one seed; got none. Leave out competitors without runs."
        )
    mean = values.mean(axis=0)
    if n == 1:
        return MeanInterval(mean=mean, low=None, high=None, n=1)
    half = student_t_975(n - 1) * values.std(axis=0, ddof=1) / math.sqrt(n)
    return MeanInterval(mean=mean, low=mean - half, high=mean + half, n=n)


def unlock_curve(runs: Sequence[RunResult], grid: Ints) -> Curve:
    """Return the curve of one competitor's `runs` (one a seed) on `grid`."""
    rows = [count_unlocks([unlock.action for unlock in run.unlocks], grid) for run in runs]
    return Curve(grid=grid, counts=mean_interval(np.array(rows, dtype=np.float64)))


def checkpoints(steps: int) -> Ints:
    """Return the action numbers of the count tables: the standard ones below the budget, and the budget."""
    return np.array([point for point in CHECKPOINTS if point < steps] + [steps], dtype=np.int64)


def lead_at_end(echo: Sequence[RunResult], other: Sequence[RunResult]) -> MeanInterval | None:
    """Return by how many items `echo` is ahead of `other` at the end, paired by seed.

    None where no seed is in both. One point; same estimator as the curves, over the differences.
    """
    theirs = {run.spec.seed: len(run.unlocks) for run in other}
    ahead = [len(run.unlocks) - theirs[run.spec.seed] for run in echo if run.spec.seed in theirs]
    return mean_interval(np.array(ahead, dtype=np.float64)[:, None]) if ahead else None

"""What every statistic here is given and gives: values in strata, and a value with its interval.

A *stratum* is a cell of runs that may be compared with each other (one task under one agent); strata differ
in difficulty, so that nothing is ever resampled or exchanged across them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEVEL = 0.95
"""Share of repetitions of an experiment whose interval should hold the true value."""

DRAWS = 2_000
"""Bootstrap samples behind an interval; its ends then move by about a hundredth of its width."""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A number measured, and between what it may lie."""

    value: float
    """The statistic of the runs that were made, not the middle of the interval."""
    low: float | None
    """None where a stratum holds a single run: nothing is then known of how runs differ."""
    high: float | None

    def excludes(self, number: float) -> bool:
        """Return whether `number` lies outside; an unknown interval excludes nothing.

        >>> Interval(value=2.0, low=1.0, high=3.0).excludes(0.0)
        True
        """
        return self.low is not None and self.high is not None and not self.low <= number <= self.high


def outer_percentiles(samples: Floats, level: float = LEVEL) -> tuple[float, float]:
    """Return between what the middle `level` of `samples`, (draws,), lies, linearly interpolated."""
    # 50 * (1 - 0.95) is not 2.5 in binary.
    tail = round(50 * (1 - level), 9)
    low, high = np.percentile(samples, [tail, 100 - tail])
    return float(low), float(high)


def percentile_interval(value: float, samples: Floats, level: float) -> Interval:
    """Return `value` with the interval in which the middle `level` of `samples`, (draws,), lies."""
    low, high = outer_percentiles(samples, level)
    return Interval(value=value, low=low, high=high)


def check_draws(draws: int) -> None:
    """Refuse a number of samples that nothing can be told from.

    Raises:
        ValueError: if `draws` is below 1.
    """
    if draws < 1:
        raise ValueError(f"expected at least 1 draw; got draws={draws}. {DRAWS} are usual.")


def check_settings(draws: int, level: float) -> None:
    """Refuse what no interval can be made with.

    Raises:
        ValueError: if `draws` is below 1 or `level` not between 0 and 1.
    """
    check_draws(draws)
    if not 0 < level < 1:
        raise ValueError(f"expected a level between 0 and 1; got level={level}. {LEVEL} is usual.")


def check_strata(strata: Sequence[Floats], *, columns: bool = False) -> list[Floats]:
    """Return `strata` as float64 arrays after checking that each can be averaged.

    Args:
        strata: One array a stratum: (runs,), or (runs, columns) where `columns` is set.
        columns: Whether each run has a row of values in place of one.

    Raises:
        ValueError: if there is no stratum, one is empty or of another shape, or holds nan or infinity.
    """
    arrays = [np.asarray(values, dtype=np.float64) for values in strata]
    if not arrays:
        raise ValueError("expected at least one stratum; got none. Leave out statistics of nothing.")
    for index, values in enumerate(arrays):
        if values.ndim != 1 + columns:
            shape = "(runs, columns)" if columns else "(runs,)"
            raise ValueError(f"expected the shape {shape}; got {values.shape} in stratum {index}.")
        if not values.size:
            raise ValueError(
                f"expected at least one run in each stratum; got none in stratum {index}. Leave it out and "
                f"say so: a cell without runs is unscored, not 0."
            )
        if not np.isfinite(values).all():
            raise ValueError(
                f"expected finite numbers; got {values[~np.isfinite(values)][0]} in stratum {index}. Leave "
                f"out runs that were not scored, and count them."
            )
    return arrays


def check_pairs(
    one: Sequence[Floats], other: Sequence[Floats], *, columns: bool = False
) -> tuple[list[Floats], list[Floats]]:
    """Return both sides after checking that each value of `one` has its partner in `other`.

    Raises:
        ValueError: as `check_strata`, and if the sides differ in strata or in the shape of one.
    """
    ours, theirs = check_strata(one, columns=columns), check_strata(other, columns=columns)
    if len(ours) != len(theirs):
        raise ValueError(f"expected the same strata on both sides; got {len(ours)} and {len(theirs)}.")
    for index, (mine, yours) in enumerate(zip(ours, theirs, strict=True)):
        if mine.shape != yours.shape:
            raise ValueError(
                f"expected pairs of runs; got {mine.shape} and {yours.shape} values in stratum {index}. Keep "
                f"the runs that both sides played, in the same order."
            )
    return ours, theirs


def has_spread(strata: Sequence[Floats]) -> bool:
    """Return whether every stratum holds two runs or more, so that an interval can be told."""
    return all(len(values) > 1 for values in strata)


def named_seed(*names: object) -> int:
    """Return a seed, 64 bits, that depends on `names` alone, so that a report is the same every time."""
    digest = hashlib.sha256("/".join(map(str, names)).encode()).digest()
    return int.from_bytes(digest[:8], "big")

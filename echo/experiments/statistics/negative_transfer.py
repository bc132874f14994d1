"""What suggestions from memory cost where they mislead: steps of the same episodes with and without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from echo.experiments.statistics.bootstrap import mean_interval
from echo.experiments.statistics.strata import DRAWS, LEVEL, Floats, Interval, check_pairs


@dataclass(frozen=True, kw_only=True)
class NegativeTransfer:
    """Steps with suggestions beside steps without, pair by pair."""

    pairs: int
    """Episodes compared."""
    worse: float
    """Share of them that took more steps with suggestions, 0 to 1."""
    lost: float | None
    """Mean steps more in those; None where there are none."""
    gained: float | None
    """Mean steps fewer in all others, ties counting 0; None where there are no others."""
    difference: Interval
    """Mean over strata of steps with less steps without; below 0 where suggestions save steps."""


def negative_transfer(
    with_: Sequence[Floats],
    without: Sequence[Floats],
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> NegativeTransfer:
    """Return in how many episodes suggestions cost steps, how many, and what they come to on the whole.

    Shares and means are over all pairs; the interval resamples whole runs within strata, since the episodes
    of a run share one memory and so are no independent pairs. An episode that fails should enter with its
    budget.

    Args:
        with_: Steps with suggestions: one (runs, episodes) array a stratum such as a task; an array (runs,)
            holds one episode a run.
        without: Steps without, of the same strata, runs and episodes.
        seed: Of the resampling.
        draws: Bootstrap samples.
        level: Share of the samples between the ends.

    Raises:
        ValueError: if the sides do not pair up, a stratum is missing, empty or not finite, or a setting is
            out of range.
    """
    mine, theirs = check_pairs(_as_rows(with_), _as_rows(without), columns=True)
    differences = [more - less for more, less in zip(mine, theirs, strict=True)]
    every = np.concatenate([values.ravel() for values in differences])
    worse = every > 0
    return NegativeTransfer(
        pairs=len(every),
        worse=float(worse.mean()),
        lost=float(every[worse].mean()) if worse.any() else None,
        gained=float(-every[~worse].mean()) + 0.0 if not worse.all() else None,
        difference=mean_interval(
            [values.mean(axis=1) for values in differences], seed=seed, draws=draws, level=level
        ),
    )


def _as_rows(strata: Sequence[Floats]) -> list[Floats]:
    """Return (runs,) arrays as (runs, 1) ones, others as they are."""
    arrays = [np.asarray(values, dtype=np.float64) for values in strata]
    return [values[:, None] if values.ndim == 1 else values for values in arrays]

"""Whether two agents differ: permutation test, probability of improvement, correction for many tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from echo.experiments.statistics.strata import (
    DRAWS,
    LEVEL,
    Floats,
    Interval,
    check_draws,
    check_pairs,
    check_settings,
    check_strata,
    has_spread,
    percentile_interval,
)

PERMUTATIONS = 10_000
"""Sign flips tried where there are too many to try them all."""

_BATCH = 1_000


def permutation_p(
    one: Sequence[Floats], other: Sequence[Floats], *, seed: int, draws: int = PERMUTATIONS
) -> float:
    """Return the two-sided p of the paired sign-flip test that `one` and `other` do equally well.

    Statistic: |mean over strata of the mean paired difference|. Null: either agent could have made either
    value of each pair, so that the sign of each difference is a fair coin. p is the share of sign patterns
    whose statistic reaches the observed one. All patterns are tried where there are at most `draws` of them
    (13 pairs at 10,000; pairs that tie have no sign); else `draws` random ones, and then p = (1 + reaching) /
    (1 + draws), which is never 0 and keeps its promise at any number of draws (Phipson and Smyth 2010).

    Args:
        one: One (runs,) array a stratum.
        other: The same strata and runs, in the same order.
        seed: Of the random patterns.
        draws: Their number.

    Raises:
        ValueError: if the sides do not pair up, a stratum is missing, empty or not finite, or `draws` is
            below 1.

    >>> permutation_p([np.array([3.0, 4.0, 5.0])], [np.array([1.0, 1.0, 1.0])], seed=0)
    0.25
    """
    check_draws(draws)
    ours, theirs = check_pairs(one, other)
    # Each difference by its weight in the statistic, so that a sum of signed ones is the statistic.
    parts = np.concatenate([(mine - yours) / len(mine) for mine, yours in zip(ours, theirs, strict=True)])
    parts = parts[parts != 0]
    # Sums of the same parts in another order differ by rounding alone, and must count as equal.
    least = abs(parts.sum()) - 1e-12 * np.abs(parts).sum()
    if len(parts) < 63 and 2 ** len(parts) <= draws:
        patterns = np.arange(2 ** len(parts))[:, None] >> np.arange(len(parts)) & 1
        return float(np.mean(np.abs((1 - 2 * patterns) @ parts) >= least))
    rng = np.random.default_rng(seed)
    reaching = 0
    for start in range(0, draws, _BATCH):
        coins = rng.integers(2, size=(min(_BATCH, draws - start), len(parts)))
        reaching += int(np.count_nonzero(np.abs((1 - 2 * coins) @ parts) >= least))
    return (1 + reaching) / (1 + draws)


def probability_of_improvement(
    one: Sequence[Floats], other: Sequence[Floats], *, seed: int, draws: int = DRAWS, level: float = LEVEL
) -> Interval:
    """Return how probably a run of `one` beats one of `other` on a random stratum, with its interval.

    Mean over strata of the share of all pairs (x of `one`, y of `other`) with x > y, ties counting half: the
    Mann-Whitney U statistic over its greatest value. Source: Agarwal et al. 2021 §4.3; as there, runs of both
    sides are resampled independently within strata. Where runs are paired by land this ignores the pairing:
    the interval is then rather too wide than too narrow.

    Args:
        one: One (runs,) array a stratum; higher is better.
        other: The same strata in the same order; numbers of runs may differ.
        seed: Of the resampling.
        draws: Bootstrap samples.
        level: Share of the samples between the ends.

    Raises:
        ValueError: if the sides differ in strata, one is missing, empty or not finite, or a setting is out of
            range.

    >>> probability_of_improvement([np.array([1.0, 3.0])], [np.array([0.0, 1.0])], seed=0).value
    0.875
    """
    check_settings(draws, level)
    ours, theirs = check_strata(one), check_strata(other)
    if len(ours) != len(theirs):
        raise ValueError(f"expected the same strata on both sides; got {len(ours)} and {len(theirs)}.")
    rng = np.random.default_rng(seed)
    value, samples = 0.0, np.zeros(draws)
    for mine, yours in zip(ours, theirs, strict=True):
        wins = np.sign(mine[:, None] - yours) / 2 + 0.5
        value += float(wins.mean()) / len(ours)
        first, second = _times_drawn(rng, len(mine), draws), _times_drawn(rng, len(yours), draws)
        samples += np.sum(first @ wins * second, axis=1) / wins.size / len(ours)
    if not has_spread([*ours, *theirs]):
        return Interval(value=value, low=None, high=None)
    return percentile_interval(value, samples, level)


def _times_drawn(rng: np.random.Generator, runs: int, draws: int) -> Floats:
    """Return how often each bootstrap sample takes each run, (draws, runs)."""
    return rng.multinomial(runs, np.full(runs, 1 / runs), size=draws).astype(np.float64)


def holm(ps: Mapping[str, float]) -> dict[str, float]:
    """Return the p values adjusted for their number, in the order given.

    The i-th smallest of m becomes the greatest of min(1, (m - j + 1) p_j) over j <= i. Rejecting those below
    a level keeps the probability of any false rejection below it, however the tests depend on each other.
    Source: Holm 1979.

    Raises:
        ValueError: if a p is not between 0 and 1.

    >>> holm({"a": 0.03, "b": 0.01, "c": 0.04})
    {'a': 0.06, 'b': 0.03, 'c': 0.06}
    """
    for name, p in ps.items():
        if not 0 <= p <= 1:
            raise ValueError(f"expected p values between 0 and 1; got {p} for {name!r}.")
    adjusted: dict[str, float] = {}
    greatest = 0.0
    for rank, name in enumerate(sorted(ps, key=lambda name: (ps[name], name))):
        greatest = max(greatest, min(1.0, (len(ps) - rank) * ps[name]))
        adjusted[name] = greatest
    return {name: adjusted[name] for name in ps}

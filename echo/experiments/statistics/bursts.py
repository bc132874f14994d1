"""Whether unlocks come in bursts, and whether like ones come together.

Echo Fig. 2 shows a mid-stage burst in which similar items unlock together. A burst alone shows no transfer: a
new tool opens several ores at once for any agent. So there are two statistics. `longest_burst` counts unlocks
within a time, whatever they are, against the same waits in another order. `like_burst` counts unlocks of one
*label* (what was transferred; items made after one exemplar; items of one kind) that lie together, against
the same labels in another order: when unlocks happen stays as it was, so that a burst that any new tool
causes cannot alone make it stand out.

Both nulls are exchangeability, which a drift breaks as well as a burst does (waits grow as less is left to
find; transfer begins after exploration): a small p says that the order matters, not why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from echo.experiments.statistics.strata import DRAWS, Floats, check_draws

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class ShuffleTest:
    """A statistic beside what it is after shuffling."""

    observed: float
    null: Floats = field(compare=False, repr=False)
    """The statistic after each shuffle, (draws,)."""

    @property
    def null_mean(self) -> float:
        """Mean of the statistic over shuffles."""
        return float(self.null.mean())

    @property
    def p(self) -> float:
        """One-sided: (1 + shuffles that reach the observed statistic) / (1 + shuffles)."""
        # Means over runs differ by rounding where they are equal.
        return float((1 + np.count_nonzero(self.null >= self.observed - 1e-9)) / (1 + len(self.null)))


def pool_tests(tests: Sequence[ShuffleTest]) -> ShuffleTest:
    """Return the test of the mean statistic over runs, each shuffled on its own.

    Args:
        tests: One a run, with the same number of shuffles and different seeds.

    Raises:
        ValueError: if there are none, or their numbers of shuffles differ.
    """
    if not tests:
        raise ValueError("expected at least one run to pool; got none.")
    sizes = sorted({len(test.null) for test in tests})
    if len(sizes) > 1:
        raise ValueError(f"expected the same number of shuffles in all runs; got {sizes}.")
    return ShuffleTest(
        observed=float(np.mean([test.observed for test in tests])),
        null=np.mean([test.null for test in tests], axis=0),
    )


def longest_burst(actions: Sequence[int], window: int) -> int:
    """Return the most unlocks within any `window` successive counted actions, 0 where there are none.

    Args:
        actions: Counted action of each unlock, in any order; several may share one.
        window: Counted actions, at least 1: with 50, unlocks at actions 1 and 50 lie together, 1 and 51 do
            not.

    Raises:
        ValueError: if `window` is below 1.

    >>> longest_burst([3, 60, 70, 109, 110], 50)
    3
    """
    _check_window(window)
    times = np.sort(np.asarray(actions, dtype=np.int64))
    return int(_most_within(times[None], window)[0]) if len(times) else 0


def burst_null(
    actions: Sequence[int], span: int, window: int, *, seed: int, draws: int = DRAWS
) -> ShuffleTest:
    """Return `longest_burst` beside its values when the waits between unlocks come in another order.

    Null: the waits before each unlock, and the one from the last to the end of the run, are exchangeable. An
    agent that slows down as less is left to find breaks it without any bursts.

    Args:
        actions: Counted action of each unlock, 1 to `span`, in any order.
        span: Counted actions of the run.
        window: Counted actions, at least 1.
        seed: Of the shuffles.
        draws: Shuffles.

    Raises:
        ValueError: if an action lies outside the run, or `window` or `draws` is below 1.
    """
    check_draws(draws)
    observed = longest_burst(actions, window)
    times = np.sort(np.asarray(actions, dtype=np.int64))
    if len(times) and not (times[0] >= 1 and times[-1] <= span):
        raise ValueError(f"expected actions between 1 and {span}; got {times[0]} to {times[-1]}.")
    if not len(times):
        return ShuffleTest(observed=0.0, null=np.zeros(draws))
    waits = np.diff(times, prepend=0, append=span)
    shuffled = np.random.default_rng(seed).permuted(np.tile(waits, (draws, 1)), axis=1)
    most = _most_within(np.cumsum(shuffled, axis=1)[:, :-1], window)
    return ShuffleTest(observed=float(observed), null=most.astype(np.float64))


def longest_members(actions: Sequence[int], window: int) -> tuple[int, ...]:
    """Return which unlocks make the longest burst, as rising indices; the earliest where several are longest.

    Args:
        actions: Counted action of each unlock, not falling.
        window: Counted actions, at least 1.

    Raises:
        ValueError: if `window` is below 1 or an action is below its predecessor.

    >>> longest_members([3, 60, 70, 109, 110], 50)
    (1, 2, 3)
    """
    _check_window(window)
    times = _rising(actions)
    if not len(times):
        return ()
    sizes = np.searchsorted(times, times + window) - np.arange(len(times))
    first = int(np.argmax(sizes))
    return tuple(range(first, first + int(sizes[first])))


def like_burst(labels: Sequence[str | None], window: int, *, actions: Sequence[int] | None = None) -> int:
    """Return the most unlocks of one label that lie together, 0 where none has a label.

    Args:
        labels: One an unlock, in the order they happened; None for an unlock that is like no other.
        window: Successive unlocks that lie together; successive counted actions where `actions` are given.
        actions: Counted action of each unlock, not falling.

    Raises:
        ValueError: if `window` is below 1, or `actions` are not as many as labels or fall.

    >>> like_burst(["slab", None, "slab", "fence", "slab"], 3)
    2
    """
    places, labelled, codes = _labelled(labels, window, actions)
    return int(_most_alike(places[labelled][None], codes, window)[0])


def like_burst_null(
    labels: Sequence[str | None],
    window: int,
    *,
    actions: Sequence[int] | None = None,
    seed: int,
    draws: int = DRAWS,
) -> ShuffleTest:
    """Return `like_burst` beside its values when the labels are shuffled over the unlocks.

    Null: which unlock has which label is exchangeable; how many have each label, and when unlocks happen,
    stays.

    Args:
        labels: As in `like_burst`.
        window: As in `like_burst`.
        actions: As in `like_burst`.
        seed: Of the shuffles.
        draws: Shuffles.

    Raises:
        ValueError: as `like_burst`, or if `draws` is below 1.
    """
    check_draws(draws)
    places, labelled, codes = _labelled(labels, window, actions)
    shuffled = np.random.default_rng(seed).permuted(np.tile(places, (draws, 1)), axis=1)[:, : len(codes)]
    return ShuffleTest(
        observed=float(_most_alike(places[labelled][None], codes, window)[0]),
        null=_most_alike(shuffled, codes, window).astype(np.float64),
    )


def _check_window(window: int) -> None:
    if window < 1:
        raise ValueError(f"expected a window of at least 1; got {window}.")


def _rising(actions: Sequence[int]) -> Ints:
    """Return actions as an array.

    Raises:
        ValueError: if one is below its predecessor.
    """
    times = np.asarray(actions, dtype=np.int64)
    falls = np.flatnonzero(np.diff(times) < 0)
    if len(falls):
        raise ValueError(
            f"expected actions in the order of unlocks; got {times[falls[0] + 1]} after {times[falls[0]]}. "
            f"Sort unlocks by action first."
        )
    return times


def _most_within(times: Ints, window: int) -> Ints:
    """Return for each row of rising times, (draws, unlocks), the most that lie in some [t, t + window)."""
    most = np.full(len(times), min(1, times.shape[1]), dtype=np.int64)
    for more in range(1, times.shape[1]):
        close = np.any(times[:, more:] - times[:, :-more] < window, axis=1)
        if not close.any():
            break
        most[close] = more + 1
    return most


def _labelled(
    labels: Sequence[str | None], window: int, actions: Sequence[int] | None
) -> tuple[Ints, Ints, Ints]:
    """Return the place of every unlock, the indices of those with a label, and their labels as numbers.

    Raises:
        ValueError: as `like_burst`.
    """
    _check_window(window)
    places = np.arange(len(labels)) if actions is None else _rising(actions)
    if len(places) != len(labels):
        raise ValueError(f"expected an action for each label; got {len(places)} for {len(labels)} labels.")
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(label, len(numbers)) for label in labels if label is not None]
    labelled = [index for index, label in enumerate(labels) if label is not None]
    return places, np.array(labelled, dtype=np.int64), np.array(codes, dtype=np.int64)


def _most_alike(places: Ints, codes: Ints, window: int) -> Ints:
    """Return for each row of places, (draws, labelled), the most of one code that lie within a window."""
    if not len(codes):
        return np.zeros(len(places), dtype=np.int64)
    # Each label gets a stretch of its own on one line, a window away from the next: then those that lie
    # together are of one label, and one sort serves all.
    stretch = int(places.max() - places.min()) + window
    return _most_within(np.sort(places + codes * stretch, axis=1), window)

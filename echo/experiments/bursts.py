"""Bursts of unlocks over the runs of one competitor: how many at once, how alike, how many by transfer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from echo.experiments.results import RunResult, UnlockRecord
from echo.experiments.statistics.bursts import (
    ShuffleTest,
    burst_null,
    like_burst_null,
    longest_members,
    pool_tests,
)
from echo.experiments.statistics.strata import named_seed

WINDOW_ACTIONS = 50
"""Counted actions within which any unlocks make a burst."""

WINDOW_UNLOCKS = 10
"""Successive unlocks among which like ones lie together."""

TRANSFERRED = ("transfer", "pattern")
"""Sources that bring an item by what was remembered of others."""


@dataclass(frozen=True, kw_only=True)
class BurstTally:
    """Means over runs. Each test has a shuffle of its own in each run."""

    longest: ShuffleTest
    """Most unlocks within `WINDOW_ACTIONS`, against the same waits in another order."""
    alike: ShuffleTest
    """Most items of one kind among `WINDOW_UNLOCKS`, against kinds shuffled over unlocks."""
    alike_in_time: ShuffleTest
    """Most items of one kind within `WINDOW_ACTIONS`, against kinds shuffled over unlocks."""
    transferred: ShuffleTest | None
    """Most items by transfer among `WINDOW_UNLOCKS`, against sources shuffled; None where none came so."""
    transferred_share_of_longest: float | None
    """Share of the longest burst that came by transfer; None where no run unlocked anything."""
    transferred_share: float | None
    """Share of all unlocks that came by transfer, which chance would put into any burst."""


def kind_of(item: str) -> str:
    """Return what an item is a kind of: the last word of its name, which players sort items by.

    >>> kind_of("polished_granite_slab"), kind_of("chest")
    ('slab', 'chest')
    """
    return item.rsplit("_", 1)[-1]


def tally_bursts(runs: Sequence[RunResult]) -> BurstTally:
    """Return the bursts of one competitor's `runs` (at least one)."""
    longest, alike, alike_in_time, transferred = [], [], [], []
    in_longest, in_all = [], []
    for run in runs:
        seed = named_seed("bursts", run.spec.name)
        unlocks = sorted(run.unlocks, key=lambda unlock: unlock.action)
        actions = [unlock.action for unlock in unlocks]
        labels = ["transferred" if unlock.source in TRANSFERRED else None for unlock in unlocks]
        longest.append(burst_null(actions, run.actions, WINDOW_ACTIONS, seed=seed))
        kinds = [kind_of(unlock.item) for unlock in unlocks]
        alike.append(like_burst_null(kinds, WINDOW_UNLOCKS, seed=seed))
        alike_in_time.append(like_burst_null(kinds, WINDOW_ACTIONS, actions=actions, seed=seed))
        transferred.append(like_burst_null(labels, WINDOW_UNLOCKS, seed=seed))
        if unlocks:
            members = longest_members(actions, WINDOW_ACTIONS)
            in_longest.append(_share_transferred([unlocks[index] for index in members]))
            in_all.append(_share_transferred(unlocks))
    return BurstTally(
        longest=pool_tests(longest),
        alike=pool_tests(alike),
        alike_in_time=pool_tests(alike_in_time),
        transferred=pool_tests(transferred) if any(test.observed for test in transferred) else None,
        transferred_share_of_longest=float(np.mean(in_longest)) if in_longest else None,
        transferred_share=float(np.mean(in_all)) if in_all else None,
    )


def _share_transferred(unlocks: Sequence[UnlockRecord]) -> float:
    return sum(unlock.source in TRANSFERRED for unlock in unlocks) / len(unlocks)


def bursts_json(tally: BurstTally) -> dict[str, Any]:
    """Return the tally as a JSON object; a number that is not known is null."""
    return {
        "window_actions": WINDOW_ACTIONS,
        "window_unlocks": WINDOW_UNLOCKS,
        "longest": _test_json(tally.longest),
        "alike": _test_json(tally.alike),
        "alike_in_time": _test_json(tally.alike_in_time),
        "transferred": None if tally.transferred is None else _test_json(tally.transferred),
        "transferred_share_of_longest": tally.transferred_share_of_longest,
        "transferred_share": tally.transferred_share,
    }


def _test_json(test: ShuffleTest) -> dict[str, float]:
    return {"observed": test.observed, "null_mean": test.null_mean, "p": test.p}

"""Description lengths in bits: what missing material adds, and the shortest of many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_PRICE_WEIGHT = np.float32(0.3)


@dataclass(frozen=True, kw_only=True, slots=True)
class Material:
    """What the items that a description may name stand for; all arrays (items,) float64, in item order."""

    bits: Floats
    """Bits to name each item."""
    have: Floats
    """How many are held."""
    price: Floats
    """Counted actions that one more costs."""
    aims: Floats | None = None
    """Bits that what is asked for adds to naming each item, counted in `bits`; None for none."""


def price_bits(missing: NDArray[Any]) -> NDArray[Any]:
    """Return the bits that missing material adds: log2(1 + 0.3 actions), of the dtype given."""
    return np.asarray(np.log2(1 + _PRICE_WEIGHT * missing))


def shortest(score: NDArray[np.floating], count: int) -> NDArray[np.int64]:
    """Return the flat places of the `count` lowest finite scores, lowest first, ties by place.

    Args:
        score: (rows, ...) floating, inf where nothing stands.
        count: at least 1.

    Returns:
        (at most count,) int64.
    """
    flat = score.reshape(len(score), -1)
    if not flat.size:
        return np.zeros(0, dtype=np.int64)
    best = np.sort(flat.min(axis=1))
    # As many rows as wanted have an entry this low, so nothing above can be among the lowest.
    limit = min(best[min(count, len(best)) - 1] if len(best) >= count else np.inf, np.finfo(score.dtype).max)
    places = np.flatnonzero(flat.ravel() <= limit)
    order = np.argsort(flat.ravel()[places], kind="stable")
    return places[order[:count]]

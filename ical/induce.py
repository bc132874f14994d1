"""Induction of new tasks: put another item into a slot of what worked, and say how likely it is to work.

Source: Echo §3.4 (new-task induction); differs in that the induction is a calculation over slots, not a
completion: candidates are all (slot, item) pairs never tried, their predicted success a kernel estimate
from the items that worked and failed there, weighted by likeness on the axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ical.profile import Likeness, LikenessSource
from ical.slots import SMELT_ROWS, Slot, SlotTable

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Constants of the estimate, the same for every source of likeness."""

    prior: float = 0.6
    """Weight of the base rate against evidence from one identical item."""
    base: float = 0.04
    """Success rate of a slot about whose openness nothing is known."""
    openness: float = 4.0
    """How many tries a slot's own rate is worth of the base rate."""
    reach: float = 2.0
    """Exponent on likeness to what worked."""
    sharpness: float = 4.0
    """Exponent on likeness to what failed."""
    cold: float = 0.2
    """Likeness of two items of which nothing is known."""
    novel: float = 0.8
    """Chance that an unknown slot gives something new each time."""
    doubt: float = 1.0
    """Weight of `cold` against the evidence of the channels."""
    value: float = 0.3
    """Weight of what products of a slot opened later (log2)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scores:
    """All candidates at one moment."""

    raw: Floats
    """(slots, items) float64 in [0, 1]: predicted success before calibration."""
    success: Floats
    """(slots, items) float64 in [0, 1]: predicted success; 0 where tried."""
    fresh: Floats
    """(slots,) float64 in [0, 1]: chance that a success gives a product not seen before."""
    worth: Floats
    """(slots,) float64 >= 1: what success is worth, from what products of the slot opened."""


@dataclass(slots=True)
class Inducer:
    """Slots, likeness and the estimate over them."""

    source: LikenessSource
    settings: Settings = field(default_factory=Settings)
    table: SlotTable = field(default_factory=SlotTable)
    weights: dict[str, float] = field(default_factory=dict)
    """Channel -> learned weight, 1 at first."""
    opened: dict[str, float] = field(default_factory=dict)
    """Product -> how much came through it later."""
    calibration: Calibration = field(default_factory=lambda: Calibration())
    _fused: Floats | None = None
    _likeness: Likeness | None = None

    def stale(self) -> None:
        """Forget the likeness computed; call after the memory changed."""
        self._fused = None

    def likeness(self) -> Likeness:
        """Return the likeness of all items of the table."""
        self.fused()
        assert self._likeness is not None
        return self._likeness

    def fused(self) -> Floats:
        """Return the likeness of all pairs of items over the channels, (n, n) float64 in [0, 1], diagonal 1."""
        n = len(self.table.items)
        if self._fused is None or len(self._fused) != n:
            self._likeness = self.source.likeness(self.table.items, self.table)
            self._fused = self._fuse(self._likeness)
        return self._fused

    def scores(self) -> Scores:
        """Return predicted success, freshness and worth of all candidates."""
        s, table = self.settings, self.table
        fused = self.fused()
        worked, failed = table.worked.astype(np.float64), table.failed.astype(np.float64)
        good = np.max(np.where(worked[:, :, None] > 0, fused[None, :, :] ** s.reach, 0.0), axis=1)
        bad = failed @ fused**s.sharpness
        ease = self._openness(worked, failed)[:, None] * self._activity(worked, failed)[None, :]
        base = np.minimum(0.3, s.base * np.sqrt(ease))
        success = np.minimum(0.95, (good + base * (1.0 - good))) / (1.0 + bad)
        raw, success = success, self.calibration.apply(success)
        success[(table.worked | table.failed)] = 0.0
        return Scores(raw=raw, success=success, fresh=self._fresh(), worth=self._worth())

    def _openness(self, worked: Floats, failed: Floats) -> Floats:
        """How open a slot is compared with others: odds of fillings other than the first, about 1 on average."""
        s = self.settings
        more = worked.sum(axis=1) - 1.0
        return np.asarray((s.base * s.openness + more) / (s.openness + more + failed.sum(axis=1)) / s.base)

    def _activity(self, worked: Floats, failed: Floats) -> Floats:
        """How often an item worked where it was put, compared with others."""
        s = self.settings
        good = worked.sum(axis=0)
        return np.asarray((s.base * s.openness + good) / (s.openness + good + failed.sum(axis=0)) / s.base)

    def against(self, slot: Slot, items: list[str]) -> Floats:
        """Return how much failures of like items speak against each of `items` in `slot`, (n,) >= 0."""
        row = self.table.slot_index.get(slot)
        names = self.table._early.get(slot, []) if row is None else []
        columns = [self.table.item(name) for name in names]
        if row is not None:
            columns = list(np.flatnonzero(self.table.failed[row]))
        if not columns:
            return np.zeros(len(items))
        own = [self.table.item(item) for item in items]
        return np.asarray((self.fused() ** self.settings.sharpness)[np.ix_(own, columns)].sum(axis=1))

    def shares(self, slot: Slot, item: str) -> dict[str, float]:
        """Return each channel's share in the likeness of `item` to what worked in `slot`; sums to 1 or is empty."""
        row = self.table.slot_index[slot]
        kind = self.likeness()
        like = np.flatnonzero(self.table.worked[row])
        column = self.table.item(item)
        if not like.size:
            return {}
        nearest = like[int(np.argmax(self.fused()[like, column]))]
        parts = {
            name: float(
                self.weights.get(name, 1.0) * kind.evidence[n, nearest, column] * kind.similarity[n, nearest, column]
            )
            for n, name in enumerate(kind.channels)
        }
        total = sum(parts.values())
        return {name: part / total for name, part in parts.items()} if total > 0 else {}

    def _fuse(self, likeness: Likeness) -> Floats:
        weight = np.array([self.weights.get(name, 1.0) for name in likeness.channels])
        strength = weight[:, None, None] * likeness.evidence
        cold = self.settings.doubt
        total = strength.sum(axis=0) + cold
        fused = ((strength * likeness.similarity).sum(axis=0) + cold * self.settings.cold) / total
        np.fill_diagonal(fused, 1.0)
        return np.asarray(fused)

    def _fresh(self) -> Floats:
        fresh = np.ones(len(self.table.slots))
        for row, products in enumerate(self.table.products):
            kinds = len(set(products.values()) - self.table.stale_products[row])
            fresh[row] = (kinds + self.settings.novel) / (len(products) + 1.0)
        return fresh

    def _worth(self) -> Floats:
        worth = np.ones(len(self.table.slots))
        for row, products in enumerate(self.table.products):
            opened = sum(self.opened.get(product, 0.0) for product in products.values()) / len(products)
            worth[row] += self.settings.value * np.log2(1.0 + opened)
        return worth


class Calibration:
    """Predicted against observed success, learnt as suggestions are tried."""

    EDGES = (0.0, 0.05, 0.1, 0.2, 0.35, 0.55, 0.75, 1.0)
    STRENGTH = 4.0

    def __init__(self) -> None:
        centres = [(a + b) / 2 for a, b in zip(self.EDGES, self.EDGES[1:], strict=False)]
        self._x = np.array([0.0, *centres, 1.0])
        self._hits = np.array(centres) * self.STRENGTH
        self._tries = np.full(len(centres), self.STRENGTH)

    def note(self, predicted: float, *, worked: bool) -> None:
        """Take in one tried suggestion with its raw prediction in [0, 1]."""
        n = min(int(np.searchsorted(self.EDGES, predicted, side="right")) - 1, len(self._tries) - 1)
        self._hits[n] += worked
        self._tries[n] += 1

    def apply(self, predicted: Floats) -> Floats:
        """Return calibrated predictions, same shape, monotone in the raw ones."""
        rate = np.maximum.accumulate(self._hits / self._tries)
        return np.interp(predicted, self._x, np.array([rate[0] * 0.5, *rate, rate[-1]]))


def needed(slot: Slot, item: str) -> Mapping[str, int]:
    """Return how many of each item the arrangement uses up."""
    if slot.rows == SMELT_ROWS:
        return {item: 1}
    counts: dict[str, int] = {}
    fillers = slot.fillers(item)
    for letter, filler in zip(dict.fromkeys(c for c in slot.rows if c not in "./"), fillers, strict=True):
        counts[filler] = counts.get(filler, 0) + slot.rows.count(letter)
    return counts

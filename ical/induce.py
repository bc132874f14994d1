"""Induction of new tasks: put another item into a slot of what worked, and say how likely it is to work.

Source: Echo §3.4 (new-task induction); differs in that the induction is a calculation over slots, not a
completion: candidates are all (slot, item) pairs never tried, their predicted success a kernel estimate
from the items that worked and failed there, weighted by likeness on the axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ical.belief import Belief
from ical.honesty import Honesty
from ical.kernels import slot_kernel
from ical.profile import Likeness, LikenessSource, positive
from ical.slots import SMELT_ROWS, Slot, SlotTable

Floats = NDArray[np.float64]

_LEAST, _MOST = 0.05, 0.95
"""Beliefs are kept within these: what was never tried is not hopeless, however its like failed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Constants of the estimate, the same for every source of likeness."""

    sharpness: float = 2.5
    """Exponent on likeness: above 1 only what is alike on most channels counts."""
    enough: float = 4.0
    """Observations on one channel beyond which it weighs no more."""
    doubt: float = 0.5
    """Observations' worth of unlikeness mixed in, so that two strangers are unlike."""
    kinship: float = 2.0
    """Exponent on likeness when the luck of like items is pooled."""
    same: float = 0.4
    """Chance that twins give the same product in a slot of which nothing is known."""
    twin: float = 3.0
    """Exponent on likeness to tell twins."""
    stale: float = 0.2
    """Factor for a slot whose product was known from another arrangement."""
    learning: float = 0.2
    """Step of the channels' weights, see `Inducer.learn`."""
    hope_memory: float = 0.995
    """Share of the record of promises that outlasts one suggestion."""
    trust: float = 1.0
    """New items' worth of trust in promises as they are."""
    sunk: float = 0.2
    """Part of the price of missing material that is lost when a filling fails; nothing is used up then."""
    value: float = 0.3
    """Weight of what products of a slot opened later (log2)."""
    covered: float = 2.0
    """Bits against an explorer's attempt that suggestions cover anyway."""
    shut: float = 0.1
    """What each failure in a pattern in which nothing ever worked counts against any item there."""
    twins: float = 4.0
    """Bits against a grid with two fillers that are the same on all channels."""
    aside: float = 0.25
    """Factor for slots that have nothing to do with what is aimed at."""
    aim: float = 4.0
    """Bits by which an item that bears on what is aimed at is easier to name than one that does not."""
    luck: float = 1.0
    """How many of the bits by which items of a kind are luckier than others are taken over."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scores:
    """All candidates at one moment."""

    success: Floats
    """(slots, items) float64 in [0, 1]: predicted success; 0 where tried."""
    fresh: Floats
    """(slots, items) float64 in [0, 1]: chance that a success gives a product not seen before."""
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
    belief: Belief = field(default_factory=Belief)
    honesty: Honesty = field(default_factory=Honesty)
    _kernel: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    _alike: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    _believed: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    _kernel_stale: bool = True
    _size: tuple[int, int] = (0, 0)
    _fitted: int | None = None
    """Revision of the table that the belief rests on, None where the kernels changed since."""
    likeness: Likeness | None = None
    """The source's latest answer, for the items of the table then, in table order; None before the first."""

    def stale(self) -> None:
        """Forget the likeness computed; call after the memory changed."""
        self._kernel_stale = True

    def scores(self) -> Scores:
        """Return predicted success, freshness and worth of all candidates."""
        table = self.table
        self._refresh()
        self._believed = np.clip(self.belief.predict(), _LEAST, _MOST)
        success = self._believed * self._corrections()
        success[table.worked | table.failed] = 0.0
        return Scores(success=np.minimum(success, _MOST), fresh=self._fresh(), worth=self._worth())

    def _corrections(self) -> Floats:
        """How outcomes so far correct the belief, (slots, items): by slot, and by kind of item and verb."""
        table = self.table
        factors = np.array([[self.honesty.factor(slot)] for slot in table.slots]) * np.ones(
            (1, len(table.items))
        )
        smelting = np.array([slot.rows == SMELT_ROWS for slot in table.slots], dtype=bool)
        kinds = [self.source.kind(item) for item in table.items]
        for verb in (False, True):
            factors[smelting == verb] *= [self.honesty.factor((verb, kind)) for kind in kinds]
        return factors

    def believed(self, row: int, column: int) -> float | None:
        """Return the belief last computed for one filling, None where it was not yet a candidate."""
        tall, wide = self._believed.shape
        open_then = row < tall and column < wide and not self.table.worked[row, column]
        return (
            float(self._believed[row, column]) if open_then and not self.table.failed[row, column] else None
        )

    def groups(self, slot: Slot, item: str) -> tuple[object, ...]:
        """Return the groups that a filling belongs to: its slot, and its item's kind for the verb."""
        return slot, (slot.rows == SMELT_ROWS, self.source.kind(item))

    def _refresh(self) -> None:
        """Bring likeness, kernels and belief up to the table."""
        table = self.table
        size = (len(table.slots), len(table.items))
        if self._kernel_stale or self._size != size:
            self.likeness = self.source.likeness(table.items)
            self._alike = self._blend(self.likeness)
            self._kernel = positive(self._alike**self.settings.sharpness)
            self.belief.set_kernels(slot_kernel(table.slots, table.worked), self._kernel)
            self._kernel_stale, self._size, self._fitted = False, size, None
        if self._fitted != table.revision:
            self.belief.fit(table.worked, table.failed)
            self._fitted = table.revision

    def _strength(self, likeness: Likeness) -> Floats:
        weight = np.array([self.weights.get(name, 1.0) for name in likeness.channels])
        return np.asarray(weight[:, None, None] * np.minimum(likeness.evidence, self.settings.enough))

    def _blend(self, likeness: Likeness) -> Floats:
        """Return the evidence-weighted mean of the channels' likeness, (n, n), diagonal 1."""
        strength = self._strength(likeness)
        total = (strength * likeness.similarity).sum(axis=0) / (strength.sum(axis=0) + self.settings.doubt)
        np.fill_diagonal(total, 1.0)
        return np.asarray(np.clip(total, 0.0, 1.0))

    def parts_of(self, slot: Slot, item: str) -> dict[str, float]:
        """Return what the belief in one filling consists of: a part per channel, 'item' and 'slot'."""
        self._refresh()
        assert self.likeness is not None
        row, column = self.table.slot_index[slot], self.table.item_index[item]
        support = self._strength(self.likeness)[:, :, column] * self.likeness.similarity[:, :, column]
        total = support.sum(axis=0)
        shares = np.divide(support, total, out=np.zeros_like(support), where=total > 0)
        return self.belief.parts(row, column, dict(zip(self.likeness.channels, shares, strict=True)))

    def activity(self) -> Floats:
        """How often items like each one worked where they were put, against the average, (n,) float64 > 0."""
        self._refresh()
        kernel = self._alike**self.settings.kinship
        worked = self.table.worked.sum(axis=0) @ kernel
        tried = (self.table.worked | self.table.failed).sum(axis=0) @ kernel
        mean = (self.table.worked.sum() + 1.0) / ((self.table.worked | self.table.failed).sum() + 2.0)
        return np.asarray((worked + 2.0 * mean) / (tried + 2.0) / mean)

    def against(self, slot: Slot, item: str) -> float:
        """Return how much failures of like items in `slot` speak against `item`, >= 0."""
        self._refresh()
        row, column = self.table.slot_index.get(slot), self.table.item_index.get(item)
        if column is None or column >= len(self._kernel):
            return 0.0
        if row is None:
            failed = [self.table.item_index[name] for name in self.table.early(slot)]
        else:
            failed = [int(n) for n in np.flatnonzero(self.table.failed[row])]
        return float(self._kernel[column, [n for n in failed if n < len(self._kernel)]].sum())

    def likeness_of(self, one: str, other: str) -> float:
        """Return how alike two items are over the channels, 0..1; 0 where one is not known."""
        self._refresh()
        a, b = self.table.item_index.get(one), self.table.item_index.get(other)
        if a is None or b is None or max(a, b) >= len(self._alike):
            return 0.0
        return float(self._alike[a, b])

    def alike(self, items: Sequence[str]) -> Floats:
        """Return how alike any `items` are over the channels, (n, n) float64 in [0, 1], diagonal 1."""
        return self._blend(self.source.likeness(items))

    def learn(self, parts: Mapping[str, float], predicted: float, *, worked: bool) -> None:
        """Give each channel credit or blame for a suggestion that was tried.

        A channel that spoke for it gains weight if it worked, by how unexpected that was, and loses if not:
        weight *= exp(rate * (outcome - predicted) * share), kept within 1/4 and 4.
        """
        own = {name: max(0.0, parts.get(name, 0.0)) for name in self._channels()}
        total = sum(own.values())
        for name, part in own.items() if total > 0 else ():
            step = self.settings.learning * (float(worked) - predicted) * part / total
            self.weights[name] = float(np.clip(self.weights.get(name, 1.0) * np.exp(step), 0.25, 4.0))

    def _channels(self) -> tuple[str, ...]:
        return () if self.likeness is None else self.likeness.channels

    def _fresh(self) -> Floats:
        """Chance that a filling gives something else than the slot gave before, (slots, items).

        Items alike on all channels may stand for one another without changing the product (two kinds of
        planks for sticks) or change it (for slabs): what a slot's own fillings did decides.
        """
        alike = self._alike**self.settings.twin
        fresh = np.ones((len(self.table.slots), len(self.table.items)))
        for row, products in enumerate(self.table.products):
            columns = [self.table.item_index[item] for item in products]
            kinds = len(set(products.values()))
            same = (len(products) - kinds + self.settings.same) / (len(products) - 1 + 1.0)
            fresh[row] -= min(1.0, same) * alike[columns].max(axis=0)
            for other in self.table.slots[row].others:
                fresh[row] *= 1.0 - alike[self.table.item(other)]
            if self.table.stale[row]:
                fresh[row] *= self.settings.stale
        return np.maximum(fresh, 0.0)

    def _worth(self) -> Floats:
        worth = np.ones(len(self.table.slots))
        for row, products in enumerate(self.table.products):
            opened = sum(self.opened.get(product, 0.0) for product in products.values()) / len(products)
            worth[row] += self.settings.value * np.log2(1.0 + opened)
        return worth

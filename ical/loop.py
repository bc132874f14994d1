"""The ICAL loop's memory side: remember successes and failures, induce new tasks, take credit and blame.

Source: Echo §3.4, steps 1 to 5; differs in that every remembered success is an exemplar at once and the
task is chosen by expected new items per action, so that no language model is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from csd.descriptor import Csd
from csd.pattern import letters
from ical.cases import Case, case_of
from ical.induce import Inducer
from ical.slots import SMELT_ROWS, Slot, slots_of, station_needed

Floats = NDArray[np.float64]

_OUT_OF_REACH = 1e5
"""Price of missing material, in actions, beyond which a candidate is left out."""
_GENERATIONS = 4
"""How far back an unlock is credited to what its makings needed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Induced:
    """A new task: one item put into a slot of what worked."""

    slot: Slot
    item: str
    success: float
    """Predicted chance that it gives something, 0..1."""
    expected: float
    """Predicted chance that it gives something new, 0..1."""
    score: float
    """Expected new items per counted action, weighted by what such products opened."""
    parts: Mapping[str, float]
    """What the prediction consists of: a part per axis, 'item' and 'slot'."""


@dataclass(slots=True)
class Transfer:
    """Suggests new tasks from remembered ones."""

    inducer: Inducer
    ways: int = 0
    """How many ways to get things are known now; what was set aside comes back when there are more."""
    aside: dict[tuple[Slot, str], int] = field(default_factory=dict)
    """Filling that could not be prepared -> number of ways known then."""
    focus: tuple[str, ...] = ()
    """Products of what bears on a goal: fillings of their slots come first; empty where there is no goal."""
    bearing: Mapping[str, float] = field(default_factory=dict)
    """Item -> how much it bears on a goal as material, 0..1, and 0 where it is left out; empty: no goal."""
    _chances: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """Chances of success as last computed, (slots, items), in table order."""
    _parents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _made_in: dict[str, str] = field(default_factory=dict)
    _luck: Floats | None = None
    _hoped: float = 0.0
    _got: float = 0.0

    def remember(self, csd: Csd, csd_id: str) -> Case:
        """Take in a descriptor: its features, its arrangement and what made it possible; return these two."""
        case = case_of(csd, csd_id)
        table = self.inducer.table
        self.inducer.source.remember(csd)
        if case.product is not None:
            table.item(case.product)
            if case.rows is not None:
                self._compare(case.rows, case.fillers, worked=True)
                known = self._made_in.setdefault(case.product, case.rows) != case.rows
                table.success(case.rows, case.fillers, case.product, known=known)
            if case.product not in self._parents:
                self._parents[case.product] = case.parents
                self._open(case.parents, 1.0, 0)
        self.inducer.stale()
        return case

    def failed(self, rows: str, fillers: Sequence[str]) -> None:
        """Take in an arrangement that gave nothing; rows 'smelt' stand for a smelting input."""
        self._compare(rows, fillers, worked=False)
        self.inducer.table.failure(rows, fillers)

    def suggest(
        self,
        items: Sequence[str],
        held: Mapping[str, int],
        price: Mapping[str, float],
        offers: Sequence[str],
    ) -> Induced | None:
        """Return the filling with the highest score, ties by age of slot and item; None where there is none.

        Args:
            items: what has ever been held.
            held: item -> amount held now.
            price: item -> counted actions to get one.
            offers: what stations found so far offer ('grid3', 'smelt').
        """
        table, settings = self.inducer.table, self.inducer.settings
        columns = np.array([table.item(item) for item in items], dtype=np.int64)
        if not table.slots or not len(columns):
            return None
        self._luck = None
        scores = self.inducer.scores()
        missing = self._missing(items, held, price)
        self._chances = scores.success
        success = np.where(missing > _OUT_OF_REACH, 0.0, scores.success[:, columns])
        self._close(success, items, offers)
        fresh = scores.fresh[:, columns]
        paid = 1.0 + (settings.sunk + success) * np.minimum(missing, _OUT_OF_REACH)
        score = success * fresh * scores.worth[:, None] / paid
        if self.focus:
            score *= self._aimed()[:, None]
        row, n = divmod(int(np.argmax(score)), len(items))
        if score[row, n] <= 0:
            return None
        slot = table.slots[row]
        return Induced(
            slot=slot,
            item=items[n],
            success=float(success[row, n]),
            expected=float(success[row, n] * fresh[row, n]),
            score=float(score[row, n]) * min(1.5, self.honesty),
            parts=self.inducer.parts_of(slot, items[n]),
        )

    def chance(self, rows: str, fillers: Sequence[str]) -> float | None:
        """Return how likely a filling of a known slot was last held to give something, over the slot's mean.

        The largest such ratio of the slots that it fills, >= 0; None where none of them is known. Where a
        goal is aimed at, times how likely that is what is asked for, by its material that bears most on it:
        1 down to 2 ** -`Settings.aim`, also where no slot is known.
        """
        tall, wide = self._chances.shape
        table = self.inducer.table
        places = [
            (table.slot_index[slot], table.item_index[item])
            for slot, item in slots_of(rows, fillers)
            if slot in table.slot_index and item in table.item_index
        ]
        known = [
            float(self._chances[row, n] / max(1e-6, self._chances[row].mean()))
            for row, n in places
            if row < tall and n < wide
        ]
        if not self.bearing:
            return max(known, default=None)
        aimed = max(self.bearing.get(item, 0.0) for item in fillers)
        off = float(2.0 ** (-self.inducer.settings.aim * (1.0 - aimed)))
        return max(known, default=1.0) * off

    def naming(self, item: str) -> float:
        """Return description bits that memory adds for naming an item: fewer for what bears on the goal."""
        return -self.inducer.settings.aim * self.bearing.get(item, 0.0)

    def judged(self, idea: Induced, *, worked: bool, new: bool) -> None:
        """Take in what a tried suggestion brought: credit or blame for the axes behind it."""
        lasting = self.inducer.settings.hope_memory
        self._hoped = lasting * self._hoped + idea.expected
        self._got = lasting * self._got + new
        self.inducer.learn(idea.parts, idea.success, worked=worked)

    @property
    def honesty(self) -> float:
        """New items that recent suggestions brought over those they promised, drawn to 1."""
        trust = self.inducer.settings.trust
        return (self._got + trust) / (self._hoped + trust)

    def bits(self, rows: str, fillers: tuple[str, ...]) -> float:
        """Return description bits that memory adds to an explorer's attempt; negative where it favours it.

        Failures of like items in the same slots, a pattern in which nothing ever worked, fillers that
        stand for one another, and items of unlucky kinds cost bits; a grid that suggestions cover anyway
        costs `Settings.covered`, unless something is aimed at: then few suggestions are followed.
        """
        table, settings = self.inducer.table, self.inducer.settings
        against = 0.0
        for slot, item in slots_of(rows, fillers):
            if slot in table.slot_index and rows != SMELT_ROWS:
                return 0.0 if self.focus else settings.covered
            against += self.inducer.against(slot, item) + settings.shut * len(table.early(slot))
        names = list(dict.fromkeys(fillers))
        twins = max(
            (self.inducer.likeness_of(one, other) for one, other in combinations(names, 2)), default=0.0
        )
        if self._luck is None:
            self._luck = np.log2(self.inducer.activity())
        places = [table.item_index[name] for name in names if name in table.item_index]
        known = [place for place in places if place < len(self._luck)]
        luck = float(self._luck[known].sum()) / len(names)
        cost = float(np.log2(1.0 + against)) + settings.twins * twins**3
        return cost - settings.luck * float(np.clip(luck, -3.0, 2.0))

    def _aimed(self) -> Floats:
        """Return how much each slot counts for what is aimed at, (slots,): 1, or `Settings.aside`."""
        products = self.inducer.table.products
        near = [any(product in self.focus for product in row.values()) for row in products]
        return np.where(near, 1.0, self.inducer.settings.aside)

    def _open(self, parents: tuple[str, ...], share: float, generation: int) -> None:
        for parent in parents:
            self.inducer.opened[parent] = self.inducer.opened.get(parent, 0.0) + share
            if generation < _GENERATIONS:
                self._open(self._parents.get(parent, ()), share * 0.5, generation + 1)

    def _compare(self, rows: str, fillers: Sequence[str], *, worked: bool) -> None:
        """Compare an outcome with what was believed of it just before."""
        table = self.inducer.table
        for slot, item in slots_of(rows, fillers):
            if slot in table.slot_index and item in table.item_index:
                believed = self.inducer.believed(table.slot_index[slot], table.item_index[item])
                if believed is not None:
                    self.inducer.honesty.note(self.inducer.groups(slot, item), believed, worked=worked)

    def _close(self, success: Floats, items: Sequence[str], offers: Sequence[str]) -> None:
        """Set the chance of what cannot be tried now to 0, in place."""
        place = {item: n for n, item in enumerate(items)}
        for row, slot in enumerate(self.inducer.table.slots):
            if not _usable(slot, offers):
                success[row] = 0.0
            for other in slot.others:
                if other in place:
                    success[row, place[other]] = 0.0
        for (slot, item), ways in self.aside.items():
            if ways >= self.ways and item in place:
                success[self.inducer.table.slot_index[slot], place[item]] = 0.0

    def _missing(self, items: Sequence[str], held: Mapping[str, int], price: Mapping[str, float]) -> Floats:
        """Return the price of what is not held of each filling's material, (slots, items)."""
        slots = self.inducer.table.slots
        have = np.array([held.get(item, 0) for item in items], dtype=np.float64)
        cost = np.array([price.get(item, 10 * _OUT_OF_REACH) for item in items])
        cells, fixed = np.ones(len(slots)), np.zeros(len(slots))
        for row, slot in enumerate(slots):
            if slot.rows != SMELT_ROWS:
                cells[row] = slot.rows.count(slot.letter)
                rest = [letter for letter in letters(slot.rows) if letter != slot.letter]
                for letter, other in zip(rest, slot.others, strict=True):
                    short = max(0, slot.rows.count(letter) - held.get(other, 0))
                    fixed[row] += short * price.get(other, 10 * _OUT_OF_REACH)
        own = np.maximum(0.0, cells[:, None] - have[None, :]) * cost[None, :]
        return np.asarray(own + fixed[:, None])


def _usable(slot: Slot, offers: Sequence[str]) -> bool:
    needed = station_needed(slot.rows)
    return needed is None or needed in offers

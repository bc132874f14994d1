"""The ICAL loop's memory side: remember, retrieve, map, induce, verify, credit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from csd.descriptor import Csd
from ical.cases import case_of
from ical.induce import Inducer, needed
from ical.slots import SMELT_ROWS, Slot, SlotTable

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Induced:
    """A new task: one item put into a slot of what worked."""

    slot: Slot
    item: str
    success: float
    score: float
    expected: float = 0.0
    raw: float = 0.0
    rivals: Floats | None = None


@dataclass(slots=True)
class Transfer:
    """Suggests new tasks from remembered ones."""

    inducer: Inducer
    opened_parents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    aside: dict[tuple[Slot, str], int] = field(default_factory=dict)
    ways: int = 0
    tried: float = 1.0
    hoped: float = 1.0
    got: float = 1.0

    def judged(self, idea, *, worked: bool, new: bool) -> None:
        d = 0.97
        self.hoped = d * self.hoped + idea.expected
        self.got = d * self.got + new
        self.inducer.calibration.note(idea.raw, worked=worked)
        self.tried = d * self.tried + 1

    @property
    def honesty(self) -> float:
        return (self.got + 1.0) / (self.hoped + 1.0)

    def remember(self, csd: Csd, csd_id: str) -> None:
        case = case_of(csd, csd_id)
        self.inducer.source.remember(csd)
        if case.rows is not None and case.product is not None:
            self.inducer.table.success(case.rows, case.fillers, case.product, csd_id,
                known=case.product in self.opened_parents)
        if case.product is not None:
            self.inducer.table.item(case.product)
            if case.product not in self.opened_parents:
                self.opened_parents[case.product] = case.parents
                self._open(case.parents, 1.0, 0)
        self.inducer.stale()

    def _open(self, parents: tuple[str, ...], share: float, depth: int) -> None:
        for parent in parents:
            self.inducer.opened[parent] = self.inducer.opened.get(parent, 0.0) + share
            if depth < 4:
                self._open(self.opened_parents.get(parent, ()), share * 0.5, depth + 1)

    def failed(self, rows: str, fillers: Sequence[str]) -> None:
        self.inducer.table.failure(rows, fillers)

    def suggest(
        self, items: Sequence[str], held: Mapping[str, int], price: Mapping[str, float], offers: Sequence[str]
    ) -> Induced | None:
        table = self.inducer.table
        if not table.slots:
            return None
        for item in items:
            table.item(item)
        scores = self.inducer.scores()
        columns = np.array([table.item_index[i] for i in items])
        p = scores.success[:, columns]
        missing = self._missing(columns, items, held, price)
        for row, slot in enumerate(table.slots):
            if slot.rows == SMELT_ROWS:
                usable = "smelt" in offers
            else:
                lines = slot.rows.split("/")
                usable = (len(lines) <= 2 and len(lines[0]) <= 2) or "grid3" in offers
            if not usable:
                p[row] = 0.0
            for other in slot.others:
                if other in table.item_index:
                    place = np.flatnonzero(columns == table.item_index[other])
                    p[row, place] = 0.0
        p[missing > 1e5] = 0.0
        score = p * (scores.fresh * scores.worth)[:, None] / (1.0 + (0.05 + p) * np.minimum(missing, 1e5))
        for (slot, item), ways in self.aside.items():
            if ways >= self.ways and item in items:
                score[table.slot_index[slot], list(items).index(item)] = 0.0
        flat = int(np.argmax(score))
        row, n = divmod(flat, len(items))
        if score[row, n] <= 0:
            return None
        return Induced(
            slot=table.slots[row], item=items[n], success=float(p[row, n]),
            score=float(score[row, n]) * min(1.5, self.honesty), expected=float(p[row, n] * scores.fresh[row]),
            raw=float(scores.raw[row, columns[n]])
        )

    def _missing(
        self, columns: NDArray[np.int64], items: Sequence[str], held: Mapping[str, int], price: Mapping[str, float]
    ) -> Floats:
        table = self.inducer.table
        have = np.array([held.get(i, 0) for i in items], dtype=float)
        cost = np.array([price.get(i, 1e6) for i in items])
        cells = np.ones(len(table.slots))
        fixed = np.zeros(len(table.slots))
        for row, slot in enumerate(table.slots):
            if slot.rows == SMELT_ROWS:
                continue
            cells[row] = slot.rows.count(slot.letter)
            rest = [c for c in dict.fromkeys(slot.rows) if c not in "./" and c != slot.letter]
            for letter, other in zip(rest, slot.others, strict=True):
                short = max(0, slot.rows.count(letter) - held.get(other, 0))
                fixed[row] += short * price.get(other, 1e6)
        own = np.maximum(0.0, cells[:, None] - have[None, :]) * cost[None, :]
        return np.asarray(own + fixed[:, None])


__all__ = ["Induced", "SlotTable", "Transfer", "needed"]

"""Exploration: which untried grid or smelting input to try next, simplest and most useful first.

Source: measured rules - description length plus gathering price, an item's usefulness, local edits of
grids that worked. What is tried is drawn from the world's actions alone: any item ever held, in any
pattern of `echo.agent.shapes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from bisect import insort
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from csd.pattern import canonical_grid, lay, letters
from echo.agent.edits import EditTable, price_bits
from echo.agent.knowledge import GridKey, Knowledge
from echo.agent.penalty import Penalty
from echo.agent.planner import UNREACHABLE, Prices
from echo.agent.shapes import Shape, one_kind, two_kinds

_ITEM_BITS = 5.5
_SMELT_BITS = 3.0
_EDIT_BITS = 3.0
_ARMS = ("exploration", "edit")
_MEMORY = 0.97
_ARM_WEIGHT = 1.0
_QUEUE = 64
"""Attempts ranked at once."""
_TOO_DEAR = 1e4
_TRIES_SCALE = 150.0
_USEFUL = 1.0
_GRIDS = 1.0
_TWO_KIND_ITEMS = 40
"""Pairs are searched among this many items with the fewest bits."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """Something to try: a grid, or an input to smelt."""

    bits: float
    plain: float
    """Bits without what failures elsewhere say."""
    source: str
    """'exploration' or 'edit'."""
    key: GridKey | None = None
    smelt: str | None = None


class Explorer:
    """Proposes the untried attempt with the fewest bits."""

    def __init__(self, knowledge: Knowledge, prices: Prices, *, edits: bool) -> None:
        self._knowledge = knowledge
        self._prices = prices
        self._edits = EditTable(knowledge) if edits else None
        self._one, self._two = one_kind(), two_kinds()
        self._bits1 = np.array([shape.bits for shape in self._one])
        self._bits2 = np.array([shape.bits for shape in self._two])
        self._need1 = np.array([shape.counts[0] for shape in self._one], dtype=np.float64)
        self._need2 = np.array([shape.counts for shape in self._two], dtype=np.float64)
        self._row1 = {shape.rows: n for n, shape in enumerate(self._one)}
        self._row2 = {shape.rows: n for n, shape in enumerate(self._two)}
        size = 64
        self._done1 = np.zeros((len(self._one), size), dtype=bool)
        self._done2 = np.zeros((len(self._two), size, size), dtype=bool)
        self._successes: dict[str, int] = {}
        self._tries: dict[str, int] = {}
        self._queue: tuple[list[Proposal], ...] = ()
        self._luck = dict.fromkeys(_ARMS, 0.1)
        self._state: object = None
        self.blocked: dict[object, int] = {}
        """Attempts that could not be prepared -> number of known ways then; retried when more are known."""

    def noted(self, key: GridKey, *, worked: bool, new: bool, own: bool) -> None:
        """Take in the result of a grid; `own` marks the explorer's own attempts, which alone cost usefulness."""
        rows, fillers = key
        self._mark(key)
        for item in dict.fromkeys(fillers):
            if worked:
                self._successes[item] = self._successes.get(item, 0) + 1
            if own:
                self._tries[item] = self._tries.get(item, 0) + 1
        if new and self._edits is not None:
            self._edits.add(rows, fillers)

    def item_bits(self) -> Floats:
        """Return the bits of naming each known item, (n,) float64, in the order of `Knowledge.items`."""
        return np.array(
            [
                _ITEM_BITS
                - _USEFUL * np.log2(1 + self._successes.get(item, 0))
                + np.log2(1 + self._tries.get(item, 0) / _TRIES_SCALE)
                for item in self._knowledge.items
            ]
        )

    def propose(self, held: Mapping[str, int], penalty: Penalty | None, station: bool) -> Proposal | None:
        """Return the untried attempt with the fewest bits, None where nothing is left to try.

        The ranking is computed anew when holdings, known ways or successes change and after
        `_QUEUE` proposals; between, the ranked attempts are handed out in order.

        Args:
            held: item -> amount held now; what is missing adds its price.
            penalty: what failures elsewhere say, None for nothing.
            station: whether a 3x3 grid can be used at all by now.
        """
        if not self._knowledge.items:
            return None
        state = (tuple(held.items()), len(self._knowledge.ways), sum(self._successes.values()), station)
        if state != self._state or not all(self._queue):
            self._state = state
            self._queue = self._ranked(held, penalty, station)
        tops = [top for queue in self._queue if (top := self._top(queue, penalty)) is not None]
        if not tops:
            return None
        best = min(tops, key=lambda p: (p.bits - self._arm_bits(p.source), p.source))
        self._queue[_ARMS.index(best.source)].pop()
        return best

    def judged(self, source: str, *, new: bool) -> None:
        """Take in whether an attempt of one of the two arms gave a new item."""
        self._luck[source] = _MEMORY * self._luck[source] + (1 - _MEMORY) * new

    def _arm_bits(self, source: str) -> float:
        return float(_ARM_WEIGHT * np.log2(self._luck[source] + 0.005))

    def _top(self, queue: list[Proposal], penalty: Penalty | None) -> Proposal | None:
        while queue:
            proposal = queue[-1]
            if not self._open(proposal):
                queue.pop()
                continue
            later = self._with_penalty(proposal, penalty)
            if len(queue) < 2 or later <= queue[-2].bits:
                return proposal
            queue.pop()
            insort(queue, replace(proposal, bits=later), key=lambda p: -p.bits)
        return None

    def _open(self, proposal: Proposal) -> bool:
        if proposal.key is not None:
            return proposal.key not in self._knowledge.grids and not self._is_blocked(proposal.key)
        return proposal.smelt not in self._knowledge.smelted and not self._is_blocked(("smelt", proposal.smelt))

    def _with_penalty(self, proposal: Proposal, penalty: Penalty | None) -> float:
        if penalty is None or proposal.key is None:
            return proposal.bits
        return proposal.plain + penalty.bits(*proposal.key)

    def _ranked(
        self, held: Mapping[str, int], penalty: Penalty | None, station: bool
    ) -> tuple[list[Proposal], ...]:
        items = self._knowledge.items
        self._grow(len(items))
        bits = self.item_bits()
        have = np.array([held.get(item, 0) for item in items], dtype=np.float64)
        price = np.array([min(self._prices.of(item), UNREACHABLE) for item in items])
        found = self._smelts(bits, have, price)
        found += self._ones(bits, have, price, station)
        found += self._twos(bits, have, price, station)
        if self._edits is not None:
            found += self._edited(self._edits, bits, have, price, station)
        seen: dict[GridKey | str | None, Proposal] = {}
        for proposal in sorted(found, key=lambda p: (p.bits, str(p.key), str(p.smelt))):
            seen.setdefault(proposal.key or proposal.smelt, proposal)
        ranked = [replace(p, bits=self._with_penalty(p, penalty)) for p in seen.values() if self._open(p)]
        ranked.sort(key=lambda p: (-p.bits, str(p.key), str(p.smelt)))
        return tuple([p for p in ranked if p.source == arm][-_QUEUE:] for arm in _ARMS)

    def _smelts(self, bits: Floats, have: Floats, price: Floats) -> list[Proposal]:
        if "smelt" not in self._knowledge.offers.values():
            return []
        score = _SMELT_BITS + bits + price_bits(np.maximum(0.0, 1.0 - have) * price)
        return [
            Proposal(bits=float(score[n]), plain=float(score[n]), source="exploration", smelt=item)
            for n, item in enumerate(self._knowledge.items)
            if item not in self._knowledge.smelted and price[n] * (have[n] < 1) < _TOO_DEAR
        ]

    def _ones(self, bits: Floats, have: Floats, price: Floats, station: bool) -> list[Proposal]:
        missing = np.maximum(0.0, self._need1[:, None] - have[None, :]) * price[None, :]
        score = self._bits1[:, None] + bits[None, :] + price_bits(missing)
        score[self._done1[:, : len(bits)] | (missing > _TOO_DEAR)] = np.inf
        return self._lowest(score, self._one, station, np.arange(len(bits)))

    def _twos(self, bits: Floats, have: Floats, price: Floats, station: bool) -> list[Proposal]:
        best = np.sort(np.argsort(bits + price_bits(price), kind="stable")[:_TWO_KIND_ITEMS])
        b, h, p = bits[best].astype(np.float32), have[best].astype(np.float32), price[best].astype(np.float32)
        missing = np.maximum(0, self._need2.astype(np.float32)[:, :, None] - h[None, None, :]) * p[None, None, :]
        total = missing[:, 0, :, None] + missing[:, 1, None, :]
        score = self._bits2.astype(np.float32)[:, None, None] + b[None, :, None] + b[None, None, :]
        score = score + price_bits(total)
        score[self._done2[np.ix_(np.arange(len(self._two)), best, best)] | (total > _TOO_DEAR)] = np.inf
        score[:, np.arange(len(best)), np.arange(len(best))] = np.inf
        return self._lowest(score, self._two, station, best)

    def _lowest(
        self, score: Floats, shapes: tuple[Shape, ...], station: bool, columns: NDArray[np.int64]
    ) -> list[Proposal]:
        if not station:
            score[[n for n, shape in enumerate(shapes) if shape.needs_station]] = np.inf
        flat = score.ravel()
        count = min(_QUEUE, flat.size)
        chosen = np.argpartition(flat, count - 1)[:count]
        found = []
        for place in chosen:
            value = float(flat[place])
            if np.isfinite(value):
                row, *spots = np.unravel_index(place, score.shape)
                fillers = tuple(self._knowledge.items[int(columns[int(n)])] for n in spots)
                key = self._canonical(shapes[int(row)].rows, fillers)
                if key in self._knowledge.grids:
                    self._mark((shapes[int(row)].rows, fillers))
                else:
                    found.append(Proposal(bits=value, plain=value, source="exploration", key=key))
        return found

    def _edited(
        self, table: EditTable, bits: Floats, have: Floats, price: Floats, station: bool
    ) -> list[Proposal]:
        score = table.scores(bits, have, price, station)
        if not score.size:
            return []
        score += _EDIT_BITS
        flat = score.ravel()
        count = min(_QUEUE, flat.size)
        found = []
        for place in np.argpartition(flat, count - 1)[:count]:
            row, n = divmod(int(place), score.shape[1])
            value = float(flat[place])
            if np.isfinite(value):
                key = table.key(row, n, self._knowledge.items)
                if key is None or key in self._knowledge.grids:
                    table.close(row, n)
                else:
                    found.append(Proposal(bits=value, plain=value, source="edit", key=key))
        return found

    def block(self, attempt: object) -> None:
        """Set an attempt aside until more ways are known."""
        self.blocked[attempt] = self._ways()

    def _is_blocked(self, attempt: object) -> bool:
        return self.blocked.get(attempt, -1) >= self._ways()

    def _ways(self) -> int:
        return len(self._knowledge.ways)

    def _canonical(self, rows: str, fillers: tuple[str, ...]) -> GridKey:
        pattern = canonical_grid(lay(rows, dict(zip(letters(rows), fillers, strict=True))))
        return pattern.rows, tuple(pattern.fillers.values())

    def _mark(self, key: GridKey) -> None:
        rows, fillers = key
        places = [self._knowledge.index.get(item) for item in fillers]
        if any(place is None for place in places):
            return
        self._grow(len(self._knowledge.items))
        if rows in self._row1:
            self._done1[self._row1[rows], places[0]] = True
        elif rows in self._row2:
            self._done2[self._row2[rows], places[0], places[1]] = True

    def _grow(self, count: int) -> None:
        size = self._done1.shape[1]
        while count > size:
            self._done1 = np.pad(self._done1, ((0, 0), (0, size)))
            self._done2 = np.pad(self._done2, ((0, 0), (0, size), (0, size)))
            size *= 2



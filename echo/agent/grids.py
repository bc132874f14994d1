"""The explorer's space of grids: every simple shape filled with one or two kinds of known items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from echo.agent.arrangement import Arrangement
from echo.agent.knowledge import Knowledge
from echo.agent.lengths import Material, price_bits, shortest
from echo.agent.options import ExplorerOptions
from echo.agent.shapes import Shape, one_kind, two_kinds


class GridSpace:
    """All one-kind and two-kind grids over the known items, with the tried ones marked."""

    def __init__(self, knowledge: Knowledge, options: ExplorerOptions) -> None:
        """Start with nothing tried; `knowledge` gives the items and their order."""
        self._knowledge, self._options = knowledge, options
        self._one, self._two = one_kind(), two_kinds()
        self._bits1 = np.array([shape.bits for shape in self._one])
        self._bits2 = np.array([shape.bits for shape in self._two], dtype=np.float32)
        self._need1 = np.array([shape.counts[0] for shape in self._one], dtype=np.float64)
        self._need2 = np.array([shape.counts for shape in self._two], dtype=np.float32)
        self._row1 = {shape.rows: n for n, shape in enumerate(self._one)}
        self._row2 = {shape.rows: n for n, shape in enumerate(self._two)}
        size = 64
        self._done1 = np.zeros((len(self._one), size), dtype=bool)
        self._done2 = np.zeros((len(self._two), size, size), dtype=bool)

    def mark(self, grid: Arrangement) -> None:
        """Mark a grid as tried; one outside the space, or of an item never held, needs no mark."""
        places = [self._knowledge.index.get(item, -1) for item in grid.fillers]
        if -1 in places:
            return
        self._grow(len(self._knowledge.items))
        if grid.rows in self._row1:
            self._done1[self._row1[grid.rows], places[0]] = True
        elif grid.rows in self._row2:
            self._done2[self._row2[grid.rows], places[0], places[1]] = True

    def simplest(self, material: Material, *, station: bool) -> list[tuple[float, Arrangement]]:
        """Return the shortest descriptions of untried grids, with their bits, each of both kinds apart.

        Args:
            material: of all known items.
            station: whether grids above 2x2 can be laid.
        """
        self._grow(len(material.bits))
        return self._ones(material, station) + self._twos(material, station)

    def _ones(self, material: Material, station: bool) -> list[tuple[float, Arrangement]]:
        bits, have, price = material.bits, material.have, material.price
        missing = np.maximum(0.0, self._need1[:, None] - have[None, :]) * price[None, :]
        score = self._bits1[:, None] + bits[None, :] + price_bits(missing)
        score[self._done1[:, : len(bits)] | (missing > self._options.too_dear)] = np.inf
        return self._lowest(score, self._one, station, np.arange(len(bits)))

    def _twos(self, material: Material, station: bool) -> list[tuple[float, Arrangement]]:
        order = np.argsort(material.bits + price_bits(material.price), kind="stable")
        best = np.sort(order[: self._options.pair_items])
        bits, have, price = (
            array[best].astype(np.float32) for array in (material.bits, material.have, material.price)
        )
        missing = np.maximum(0, self._need2[:, :, None] - have[None, None, :]) * price[None, None, :]
        total = missing[:, 0, :, None] + missing[:, 1, None, :]
        score = self._bits2[:, None, None] + bits[None, :, None] + bits[None, None, :]
        score = score + price_bits(total)
        tried = self._done2[np.ix_(np.arange(len(self._two)), best, best)]
        score[tried | (total > self._options.too_dear)] = np.inf
        score[:, np.arange(len(best)), np.arange(len(best))] = np.inf
        return self._lowest(score, self._two, station, best)

    def _lowest(
        self,
        score: NDArray[np.floating],
        shapes: tuple[Shape, ...],
        station: bool,
        columns: NDArray[np.int64],
    ) -> list[tuple[float, Arrangement]]:
        if not station:
            score[[n for n, shape in enumerate(shapes) if shape.needs_station]] = np.inf
        found = []
        for place in shortest(score, self._options.queue):
            row, *spots = np.unravel_index(place, score.shape)
            fillers = tuple(self._knowledge.items[int(columns[n])] for n in spots)
            rows = shapes[int(row)].rows
            grid = Arrangement.laid_out(rows, fillers)
            if self._knowledge.tried(grid):
                self.mark(Arrangement(rows, fillers))
            else:
                found.append((float(score[(row, *spots)]), grid))
        return found

    def _grow(self, count: int) -> None:
        size = self._done1.shape[1]
        while count > size:
            self._done1 = np.pad(self._done1, ((0, 0), (0, size)))
            self._done2 = np.pad(self._done2, ((0, 0), (0, size), (0, size)))
            size *= 2

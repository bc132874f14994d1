"""Where the blocks of scarce kinds are: one table of cells, grouped by kind, measured all at once."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from echo.worlds.minecraft.terrain import PAD, Land

Point = NDArray[np.float32]
"""(3,) float32: a place given relative to cell centres, so that distances to centres need no shift."""

FAR = 1.0e6
"""Stands for the x of a free row of the table, far beyond every sight."""
_SLACK = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class NearestOfEach:
    """The nearest block of several kinds."""

    kinds: list[int]
    squares: NDArray[np.float32]
    """(kinds,) squared distance."""
    cells: list[list[int]]
    """(x, y, z) of each."""


class FewKinds:
    """A table of cells that follows changes of the land."""

    def __init__(self, land: Land, kinds: list[int]) -> None:
        """Find the cells of `kinds`."""
        self._land = land
        self._index: dict[int, NDArray[np.int64]] = {}
        wanted = np.zeros(len(land.names), dtype=np.bool_)
        wanted[kinds] = True
        places = np.flatnonzero(wanted[land.flat])
        of_place = land.flat[places]
        for kind in kinds:
            self._index[kind] = _with_slack(places[of_place == kind])
        self._lay()

    def copy(self, land: Land) -> FewKinds:
        """Return a table of the same cells that follows `land`, which has the same blocks so far."""
        twin = copy(self)
        twin._land = land
        twin._index = {kind: rows.copy() for kind, rows in self._index.items()}
        twin._points = self._points.copy()
        return twin

    def __contains__(self, kind: int) -> bool:
        """Return whether the table follows `kind`."""
        return kind in self._index

    def remove(self, kind: int, index: int) -> None:
        """Forget the block of `kind` at position `index` of `Land.flat`."""
        row = int(np.flatnonzero(self._index[kind] == index)[0])
        self._index[kind][row] = -1
        self._points[0, self._start[kind] + row] = FAR

    def add(self, kind: int, index: int) -> None:
        """Learn of a block of `kind`, known or new to the table."""
        rows = self._index.get(kind)
        free = np.flatnonzero(rows == -1) if rows is not None else np.zeros(0, dtype=np.int64)
        if rows is None or not len(free):
            known = rows if rows is not None else np.zeros(0, dtype=np.int64)
            self._index[kind] = _with_slack(np.append(known, index))
            self._lay()
            return
        rows[free[0]] = index
        self._points[:, self._start[kind] + int(free[0])] = self._land.cell(index)

    def nearest_of_each(self, eye: Point) -> NearestOfEach:
        """Return the nearest block of every kind; of equally near ones the first in the table."""
        if not self._kinds:
            return NearestOfEach(kinds=[], squares=np.zeros(0, dtype=np.float32), cells=[])
        square = self._squares(self._points, eye)
        least = np.minimum.reduceat(square, self._starts)
        hits = np.flatnonzero(square == least[self._segment])
        first = hits[np.searchsorted(hits, self._starts)]
        cells = self._points[:, first].T.astype(np.int64).tolist()
        return NearestOfEach(kinds=self._kinds, squares=least, cells=cells)

    def nearest(self, kind: int, eye: Point) -> tuple[float, list[int]]:
        """Return squared distance and cell of the nearest block of one kind; FAR away if none is left."""
        start = self._start[kind]
        points = self._points[:, start : start + len(self._index[kind])]
        square = self._squares(points, eye)
        row = int(square.argmin())
        return float(square[row]), points[:, row].astype(np.int64).tolist()

    @staticmethod
    def _squares(points: NDArray[np.float32], eye: Point) -> NDArray[np.float32]:
        gap = points - eye[:, None]
        gap *= gap
        total: NDArray[np.float32] = gap[0]
        total += gap[1]
        total += gap[2]
        return total

    def _lay(self) -> None:
        """Lay the kinds one after the other into one array of coordinates, (3, rows) float32."""
        self._kinds = sorted(self._index)
        sizes = np.array([len(self._index[kind]) for kind in self._kinds], dtype=np.int64)
        self._starts = np.cumsum(sizes) - sizes
        self._start = dict(zip(self._kinds, self._starts.tolist(), strict=True))
        self._segment = np.repeat(np.arange(len(sizes)), sizes)
        index = np.concatenate([np.zeros(0, dtype=np.int64), *(self._index[kind] for kind in self._kinds)])
        self._points = flat_points(self._land, index)
        self._points[0, index < 0] = FAR


def flat_points(land: Land, index: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the world cells at positions `index` of `Land.flat`, (3, n) float32."""
    x, rest = np.divmod(index, land.strides[0])
    y, z = np.divmod(rest, land.strides[1])
    return np.stack([x - PAD, y - PAD + land.min_y, z - PAD]).astype(np.float32)


def _with_slack(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return `cells` with rows for a few more, free rows being -1."""
    return np.concatenate([cells, np.full(_SLACK, -1, dtype=np.int64)])

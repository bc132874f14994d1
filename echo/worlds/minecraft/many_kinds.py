"""Where the blocks of common kinds are: the cells around the eyes first, then section by section."""

from __future__ import annotations

from copy import copy

import numpy as np
from numpy.typing import NDArray

from csd.episode import Cell
from echo.worlds.minecraft.few_kinds import FAR, Point, flat_points
from echo.worlds.minecraft.terrain import PAD, SECTION, Land

BALL_RADIUS = 8
"""Cells whose middle is this near the eyes are read first."""
_MOST_EXTRA = 16


class SectionBounds:
    """How far the sections of a land are from a point."""

    def __init__(self, land: Land) -> None:
        """Note the corners of every section."""
        corners = np.indices(land.sections, dtype=np.float32).reshape(3, -1) * SECTION
        corners[1] += land.min_y
        self._low = corners
        self._high = corners + (SECTION - 1)

    def squares(self, eye: Point) -> NDArray[np.float32]:
        """Return per section the squared distance from `eye` to its nearest cell centre."""
        gap = np.maximum(self._low - eye[:, None], eye[:, None] - self._high)
        np.maximum(gap, 0.0, out=gap)
        gap *= gap
        return np.asarray(gap.sum(axis=0))


class ManyKinds:
    """Finds the nearest block of kinds that have thousands."""

    def __init__(self, land: Land, kinds: list[int], eye_rise: float) -> None:
        """Sort the cells of `kinds` by section.

        Args:
            land: The blocks.
            kinds: Kind numbers.
            eye_rise: How far the eyes are above the centre of the cell the feet are in.
        """
        self._land = land
        self._steps, self._squares = _ball(land, eye_rise)
        self._tables = {kind: _SectionTable(land, kind) for kind in kinds}

    def copy(self, land: Land) -> ManyKinds:
        """Return the same, following `land`, which has the same blocks so far."""
        twin = copy(self)
        twin._land = land
        twin._tables = {kind: table.copy(land) for kind, table in self._tables.items()}
        return twin

    def __contains__(self, kind: int) -> bool:
        """Return whether `kind` is looked after here."""
        return kind in self._tables

    def remove(self, kind: int, index: int) -> None:
        """Forget the block of `kind` at position `index` of `Land.flat`."""
        self._tables[kind].remove(index)

    def add(self, kind: int, index: int) -> None:
        """Learn of a block of `kind`."""
        self._tables[kind].add(index)

    def ball(self, feet: Cell) -> NDArray[np.int32]:
        """Return per kind number the rank of its nearest block in the ball around `feet`.

        Where none is there, the size of the ball.
        """
        kinds = self._land.flat[self._steps + self._land.index(feet)]
        ranks = np.full(len(self._land.names), len(kinds), dtype=np.int32)
        # Assigned back to front, so that of each kind the nearest is the one that stays.
        ranks[kinds[::-1]] = np.arange(len(kinds) - 1, -1, -1, dtype=np.int32)
        return ranks

    def nearest(
        self, kind: int, feet: Cell, eye: Point, bounds: NDArray[np.float32], farthest: float, rank: int
    ) -> tuple[float, Cell]:
        """Return squared distance and cell of the nearest block of `kind`, FAR where none is within reach.

        Args:
            kind: Kind number.
            feet: Cell of the feet.
            eye: The eyes.
            bounds: (sections,) least squared distance of each section.
            farthest: Squared distance beyond which nothing is searched.
            rank: The kind's entry in `ball(feet)`.
        """
        if rank < len(self._steps):
            index = self._land.index(feet) + int(self._steps[rank])
            return float(self._squares[rank]), self._land.cell(index)
        return self._tables[kind].nearest(eye, bounds, farthest)


class _SectionTable:
    """The cells of one kind, sorted by section."""

    def __init__(self, land: Land, kind: int) -> None:
        self._land = land
        self._kind = kind
        self._lay()

    def _lay(self) -> None:
        index = np.flatnonzero(self._land.flat == self._kind)
        points = flat_points(self._land, index)
        section = _sections(self._land, points)
        order = np.argsort(section, kind="stable")
        self._index = index[order]
        self._points = points[:, order]
        numbers = np.arange(int(np.prod(self._land.sections)) + 1)
        self._starts = np.searchsorted(section[order], numbers)
        self._holding = np.flatnonzero(np.diff(self._starts))
        self._extra: list[int] = []

    def copy(self, land: Land) -> _SectionTable:
        twin = copy(self)
        twin._land = land
        twin._index, twin._points = self._index.copy(), self._points.copy()
        twin._extra = list(self._extra)
        return twin

    def remove(self, index: int) -> None:
        if index in self._extra:
            self._extra.remove(index)
            return
        section = int(_sections(self._land, flat_points(self._land, np.array([index])))[0])
        part = slice(self._starts[section], self._starts[section + 1])
        rows = np.flatnonzero(self._index[part] == index)
        if len(rows):
            self._points[0, part.start + int(rows[0])] = FAR
            self._index[part.start + int(rows[0])] = -1

    def add(self, index: int) -> None:
        self._extra.append(index)
        if len(self._extra) > _MOST_EXTRA:
            self._lay()

    def nearest(self, eye: Point, bounds: NDArray[np.float32], farthest: float) -> tuple[float, Cell]:
        best, place = FAR, (0, 0, 0)
        held = bounds[self._holding]
        starts = self._starts
        for rank in np.argsort(held, kind="stable").tolist():
            if held[rank] >= min(best, farthest):
                break
            section = self._holding[rank]
            points = self._points[:, starts[section] : starts[section + 1]]
            best, place = _nearer(points, eye, best, place)
        if self._extra:
            points = flat_points(self._land, np.array(self._extra))
            best, place = _nearer(points, eye, best, place)
        return best, place


def _nearer(points: NDArray[np.float32], eye: Point, best: float, place: Cell) -> tuple[float, Cell]:
    """Return the nearest of `points` if it is nearer than `best`, else what was best."""
    gap = points - eye[:, None]
    gap *= gap
    square = gap[0] + gap[1] + gap[2]
    row = int(square.argmin())
    if square[row] >= best:
        return best, place
    x, y, z = points[:, row].tolist()
    return float(square[row]), (int(x), int(y), int(z))


def _sections(land: Land, points: NDArray[np.float32]) -> NDArray[np.int64]:
    x, y, z = points.astype(np.int64)
    _, sections_y, sections_z = land.sections
    numbers: NDArray[np.int64] = (
        (x // SECTION) * sections_y + (y - land.min_y) // SECTION
    ) * sections_z + z // SECTION
    return numbers


def _ball(land: Land, eye_rise: float) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return steps in `Land.flat` to every cell near the eyes, nearest first, and squared distances."""
    reach = np.arange(-PAD, PAD + 1)
    x, y, z = (axis.ravel() for axis in np.meshgrid(reach, reach, reach, indexing="ij"))
    rise = y.astype(np.float32) - np.float32(eye_rise)
    square = x.astype(np.float32) ** 2 + rise * rise + z.astype(np.float32) ** 2
    steps = x * land.strides[0] + y * land.strides[1] + z
    order = np.lexsort((steps, square))
    order = order[square[order] <= BALL_RADIUS**2]
    return steps[order].astype(np.int64), square[order]

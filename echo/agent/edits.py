"""Local edits of a grid that worked: one cell, or one mirrored pair, added, removed or filled anew."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from csd.pattern import canonical_grid, lay, letters
from echo.agent.arrangement import Arrangement
from echo.agent.knowledge import Knowledge
from echo.agent.lengths import Material, price_bits, shortest
from echo.agent.options import ExplorerOptions
from ical.slots import station_needed

_FREE = "?"
Cells = dict[tuple[int, int], str]


@dataclass(frozen=True)
class EditColumn:
    """Edited grids that differ in one item at most: fixed fillers and perhaps a free letter."""

    rows: str
    """Pattern with letters; the free letter, when there is one, stands for any item."""
    free: str | None
    """The letter left free, None where the grid is fixed."""
    others: tuple[str, ...]
    """Fillers of the remaining letters, in letter order."""

    @cached_property
    def other_counts(self) -> dict[str, int]:
        """Item -> cells, the free letter left out."""
        fixed = [letter for letter in letters(self.rows) if letter != self.free]
        return {item: self.rows.count(letter) for letter, item in zip(fixed, self.others, strict=True)}

    @cached_property
    def free_cells(self) -> int:
        """Cells of the free letter, 0 where there is none."""
        return self.rows.count(self.free) if self.free else 0

    @cached_property
    def needs_station(self) -> bool:
        """Whether the grid exceeds 2x2."""
        return station_needed(self.rows) is not None

    def grid(self, item: str | None) -> Arrangement | None:
        """Return the grid with `item` for the free letter; None where it is in the grid already."""
        if self.free is not None and (item is None or item in self.others):
            return None
        fillers: dict[str, str] = {}
        rest = iter(self.others)
        for letter in letters(self.rows):
            fillers[letter] = item if letter == self.free and item is not None else next(rest)
        return Arrangement.from_grid(lay(self.rows, fillers))


@lru_cache(maxsize=4096)
def edits_of(rows: str, fillers: tuple[str, ...]) -> tuple[EditColumn, ...]:
    """Return all edits of one grid, each once, in reading order of the changed cells."""
    by_letter = dict(zip(letters(rows), fillers, strict=True))
    grid = lay(rows, by_letter)
    cells: Cells = {
        (r, c): item for r, line in enumerate(grid) for c, item in enumerate(line) if item is not None
    }
    found: dict[EditColumn, None] = {}
    for row_shift in range(4 - len(grid)):
        for column_shift in range(4 - len(grid[0])):
            moved = {(r + row_shift, c + column_shift): item for (r, c), item in cells.items()}
            for changed in _changed(moved):
                found[_column(changed)] = None
    return tuple(found)


def _changed(cells: Cells) -> list[Cells]:
    """Return what differs from `cells` in one cell, or in one mirrored pair, and is not empty."""
    results = []
    for row in range(3):
        for column in range(3):
            pair = ((row, column), (row, 2 - column))
            for places in (pair[:1], pair):
                for item in (*dict.fromkeys(cells.values()), _FREE, None):
                    laid = {**cells, **dict.fromkeys(places, item)}
                    new = {place: kind for place, kind in laid.items() if kind is not None}
                    if new and new != cells:
                        results.append(new)
    return results


def _column(cells: Cells) -> EditColumn:
    grid = tuple(tuple(cells.get((r, c)) for c in range(3)) for r in range(3))
    pattern = canonical_grid(grid)
    free = next((letter for letter, item in pattern.fillers.items() if item == _FREE), None)
    others = tuple(item for item in pattern.fillers.values() if item != _FREE)
    return EditColumn(rows=pattern.rows, free=free, others=others)


class EditTable:
    """All edits of all grids that worked, as one table: rows are edit columns, columns are items."""

    def __init__(self, knowledge: Knowledge) -> None:
        """Start without any grid that worked; `knowledge` gives the order of the items."""
        self._knowledge = knowledge
        self._columns: dict[EditColumn, int] = {}
        self._listed: list[EditColumn] = []
        self._waiting: dict[int, EditColumn] = {}
        """Rows whose fillers have not all been held yet."""
        self._done = np.zeros((256, 64), dtype=bool)
        self._counts = np.zeros((256, 64), dtype=np.float32)
        self._free = np.zeros(256, dtype=np.float32)
        self._instances: dict[str, int] = {}
        """Pattern -> how many grids of it were added."""
        self._source: list[float] = []
        """Row -> bits to tell the grid it edits from others of its pattern: the older, the fewer."""
        self._fixed = np.zeros(256, dtype=bool)
        self._station = np.zeros(256, dtype=bool)

    def add(self, worked: Arrangement) -> None:
        """Add the edits of a grid that worked."""
        rows, fillers = worked
        self._instances[rows] = self._instances.get(rows, 0) + 1
        for column in edits_of(rows, fillers):
            if column not in self._columns:
                row = self._columns[column] = len(self._listed)
                self._listed.append(column)
                self._source.append(float(np.log2(self._instances[rows])))
                self._grow(len(self._listed), len(self._knowledge.items))
                unknown = [item for item in column.others if item not in self._knowledge.index]
                if unknown:
                    self._waiting[row] = column
                    self._done[row, :] = True
                    continue
                self._open_row(row, column)

    def _open_row(self, row: int, column: EditColumn) -> None:
        """Fill in a row once all its fixed fillers have been held."""
        self._done[row, :] = column.free is None
        self._done[row, 0] = False
        self._free[row] = column.free_cells
        self._fixed[row] = column.free is None
        self._station[row] = column.needs_station
        for item, count in column.other_counts.items():
            self._counts[row, self._knowledge.index[item]] = count

    def simplest(
        self, material: Material, options: ExplorerOptions, *, station: bool
    ) -> list[tuple[float, Arrangement]]:
        """Return the shortest descriptions of untried edits, with their bits.

        Args:
            material: of all known items.
            options: what saying "an edit" costs, and how many to return at most.
            station: whether grids above 2x2 can be laid.
        """
        score = self.scores(material, station=station)
        score += options.edit_bits
        found = []
        for place in shortest(score, options.queue) if score.size else ():
            row, n = divmod(int(place), score.shape[1])
            grid = self._grid(row, n)
            if grid is None or self._knowledge.tried(grid):
                self._done[row, n] = True
            else:
                found.append((float(score[row, n]), grid))
        return found

    def scores(self, material: Material, *, station: bool) -> NDArray[np.float32]:
        """Return bits of every edit, (edits, items) float32, inf where tried or impossible.

        A fixed edit has its bits in column 0: one bit for not naming an item.
        """
        rows, n = len(self._listed), len(material.bits)
        self._grow(rows, n)
        for row, column in list(self._waiting.items()):
            if all(item in self._knowledge.index for item in column.others):
                del self._waiting[row]
                self._open_row(row, column)
        have = material.have.astype(np.float32)
        price = np.minimum(material.price, 1e6).astype(np.float32)
        others = (np.maximum(0, self._counts[:rows, :n] - have) * price).sum(axis=1, dtype=np.float32)
        own = np.maximum(0, self._free[:rows, None] - have[None, :]) * price[None, :]
        score: NDArray[np.float32] = material.bits.astype(np.float32) + price_bits(own + others[:, None])
        fixed = self._fixed[:rows]
        score[fixed, 0] = 1.0 + price_bits(others[fixed])
        if material.aims is not None:
            cells = self._counts[:rows, :n]
            aims = cells @ material.aims.astype(np.float32) / np.maximum(1.0, cells.sum(axis=1))
            score[fixed, 0] += aims[fixed]
        score += self._source_bits()[:, None]
        score[self._done[:rows, :n]] = np.inf
        if not station:
            score[self._station[:rows]] = np.inf
        return score

    def _source_bits(self) -> NDArray[np.float32]:
        """Return the bits to name the grid that each row edits: its pattern, then itself in the pattern."""
        patterns = np.float32(np.log2(max(1, len(self._instances))))
        bits: NDArray[np.float32] = patterns + np.array(self._source, dtype=np.float32)
        return bits

    def _grid(self, row: int, n: int) -> Arrangement | None:
        column = self._listed[row]
        return column.grid(None if column.free is None else self._knowledge.items[n])

    def _grow(self, rows: int, items: int) -> None:
        tall, wide = self._done.shape
        more = (max(0, tall * (rows > tall)), max(0, wide * (items > wide)))
        if any(more):
            fixed = self._fixed
            self._done = np.pad(self._done, ((0, more[0]), (0, more[1])))
            self._counts = np.pad(self._counts, ((0, more[0]), (0, more[1])))
            self._free = np.pad(self._free, (0, more[0]))
            self._fixed = np.pad(fixed, (0, more[0]))
            self._station = np.pad(self._station, (0, more[0]))
            closed = fixed.copy()
            closed[list(self._waiting)] = True
            self._done[: len(fixed), wide:] |= closed[:, None]

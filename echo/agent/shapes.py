"""The space of grids that an explorer tries, simplest first.

One kind of item in any connected shape (cells touching by edge or corner), or two kinds where the grid
is left-right symmetric or at most two columns wide; mirror images count once: 167 and 377 patterns.
Nothing here comes from a recipe: the space and its order are a prior on simplicity alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import log2

from csd.episode import Grid
from csd.pattern import canonical_grid
from ical.slots import station_needed

_CELLS = tuple((row, column) for row in range(3) for column in range(3))
_CLASS_BITS = {
    ("solid", 1): 1.0,
    ("symmetric", 1): 2.0,
    ("asymmetric", 1): 3.0,
    ("symmetric", 2): 3.0,
    ("asymmetric", 2): 4.0,
}
"""Bits to name a class of patterns; each further property halves the prior."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """A pattern of one or two item kinds and what it costs to describe it."""

    rows: str
    """Canonical rows with letters A and B, such as 'AAA/.B./.B.'."""
    counts: tuple[int, ...]
    """Cells per letter, in letter order."""
    bits: float
    """Description length without the items: class, number of cells, log2 of how many patterns share both."""

    @property
    def needs_station(self) -> bool:
        """Whether the pattern does not fit the hands' 2x2 grid."""
        return station_needed(self.rows) is not None


@lru_cache(maxsize=1)
def one_kind() -> tuple[Shape, ...]:
    """Return the 167 one-kind shapes, shortest description first, ties by rows."""
    return _with_bits(_patterns(1), 1)


@lru_cache(maxsize=1)
def two_kinds() -> tuple[Shape, ...]:
    """Return the 377 two-kind patterns, shortest description first, ties by rows."""
    return _with_bits(_patterns(2), 2)


def is_mirror(rows: str) -> bool:
    """Return whether the pattern equals its mirror image."""
    return all(row == row[::-1] for row in rows.split("/"))


def in_space(rows: str) -> bool:
    """Return whether the explorer's space holds the pattern."""
    return any(shape.rows == rows for shape in (*one_kind(), *two_kinds()))


def _connected(cells: tuple[tuple[int, int], ...]) -> bool:
    todo, seen = [cells[0]], {cells[0]}
    while todo:
        row, column = todo.pop()
        for other in cells:
            if other not in seen and abs(other[0] - row) <= 1 and abs(other[1] - column) <= 1:
                seen.add(other)
                todo.append(other)
    return len(seen) == len(cells)


def _connected_sets() -> Iterator[tuple[tuple[int, int], ...]]:
    for size in range(1, 10):
        yield from (cells for cells in itertools.combinations(_CELLS, size) if _connected(cells))


def _patterns(kinds: int) -> set[str]:
    found: set[str] = set()
    for cells in _connected_sets():
        for letters in itertools.product("AB"[:kinds], repeat=len(cells)):
            if len(set(letters)) == kinds:
                rows, _ = canonical_grid(_grid(dict(zip(cells, letters, strict=True))))
                if kinds == 1 or is_mirror(rows) or len(rows.split("/")[0]) <= 2:
                    found.add(rows)
    return found


def _grid(cells: Mapping[tuple[int, int], str]) -> Grid:
    return tuple(tuple(cells.get((row, column)) for column in range(3)) for row in range(3))


def _class(rows: str, kinds: int) -> tuple[str, int]:
    if kinds == 1 and "." not in rows:
        return "solid", 1
    return ("symmetric" if is_mirror(rows) else "asymmetric"), kinds


def _cells(rows: str) -> int:
    return sum(cell.isalpha() for cell in rows)


def _with_bits(patterns: set[str], kinds: int) -> tuple[Shape, ...]:
    sizes: dict[tuple[str, int, int], int] = {}
    for rows in patterns:
        key = (*_class(rows, kinds), _cells(rows))
        sizes[key] = sizes.get(key, 0) + 1
    shapes = [
        Shape(
            rows=rows,
            counts=tuple(rows.count(letter) for letter in "AB"[:kinds]),
            bits=_CLASS_BITS[_class(rows, kinds)]
            + log2(1 + _cells(rows))
            + log2(sizes[(*_class(rows, kinds), _cells(rows))]),
        )
        for rows in sorted(patterns)
    ]
    return tuple(sorted(shapes, key=lambda shape: (shape.bits, shape.rows)))

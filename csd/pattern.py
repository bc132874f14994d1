"""Grid patterns: one canonical text for a laid crafting grid, whatever the items and the side it was laid on.

A pattern names no item. Rows are joined by '/', '.' is an empty cell, and the letters 'A', 'B', ... stand for
item kinds in the order in which reading (left to right, top to bottom) meets them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from string import ascii_uppercase
from typing import Literal, NamedTuple

from csd.episode import Grid

EMPTY = "."
"""The character of an empty cell."""

Place = tuple[int, int]
"""(row, column) within a pattern, both from 0 at the top left."""

Symmetry = Literal["full", "mirror", "none"]

_FILLED_FIRST = str.maketrans({EMPTY: "~"})


class GridPattern(NamedTuple):
    """A grid taken apart into its shape and what fills it."""

    rows: str
    """Canonical pattern, such as 'AAA/.B./.B.'."""
    fillers: dict[str, str]
    """Letter -> item, in the order of the letters."""


def canonical_grid(grid: Grid) -> GridPattern:
    """Take a laid grid apart into its canonical pattern and the items that fill it.

    Empty outer rows and columns are trimmed. Of the two readings (as laid, and mirrored left to right) the
    one whose first differing cell holds the earlier letter, or holds anything at all, is kept; where both
    read the same, the one whose fillers sort first. Grids that are mirror images of each other therefore
    give equal results, and the pattern depends on no item name.

    Args:
        grid: rows of equal length, `None` for an empty cell.

    Returns:
        Pattern and fillers; the dictionary is fresh at each call.

    Raises:
        ValueError: if the rows differ in length or no cell is filled.

    >>> canonical_grid((("plank", "plank", None), ("stick", "plank", None), ("stick", None, None)))
    GridPattern(rows='AA/AB/.B', fillers={'A': 'plank', 'B': 'stick'})
    """
    rows, pairs = _canonical(grid)
    return GridPattern(rows, dict(pairs))


@lru_cache(maxsize=1 << 16)
def _canonical(grid: Grid) -> tuple[str, tuple[tuple[str, str], ...]]:
    trimmed = _trim(grid)
    mirrored = tuple(row[::-1] for row in trimmed)
    return min(
        _letter(trimmed), _letter(mirrored), key=lambda read: (read[0].translate(_FILLED_FIRST), read[1])
    )


def laid_rows(grid: Grid) -> str:
    """Return a grid as it was laid, neither trimmed nor mirrored, lettered by first appearance.

    >>> laid_rows(((None, "plank"), ("stick", "plank")))
    '.A/BA'
    """
    return _letter(grid)[0]


def _trim(grid: Grid) -> Grid:
    if len({len(row) for row in grid}) > 1:
        raise ValueError(
            f"expected grid rows of one length; got lengths {[len(row) for row in grid]}. "
            f"Fill short rows with None."
        )
    filled_rows = [index for index, row in enumerate(grid) if any(cell is not None for cell in row)]
    if not filled_rows:
        raise ValueError(
            "expected a grid with at least one filled cell; got an empty one. Lay an item first."
        )
    columns = [index for index in range(len(grid[0])) if any(row[index] is not None for row in grid)]
    return tuple(row[columns[0] : columns[-1] + 1] for row in grid[filled_rows[0] : filled_rows[-1] + 1])


def _letter(grid: Grid) -> tuple[str, tuple[tuple[str, str], ...]]:
    letters: dict[str, str] = {}
    text = []
    for row in grid:
        for item in row:
            if item is None:
                text.append(EMPTY)
            else:
                text.append(letters.setdefault(item, ascii_uppercase[len(letters) % 26]))
        text.append("/")
    return "".join(text[:-1]), tuple((letter, item) for item, letter in letters.items())


def lay(rows: str, fillers: Mapping[str, str]) -> Grid:
    """Return the grid that `rows` and `fillers` describe, trimmed as the pattern is.

    Raises:
        ValueError: if a letter has no filler, or the rows differ in length.

    >>> lay("A/B", {"A": "coal", "B": "stick"})
    (('coal',), ('stick',))
    """
    unknown = [letter for letter in letters(rows) if letter not in fillers]
    lines = rows.split("/")
    if unknown or len({len(line) for line in lines}) > 1 or not lines[0]:
        raise ValueError(
            f"expected a rectangular pattern with a filler for each letter; got {rows!r} with fillers for "
            f"{', '.join(fillers) or 'none'}. Give a filler for {', '.join(unknown) or 'rows of one length'}."
        )
    return tuple(tuple(None if cell == EMPTY else fillers[cell] for cell in line) for line in lines)


@lru_cache(maxsize=1 << 14)
def letters(rows: str) -> tuple[str, ...]:
    """Return the letters of a pattern in order of first appearance."""
    return tuple(dict.fromkeys(cell for cell in rows if cell not in (EMPTY, "/")))


@lru_cache(maxsize=1 << 14)
def shape(rows: str) -> tuple[int, int]:
    """Return (height, width) of a pattern in cells."""
    lines = rows.split("/")
    return len(lines), len(lines[0])


@lru_cache(maxsize=1 << 14)
def places(rows: str, letter: str) -> tuple[Place, ...]:
    """Return where `letter` lies in a pattern, in reading order; empty where it does not."""
    return tuple(
        (row, column)
        for row, line in enumerate(rows.split("/"))
        for column, cell in enumerate(line)
        if cell == letter
    )


def cell_counts(rows: str) -> dict[str, int]:
    """Return how many cells each letter fills, in the order of the letters.

    >>> cell_counts("AAA/.B./.B.")
    {'A': 3, 'B': 2}
    """
    return {letter: rows.count(letter) for letter in letters(rows)}


@lru_cache(maxsize=1 << 14)
def symmetry(rows: str) -> Symmetry:
    """Return 'full' if a pattern equals its left-right and top-bottom images, 'mirror' if only the former.

    >>> symmetry("AAA/A.A/AAA"), symmetry("AAA/.B./.B."), symmetry("AA/AB/.B")
    ('full', 'mirror', 'none')
    """
    lines = rows.split("/")
    if any(line != line[::-1] for line in lines):
        return "none"
    return "full" if lines == lines[::-1] else "mirror"


@lru_cache(maxsize=1 << 14)
def stacked(rows: str) -> tuple[tuple[str, str], ...]:
    """Return pairs (letter, other letter directly below it), each once, in reading order."""
    lines = rows.split("/")
    pairs = (pair for upper, lower in pairwise(lines) for pair in zip(upper, lower, strict=True))
    return _distinct(pairs)


@lru_cache(maxsize=1 << 14)
def side_by_side(rows: str) -> tuple[tuple[str, str], ...]:
    """Return pairs (letter, later letter directly beside it), each once, in reading order."""
    pairs = ((min(pair), max(pair)) for line in rows.split("/") for pair in pairwise(line))
    return _distinct(pairs)


def _distinct(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    kept: dict[tuple[str, str], None] = {}
    for first, second in pairs:
        if first != second and EMPTY not in (first, second):
            kept[first, second] = None
    return tuple(kept)


@lru_cache(maxsize=1 << 14)
def part(rows: str, letter: str) -> str:
    """Return the place that `letter` takes in a pattern, in words that hold for the mirrored grid too.

    One of the keys of `csd.roles.PARTS`: the first that fits, in the order of that table.

    Raises:
        ValueError: if the pattern has no such letter.

    >>> part("AAA/.B./.B.", "A"), part("AAA/.B./.B.", "B"), part("AAA/A.A/AAA", "A")
    ('top row', 'lower stem', 'ring')
    """
    own = places(rows, letter)
    if not own:
        raise ValueError(
            f"expected a letter of the pattern {rows!r} ({', '.join(letters(rows))}); got {letter!r}. "
            f"Pass one of these."
        )
    height, width = shape(rows)
    if len(own) == height * width:
        return "single cell" if len(own) == 1 else "all"
    return _stem(rows, own) or _rectangle(own, height, width) or _border(own, height, width) or "around"


def _stem(rows: str, own: tuple[Place, ...]) -> str | None:
    height = shape(rows)[0]
    (top, column), (bottom, last_column) = own[0], own[-1]
    broken = column != last_column or bottom - top + 1 != len(own)
    alone = len(rows.split("/")[top].replace(EMPTY, "")) == 1
    if broken or len(own) == height or (len(own) == 1 and not alone):
        return None
    if bottom == height - 1:
        return "lower stem"
    return "upper stem" if top == 0 else "inner stem"


def _rectangle(own: tuple[Place, ...], height: int, width: int) -> str | None:
    rows = sorted({row for row, _ in own})
    columns = sorted({column for _, column in own})
    if len(own) == len(rows) * width:
        if len(rows) > 1:
            return "rows"
        return {0: "top row", height - 1: "bottom row"}.get(rows[0], "middle row")
    if len(own) == len(columns) * height:
        at_sides = [column in (0, width - 1) for column in columns]
        return "columns" if len(set(at_sides)) > 1 else "side columns" if at_sides[0] else "middle column"
    return None


def _border(own: tuple[Place, ...], height: int, width: int) -> str | None:
    border = tuple(
        (row, column)
        for row in range(height)
        for column in range(width)
        if row in (0, height - 1) or column in (0, width - 1)
    )
    if own == border:
        return "ring"
    if len(own) == 1 and own[0] not in border:
        return "centre"
    if own == ((0, 0), (0, width - 1), (height - 1, 0), (height - 1, width - 1)):
        return "corners"
    return "in one row" if own[0][0] == own[-1][0] else None

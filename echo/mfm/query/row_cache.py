"""Index rows in a table beside the memory, narrow enough that looking through all of them takes no time.

The table holds what is needed to leave rows out. Whether one that remains meets the conditions is decided
on the row itself, so rounding and cutting here only has to err on the side of keeping.
"""

from __future__ import annotations

from operator import itemgetter

from echo.mfm.derived.intake import Schema
from echo.mfm.query.filters import is_number, tags

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from typing import Any

    from echo.mfm.derived.intake import NewRow
    from echo.mfm.layout import Row
    from echo.mfm.query.question import Question

NAME = "query_rows"

_LARGEST = 2**63 - 1
_KEYS = ("first_step", "last_step", "x", "z", "action_kind", "tags")
_PICK = itemgetter(*_KEYS)
_SLACK = 1e-6
"""Far more than floating-point sums are off by, as a share and in blocks."""


def conditions(question: Question) -> tuple[str, list[Any]]:
    """Return an SQL condition that all rows meet which meet those of `question`, and its values."""
    parts: list[str] = ["1"]
    values: list[Any] = []
    if question.steps is not None:
        parts.append("first <= ? AND last >= ?")
        values += [_whole(max(question.steps)), _whole(min(question.steps))]
    if question.near is not None:
        for name, place in zip("xz", question.near, strict=True):
            reach = abs(question.radius) + _SLACK * (1 + abs(question.radius) + abs(place))
            low, high = place - reach, place + reach
            if low <= high:
                parts.append(f"{name} BETWEEN ? AND ?")
                values += [low, high]
            else:
                # Not a number, or without bound.
                parts.append(f"{name} IS NOT NULL")
    if question.tag is not None:
        parts.append("instr(tags, ?)")
        values.append(f"\n{_storable(question.tag)}\n")
    if question.action is not None:
        parts.append("action = ?")
        values.append(_storable(question.action))
    return " AND ".join(parts), values


def _take(run: sqlite3.Connection, rows: Sequence[NewRow]) -> None:
    run.executemany("INSERT INTO row VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", map(_values, rows))


def _values(new: NewRow) -> tuple[Any, ...]:
    # Short ways first, for what a recorder writes: 100,000 rows take a tenth of a second so.
    try:
        first, last, x, z, action, held = _PICK(new.row)
    except KeyError:
        first, last, x, z, action, held = map(new.row.get, _KEYS)
    if type(first) is not int or type(last) is not int or not -_LARGEST <= first <= last <= _LARGEST:
        first, last = _whole(first), _whole(last)
    if type(x) is not float or type(z) is not float:
        x, z = _real(x), _real(z)
    action = _storable(action) if type(action) is str else None
    told = _storable(f"\n{_joined(new.row)}\n") if held else None
    return new.offset, len(new.data), first, last, x, z, action, told


def _joined(row: Row) -> str:
    try:
        return "\n".join(row["tags"])
    except TypeError:
        # Other tools may have written anything.
        return "\n".join(tags(row))


def _whole(value: Any) -> int | float | None:
    """Return a number as SQLite can hold it; what is larger becomes the largest, which keeps the order."""
    return max(-_LARGEST, min(_LARGEST, value)) if is_number(value) else None


def _real(value: Any) -> float | None:
    try:
        return float(value) if is_number(value) else None
    except OverflowError:
        return None


def _storable(text: str) -> str:
    """Return `text` without what SQLite cannot hold or compare: half characters and NUL."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "?")


ROWS = Schema(
    1,
    """CREATE TABLE row (
        place INTEGER PRIMARY KEY, at INTEGER, size INTEGER,
        first, last, x REAL, z REAL, action TEXT, tags TEXT
    );""",
    _take,
)
"""`place` counts rows from 1 in the order of the index."""

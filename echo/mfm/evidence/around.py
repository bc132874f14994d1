"""What lies around an episode in time and in place, from a derived database of where each one began."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.derived.intake import NewRow, Schema
from echo.mfm.evidence.kept import Home, ask, homes, rows_at, whole_text
from echo.mfm.evidence.references import Reference, distance, number
from echo.mfm.folder import MemoryFolder
from echo.mfm.layout import PREVIOUS, Row, life_name

_NAME = "around"
_SCRIPT = """CREATE TABLE began (
    offset INTEGER PRIMARY KEY,
    size INTEGER NOT NULL,
    id TEXT NOT NULL,
    life INTEGER,
    x REAL,
    y REAL,
    z REAL
);
CREATE INDEX began_id ON began (id)"""

_NEAREST = """SELECT offset, size FROM began
WHERE life IS :life AND offset != :offset AND x IS NOT NULL AND z IS NOT NULL
ORDER BY (x - :x) * (x - :x) + (z - :z) * (z - :z) + ifnull((y - :y) * (y - :y), 0), offset LIMIT :count"""

_Place = tuple[int, int]
"""Where a line starts in the index, and its length."""


@dataclass(frozen=True, kw_only=True)
class _Places:
    """Where the lines of an episode and its neighbours are."""

    torn: int
    at: _Place | None = None
    before: Sequence[_Place] = ()
    after: Sequence[_Place] = ()
    near: Sequence[_Place] = ()


@dataclass(frozen=True, kw_only=True)
class Near:
    """An episode that began close by."""

    row: Row
    blocks: float
    """Distance between where the two began; height counts where both tell it."""


@dataclass(frozen=True, kw_only=True)
class Around:
    """The row of an episode and those around it, all of its life."""

    row: Row | None
    """None where the index does not list it."""
    before: tuple[Row, ...] = ()
    """In order of time."""
    after: tuple[Row, ...] = ()
    near: tuple[Near, ...] = ()
    """The nearest first, ties in order of time."""
    torn: int = 0
    """Places of the index that hold no row; there may be neighbours missing."""


def around(root: Path | str, episode: Reference, *, in_time: int, in_place: int) -> Around:
    """Return the neighbours of an episode.

    Args:
        root: The memory folder.
        episode: One that exists.
        in_time: How many on each side, from 0.
        in_place: How many, from 0.

    Raises:
        MfmError: if no index is there, or it changed meanwhile.
        OSError: if it cannot be read.
    """
    found = Around(row=None)
    for home in _homes(root, episode):
        found = _around(home, episode, in_time, in_place)
        if found.row is not None:
            break
    return found


def _homes(root: Path | str, episode: Reference) -> list[Home]:
    """Return where the row may be: for an earlier life in the joined index, else in its own."""
    if episode.life is None:
        return homes(root, previous=False)
    own = MemoryFolder(root).root / PREVIOUS / life_name(episode.life)
    joined = [home for home in homes(root, previous=True) if home.life is None]
    return [*joined, Home(folder=own, base=own, life=episode.life)]


def _around(home: Home, episode: Reference, in_time: int, in_place: int) -> Around:
    # An index of its own says nothing of the life; the joined one does in every row.
    life = None if home.life is not None else episode.life
    found = ask(
        home,
        _NAME,
        Schema(1, _SCRIPT, _take),
        lambda run: _places(run, episode.id, life, in_time, in_place),
    )
    if found.at is None:
        return Around(row=None, torn=found.torn)
    row, *others = rows_at(home, [found.at, *found.before, *found.after, *found.near])
    first, last = len(found.before), len(found.before) + len(found.after)
    return Around(
        row=row,
        before=tuple(others[:first]),
        after=tuple(others[first:last]),
        near=tuple(
            Near(row=other, blocks=blocks)
            for other in others[last:]
            if (blocks := distance(row, other)) is not None
        ),
        torn=found.torn,
    )


def _places(run: sqlite3.Connection, id: str, life: int | None, in_time: int, in_place: int) -> _Places:
    torn = run.execute("SELECT torn FROM followed").fetchone()[0]
    at = run.execute(
        "SELECT offset, size, x, y, z FROM began WHERE id = ? AND life IS ? ORDER BY offset LIMIT 1",
        (id, life),
    ).fetchone()
    if at is None:
        return _Places(torn=torn)
    offset, size, x, y, z = at
    before = run.execute(
        "SELECT offset, size FROM began WHERE life IS ? AND offset < ? ORDER BY offset DESC LIMIT ?",
        (life, offset, in_time),
    ).fetchall()
    after = run.execute(
        "SELECT offset, size FROM began WHERE life IS ? AND offset > ? ORDER BY offset LIMIT ?",
        (life, offset, in_time),
    ).fetchall()
    asked = {"life": life, "offset": offset, "x": x, "y": y, "z": z, "count": in_place}
    near = [] if x is None or z is None else run.execute(_NEAREST, asked).fetchall()
    return _Places(torn=torn, at=(offset, size), before=before[::-1], after=after, near=near)


def _take(run: sqlite3.Connection, rows: Sequence[NewRow]) -> None:
    run.executemany(
        "INSERT OR REPLACE INTO began VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                new.offset,
                new.size,
                whole_text(new.row["id"]),
                _life(new.row),
                *_at(new.row),
            )
            for new in rows
        ],
    )


def _life(row: Row) -> int | None:
    life = row.get("life")
    return life if type(life) is int and abs(life) < 1 << 60 else None


def _at(row: Row) -> tuple[float | None, float | None, float | None]:
    return number(row.get("x")), number(row.get("y")), number(row.get("z"))

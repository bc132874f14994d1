"""What stood in block cells: seen, placed, and gone again.

The rule for gone: a thing is gone when a later step dug its cell, or put something else there, or when a body
within `CLOSE` blocks of it had nothing of its name in sight. What merely was not seen again from farther off
still counts as known. What is seen again in its cell is known again.
"""

from __future__ import annotations

import sqlite3

from echo.mfm.spatial.facts import Cell

SEEN, STATION, PLACED = 0, 1, 2
"""Numbers in the column `how`; the greater one holds where several were the case."""


CLOSE = 2
"""Blocks along each axis from the feet within which a thing would be in sight if it were there."""

UNSEEN = "not seen there"

_COLUMN = 4
"""Edge in blocks of the columns by which things close to a body are found."""


class Thing:
    """One thing in one cell."""

    __slots__ = ("first", "gone", "how", "last", "offers")

    def __init__(self, how: int, first: tuple[int, int | None]) -> None:
        """Say how and when (episode, step) it was noticed first."""
        self.how = how
        self.offers: str | None = None
        self.first = first
        self.last = first
        self.gone: tuple[int | None, int | None, str | None] = (None, None, None)


class Things:
    """Writes the table `thing`."""

    def __init__(self, run: sqlite3.Connection) -> None:
        """Prepare."""
        self._run = run
        self._empty = run.execute("SELECT 1 FROM thing LIMIT 1").fetchone() is None
        self._cells: dict[Cell, dict[int, Thing]] = {}
        self._columns: dict[tuple[int, int], dict[Cell, None]] = {}

    def notice(
        self, cell: Cell, name: int, how: int, when: tuple[int, int | None], offers: str | None = None
    ) -> None:
        """Take in that `name` stands in `cell` at `when` (episode, step)."""
        held = self._at(cell)
        thing = held.get(name)
        if thing is None:
            thing = held[name] = Thing(how, when)
            self._column((cell[0] // _COLUMN, cell[2] // _COLUMN))[cell] = None
        elif thing.gone[0] is not None:
            thing.how, thing.gone = how, (None, None, None)
        thing.how = max(thing.how, how)
        thing.offers = offers or thing.offers
        thing.last = when

    def clear(self, cell: Cell, when: tuple[int, int | None], why: str, but: int | None = None) -> None:
        """Take in that nothing stands in `cell` any more, except for the name `but`."""
        for name, thing in self._at(cell).items():
            if name != but and thing.gone[0] is None:
                thing.gone = (*when, why)

    def doubt(self, here: Cell, seen: frozenset[int], when: tuple[int, int | None]) -> None:
        """Take in that a body in the cell `here` had nothing in sight but the names `seen`."""
        for cell in self._close_to(here):
            for name, thing in self._at(cell).items():
                if name not in seen and thing.gone[0] is None:
                    thing.gone = (*when, UNSEEN)

    def flush(self) -> None:
        """Put everything touched into the table."""
        self._run.executemany(
            "INSERT OR REPLACE INTO thing VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (*cell, name, one.how, one.offers, *one.first, *one.last, *one.gone)
                for cell, held in self._cells.items()
                for name, one in held.items()
            ),
        )
        self._cells, self._columns = {}, {}
        self._empty = False

    def _at(self, cell: Cell) -> dict[int, Thing]:
        held = self._cells.get(cell)
        if held is None:
            held = self._cells[cell] = {} if self._empty else self._load(cell)
        return held

    def _close_to(self, here: Cell) -> list[Cell]:
        """Return the cells within `CLOSE` blocks in which something was noticed."""
        x, y, z = here
        return [
            cell
            for across in range((x - CLOSE) // _COLUMN, (x + CLOSE) // _COLUMN + 1)
            for along in range((z - CLOSE) // _COLUMN, (z + CLOSE) // _COLUMN + 1)
            for cell in self._column((across, along))
            if abs(cell[0] - x) <= CLOSE and abs(cell[1] - y) <= CLOSE and abs(cell[2] - z) <= CLOSE
        ]

    def _column(self, key: tuple[int, int]) -> dict[Cell, None]:
        """Return the cells of a column in which something was noticed, those of the table first."""
        held = self._columns.get(key)
        if held is None:
            held = self._columns[key] = {} if self._empty else self._load_column(key)
        return held

    def _load_column(self, key: tuple[int, int]) -> dict[Cell, None]:
        x, z = key[0] * _COLUMN, key[1] * _COLUMN
        lines = self._run.execute(
            "SELECT DISTINCT x, y, z FROM thing WHERE x BETWEEN ? AND ? AND z BETWEEN ? AND ?",
            (x, x + _COLUMN - 1, z, z + _COLUMN - 1),
        )
        return dict.fromkeys((line[0], line[1], line[2]) for line in lines)

    def _load(self, cell: Cell) -> dict[int, Thing]:
        x, y, z = cell
        held = {}
        for name, how, offers, *times in self._run.execute(
            "SELECT name, how, offers, first_episode, first_step, last_episode, last_step, gone_episode,"
            " gone_step, gone_how FROM thing WHERE x = ? AND z = ? AND y = ?",
            (x, z, y),
        ):
            one = held[name] = Thing(how, (times[0], times[1]))
            one.offers, one.last, one.gone = offers, (times[2], times[3]), (times[4], times[5], times[6])
        return held

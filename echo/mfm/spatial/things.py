"""What stood in block cells: seen, placed, and gone again.

The rule for gone: a thing is gone when a later step dug its cell, or put something else there. What merely
was not seen again still counts as known. What is seen again in its cell is known again.
"""

from __future__ import annotations

import sqlite3

from echo.mfm.spatial.facts import Cell

SEEN, STATION, PLACED = 0, 1, 2
"""Numbers in the column `how`; the greater one holds where several were the case."""


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

    def notice(
        self, cell: Cell, name: int, how: int, when: tuple[int, int | None], offers: str | None = None
    ) -> None:
        """Take in that `name` stands in `cell` at `when` (episode, step)."""
        held = self._at(cell)
        thing = held.get(name)
        if thing is None:
            thing = held[name] = Thing(how, when)
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
        self._cells = {}
        self._empty = False

    def _at(self, cell: Cell) -> dict[int, Thing]:
        held = self._cells.get(cell)
        if held is None:
            held = self._cells[cell] = {} if self._empty else self._load(cell)
        return held

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

"""What was in sight from each spot, kept as changes: how many, and where the nearest one was."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from echo.mfm.spatial.facts import Cell

Where = tuple[int, int | None, int]
Seen = tuple[int, int | None, int | None, int | None]
"""Count, and the cell of the nearest one."""

NOT_SEEN: Seen = (0, None, None, None)


class Spot:
    """One spot and what is in sight from it."""

    __slots__ = ("first_step", "id", "last_episode", "last_step", "new", "seen")

    def __init__(self, id: int, *, first_step: int | None, seen: dict[int, Seen], new: bool) -> None:
        """Start with what the tables hold."""
        self.id = id
        self.first_step = first_step
        self.last_episode = 0
        self.last_step: int | None = None
        self.seen = seen
        self.new = new


class Sightings:
    """Writes the tables `spot` and `sighting`."""

    def __init__(self, run: sqlite3.Connection, creature: bool) -> None:
        """Prepare for blocks or for creatures."""
        self._run = run
        self._creature = creature
        # Odd numbers for spots of blocks, even ones for spots of creatures: neither waits for the other.
        last = run.execute(
            "SELECT id FROM spot WHERE creature = ? ORDER BY id DESC LIMIT 1", (creature,)
        ).fetchone()
        self._next = (2 if creature else 1) if last is None else last[0] + 2
        self._spots: dict[Where, Spot] = {}
        self._lines: list[tuple[int | None, ...]] = []

    def look(self, where: Where, seen: Mapping[int, Seen], episode: int, step: int | None) -> None:
        """Take in what is in sight from a spot, by number of name; all else is no longer in sight."""
        spot = self._spots.get(where) or self._load(where, step)
        spot.last_episode, spot.last_step = episode, step
        before = spot.seen
        for name, now in seen.items():
            if before.get(name) != now:
                before[name] = now
                self._lines.append((spot.id, name, *now, episode, step))
        if len(before) > len(seen):
            for name, held in before.items():
                if name not in seen and held[0]:
                    before[name] = NOT_SEEN
                    self._lines.append((spot.id, name, *NOT_SEEN, episode, step))

    def flush(self) -> None:
        """Put everything new into the tables."""
        for where, spot in self._spots.items():
            if spot.new:
                self._run.execute(
                    "INSERT INTO spot VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (spot.id, self._creature, *where, spot.first_step, spot.last_episode, spot.last_step),
                )
            else:
                self._run.execute(
                    "UPDATE spot SET last_episode = ?, last_step = ? WHERE id = ?",
                    (spot.last_episode, spot.last_step, spot.id),
                )
        self._run.executemany("INSERT INTO sighting VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", self._lines)
        self._spots, self._lines = {}, []

    def _load(self, where: Where, step: int | None) -> Spot:
        x, y, z = where
        held = self._run.execute(
            "SELECT id, first_step FROM spot WHERE creature = ? AND x = ? AND z = ? AND y IS ?",
            (self._creature, x, z, y),
        ).fetchone()
        if held is None:
            spot = Spot(self._next, first_step=step, seen={}, new=True)
            self._next += 2
        else:
            lines = self._run.execute(
                "SELECT name, count, x, y, z FROM sighting WHERE spot = ? ORDER BY id", (held[0],)
            )
            spot = Spot(held[0], first_step=held[1], seen={line[0]: line[1:] for line in lines}, new=False)
        self._spots[where] = spot
        return spot


def floor_cell(x: float, y: float | None, z: float) -> Where:
    """Return the block cell of a position."""
    return (int(x // 1), None if y is None else int(y // 1), int(z // 1))


def as_seen(count: int, cell: Cell) -> Seen:
    """Return a sighting of `count` with the nearest at `cell`."""
    return (count, *cell)

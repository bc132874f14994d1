"""From new rows of an index to the tables of places."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from echo.mfm.derived.intake import NewRow, Schema
from echo.mfm.spatial.clusters import Clusters
from echo.mfm.spatial.facts import EpisodeFacts, Happening, Moment, View
from echo.mfm.spatial.names import NameBook
from echo.mfm.spatial.reading import episode_facts
from echo.mfm.spatial.sightings import Seen, Sightings, Where, as_seen, floor_cell
from echo.mfm.spatial.tables import SCRIPT, VERSION, PlaceOptions
from echo.mfm.spatial.things import PLACED, SEEN, STATION, Things

Told = Callable[[int, int], None]
"""Progress: episodes taken in, and how many the index has just brought."""

TOLD_EVERY = 50


def place_schema(root: Path, options: PlaceOptions, told: Told | None = None) -> Schema:
    """Return what `follow` needs to keep the tables of places of the memory at `root`."""
    done = 0

    def take(run: sqlite3.Connection, rows: Sequence[NewRow]) -> None:
        nonlocal done
        if not rows:
            return
        intake = Intake(run, options)
        total = done + len(rows)
        for new in rows:
            intake.add(episode_facts(root, new.row))
            done += 1
            if told is not None and (done % TOLD_EVERY == 0 or done == total):
                told(done, total)
        intake.flush()

    return Schema(VERSION, SCRIPT, take)


class Intake:
    """Takes episodes in, in order of time, and writes them at the end."""

    def __init__(self, run: sqlite3.Connection, options: PlaceOptions) -> None:
        """Prepare, inside a transaction of `run`."""
        self._run = run
        self._options = options
        self._names = NameBook(run)
        self._blocks = Sightings(run, creature=False)
        self._creatures = Sightings(run, creature=True)
        self._things = Things(run)
        self._clusters = Clusters(run, options)
        self._stays = Stays(run)
        self._happenings: list[tuple[object, ...]] = []
        self._episode: int = (run.execute("SELECT max(id) FROM episode").fetchone()[0] or 0) + 1
        home = run.execute("SELECT source FROM home").fetchone()
        self._home: str | None = None if home is None else json.loads(home[0])

    def add(self, facts: EpisodeFacts) -> None:
        """Take in one episode, or count it where it comes from another world than the life lives in.

        That is the world of the initial state, else of the first episode that names one.
        """
        if facts.source is not None and self._home is None:
            self._home = facts.source
            self._run.execute("INSERT INTO home VALUES (?)", (json.dumps(facts.source),))
        if facts.source not in (None, self._home):
            self._run.execute(
                "INSERT INTO elsewhere VALUES (?, 1) ON CONFLICT DO UPDATE SET episodes = episodes + 1",
                (json.dumps(facts.source),),
            )
            return
        episode = self._episode
        self._run.execute(
            "INSERT INTO episode VALUES (?, ?, ?, ?)",
            (episode, json.dumps(facts.episode), facts.first_step, facts.last_step),
        )
        self._run.executemany(
            "INSERT INTO unread VALUES (NULL, ?, ?, ?)",
            [(episode, json.dumps(one.file), json.dumps(one.why)) for one in facts.unread],
        )
        for place, moment in enumerate(facts.moments):
            last = place == len(facts.moments) - 1 and place > 0
            self._take_moment(moment, facts.frame if place == 0 else None, recorded=not last)
        self._episode += 1

    def flush(self) -> None:
        """Put everything into the tables."""
        self._names.flush()
        for part in (self._blocks, self._creatures, self._things, self._clusters, self._stays):
            part.flush()
        self._run.executemany(
            "INSERT INTO happening VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", self._happenings
        )
        self._happenings = []

    def _take_moment(self, moment: Moment, frame: str | None, *, recorded: bool) -> None:
        view = moment.view
        when = (self._episode, view.step)
        stand = view.stand
        self._stays.add(floor_cell(stand.x, stand.y, stand.z), when)
        seen = self._look(view, when)
        for happening in moment.happenings:
            self._take_happening(happening)
        if recorded:
            happened = [
                self._names.number(f"{one.kind} {one.name or 'something'}") for one in moment.happenings
            ]
            self._clusters.add(stand, seen, happened, frame=frame, when=when)

    def _look(self, view: View, when: tuple[int, int | None]) -> list[int]:
        """Take in what is in sight; return the numbers of all names seen."""
        number = self._names.number
        here = floor_cell(view.stand.x, view.stand.y, view.stand.z)
        names: list[int] = []
        if view.blocks is not None:
            kinds: dict[int, Seen] = {}
            for name, kind in view.blocks.items():
                held = number(name)
                kinds[held] = as_seen(kind.count, kind.cell)
                if kind.count > 0:
                    self._things.notice(kind.cell, held, SEEN, when)
            self._blocks.look(here, kinds, *when)
            names += kinds
        if view.mobs is not None:
            mobs: dict[int, Seen] = {number(name): (count, *here) for name, count in view.mobs.items()}
            self._creatures.look(self._grid(here), mobs, *when)
            names += mobs
        for station in view.stations:
            held = number(station.name)
            self._things.notice(station.cell, held, STATION, when, station.offers)
            names.append(held)
        # A body stands on something: a view that names no block at all says nothing of blocks.
        if view.blocks and here[1] is not None:
            kept = frozenset(names)
            self._things.doubt((here[0], here[1], here[2]), kept, when)
        return names

    def _grid(self, here: Where) -> Where:
        size = self._options.size
        return (int(here[0] // size), None if here[1] is None else int(here[1] // size), int(here[2] // size))

    def _take_happening(self, one: Happening) -> None:
        when = (self._episode, one.step)
        name = None if one.name is None else self._names.number(one.name)
        if one.cell is not None and one.kind == "dug":
            self._things.clear(one.cell, when, "dug")
        if one.cell is not None and one.kind == "placed" and name is not None:
            self._things.clear(one.cell, when, "replaced", but=name)
            self._things.notice(one.cell, name, PLACED, when)
        during = None if one.during is None else self._names.number(one.during)
        stand = one.stand
        at = one.cell or (None, None, None)
        self._happenings.append((one.kind, name, one.amount, during, *at, stand.x, stand.y, stand.z, *when))


class Stays:
    """Writes the table `stay`: consecutive moments in one cell are one stay."""

    def __init__(self, run: sqlite3.Connection) -> None:
        """Go on with the last stay of the table."""
        self._run = run
        self._new: list[list[int | None]] = []
        held = run.execute("SELECT * FROM stay ORDER BY id DESC LIMIT 1").fetchone()
        self._open: list[int | None] | None = None if held is None else list(held)

    def add(self, where: Where, when: tuple[int, int | None]) -> None:
        """Take in that the body was in the cell `where` at `when` (episode, step)."""
        held = self._open
        if held is None or tuple(held[1:4]) != where:
            number = 1 if held is None else (held[0] or 0) + 1
            held = self._open = [number, *where, 0, *when, *when]
            self._new.append(held)
        elif not self._new:
            self._new.append(held)
        # What was seen after one episode is what is seen before the next.
        if when[1] is None or when[1] != held[8] or not held[4]:
            held[4] = (held[4] or 0) + 1
        held[7], held[8] = when

    def flush(self) -> None:
        """Put the stays into the table, the one that was gone on with in place of the old one."""
        self._run.executemany("INSERT OR REPLACE INTO stay VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", self._new)
        self._new = []

"""What the questions to the tables of places have in common."""

from __future__ import annotations

import json
import math
import sqlite3
from functools import cached_property

from echo.mfm.spatial.answers import Gone, How, Known, When
from echo.mfm.spatial.facts import Elsewhere, Unread
from echo.mfm.spatial.names import names_by_number

HOW: tuple[How, ...] = ("seen", "station", "placed")
"""Words for the column `how` of the table `thing`."""

THING = (
    "x, y, z, name, how, first_step, first_episode, last_step, last_episode,"
    " gone_how, gone_step, gone_episode"
)
"""Columns of the table `thing` that `Asking.thing` takes."""


class Asking:
    """The tables of places at one moment."""

    def __init__(self, run: sqlite3.Connection) -> None:
        """Ask `run`, a database that `follow` has brought up to date."""
        self.run = run
        self._ids: dict[int, str] = {}

    @cached_property
    def names(self) -> dict[int, str]:
        """All names by number."""
        return names_by_number(self.run)

    def episode(self, number: int) -> str:
        """Return the id of the episode with that number."""
        held = self._ids.get(number)
        if held is None:
            text = self.run.execute("SELECT text FROM episode WHERE id = ?", (number,)).fetchone()[0]
            held = self._ids[number] = json.loads(text)
        return held

    def episodes(self, spans: list[tuple[int, int]]) -> tuple[str, ...]:
        """Return the ids of all episodes within spans of numbers, in order of time, each once."""
        merged: list[list[int]] = []
        for first, last in sorted(spans):
            if merged and first <= merged[-1][1] + 1:
                merged[-1][1] = max(merged[-1][1], last)
            else:
                merged.append([first, last])
        found: list[str] = []
        for first, last in merged:
            lines = self.run.execute(
                "SELECT text FROM episode WHERE id BETWEEN ? AND ? ORDER BY id", (first, last)
            )
            found += (json.loads(line[0]) for line in lines)
        return tuple(found)

    def when(self, step: int | None, episode: int) -> When:
        """Return a moment with the id of its episode."""
        return When(step=step, episode=self.episode(episode))

    def unread(self) -> tuple[Unread, ...]:
        """Return what of the episodes could not be used, in order of time."""
        lines = self.run.execute(
            "SELECT episode.text, file, why FROM unread JOIN episode ON episode.id = unread.episode"
            " ORDER BY unread.id"
        )
        found = [
            Unread(episode=json.loads(episode), file=json.loads(file), why=json.loads(why))
            for episode, file, why in lines
        ]
        torn = self.run.execute("SELECT torn FROM followed").fetchone()[0]
        if torn:
            found.append(
                Unread(
                    episode="", file="index.jsonl", why=f"expected rows, got {torn} stretches that hold none"
                )
            )
        return tuple(found)

    def elsewhere(self) -> tuple[Elsewhere, ...]:
        """Return how many episodes of other worlds were left out, by world."""
        lines = self.run.execute("SELECT source, episodes FROM elsewhere ORDER BY source")
        return tuple(Elsewhere(source=json.loads(source), episodes=count) for source, count in lines)

    def thing(self, line: tuple[int, ...], x: float, z: float, *, counted: bool = True) -> Known:
        """Return a line of the columns `THING`, seen from (x, z)."""
        cell_x, y, cell_z, name, how, *times = line
        return Known(
            name=self.names[name],
            how=HOW[how],
            x=cell_x,
            y=y,
            z=cell_z,
            exact=True,
            distance=math.hypot(cell_x + 0.5 - x, cell_z + 0.5 - z),
            count=self._count(cell_x, y, cell_z, name) if counted else None,
            first=self.when(times[0], times[1]),
            last=self.when(times[2], times[3]),
            gone=None
            if times[6] is None
            else Gone(how=str(times[4]), step=times[5], episode=self.episode(times[6])),
        )

    def _count(self, x: int, y: int, z: int, name: int) -> int | None:
        """Return how many were in sight when that cell was last seen as the nearest."""
        line = self.run.execute(
            "SELECT count FROM sighting WHERE name = ? AND x = ? AND z = ? AND y = ? AND count > 0"
            " ORDER BY id DESC LIMIT 1",
            (name, x, z, y),
        ).fetchone()
        return None if line is None else int(line[0])


def marks(values: int) -> str:
    """Return as many question marks as there are values, for an SQL list.

    >>> marks(3)
    '?, ?, ?'
    """
    return ", ".join("?" * values)

"""Names by number, for the tables, and how a name that was asked for is found."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable


class NameBook:
    """Gives each name a number and keeps both in the table `name`."""

    def __init__(self, run: sqlite3.Connection) -> None:
        """Read what is known already."""
        self._run = run
        self._numbers = {
            json.loads(text): number for number, text in run.execute("SELECT id, text FROM name")
        }
        self._kept = len(self._numbers)

    def number(self, name: str) -> int:
        """Return the number of a name, a new one where it has none yet."""
        found = self._numbers.get(name)
        if found is None:
            found = self._numbers[name] = len(self._numbers) + 1
        return found

    def flush(self) -> None:
        """Put the new names into the table."""
        new = [(number, json.dumps(name)) for name, number in list(self._numbers.items())[self._kept :]]
        self._run.executemany("INSERT INTO name VALUES (?, ?)", new)
        self._kept = len(self._numbers)


def names_by_number(run: sqlite3.Connection) -> dict[int, str]:
    """Return all names."""
    return {number: json.loads(text) for number, text in run.execute("SELECT id, text FROM name")}


def folded(name: str) -> str:
    """Return a name as it is compared: small letters, blanks as '_', without 'minecraft:'.

    >>> folded("minecraft:Oak Log")
    'oak_log'
    """
    return "_".join(name.casefold().split()).removeprefix("minecraft:")


def matching(asked: str, names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the names that are `asked`, and those of which it is a part; each sorted.

    >>> matching("log", ["oak_log", "log", "dirt"])
    (['log'], ['oak_log'])
    """
    wanted = folded(asked)
    exact, part = [], []
    for name in names:
        held = folded(name)
        if held == wanted:
            exact.append(name)
        elif wanted and wanted in held:
            part.append(name)
    return sorted(exact), sorted(part)

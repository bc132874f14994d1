"""A bank and its words, opened for one look, without what takes time to load.

`echo-memory cue` starts as fast as a small script because of this; where it does not do, `Words` does.
"""

from __future__ import annotations

import sqlite3

from csd.axes import AXES
from csd.store import schema as bank_schema
from csd.words import schema
from csd.words.search import Found, find, number_list

WORDS_PLACE = ".cache/words.db"
"""What the place of a bank's words adds to that of the bank; `csd.caches` says the same."""

_BUSY_SECONDS = 10.0


class Glance:
    """One moment of a bank whose words are up to date."""

    def __init__(self, bank: sqlite3.Connection, words: sqlite3.Connection) -> None:
        """Look through two open connections; use `glance`."""
        self._bank = bank
        self._words = words

    def close(self) -> None:
        """Close both files."""
        self._bank.close()
        self._words.close()

    def find(self, text: str, *, limit: int, axes: tuple[str, ...] | None = None) -> list[Found]:
        """Return what answers to `text`; see `csd.words.search.find`."""
        return find(self._words, text, limit=limit, axes=axes)

    def circumstances(self, rows: list[int]) -> dict[int, tuple[int, bool, str, str | None]]:
        """Return row -> (step, success, task, product)."""
        return circumstances(self._bank, rows)


def glance(path: str) -> Glance | None:
    """Open the bank at `path` and its words, or return None where that takes more than a look.

    None stands for: no bank of this format, no words, words that are behind, or any fault. Whoever then
    opens the bank in the usual way is told what is wrong.
    """
    opened: list[sqlite3.Connection] = []
    try:
        opened.append(bank := _open(path))
        opened.append(words := _open(path + WORDS_PLACE))
        bank.execute("BEGIN")
        if (
            _kind(bank) == (bank_schema.APPLICATION_ID, bank_schema.FORMAT)
            and _kind(words) == (schema.APPLICATION_ID, schema.FORMAT)
            and _bank_mark(bank) == words.execute("SELECT epoch, sequence, chain FROM mark").fetchone()
        ):
            return Glance(bank, words)
    except sqlite3.Error:
        pass
    for one in opened:
        one.close()
    return None


def circumstances(bank: sqlite3.Connection, rows: list[int]) -> dict[int, tuple[int, bool, str, str | None]]:
    """Return row -> (step, success, task, product) from an open bank file."""
    found = bank.execute(
        "SELECT row, step, success, task, product FROM csd WHERE row IN (SELECT value FROM json_each(?))",
        (number_list(rows),),
    )
    return {row: (step, bool(success), task, product) for row, step, success, task, product in found}


def axis_names() -> tuple[str, ...]:
    """Return the names of the axes, in order."""
    return tuple(axis.value for axis in AXES)


def _open(path: str) -> sqlite3.Connection:
    # As an address, so that no file is made; pathlib would quote it, and takes 10 ms to load.
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return sqlite3.connect(f"file:{quoted}?mode=ro", timeout=_BUSY_SECONDS, isolation_level=None, uri=True)


def _kind(run: sqlite3.Connection) -> tuple[int, int]:
    application: int = run.execute("PRAGMA application_id").fetchone()[0]
    version: int = run.execute("PRAGMA user_version").fetchone()[0]
    return application, version


def _bank_mark(bank: sqlite3.Connection) -> tuple[str, int, str] | None:
    (epoch,) = bank.execute("SELECT value FROM meta WHERE key = 'epoch'").fetchone()
    newest = bank.execute("SELECT sequence, chain FROM change ORDER BY sequence DESC LIMIT 1").fetchone()
    return None if newest is None else (epoch, *newest)

"""What was worked out for each episode, kept in a derived database, so that it is worked out once."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

from echo.mfm.derived.follow import follow
from echo.mfm.derived.intake import NewRow, Schema
from echo.mfm.episodic.index import parse_row
from echo.mfm.episodic.previous import earlier_row
from echo.mfm.folder import MemoryFolder
from echo.mfm.layout import INDEX, PREVIOUS, MfmError, Row, earlier_lives, life_name
from echo.mfm.regular import open_regular

Told = Callable[[int, int], None]
"""Called with how much is done, and how much there is."""

_SCRIPT = """CREATE TABLE kept (
    offset INTEGER PRIMARY KEY,
    size INTEGER NOT NULL,
    observation TEXT,
    value BLOB,
    problem TEXT
)"""
_log = logging.getLogger(__name__)
Answer = TypeVar("Answer")


@dataclass(frozen=True, kw_only=True)
class Home:
    """A folder with an index of its own."""

    folder: Path
    """Holds the index, and the cache."""
    base: Path
    """What the paths in its rows start from."""
    life: int | None = None
    """Number of the life whose own index it is; None where rows tell it themselves, or for this life."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """Something that can be worked out from one episode."""

    name: str
    """Of the database."""
    version: int
    """Goes up whenever `value` gives something else."""
    value: Callable[[Path, Row], bytes | None]
    """From the folder that paths start from and the row; None where there is nothing to work it out from.
    Raises MfmError where a file cannot be read: that is tried again the next time."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What is kept for one episode."""

    home: Home
    offset: int
    """Where its line starts in the index, in bytes."""
    size: int
    observation: str | None
    """Its `observation_hash`."""
    value: bytes


def homes(root: Path | str, *, previous: bool) -> list[Home]:
    """Return where the rows of this life are, or with `previous` those of the earlier ones, in order.

    Raises:
        MfmError: if `root` holds no index.
    """
    memory = MemoryFolder(root)
    if not previous:
        return [Home(folder=memory.root, base=memory.root)]
    joined = memory.root / PREVIOUS
    if (joined / INDEX).is_file():
        return [Home(folder=joined, base=memory.root)]
    lives = [(life, joined / life_name(life)) for life in earlier_lives(memory.root)]
    return [
        Home(folder=folder, base=folder, life=life) for life, folder in lives if (folder / INDEX).is_file()
    ]


def kept(home: Home, work: Work, told: Told | None = None) -> list[Kept]:
    """Return what is kept for every episode of `home` that has it, in the order of its index.

    Episodes whose files cannot be read are left out and said in a warning of the log.

    Raises:
        MfmError: if there is no index.
        OSError: if the index cannot be read.
    """

    def take(run: sqlite3.Connection, rows: Sequence[NewRow]) -> None:
        run.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?)", _worked_out(home, work, rows))

    rows = ask(
        home,
        work.name,
        Schema(work.version, _SCRIPT, take),
        lambda run: run.execute(
            "SELECT offset, size, observation, value, problem FROM kept "
            "WHERE value IS NOT NULL OR problem IS NOT NULL ORDER BY offset"
        ).fetchall(),
        told,
    )
    return list(_mended(home, work, rows))


def ask(
    home: Home,
    name: str,
    schema: Schema,
    question: Callable[[sqlite3.Connection], Answer],
    told: Told | None = None,
) -> Answer:
    """Return what `question` reads from a derived database of `home`, once more where that proved damaged.

    Raises:
        MfmError: if there is no index.
        OSError: if the index cannot be read.
    """
    try:
        with follow(home.folder, name, schema, told) as run:
            return question(run)
    except sqlite3.DatabaseError:
        # A file that proved damaged is gone now, and made anew.
        with follow(home.folder, name, schema, told) as run:
            return question(run)


def whole_text(text: str) -> str:
    """Return `text` with half characters replaced, which a database does not take."""
    return text.encode("utf-8", "replace").decode()


def _worked_out(
    home: Home, work: Work, rows: Iterable[NewRow]
) -> Iterator[tuple[int, int, str | None, bytes | None, str | None]]:
    for new in rows:
        observation = new.row.get("observation_hash")
        value = problem = None
        try:
            value = work.value(home.base, new.row)
        except MfmError as error:
            problem = whole_text(str(error))
        known = whole_text(observation) if isinstance(observation, str) else None
        yield new.offset, new.size, known, value, problem


def _mended(home: Home, work: Work, rows: Iterable[tuple[int, int, str, bytes, str]]) -> Iterator[Kept]:
    """Yield what is kept, and what can be worked out by now; a file may have been restored."""
    unread: list[str] = []
    for offset, size, observation, value, problem in rows:
        found: bytes | None = value
        if problem is not None:
            try:
                with _opened(home) as index:
                    found = work.value(home.base, _told_row(home, index, offset, size))
            except MfmError as error:
                unread.append(str(error))
        if found is not None:
            yield Kept(home=home, offset=offset, size=size, observation=observation, value=found)
    if unread:
        _log.warning("%d episodes of %s were left out: %s", len(unread), home.folder, unread[0])


def rows_of(found: Sequence[Kept]) -> list[Row]:
    """Return the rows of what is kept, in the same order.

    Raises:
        MfmError: if an index was changed since.
    """
    rows: dict[tuple[Path, int], Row] = {}
    for home in dict.fromkeys(one.home for one in found):
        places = [(one.offset, one.size) for one in found if one.home == home]
        for (offset, _), row in zip(places, rows_at(home, places), strict=True):
            rows[home.folder, offset] = row
    return [rows[one.home.folder, one.offset] for one in found]


def rows_at(home: Home, places: Sequence[tuple[int, int]]) -> list[Row]:
    """Return the rows that start at some bytes of an index, each with its length, in the same order.

    Raises:
        MfmError: if there is none at a place, because the index was changed since.
    """
    with _opened(home) as index:
        return [_row(home, index, offset, size) for offset, size in places]


def _opened(home: Home) -> BinaryIO:
    try:
        return open_regular(home.folder / INDEX)
    except OSError as error:
        raise MfmError(f"expected an index at {home.folder / INDEX}, got {error}. Ask again.") from error


def _row(home: Home, index: BinaryIO, offset: int, size: int) -> Row:
    """Return a row as the whole memory tells it: with its life, and paths that start from its root."""
    row = _told_row(home, index, offset, size)
    if home.life is None:
        return row
    return earlier_row(row, home.life)


def _told_row(home: Home, index: BinaryIO, offset: int, size: int) -> Row:
    """Return a row as the index tells it."""
    index.seek(offset)
    row = parse_row(index.read(size))
    if row is None:
        raise MfmError(
            f"expected a row at byte {offset} of {home.folder / INDEX}, got something else: it was changed "
            f"just now. Ask again."
        )
    return row

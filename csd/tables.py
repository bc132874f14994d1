"""The SQLite file behind a bank: its tables, how it is opened, and how it says no.

SQLite is the truth (write-ahead log, foreign keys, one transaction a change); everything searchable in
memory is made from it. Row numbers are never used twice, so a cache can hold on to them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

APPLICATION_ID = 0x45434D42
"""'ECMB' in the file header: tells a bank from any other SQLite file."""

FORMAT = 1
"""Version of the tables, kept as `user_version`."""

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE csd (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    success INTEGER NOT NULL,
    verb TEXT NOT NULL,
    product TEXT,
    world TEXT NOT NULL,
    biome TEXT NOT NULL,
    step INTEGER NOT NULL,
    record TEXT NOT NULL
) STRICT;
CREATE INDEX csd_facets ON csd (success, verb, product, world, biome, step);
CREATE TABLE vector (
    row INTEGER NOT NULL REFERENCES csd (row) ON DELETE CASCADE,
    axis TEXT NOT NULL CHECK (axis IN ('struct', 'attr', 'proc', 'func', 'inter')),
    vector BLOB NOT NULL,
    PRIMARY KEY (row, axis)
) STRICT, WITHOUT ROWID;
CREATE TABLE edge (
    row INTEGER NOT NULL REFERENCES csd (row) ON DELETE CASCADE,
    axis TEXT NOT NULL,
    place INTEGER NOT NULL,
    source TEXT NOT NULL,
    predicate TEXT NOT NULL,
    target TEXT NOT NULL,
    PRIMARY KEY (row, axis, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX edge_source ON edge (source);
CREATE INDEX edge_target ON edge (target);
CREATE TABLE episode (
    row INTEGER NOT NULL REFERENCES csd (row) ON DELETE CASCADE,
    episode TEXT NOT NULL,
    PRIMARY KEY (row, episode)
) STRICT, WITHOUT ROWID;
CREATE INDEX episode_name ON episode (episode);
CREATE TABLE link (
    source INTEGER NOT NULL REFERENCES csd (row) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    target INTEGER NOT NULL REFERENCES csd (row) ON DELETE CASCADE,
    PRIMARY KEY (source, kind, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_target ON link (target);
CREATE TABLE credit (
    row INTEGER NOT NULL REFERENCES csd (row) ON DELETE CASCADE,
    axis TEXT NOT NULL,
    successes REAL NOT NULL,
    failures REAL NOT NULL,
    PRIMARY KEY (row, axis)
) STRICT, WITHOUT ROWID;
CREATE TABLE failure (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    conditions TEXT NOT NULL,
    step INTEGER NOT NULL,
    used TEXT NOT NULL
) STRICT;
CREATE INDEX failure_key ON failure (key, conditions);
CREATE TABLE change (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('add', 'remove')),
    row INTEGER NOT NULL,
    id TEXT NOT NULL
) STRICT;
"""


class BankError(Exception):
    """A bank file that cannot be used as asked: expected, got, where, what to do."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Identity:
    """What the vectors in a bank were made with; fixed when the file is made."""

    encoder: str
    dimension: int
    rendering: int
    """Version of the text that was embedded."""


def connect(path: Path | None, identity: Identity, *, durable: bool = True) -> sqlite3.Connection:
    """Open the bank file at `path`, making it where there is none; None for one in memory.

    A kill while the file is being made leaves an empty file, which counts as none. With `durable` a
    finished change survives a power cut; without it, it survives the death of the process, and a power
    cut may take back the newest changes, whole ones only.

    Raises:
        BankError: if the file is no bank, of a newer format, damaged, not writable, or filled by
            another encoder.
    """
    where = "memory" if path is None else str(path)
    try:
        connection = sqlite3.connect(path or ":memory:", timeout=30.0, isolation_level=None)
    except sqlite3.Error as error:
        raise BankError(
            f"expected a file that can be opened or made at {where}; got {error}. "
            f"Check that the folder exists and can be written to."
        ) from error
    try:
        with explained(where):
            # Looked at before anything is set: the file may belong to another program.
            _check_kind(connection, where)
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            _make_or_check(connection, identity, where)
    except BaseException:
        connection.close()
        raise
    return connection


def stored_identity(path: Path) -> Identity:
    """Return what the vectors in the bank file at `path` were made with.

    Raises:
        BankError: if there is no file, or it is no bank, damaged or of another format.
    """
    where = str(path)
    if not path.is_file():
        raise BankError(f"expected a memory bank at {where}; got no file there. Check the path.")
    with explained(where), closing(sqlite3.connect(path, timeout=30.0, isolation_level=None)) as connection:
        _check_kind(connection, where)
        if not _tables(connection):
            raise BankError(f"expected a memory bank at {where}; got an empty file. Check the path.")
        meta = dict(connection.execute("SELECT key, value FROM meta"))
    return Identity(
        encoder=meta["encoder"], dimension=int(meta["dimension"]), rendering=int(meta["rendering"])
    )


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turn what SQLite says about a file into a `BankError` that says what to do.

    Raises:
        BankError: in place of any `sqlite3.Error`, and for a value that SQLite cannot hold.
    """
    try:
        yield
    except sqlite3.OperationalError as error:
        raise BankError(
            f"expected a bank that can be read and written at {where}; got {error}. Check the folder's "
            f"permissions and free space, and that no other process holds a long write; "
            f"nothing was changed."
        ) from error
    except sqlite3.Error as error:
        raise BankError(
            f"expected an undamaged bank at {where}; got {error}. Restore the file from a copy, or move "
            f"it away and build the bank again from the episodes."
        ) from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise BankError(
            f"expected whole Unicode text and 64-bit integers for the bank at {where}; got {error}. "
            f"Nothing was changed: correct the value."
        ) from error


@contextmanager
def transaction(connection: sqlite3.Connection, where: str) -> Iterator[None]:
    """Run a block as one change: all of it is durable at the end, or none of it ever happened.

    Raises:
        BankError: if SQLite refuses; nothing was changed then.
    """
    with explained(where):
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


class BankFile:
    """An open bank file, and how its parts are read."""

    def __init__(self, connection: sqlite3.Connection, where: str) -> None:
        """Work on `connection`; `where` names the file in messages."""
        self._connection = connection
        self._where = where

    def _fetch(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with explained(self._where):
            return self._connection.execute(sql, tuple(values)).fetchall()

    def _row(self, id: str) -> int:
        found = self._fetch("SELECT row FROM csd WHERE id = ?", (id,))
        if not found:
            raise BankError(
                f"expected the id of a descriptor in the bank at {self._where}; got {id!r}. "
                f"It was never added, or has been removed."
            )
        row: int = found[0][0]
        return row


def _check_kind(connection: sqlite3.Connection, where: str) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = _tables(connection)
    if tables and application != APPLICATION_ID:
        raise BankError(
            f"expected a memory bank at {where}; got an SQLite file of another program "
            f"(application id {application:#x}). Choose another path; the file was left as it is."
        )
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if tables and version != FORMAT:
        raise BankError(
            f"expected bank format {FORMAT} at {where}; got format {version}. "
            f"Use the echo-memory release that wrote it, or build the bank again from the episodes."
        )


def _make_or_check(connection: sqlite3.Connection, identity: Identity, where: str) -> None:
    if not _tables(connection):
        with transaction(connection, where):
            # Another process may have made them while this one waited for the write lock.
            if not _tables(connection):
                for statement in SCHEMA.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {FORMAT}")
                connection.executemany("INSERT INTO meta VALUES (?, ?)", identity_meta(identity).items())
    found = dict(connection.execute("SELECT key, value FROM meta"))
    expected = identity_meta(identity)
    differing = [key for key in expected if found.get(key) != expected[key]]
    if differing:
        raise BankError(
            f"expected a bank with {_words(expected)} at {where}; got {_words(found)}. Open it with "
            f"{found.get('encoder')!r}, or embed its records anew: csd.reembed.reembed(path, encoder)."
        )


def identity_meta(identity: Identity) -> dict[str, str]:
    """Return `identity` as the rows of the table `meta`."""
    return {
        "encoder": identity.encoder,
        "dimension": str(identity.dimension),
        "rendering": str(identity.rendering),
    }


def _words(meta: dict[str, str]) -> str:
    return ", ".join(f"{key} {meta.get(key)!r}" for key in ("encoder", "dimension", "rendering"))


def _tables(connection: sqlite3.Connection) -> int:
    count: int = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    return count

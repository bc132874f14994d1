"""The SQLite file behind a bank: its tables, how it is opened, and how it says no.

SQLite is the truth (write-ahead log, foreign keys, one transaction a change); everything searchable in
memory is made from it. Row numbers are never used twice, so a cache can hold on to them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
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
    """Open the bank file at `path`, which must be there; None for a new one in memory.

    With `durable` a finished change survives a power cut; without it, only the death of the process: a
    power cut may take back the newest changes, whole ones only.

    Raises:
        BankError: if there is no file, or it is empty, no bank, of a newer format, damaged, not
            writable, or filled by another encoder.
    """
    where = "memory" if path is None else str(path)
    # Mode rw makes no file: an empty one would pass for a bank that lost everything.
    address = ":memory:" if path is None else f"{path.absolute().as_uri()}?mode=rw"
    try:
        connection = sqlite3.connect(address, timeout=30.0, isolation_level=None, uri=True)
    except sqlite3.Error as error:
        raise BankError(
            f"expected a file that can be opened at {where}; got {error}. Check that it can be written to."
        ) from error
    try:
        with explained(where):
            if path is None:
                _make(connection, identity, where)
            # Looked at before anything is set: the file may belong to another program.
            _check_kind(connection, where)
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            _check_identity(connection, identity, where)
    except BaseException:
        connection.close()
        raise
    return connection


def make_file(path: Path, identity: Identity) -> None:
    """Make an empty bank at `path`, whole or not at all; one that another process made first is kept.

    Raises:
        BankError: if the folder is missing or cannot be written to.
    """
    if not path.parent.is_dir():
        raise BankError(
            f"expected a folder at {path.parent} to make the bank {path.name} in; got none. "
            f"Make the folder first, or check the path."
        )
    try:
        with TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as beside, explained(str(path)):
            draft = Path(beside) / "draft"
            with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
                _make(connection, identity, str(path))
            # A link, not a renaming: it never takes the place of a bank made in the meantime.
            with suppress(FileExistsError):
                path.hardlink_to(draft)
    except OSError as error:
        raise BankError(
            f"expected a folder at {path.parent} that a bank can be made in; got {error}. "
            f"Check its permissions and free space, or choose another path."
        ) from error


def stored_identity(path: Path) -> Identity:
    """Return what the vectors in the bank file at `path` were made with.

    Raises:
        BankError: if there is no file, or it is empty, no bank, damaged or of another format.
    """
    where = str(path)
    if not path.is_file():
        raise BankError(f"expected a memory bank at {where}; got no file there. Check the path.")
    with explained(where), closing(sqlite3.connect(path, timeout=30.0, isolation_level=None)) as connection:
        _check_kind(connection, where)
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
    if not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        raise BankError(
            f"expected a memory bank at {where}; got an empty file. Restore it, or remove it to start anew."
        )
    if application != APPLICATION_ID:
        raise BankError(
            f"expected a memory bank at {where}; got an SQLite file of another program "
            f"(application id {application:#x}). Choose another path; the file was left as it is."
        )
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != FORMAT:
        raise BankError(
            f"expected bank format {FORMAT} at {where}; got format {version}. "
            f"Use the echo-memory release that wrote it, or build the bank again from the episodes."
        )


def _make(connection: sqlite3.Connection, identity: Identity, where: str) -> None:
    with transaction(connection, where):
        for statement in SCHEMA.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.executemany("INSERT INTO meta VALUES (?, ?)", identity_meta(identity).items())


def _check_identity(connection: sqlite3.Connection, identity: Identity, where: str) -> None:
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

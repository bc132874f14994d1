"""The SQLite file behind a bank: how it is made and opened, and what its vectors were made with.

SQLite is the truth (write-ahead log, foreign keys, one transaction a change); everything searchable in
memory is made from it. Row numbers are never used twice, so a cache can hold on to them.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from csd.store.errors import BankError, explained
from csd.store.schema import APPLICATION_ID, FORMAT, SCHEMA
from csd.store.upgrade import UPGRADABLE, upgrade

BUSY_SECONDS = 60.0
"""How long a writer waits for the others before it gives up."""

CACHE_KIB = 64 * 1024
"""Pages that a connection keeps; SQLite's own 2 MB made filtering 100,000 rows twice as slow."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Identity:
    """What the vectors in a bank were made with; changed only by embedding all of them anew."""

    encoder: str
    dimension: int
    rendering: int
    """Version of the text that was embedded."""

    def meta(self) -> dict[str, str]:
        """Return this as rows of the table `meta`."""
        return {
            "encoder": self.encoder,
            "dimension": str(self.dimension),
            "rendering": str(self.rendering),
        }


class UnknownIdentity(BankError, ValueError):
    """A bank that does not say what its vectors were made with."""


def connect(path: Path | None, identity: Identity | None, *, durable: bool = True) -> sqlite3.Connection:
    """Open the bank file at `path`, which must be there; None for a new one in memory.

    With `durable` a finished change survives a power cut; without it, only the death of the process: a
    power cut may take back the newest changes, whole ones only.

    Args:
        path: the file; one of an older format is brought up to date, in one transaction.
        identity: what its vectors must have been made with; None takes any, and needs a path.
        durable: see above.

    Raises:
        BankError: if there is no file, or it is empty, no bank, of a newer format, damaged, not
            writable, or filled by another encoder.
    """
    where = "memory" if path is None else str(path)
    # Mode rw makes no file: an empty one would pass for a bank that lost everything.
    address = ":memory:" if path is None else f"{path.absolute().as_uri()}?mode=rw"
    if path is not None and not path.exists():
        raise BankError(f"expected a memory bank at {where}; got no file there. Check the path.")
    try:
        connection = sqlite3.connect(address, timeout=BUSY_SECONDS, isolation_level=None, uri=True)
    except sqlite3.Error as error:
        raise BankError(
            f"expected a file that can be opened at {where}; got {error}. Check that it can be written to."
        ) from error
    try:
        with explained(where):
            if path is None and identity is not None:
                _make(connection, identity, where)
            # Looked at before anything is set: the file may belong to another program.
            version = _check_kind(connection, where)
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            if version != FORMAT:
                _upgrade(connection, where)
            if identity is not None:
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
        BankError: if there is no file, or it is empty, no bank, damaged or of a newer format.
    """
    where = str(path)
    with closing(connect(path, None)) as connection, explained(where):
        return identity_of(connection)


def identity_of(connection: sqlite3.Connection) -> Identity:
    """Return what the vectors behind an open connection were made with.

    Raises:
        UnknownIdentity: if that is not said, or cannot be read.
        sqlite3.Error: if SQLite refuses.
    """
    meta = dict(connection.execute("SELECT key, value FROM meta"))
    try:
        return Identity(
            encoder=meta["encoder"], dimension=int(meta["dimension"]), rendering=int(meta["rendering"])
        )
    except (KeyError, ValueError) as error:
        got = f"no {error}" if isinstance(error, KeyError) else str(error)
        file = connection.execute("PRAGMA database_list").fetchone()[2] or "memory"
        raise UnknownIdentity(
            f"expected encoder, dimension and rendering in the table meta of {file}; got {got}. "
            f"See what can be mended: echo-memory doctor {file}."
        ) from error


def set_identity(connection: sqlite3.Connection, identity: Identity) -> None:
    """Say that all vectors are now made with `identity`, within the caller's transaction.

    The bank gets a new epoch, which makes every cache of the old vectors worthless.
    """
    rows = {**identity.meta(), "epoch": secrets.token_hex(8)}
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows.items())


@contextmanager
def transaction(connection: sqlite3.Connection, where: str) -> Iterator[None]:
    """Run a block as one change: all of it is durable at the end, or none of it ever happened.

    Raises:
        BankError: if SQLite refuses; nothing was changed then.
    """
    with _between(connection, where, "BEGIN IMMEDIATE"):
        yield


@contextmanager
def moment(connection: sqlite3.Connection, where: str) -> Iterator[None]:
    """Let a block read one moment of the bank, whatever other processes write meanwhile.

    Raises:
        BankError: if SQLite refuses.
    """
    with explained(where):
        within = connection.in_transaction
    if within:
        yield
        return
    with _between(connection, where, "BEGIN"):
        yield


@contextmanager
def _between(connection: sqlite3.Connection, where: str, begin: str) -> Iterator[None]:
    with explained(where):
        connection.execute(begin)
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

    def _one(self, sql: str, id: str) -> tuple[Any, ...]:
        """Return the one row that `sql` gives for the descriptor `id`."""
        found = self._fetch(sql, (id,))
        if not found:
            raise BankError(
                f"expected the id of a descriptor in the bank at {self._where}; got {id!r}. "
                f"It was never added, or has been removed."
            )
        return found[0]

    def _row(self, id: str) -> int:
        row: int = self._one("SELECT row FROM csd WHERE id = ?", id)[0]
        return row


def _check_kind(connection: sqlite3.Connection, where: str) -> int:
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
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version not in (*UPGRADABLE, FORMAT):
        raise BankError(
            f"expected bank format {FORMAT} at {where}; got format {version}. "
            f"Use the echo-memory release that wrote it, or build the bank again from the episodes."
        )
    return version


def _make(connection: sqlite3.Connection, identity: Identity, where: str) -> None:
    with transaction(connection, where):
        for statement in SCHEMA.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        set_identity(connection, identity)


def _upgrade(connection: sqlite3.Connection, where: str) -> None:
    with transaction(connection, where):
        # Another process may have been faster.
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != FORMAT:
            upgrade(connection, where)
            set_identity(connection, identity_of(connection))
            connection.execute(f"PRAGMA user_version = {FORMAT}")


def _check_identity(connection: sqlite3.Connection, identity: Identity, where: str) -> None:
    found, expected = identity_of(connection).meta(), identity.meta()
    if found != expected:
        raise BankError(
            f"expected a bank with {_words(expected)} at {where}; got {_words(found)}. Open it with "
            f"{found['encoder']!r}, or embed its records anew: echo-memory reembed {where} "
            f"--encoder {expected['encoder']}."
        )


def _words(meta: dict[str, str]) -> str:
    return ", ".join(f"{key} {value!r}" for key, value in meta.items())

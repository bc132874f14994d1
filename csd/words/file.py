"""The words file on disk: how it is opened, replaced and locked. It can be made again at any time."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from csd.words.schema import APPLICATION_ID, FORMAT, PAGE_BYTES

BUSY_SECONDS = 30.0
_CACHE_KIB = 16 * 1024

# Damage, another program's file, tables that are not there: made again. Anything else (a full disk, a folder
# that cannot be written to, a lock that never comes) says nothing against the file.
_TORN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_FORMAT)

Stamp = tuple[int, int]
"""Device and inode: tells a file from one that took its place."""


class NotOurs(Exception):
    """A file that holds no words of this release."""


def stamp(path: Path) -> Stamp | None:
    """Return what file is at `path` now, None for none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def open_file(path: Path) -> sqlite3.Connection:
    """Open the words file at `path`, which must be there.

    It keeps a rollback journal, not a write-ahead log: it can be read from a folder that nobody may write
    to, opens quicker, and what is written is safe against a power cut too.

    Raises:
        NotOurs: if it is no words file of this release.
        sqlite3.Error: if it cannot be opened or read.
    """
    address = f"{path.absolute().as_uri()}?mode=rw"
    run = sqlite3.connect(address, timeout=BUSY_SECONDS, isolation_level=None, uri=True)
    try:
        run.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        run.execute("PRAGMA trusted_schema = OFF")
        kind = run.execute("PRAGMA application_id").fetchone()[0]
        version = run.execute("PRAGMA user_version").fetchone()[0]
        if (kind, version) != (APPLICATION_ID, FORMAT):
            raise NotOurs(f"expected words of format {FORMAT} in {path}; got {version} of kind {kind:#x}")
    except BaseException:
        run.close()
        raise
    return run


def make(run: sqlite3.Connection, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Give an empty database its kind and let `fill` fill it, in one transaction."""
    run.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    run.execute("BEGIN IMMEDIATE")
    run.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    run.execute(f"PRAGMA user_version = {FORMAT}")
    fill(run)
    run.execute("COMMIT")


def replace(path: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Fill a new file beside `path` and put it there whole; hold `locked` meanwhile.

    Whoever has the old file open goes on reading it, and finds by its stamp that it was replaced.

    Raises:
        OSError: if the folder cannot be written to.
        sqlite3.Error: if the new file cannot be.
    """
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    with closing(sqlite3.connect(draft, isolation_level=None)) as run:
        # Nobody reads the draft: what a kill leaves of it is thrown away by the next one.
        run.execute("PRAGMA journal_mode = OFF")
        run.execute("PRAGMA synchronous = OFF")
        run.execute(f"PRAGMA cache_size = -{4 * _CACHE_KIB}")
        make(run, fill)
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    # The journal of a writer that was killed must never meet the new file, nor outlive the old one.
    remove(path)
    draft.replace(path)


def remove(path: Path) -> None:
    """Remove the words file at `path`, if there is one; hold `locked` meanwhile."""
    path.unlink(missing_ok=True)
    path.with_name(path.name + "-journal").unlink(missing_ok=True)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the one right to change or replace the words file at `path`, waiting for it.

    Raises:
        OSError: if the folder is not there and cannot be made, or takes no files.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(path.name + ".lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def check_torn(error: Exception) -> None:
    """Do nothing where `error` says that the file is damaged or not ours.

    Raises:
        sqlite3.Error: `error` itself, if it does not speak against the file.
    """
    if isinstance(error, sqlite3.ProgrammingError):
        # A connection that is closed or of another thread.
        raise error
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
        if code & 0xFF not in _TORN:
            raise error

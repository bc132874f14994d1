"""Moving what was written from SQLite's log into the file beside the next write, not after each.

A large batch is durable once it is in the log. SQLite then copies it into the file before it returns, which
takes a fifth of the time of filling a bank; here a thread does that while the next batch is made ready.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

_LOG = logging.getLogger(__name__)

PAGES = 1_000
"""A log that is longer than this many pages is copied after a change: SQLite's own number."""

PAGES_PUT_OFF = 65_536
"""... after a large batch this many, 256 MB: only where the thread has not kept up."""

LARGE = 256
"""So many descriptors are a large batch: for fewer a thread takes longer than it saves."""


class Checkpoints:
    """The log of one bank, copied in the background after large batches."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Serve the file that `connection` writes to; a bank in memory has no log."""
        self._connection = connection
        self._file: str = connection.execute("PRAGMA database_list").fetchone()[2]
        self._thread: threading.Thread | None = None

    @contextmanager
    def put_off(self, descriptors: int) -> Iterator[None]:
        """Let a block that writes so many commit without copying, if they are many, and start it then."""
        if not self._file or descriptors < LARGE:
            yield
            return
        self._connection.execute(f"PRAGMA wal_autocheckpoint = {PAGES_PUT_OFF}")
        try:
            yield
        finally:
            self._connection.execute(f"PRAGMA wal_autocheckpoint = {PAGES}")
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._copy, name="copy the log", daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Return when no copying is under way."""
        if self._thread is not None:
            self._thread.join()

    def _copy(self) -> None:
        try:
            address = f"{Path(self._file).as_uri()}?mode=rw"
            with closing(sqlite3.connect(address, isolation_level=None, uri=True)) as connection:
                # Never waits for others, and keeps no one waiting.
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        except sqlite3.Error as error:
            # Nothing is lost: the log is part of the bank, and the next change copies it.
            _LOG.warning("the log of %s is not copied yet: %s", self._file, error)

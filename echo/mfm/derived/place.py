"""The files of a derived database: where they are, whose turn it is to write them, opening, removing."""

from __future__ import annotations

import os
import sqlite3
import stat
import time

INDEX, CACHE = "index.jsonl", "cache"
"""The same as in `echo.mfm.layout`, which takes too long to load."""

BUSY_SECONDS = 10.0
"""How long to wait for another process that writes the same file."""

DAMAGED = (11, 26)
"""SQLite's codes for a malformed file and for a file that is no database."""
REFUSED = (3, 5, 6, 8, 10, 13, 14, 15)
"""No permission, busy, locked, read-only, I/O error, full, cannot open, locking protocol."""


class Refused(Exception):
    """The files of a database cannot be removed."""


class Place:
    """Where a derived database and its index are."""

    __slots__ = ("cache", "database", "index", "name", "root")

    def __init__(self, root: str, name: str) -> None:
        self.root = root
        self.name = name
        self.index = f"{root}/{INDEX}"
        self.cache = f"{root}/{CACHE}"
        self.database = f"{self.cache}/{name}.db"


def take_turn(place: Place) -> int | None:
    """Wait for the turn to write; return what holds it (close it), or None where nothing can be written."""
    import fcntl

    try:
        os.makedirs(place.cache, exist_ok=True)  # noqa: PTH103 (pathlib takes 10 ms to load)
        lock = os.open(f"{place.cache}/{place.name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError:
        return None
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError:
            if time.monotonic() < end:
                time.sleep(0.01)
                continue
        except OSError:
            # A file system without locks.
            pass
        os.close(lock)
        return None


def is_usable(place: Place) -> bool:
    """Whether nothing but files lies where the files of the database go; SQLite would wait for a pipe."""
    for ending in ("", "-journal", "-wal"):
        path = place.database + ending
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116 (pathlib takes 10 ms to load)
        except FileNotFoundError:
            if os.path.islink(path):  # noqa: PTH114
                return False
            continue
        except OSError:
            return False
        if not stat.S_ISREG(mode):
            return False
    return True


def remove(place: Place) -> None:
    """Remove the files of the database; only with the turn, or a journal could end up with a new file."""
    for ending in ("-wal", "-journal", ""):
        try:
            os.remove(place.database + ending)  # noqa: PTH107 (pathlib takes 10 ms to load)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise Refused from error


def connect(path: str, mode: str) -> sqlite3.Connection:
    """Open a database: 'ro' only if it is there and only for reading, 'rwc' made if it is missing."""
    # As an address, which alone tells reading from writing; two slashes at the start would name a host.
    path = f"///{path.lstrip('/')}" if path.startswith("/") else path
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    if not quoted.isascii():
        quoted = "".join(chr(byte) if byte < 128 else f"%{byte:02x}" for byte in os.fsencode(quoted))
    run = sqlite3.connect(
        f"file:{quoted}?mode={mode}",
        timeout=BUSY_SECONDS,
        isolation_level=None,
        uri=True,
        check_same_thread=False,
    )
    run.execute("PRAGMA synchronous = OFF" if mode == "ro" else "PRAGMA synchronous = NORMAL")
    return run


def code_of(error: BaseException | None) -> int | None:
    """Return SQLite's primary code for an error, or None where it is none of SQLite's."""
    code = getattr(error, "sqlite_errorcode", None) if isinstance(error, sqlite3.Error) else None
    return None if code is None else code & 0xFF

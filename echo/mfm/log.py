"""Append-only logs of JSON objects, one a line: several processes write, a kill may tear the last line."""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echo.mfm.disk import DiskRefused, write_all
from echo.mfm.layout import MfmError, to_line, told_error
from echo.mfm.regular import read_regular

Entry = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Logged:
    """What a log holds."""

    entries: tuple[Entry, ...]
    """In order of writing."""
    unread: int = 0
    """Lines that are no JSON object; they stay in the file."""


def read_log(path: Path) -> Logged:
    """Return what the log at `path` holds; a log that was never written to is empty.

    Raises:
        DiskRefused: if it is no file, or cannot be read.
    """
    try:
        data = read_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        return Logged(entries=())
    except OSError as error:
        raise DiskRefused(
            f"expected a log that can be read at {path}, got {told_error(error)} "
            f"Move away what is in its place, or give the right to read it."
        ) from error
    lines = [line for line in data.split(b"\n") if line.strip()]
    entries = [entry for line in lines if (entry := _entry(line)) is not None]
    return Logged(entries=tuple(entries), unread=len(lines) - len(entries))


def append_log(path: Path, entry: Entry) -> None:
    """Add one entry and bring it to the platter; two processes wait for each other.

    A last line that a kill left unfinished is closed first and stays as it is.

    Raises:
        ValueError: on a number that is not finite.
        MfmError: if something else than a file is in the way.
        OSError: if the disk refuses; what was written of the entry is cut off again.
    """
    data = to_line(entry)
    if path.exists() and not path.is_file():
        raise MfmError(f"expected a log at {path}, got something that is no file. Move it out of the way.")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        size = os.fstat(descriptor).st_size
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        try:
            write_all(descriptor, b"\n" + data if torn else data)
            os.fsync(descriptor)
        except OSError:
            os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)


def _entry(line: bytes) -> Entry | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None

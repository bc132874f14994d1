"""Files that are whole on disk or not there: how the searchable vectors are written.

A snapshot is a handful of files that are never changed and one small file that names them. The naming
file is replaced in one step after all others are safe on disk, so that at every moment the old snapshot
or the new one is there.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

Part = bytes | memoryview

_CHUNK = 1 << 20
_START = 1 << 16


class Written(BaseModel):
    """What a file must be to be the one that was written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    size: int = Field(ge=0)
    """Bytes."""
    digest: str
    """SHA-256 of all of it."""
    start: str
    """SHA-256 of its first 64 KiB."""


def write_new(path: Path, parts: Iterable[Part]) -> Written:
    """Write a file that must not be there yet, and wait until it is safe on disk.

    Raises:
        OSError: if it cannot be written; what was begun is taken away again.
    """
    digest, size, start = hashlib.sha256(), 0, b""
    try:
        with path.open("xb") as file:
            for part in parts:
                file.write(part)
                digest.update(part)
                length = len(part) if isinstance(part, bytes) else part.nbytes
                size += length
                if length and len(start) < _START:
                    start += bytes(memoryview(part).cast("B")[: _START - len(start)])
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return Written(size=size, digest=digest.hexdigest(), start=hashlib.sha256(start).hexdigest())


def replace(path: Path, content: bytes) -> None:
    """Put `content` in the place of the file at `path`, in one step that survives a power cut.

    Raises:
        OSError: if it cannot be written; the old file is intact then.
    """
    draft = path.with_name(f"{path.name}.part")
    draft.unlink(missing_ok=True)
    write_new(draft, [content])
    sync_folder(path.parent)
    draft.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the names in `folder` are safe on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_whole(path: Path, written: Written) -> bytes | None:
    """Return the content of the file at `path`; None if it is not the one that was written.

    Raises:
        OSError: if there is no such file or it cannot be read.
    """
    content = path.read_bytes()
    if len(content) != written.size or hashlib.sha256(content).hexdigest() != written.digest:
        return None
    return content


def starts_well(path: Path, written: Written) -> bool:
    """Return whether the file at `path` has the size and the start of the one that was written.

    What is too large to be read at every opening is checked by this much: it finds torn and foreign files.

    Raises:
        OSError: if there is no such file or it cannot be read.
    """
    with path.open("rb") as file:
        start = file.read(_START)
    return path.stat().st_size == written.size and hashlib.sha256(start).hexdigest() == written.start


def is_whole(path: Path, written: Written) -> bool:
    """Return whether the file at `path` is the one that was written, reading all of it in small parts.

    Raises:
        OSError: if there is no such file or it cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return path.stat().st_size == written.size and digest.hexdigest() == written.digest


@contextmanager
def sole_holder(path: Path) -> Iterator[bool]:
    """Hold the lock at `path` and yield True; yield False if someone else holds it.

    The lock dies with its process.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)

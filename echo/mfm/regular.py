"""Open files whose place something else may have taken: a pipe, a device, a folder. Loads in no time."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import BufferedReader

MOST_JSON_BYTES = 1 << 28
"""Of one JSON file of an episode, 256 MiB: far more than any recorder writes."""

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class NotAFile(OSError):
    """Something that is no file of bytes lies where one is expected."""


def open_regular(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a file for reading; never waits for whoever fills a pipe, and never reads a device.

    Raises:
        FileNotFoundError, NotADirectoryError: if there is none.
        NotAFile: if something else is there, or the path is none.
        OSError: if it cannot be opened.
    """
    descriptor, _ = _opened(path)
    try:
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(path: str | os.PathLike[str], most: int | None = None) -> bytes:
    """Return the bytes of a file of at most `most` bytes. Raises as `open_regular`, and on a larger one."""
    descriptor, size = _opened(path)
    try:
        if most is not None and size > most:
            raise NotAFile(
                f"expected a file of at most {most:,} bytes at {os.fspath(path)}, got {size:,}. Move it away."
            )
        # Without a file object, which takes as long as all the rest on a small file.
        data = os.read(descriptor, size + 1)
        while len(data) != size and (more := os.read(descriptor, 1 << 20)):
            data += more
        return data
    finally:
        os.close(descriptor)


def _opened(path: str | os.PathLike[str]) -> tuple[int, int]:
    """Return a descriptor of a file of bytes, and its size. Raises as `open_regular`."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:
        raise NotAFile(f"expected the path of a file, got {os.fspath(path)!r} ({error}).") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            got = next((name for is_kind, name in _KINDS if is_kind(status.st_mode)), "something else")
            raise NotAFile(f"expected a file at {os.fspath(path)}, got {got}. Move it away.")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status.st_size

"""Open files whose place something else may have taken: a pipe, a device, a folder. Loads in no time."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

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


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading; never waits for whoever fills a pipe, and never reads a device.

    Raises:
        FileNotFoundError, NotADirectoryError: if there is none.
        NotAFile: if something else is there, or the path is none.
        OSError: if it cannot be opened.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:
        raise NotAFile(f"expected the path of a file, got {os.fspath(path)!r} ({error}).") from error
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            got = next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")
            raise NotAFile(f"expected a file at {os.fspath(path)}, got {got}. Move it away.")
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(path: str | os.PathLike[str], most: int | None = None) -> bytes:
    """Return the bytes of a file of at most `most` bytes. Raises as `open_regular`, and on a larger one."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if most is not None and size > most:
            raise NotAFile(
                f"expected a file of at most {most:,} bytes at {os.fspath(path)}, got {size:,}. Move it away."
            )
        return file.read()

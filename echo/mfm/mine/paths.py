"""Which names lie in the writable part of a memory, and how they are reached: every rule of confinement.

A path is text with '/' between its names, relative to mine/. What a name may be is decided on the text
alone; then folders are opened one below the other, each by its name within the open one above it and
never through a link, so that nothing swapped in meanwhile leads out. Standard library only.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Literal
from urllib.parse import unquote

from echo.mfm.layout import MINE, MfmError

NAME_BYTES = 200
"""Longest name in UTF-8 bytes; every file system that is in use holds 255."""
PATH_BYTES = 1_000
"""Longest path in UTF-8 bytes."""
DEPTH = 12
"""Most names in a path."""

Kind = Literal["file", "folder"]

_UNPORTABLE = '\\:*?"<>|'
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}
    | {f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"}
)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class PathRefused(MfmError):
    """A path does not lie in mine/, or leads to something that is no plain file of its own."""


def names_of(path: str) -> tuple[str, ...]:
    """Return the names in `path`, from the top; empty for mine/ itself ('' or '.').

    Raises:
        PathRefused: if it leads elsewhere, or some system could not hold it; the text says why.

    >>> names_of("procedures//make_planks.py")
    ('procedures', 'make_planks.py')
    >>> names_of("../index.jsonl")
    Traceback (most recent call last):
    echo.mfm.mine.paths.PathRefused: expected a path in mine/, got '../index.jsonl': '..' leads out of it. ...
    """
    if not isinstance(path, str):
        raise PathRefused(
            f"expected a path as text, got {type(path).__name__}. Name a file such as 'notes.md'."
        )
    if path.startswith("/"):
        raise _refused(path, "it is absolute")
    if unquote(path) != path:
        raise _refused(path, "it is percent-encoded; write the characters themselves")
    names = tuple(name for name in path.split("/") if name not in ("", "."))
    for name in names:
        reason = _against(name)
        if reason is not None:
            raise _refused(path, reason)
    if len(names) > DEPTH or len("/".join(names).encode()) > PATH_BYTES:
        raise _refused(path, f"it is longer than {DEPTH} names or {PATH_BYTES:,} bytes")
    return names


def normal(path: str) -> str:
    """Return `path` the way it is listed and logged: names joined by single slashes.

    Raises:
        PathRefused: as `names_of`.

    >>> normal("skills/./smelt/SKILL.md")
    'skills/smelt/SKILL.md'
    """
    return "/".join(names_of(path))


def is_plain(name: str) -> bool:
    """Return whether `name` may stand in a path.

    >>> is_plain("notes.md"), is_plain(".hidden"), is_plain("..")
    (True, False, False)
    """
    return _against(name) is None


@contextmanager
def open_mine(root: str | os.PathLike[str]) -> Iterator[int]:
    """Open <root>/mine itself and yield its descriptor.

    Raises:
        FileNotFoundError: if there is none.
        PathRefused: if it is a link or no folder.
    """
    descriptor = _open(os.path.join(root, MINE), _FOLDER, None, MINE)  # noqa: PTH118 (a PathLike or text)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def open_folder(top: int, names: tuple[str, ...]) -> Iterator[int]:
    """Open the folder `names` below the open folder `top`, one name at a time, and yield its descriptor.

    Raises:
        FileNotFoundError: if one of them is missing.
        PathRefused: if one of them is a link or no folder.
    """
    descriptor = os.dup(top)
    try:
        for place, name in enumerate(names):
            below = _open(name, _FOLDER, descriptor, "/".join(names[: place + 1]))
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


def kind_at(folder: int, name: str, shown: str) -> Kind | None:
    """Return what `name` in the open folder is, or None where nothing is there.

    Args:
        folder: Descriptor of the folder.
        name: One name.
        shown: The whole path, for the message.

    Raises:
        PathRefused: if it is a link, a device, a pipe, a socket, or a file with a second name elsewhere.
    """
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return kind_of(found, shown)


def open_file(folder: int, name: str, shown: str) -> int:
    """Open the plain file `name` in the open folder for reading and return its descriptor.

    Raises:
        FileNotFoundError: if nothing is there.
        IsADirectoryError: if a folder is there.
        PathRefused: as `kind_at`.
    """
    # Looked at before it is opened, since opening some devices does something; and again behind it.
    if kind_at(folder, name, shown) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), shown)
    descriptor = _open(name, _FILE, folder, shown)
    try:
        kind = kind_of(os.fstat(descriptor), shown)
        if kind == "folder":
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), shown)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def kind_of(found: os.stat_result, shown: str) -> Kind:
    """Return what was found at the path `shown`. Raises as `kind_at`."""
    if stat.S_ISDIR(found.st_mode):
        return "folder"
    if not stat.S_ISREG(found.st_mode):
        raise _refused(shown, f"it is {_what(found.st_mode)}, no plain file")
    if found.st_nlink > 1:
        raise _refused(
            shown,
            f"it is a file with {found.st_nlink} names (hard links), which may belong to something else; "
            f"replace it by a copy of its own",
        )
    return "file"


def _what(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def _open(name: str, flags: int, folder: int | None, shown: str) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        # A link is ELOOP on Linux and EMLINK on BSD; a link where a folder is due is ENOTDIR on some.
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR):
            reason = "it, or a folder above it, is a link or no folder"
            raise _refused(shown, reason) from None
        raise


@lru_cache(maxsize=8192)
def _against(name: str) -> str | None:
    """Return why `name` may not stand in a path, or None."""
    for form in dict.fromkeys((name, unicodedata.normalize("NFKC", name))):
        if form in (".", ".."):
            return f"{name!r} leads out of it"
        if "/" in form or any(mark in form for mark in _UNPORTABLE):
            return f"{name!r} holds one of / {' '.join(_UNPORTABLE)}"
        if form.startswith("."):
            return f"{name!r} is hidden"
        if form != form.strip() or form.endswith("."):
            return f"{name!r} begins or ends with a space, or ends with a dot"
        if form.split(".")[0].strip().lower() in _DEVICES:
            return f"{name!r} is the name of a device on some systems"
    if not name or not name.isprintable():
        return f"{name!r} is empty or holds a character that cannot be shown"
    if len(name.encode()) > NAME_BYTES:
        return f"a name in it is longer than {NAME_BYTES} bytes"
    return None


def _refused(path: str, reason: str) -> PathRefused:
    shown = repr(path) if len(path) <= 120 else f"{path[:100]!r}... ({len(path):,} characters)"
    return PathRefused(
        f"expected a path in {MINE}/, got {shown}: {reason}. "
        f"Name a file of your own such as 'notes.md' or 'procedures/make_planks.py'."
    )

"""Writes a picture to where somebody named, and nowhere that a memory or another file would be harmed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from echo.mfm.layout import (
    CACHE,
    EPISODES,
    HISTORY,
    INDEX,
    LOCK,
    MENDED,
    MINE,
    OPTIONS,
    PREVIOUS,
    RUNS,
    TURNS,
    MfmError,
)

OWN = (INDEX, EPISODES, MINE, PREVIOUS, HISTORY, CACHE, MENDED, RUNS, TURNS, OPTIONS, LOCK)
"""Names within a memory folder that are the memory's own."""
_BESIDE = ("bank.sqlite", "threads.jsonl")
"""How the names of other stores begin that an agent keeps in the same folder."""

_BEGINNINGS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*")


def write_picture(out: Path, data: bytes) -> None:
    """Write a picture whole or not at all: into a part beside it, then renamed.

    Args:
        out: The file. A picture that is there is replaced, and so is an empty file.
        data: Its bytes.

    Raises:
        MfmError: if `out` has no folder, is a memory's own file or lies among them, is there and no picture,
            or cannot be written.
    """
    check_place(out)
    try:
        with _part(out) as part:
            part.write_bytes(data)
            part.replace(out)
    except OSError as error:
        raise MfmError(
            f"expected to write a picture to {out}, got: {error.strerror or error}. "
            f"Name another place, or make room there."
        ) from error


def check_place(out: Path) -> None:
    """Return if `write_picture` may write to `out`.

    Raises:
        MfmError: as `write_picture`.
    """
    try:
        if out.is_dir():
            raise MfmError(f"expected a file to write a picture to, got the folder {out}. Name a file in it.")
        if not out.parent.is_dir():
            raise MfmError(f"expected a folder at {out.parent} for {out.name}, got none. Make it first.")
        # The name itself, and where it leads if it is a link: neither may be a memory's own.
        for place in (out.parent.resolve() / out.name, out.resolve()):
            _check_apart(place, out)
        if out.exists() and not _may_be_replaced(out):
            raise MfmError(
                f"expected the name of a picture, got {out}, which is something else. Name another."
            )
    except OSError as error:
        raise MfmError(
            f"expected a place to write a picture to, got {str(out)[:200]} ({error.strerror or error}). "
            f"Name another place."
        ) from error


def _check_apart(place: Path, out: Path) -> None:
    """Refuse a place that is one of a memory's own files, or lies among them."""
    for folder in place.parents:
        if not ((folder / INDEX).exists() or (folder / OPTIONS).exists()):
            continue
        name = place.relative_to(folder).parts[0]
        if name in OWN or name.startswith(_BESIDE):
            raise MfmError(
                f"expected a place outside the memory's own files, got {out}, which belongs to {name} of the "
                f"memory {folder}. Name another place."
            )


def _may_be_replaced(out: Path) -> bool:
    if not out.is_file():
        return False
    with out.open("rb") as file:
        head = file.read(12)
    return not head or head.startswith(_BEGINNINGS) or (head[:4] == b"RIFF" and head[8:] == b"WEBP")


@contextmanager
def _part(out: Path) -> Iterator[Path]:
    descriptor, name = tempfile.mkstemp(prefix=f".{out.name[:50]}.", suffix=".part", dir=out.parent)
    os.close(descriptor)
    part = Path(name)
    try:
        # mkstemp allows the owner alone; a picture is for whoever may read the folder.
        part.chmod(0o644)
        yield part
    finally:
        part.unlink(missing_ok=True)

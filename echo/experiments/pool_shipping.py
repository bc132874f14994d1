"""Files and folders that jobs leave on another machine, brought over as bytes where no disk is shared."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from echo.experiments.whole_files import write_atomically

DISK_FILE = ".seen-by"
"""Holds a word by which a node recognises the driver's disk."""

SEEN_SECONDS = 60.0
"""A shared disk shows a new file at the latest after this time."""

LOOK_SECONDS = 0.1


@dataclass(frozen=True, kw_only=True)
class Shipment:
    """One file, or all files of one folder, sorted by path."""

    folder: bool
    files: tuple[tuple[str, bytes], ...]
    """Path within the folder ('' for a file by itself), and content."""


def show_disk(folder: Path, token: str) -> Path:
    """Leave `token` in `folder`, made if absent, and return the file to remove in the end."""
    path = folder / DISK_FILE
    write_atomically(path, token.encode())
    return path


def shares_disk(folder: Path, token: str) -> bool:
    """Return whether `token` was left in `folder`.

    Where a shared disk is slow to show a new file the answer is no, and files that are there already are
    shipped: a waste, no harm.
    """
    try:
        return (folder / DISK_FILE).read_bytes() == token.encode()
    except OSError:
        return False


def pack_produce(path: Path) -> Shipment:
    """Return what lies at `path`, a file or a folder."""
    if not path.is_dir():
        return Shipment(folder=False, files=(("", path.read_bytes()),))
    inside = sorted(one for one in path.rglob("*") if one.is_file())
    files = tuple((one.relative_to(path).as_posix(), one.read_bytes()) for one in inside)
    return Shipment(folder=True, files=files)


def wait_until_seen(paths: Sequence[Path], seconds: float = SEEN_SECONDS) -> str | None:
    """Wait for what a node has left on a shared disk to show here too, and return why it does not, if so."""
    ends = time.monotonic() + seconds
    while absent := [path for path in paths if not path.exists()]:
        if time.monotonic() >= ends:
            return f"its node has seen {absent[0]}, but {seconds:.0f} seconds later it does not show here"
        # A network disk remembers for a while that a file was not there; opening its folder makes it look.
        with suppress(OSError):
            list(absent[0].parent.iterdir())
        time.sleep(LOOK_SECONDS)
    return None


def unpack_produce(path: Path, shipment: Shipment) -> None:
    """Put a shipment to `path`, whole or not at all, in the place of whatever is there.

    Raises:
        ValueError: if a file of it would lie outside the folder.
    """
    if not shipment.folder:
        write_atomically(path, shipment.files[0][1])
        return
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    for name, content in shipment.files:
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts:
            raise ValueError(f"expected a path inside {path}; got {name!r} in what a node sent.")
        target = unfinished.joinpath(*parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    shutil.rmtree(path, ignore_errors=True)
    unfinished.replace(path)

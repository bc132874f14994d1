"""Folders that are written all or nothing: a reader, also after a kill, finds them whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNFINISHED = ".unfinished"
"""How the name of a folder ends that is being written, or whose writing was cut short."""


@contextmanager
def whole_folder(target: Path, *, replace: bool = False) -> Iterator[Path]:
    """Yield an empty folder that becomes `target` when the block ends without an error, else vanishes.

    Args:
        target: what to write; folders above it are made.
        replace: whether a folder that is there gives way. Without it the first of several writers wins, and
            what the others wrote is dropped: for folders whose name says their content.

    Raises:
        OSError: if the disk refuses, such as when it is full; what was at `target` is there still.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(
        tempfile.mkdtemp(prefix=f".{target.name}.", suffix=UNFINISHED, dir=target.parent.resolve())
    )
    try:
        yield unfinished
        _readable(unfinished)
        _sync(unfinished)
        if replace:
            _replace(unfinished, target)
        else:
            _keep_first(unfinished, target)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _replace(unfinished: Path, target: Path) -> None:
    """Put `unfinished` in the place of `target`, whose old content stays beside it for that moment alone."""
    if not target.exists():
        unfinished.rename(target)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}.old.", suffix=UNFINISHED, dir=target.parent))
    target.rename(old)
    try:
        unfinished.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _keep_first(unfinished: Path, target: Path) -> None:
    try:
        unfinished.rename(target)
    except OSError:
        if not target.is_dir():
            raise


def _readable(folder: Path) -> None:
    """Give everything the rights that new folders and files commonly have; temporary ones have fewer."""
    folder.chmod(0o755)
    for path in sorted(folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _sync(folder: Path) -> None:
    """Have the disk hold every file before the folder gets its name."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())

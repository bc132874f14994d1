"""Checkpoints of a run, of which one that a kill or a full disk cut short is never taken up."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

WHOLE = "whole"
"""Empty file that a checkpoint gets last."""

_NAMED = re.compile(r"checkpoint-(\d+)")


def newest(folder: Path) -> Path | None:
    """Return the whole checkpoint of the latest step in `folder`, or None."""
    whole = [path for path in _of(folder) if (path / WHOLE).is_file()]
    return whole[-1] if whole else None


def close(checkpoint: Path) -> None:
    """Say that `checkpoint` is whole, after the disk holds all of it, and remove the earlier ones.

    Raises:
        OSError: if the disk refuses.
    """
    for path in sorted(checkpoint.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    (checkpoint / WHOLE).touch()
    for path in _of(checkpoint.parent):
        if path != checkpoint:
            shutil.rmtree(path, ignore_errors=True)


def drop_broken(folder: Path) -> None:
    """Remove the checkpoints in `folder` that are not whole."""
    for path in _of(folder):
        if not (path / WHOLE).is_file():
            shutil.rmtree(path, ignore_errors=True)


def _of(folder: Path) -> list[Path]:
    """Return the checkpoints in `folder` in the order of their steps."""
    if not folder.is_dir():
        return []
    named = [(found, path) for path in folder.iterdir() if (found := _NAMED.fullmatch(path.name))]
    return [path for _, path in sorted(named, key=lambda each: int(each[0][1]))]

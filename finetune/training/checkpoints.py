"""Checkpoints of a run, of which one that a kill or a full disk cut short is never taken up."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from pathlib import Path

from csd.vectors.files import replace
from finetune.training.errors import TrainingError

WHOLE = "whole"
"""File that a checkpoint gets last: the SHA-256 of each other one, as JSON."""

_NAMED = re.compile(r"checkpoint-(\d+)")


def newest(folder: Path) -> Path | None:
    """Return the whole checkpoint of the latest step in `folder`, or None."""
    whole = [path for path in _of(folder) if (path / WHOLE).is_file()]
    return whole[-1] if whole else None


def close(checkpoint: Path) -> None:
    """Say what `checkpoint` holds, after the disk has all of it, and remove the earlier ones.

    Raises:
        OSError: if the disk refuses.
    """
    for path in _files(checkpoint):
        with path.open("rb") as file:
            os.fsync(file.fileno())
    replace(checkpoint / WHOLE, json.dumps(_digests(checkpoint), indent=1).encode())
    for path in _of(checkpoint.parent):
        if path != checkpoint:
            shutil.rmtree(path, ignore_errors=True)


def refuse_damaged(checkpoint: Path) -> None:
    """Raise unless `checkpoint` holds what it held when it was closed.

    Raises:
        TrainingError: naming the checkpoint and the files that differ.
        OSError: if it cannot be read.
    """
    try:
        held = json.loads((checkpoint / WHOLE).read_bytes())
    except ValueError:
        held = None
    if not isinstance(held, dict):
        wrong = [WHOLE]
    else:
        found = _digests(checkpoint)
        wrong = [name for name in {**held, **found} if held.get(name) != found.get(name)]
    if wrong:
        raise TrainingError(
            f"expected the checkpoint {checkpoint} as it was written; got other content in "
            f"{', '.join(wrong[:5])}. Delete the folder {checkpoint}: the run then begins anew, or from the "
            f"checkpoint before where there is one. Or name another folder."
        )


def drop_broken(folder: Path) -> None:
    """Remove the checkpoints in `folder` that are not whole."""
    for path in _of(folder):
        if not (path / WHOLE).is_file():
            shutil.rmtree(path, ignore_errors=True)


def _files(checkpoint: Path) -> list[Path]:
    """Return the files in a checkpoint in their order, without the one that says that it is whole."""
    return [path for path in sorted(checkpoint.rglob("*")) if path.is_file() and path.name != WHOLE]


def _digests(checkpoint: Path) -> dict[str, str]:
    """Return name in the checkpoint -> SHA-256 of the file, in hex."""
    found = {}
    for path in _files(checkpoint):
        with path.open("rb") as file:
            found[path.relative_to(checkpoint).as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def _of(folder: Path) -> list[Path]:
    """Return the checkpoints in `folder` in the order of their steps."""
    if not folder.is_dir():
        return []
    named = [(found, path) for path in folder.iterdir() if (found := _NAMED.fullmatch(path.name))]
    return [path for _, path in sorted(named, key=lambda each: int(each[0][1]))]

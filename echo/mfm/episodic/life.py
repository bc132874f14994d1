"""Lives: put what was recorded so far into previous/life_N and begin anew, safe against a kill.

In this order, under the lock of the one writer:

1. The memory is mended, so that what is put away is whole.
2. `mine/`, `turns.jsonl`, `runs.jsonl` and `options.json` are copied into `previous/.life_N.part/`. A kill up
   to here leaves copies only: the next open removes them, and the life goes on.
3. The index is copied in; from then on the life counts as put away. An empty index is renamed over the old
   one, so that readers find an index all the time, the episodes are moved in, and the folder gets its name.
   A kill in between is brought to its end by the next open.
4. The rows of the life go into previous/index.jsonl.

What the agent writes (`mine/`) and its `history/`, and the bank, stay for the new life. Ids go on counting.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.disk import Disk
from echo.mfm.layout import (
    EPISODES,
    INDEX,
    MINE,
    OPTIONS,
    PART,
    PREVIOUS,
    RUNS,
    TURNS,
    MfmError,
    earlier_lives,
    life_name,
    life_number,
)
from echo.mfm.regular import read_regular

_COPIED = (MINE, TURNS, RUNS, OPTIONS)


@dataclass(frozen=True, kw_only=True)
class Putting:
    """What was found of lives that were being put away."""

    finished: tuple[int, ...] = ()
    """Numbers of lives that are put away now."""
    removed: tuple[str, ...] = ()
    """Folders with copies only, removed."""


def put_away(root: Path, disk: Disk, number: int) -> None:
    """Put the life in the folder `root`, which is whole, away as life `number`.

    Raises:
        MfmError: if a folder or the index of the memory is a link; nothing is changed then.
        OSError: if the disk refuses; the next open undoes it or brings it to its end.
    """
    _refuse_links(root)
    part = _part(root, number)
    disk.make_folder(part)
    for name in _COPIED:
        _copy(root / name, part / name, disk)
    copied = (part / INDEX).with_suffix(PART)
    disk.write_file(copied, read_regular(root / INDEX))
    disk.sync_trees([part])
    disk.rename(copied, part / INDEX)
    finish_life(root, disk)


def finish_life(root: Path, disk: Disk) -> Putting:
    """Bring what `put_away` began to its end, or undo it where nothing but copies was made.

    Raises:
        OSError: if the disk refuses.
    """
    finished: list[int] = []
    removed: list[str] = []
    for number in unfinished_lives(root):
        part = _part(root, number)
        if not (part / INDEX).is_file():
            disk.remove_folder(part)
            removed.append(f"{PREVIOUS}/{part.name}")
            continue
        disk.sync(part)
        if not (root / INDEX).exists() or read_regular(root / INDEX) == read_regular(part / INDEX):
            _empty_index(root, disk)
        if not (part / EPISODES).exists():
            if (root / EPISODES).is_dir():
                disk.rename(root / EPISODES, part / EPISODES)
            else:
                disk.make_folder(part / EPISODES)
        disk.sync(part)
        disk.sync(root)
        disk.rename(part, root / PREVIOUS / life_name(number))
        disk.sync(root / PREVIOUS)
        finished.append(number)
    return Putting(finished=tuple(finished), removed=tuple(removed))


def _empty_index(root: Path, disk: Disk) -> None:
    new = (root / INDEX).with_suffix(PART)
    new.unlink(missing_ok=True)
    disk.write_file(new, b"")
    disk.rename(new, root / INDEX)


def _refuse_links(root: Path) -> None:
    """Refuse to move what is only linked to.

    Raises:
        MfmError: if the index or a folder that belongs to a life is a link.
    """
    for name in (INDEX, EPISODES, PREVIOUS, MINE):
        path = root / name
        if path.is_symlink():
            raise MfmError(
                f"expected {path} to lie in the memory itself, got a link to {path.readlink()}. Put what "
                f"it leads to in its place (or begin a memory there); nothing was moved."
            )


def next_life(root: Path, others: list[int]) -> int:
    """Return the number of the life that is put away next, behind all there are and all in `others`."""
    return 1 + max((*earlier_lives(root), *others), default=0)


def _part(root: Path, number: int) -> Path:
    return root / PREVIOUS / f".{life_name(number)}{PART}"


def unfinished_lives(root: Path) -> list[int]:
    """Return the numbers of the lives whose putting away was begun and not ended."""
    try:
        names = [entry.name for entry in (root / PREVIOUS).iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    numbers = [
        life_number(name[1:].removesuffix(PART))
        for name in names
        if name.startswith(".") and name.endswith(PART)
    ]
    return sorted(number for number in numbers if number is not None)


def _copy(source: Path, target: Path, disk: Disk) -> None:
    """Copy a file, or a folder with all files in it; links and anything else are left out."""
    if source.is_symlink():
        return
    if source.is_file():
        disk.write_file(target, source.read_bytes())
    elif source.is_dir():
        disk.make_folder(target)
        for entry in sorted(os.scandir(source), key=lambda entry: entry.name):
            _copy(Path(entry.path), target / entry.name, disk)

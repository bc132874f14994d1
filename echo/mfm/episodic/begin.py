"""Begin a memory folder, or a new life in one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.disk import Disk, refusals_told
from echo.mfm.episodic.life import next_life, put_away
from echo.mfm.episodic.mend import Mend, Mended, open_folder
from echo.mfm.episodic.previous import row_life
from echo.mfm.layout import INDEX, MINE, MOST_COUNTED, MfmError, Row, episode_number, refuse_earlier_life
from echo.mfm.lock import take_lock
from echo.mfm.options import MemoryOptions, memory_options, save_options


@dataclass(frozen=True, kw_only=True)
class Begun:
    """What beginning did."""

    root: Path
    made: bool
    """Whether the folder held no memory before."""
    life: int | None
    """Number under which the life before was put away; None where none was."""
    episodes: int
    """Episodes of the life that goes on, or of the one that was put away."""
    mend: Mend
    options: MemoryOptions


def last_number(mended: Mended) -> int | None:
    """Return the number that ids count on from: the largest one of this life or an earlier one.

    None where there is none. A number beyond `MOST_COUNTED` is another tool's and counts only where all
    between are there too.
    """
    rows: Sequence[Row] = (*mended.rows, *mended.earlier)
    numbers = {number for row in rows if (number := episode_number(row["id"])) is not None}
    last = max((number for number in numbers if number <= MOST_COUNTED), default=None)
    while last is not None and last + 1 in numbers:
        last += 1
    return last


def begin_memory(
    root: Path | str,
    *,
    options: MemoryOptions | None = None,
    new_life: bool = False,
    disk: Disk | None = None,
) -> Begun:
    """Make a memory folder where there is none, and begin a new life in it if asked to.

    Args:
        root: The memory folder.
        options: What is used of the memory; None leaves it as it is, and uses all in a new one. In a memory
            that holds episodes they may only change together with a new life.
        new_life: Whether what was recorded so far is put away; nothing is where nothing was recorded.
        disk: The file system, for tests.

    Raises:
        MfmError: if another writer has the folder open, `root` is a file, or the options would change in the
            middle of a life.
        OSError: if the disk refuses; doing it again goes on from there.
    """
    folder, disk = Path(root), disk or Disk()
    with refusals_told(folder):
        return _begin(folder, options, disk, new_life=new_life)


def _begin(folder: Path, options: MemoryOptions | None, disk: Disk, *, new_life: bool) -> Begun:
    lock = lock_folder(folder, disk)
    try:
        made = not (folder / INDEX).exists()
        mended = open_folder(folder, disk)
        held = memory_options(folder)
        wanted = held if options is None else options
        if wanted != held and mended.rows and not new_life:
            raise MfmError(
                f"expected the options of {folder} to stay as they are while a life goes on, got others. "
                f"Begin a new life with them, or another folder."
            )
        life = _put_away(folder, disk, mended) if new_life and mended.rows else None
        disk.make_folder(folder / MINE)
        if wanted != held:
            save_options(folder, wanted)
        return Begun(
            root=folder,
            made=made,
            life=life,
            episodes=len(mended.rows),
            mend=mended.mend,
            options=wanted,
        )
    finally:
        os.close(lock)


def begin_life(root: Path | str, *, disk: Disk | None = None) -> Begun:
    """Put what was recorded in the memory `root` away as an earlier life; see `begin_memory`.

    Raises:
        MfmError, OSError: as `begin_memory`.
    """
    return begin_memory(root, new_life=True, disk=disk)


def lock_folder(folder: Path, disk: Disk) -> int:
    """Make the folder where it is not there, and return the lock of its one writer.

    Raises:
        MfmError: if another writer has it open, it is a file, or it lies among the earlier lives of a memory.
    """
    if folder.exists() and not folder.is_dir():
        raise MfmError(f"expected a folder for a memory at {folder}, got a file. Name another place.")
    refuse_earlier_life(folder)
    with refusals_told(folder):
        disk.make_folder(folder)
        return take_lock(folder)


def _put_away(folder: Path, disk: Disk, mended: Mended) -> int:
    known = [life for life in map(row_life, mended.earlier) if life is not None]
    number = next_life(folder, known)
    put_away(folder, disk, number)
    open_folder(folder, disk)
    return number

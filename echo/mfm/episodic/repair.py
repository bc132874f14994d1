"""Mend a memory folder as opening it for writing does, and its earlier lives likewise.

Nothing is made up: an altered file is named by the examination and left.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.disk import Disk, refusals_told
from echo.mfm.episodic.examine import Examination, examine_memory
from echo.mfm.episodic.mend import Mend, mend, open_folder
from echo.mfm.episodic.previous import rebuild_previous
from echo.mfm.layout import EPISODES, INDEX, PREVIOUS, earlier_lives, life_name, refuse_earlier_life
from echo.mfm.lock import take_lock


@dataclass(frozen=True, kw_only=True)
class MemoryRepair:
    """What a repair did and what it left."""

    found: Examination
    done: tuple[str, ...]
    """One line each."""
    left: Examination


def repair_memory(root: Path | str, disk: Disk | None = None) -> MemoryRepair:
    """Mend what can be mended without making anything up.

    Raises:
        MfmError: if there is no memory, it is an earlier life of one, or another writer has it open.
        OSError: if the disk refuses; doing it again goes on from there.
    """
    folder, disk = Path(root), disk or Disk()
    refuse_earlier_life(folder)
    found = examine_memory(folder)
    with refusals_told(folder):
        mends = _mend_all(folder, disk)
    done = [f"{where}{line}" for where, each in mends for line in _done(each)]
    return MemoryRepair(found=found, done=tuple(dict.fromkeys(done)), left=examine_memory(folder))


def _mend_all(folder: Path, disk: Disk) -> list[tuple[str, Mend]]:
    """Mend this life and the earlier ones; return what was done, each with what its lines begin with."""
    lock = take_lock(folder)
    try:
        mends = [("", open_folder(folder, disk).mend)]
        for life in earlier_lives(folder):
            # One that cannot be mended is named by the examination behind this.
            with suppress(OSError):
                mends.append(
                    (f"in {life_name(life)}: ", _mend_life(folder / PREVIOUS / life_name(life), disk))
                )
        mends.append(("", open_folder(folder, disk).mend))
        mends.append(("", Mend(set_aside=rebuild_previous(folder, disk))))
        return mends
    finally:
        os.close(lock)


def _mend_life(home: Path, disk: Disk) -> Mend:
    disk.make_folder(home / EPISODES)
    if not os.path.lexists(home / INDEX):
        disk.write_file(home / INDEX, b"")
    return mend(home, disk).mend


def _done(mended: Mend) -> list[str]:
    return (
        []
        if mended.clean
        else [line for line in mended.describe().split("\n") if not line.endswith("its folder is missing")]
    )

"""Mend a memory folder as opening it for writing does, and its earlier lives likewise.

Nothing is made up: an altered file is named by the examination and left.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.disk import Disk
from echo.mfm.episodic.examine import Examination, examine_memory
from echo.mfm.episodic.mend import Mend, mend, open_folder
from echo.mfm.layout import EPISODES, INDEX, PREVIOUS, earlier_lives, life_name
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
        MfmError: if there is no memory, or another writer has it open.
        OSError: if the disk refuses; doing it again goes on from there.
    """
    folder, disk = Path(root), disk or Disk()
    found = examine_memory(folder)
    lock = take_lock(folder)
    try:
        mends = [("", open_folder(folder, disk).mend)]
        for life in earlier_lives(folder):
            home = folder / PREVIOUS / life_name(life)
            disk.make_folder(home / EPISODES)
            if not (home / INDEX).exists():
                disk.write_file(home / INDEX, b"")
            mends.append((f"in {life_name(life)}: ", mend(home, disk).mend))
        mends.append(("", open_folder(folder, disk).mend))
    finally:
        os.close(lock)
    done = [f"{where}{line}" for where, each in mends for line in _done(each)]
    return MemoryRepair(found=found, done=tuple(dict.fromkeys(done)), left=examine_memory(folder))


def _done(mended: Mend) -> list[str]:
    return (
        []
        if mended.clean
        else [line for line in mended.describe().split("\n") if not line.endswith("its folder is missing")]
    )

"""What a memory folder takes on disk: the storage table of MFM."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.folder import MemoryFolder
from echo.mfm.layout import CACHE, EPISODES, HISTORY, INDEX, MINE, PREVIOUS, earlier_lives, life_name

_PICTURES = (".png", ".webp", ".jpg")


@dataclass(frozen=True, kw_only=True)
class Storage:
    """Counts and bytes of a memory folder, its earlier lives with it."""

    lives: int
    episodes: int
    steps: int | None
    """The last step of each life, added up; None where no row tells."""
    frames: int
    """Pictures in episodes; equal ones that share one file are counted each."""
    episode_bytes: int
    """Contents of episodes without pictures."""
    frame_bytes: int
    """Contents of pictures; a file that several episodes share is counted once."""
    index_bytes: int
    mine_bytes: int
    history_bytes: int
    cache_bytes: int
    """Derived; may be deleted."""


def storage(root: Path) -> Storage:
    """Measure the memory at `root`.

    Raises:
        MfmError: if there is no index, or a line of it is no row.
        OSError: if a folder cannot be read.
    """
    folder = MemoryFolder(root)
    homes = [root, *(root / PREVIOUS / life_name(number) for number in earlier_lives(root))]
    last_steps = [_last_step(MemoryFolder(home)) for home in homes if (home / INDEX).is_file()]
    known = [step for step in last_steps if step is not None]
    frames, frame_bytes, episode_bytes = 0, 0, 0
    shared: set[tuple[int, int]] = set()
    for home in homes:
        for name, entry in _files(home / EPISODES):
            if not name.endswith(_PICTURES):
                episode_bytes += entry.st_size
                continue
            frames += 1
            if (entry.st_dev, entry.st_ino) not in shared:
                shared.add((entry.st_dev, entry.st_ino))
                frame_bytes += entry.st_size
    return Storage(
        lives=len(homes),
        episodes=sum(1 for _ in folder.rows()) + sum(1 for _ in folder.earlier_rows()),
        steps=sum(known) if known else None,
        frames=frames,
        episode_bytes=episode_bytes,
        frame_bytes=frame_bytes,
        index_bytes=sum((home / INDEX).stat().st_size for home in homes if (home / INDEX).is_file()),
        mine_bytes=_bytes(root / MINE),
        history_bytes=_bytes(root / HISTORY),
        cache_bytes=_bytes(root / CACHE),
    )


def _last_step(folder: MemoryFolder) -> int | None:
    steps = [row.get("last_step") for row in folder.rows()]
    return max((step for step in steps if isinstance(step, int)), default=None)


def _bytes(folder: Path) -> int:
    return sum(entry.st_size for _, entry in _files(folder))


def _files(folder: Path) -> list[tuple[str, os.stat_result]]:
    """Return name and facts of every file below `folder`, links not followed; none where it is missing."""
    found: list[tuple[str, os.stat_result]] = []
    for place, _, names in os.walk(folder):
        for name in names:
            entry = (Path(place) / name).lstat()
            if stat.S_ISREG(entry.st_mode):
                found.append((name, entry))
    return found

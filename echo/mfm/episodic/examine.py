"""What is inconsistent in a memory folder: the episodes of this life and of earlier ones, and the indexes.

Nothing is changed; `echo.mfm.episodic.repair` mends what can be mended.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from echo.mfm.episodic.examine_previous import index_flaws, previous_flaws
from echo.mfm.episodic.flaw import RESTORE, Flaw, mendable, tried
from echo.mfm.episodic.in_the_way import as_promised, misplaced, options_flaws
from echo.mfm.episodic.index_mend import SortedOut, sort_out
from echo.mfm.episodic.wholeness import NOT_OURS, EpisodeFolder
from echo.mfm.layout import (
    EPISODES,
    INDEX,
    LOCK,
    MOST_COUNTED,
    PART,
    PREVIOUS,
    STEPS,
    MfmError,
    Row,
    earlier_lives,
    episode_number,
    life_name,
    read_json,
)
from echo.mfm.regular import read_regular

__all__ = ["Examination", "Flaw", "examine_memory", "is_memory"]


@dataclass(frozen=True, kw_only=True)
class Examination:
    """What was found in a memory folder."""

    flaws: tuple[Flaw, ...]
    """Life by life, this one first; empty for a sound memory."""
    remarks: tuple[str, ...]
    """What is worth knowing and nothing wrong."""
    episodes: int
    """Episode folders looked at, those of earlier lives included."""
    lives: int
    """Earlier lives."""

    @property
    def sound(self) -> bool:
        """Whether nothing was found."""
        return not self.flaws


def examine_memory(root: Path | str) -> Examination:
    """Look at every file of the memory folder `root`; nothing is changed.

    Raises:
        MfmError: if there is no memory.
    """
    folder = Path(root)
    if not is_memory(folder):
        raise MfmError(f"expected a memory folder with {INDEX} or {EPISODES}/ in it at {folder}; got none.")
    flaws: list[Flaw] = []
    remarks: list[str] = []
    lives: list[int] = tried(lambda: earlier_lives(folder), [], PREVIOUS, "a folder", flaws)
    homes = [(folder, ""), *((folder / PREVIOUS / life_name(life), f"{life_name(life)}/") for life in lives)]
    episodes = 0
    writer = _writer(folder)
    if writer is not None:
        remarks.append(f"process {writer} is writing this folder; what it has under way shows as unfinished")
    flaws += options_flaws(folder)
    flaws += misplaced(folder)
    for home, prefix in homes:
        life = _Life(home=home, prefix=prefix)
        flaws += life.flaws()
        remarks += life.remarks()
        episodes += len(life.folders)
    flaws += previous_flaws(folder, lives)
    return Examination(
        flaws=tuple(as_promised(flaws)), remarks=tuple(remarks), episodes=episodes, lives=len(lives)
    )


def is_memory(folder: Path) -> bool:
    """Whether `folder` is a memory folder, whole or not."""
    return os.path.lexists(folder / INDEX) or any(
        os.path.isdir(folder / name)  # noqa: PTH112 (False where it cannot be looked at)
        for name in (EPISODES, PREVIOUS)
    )


class _Life:
    """One life of a memory under examination."""

    def __init__(self, *, home: Path, prefix: str) -> None:
        self._home, self._prefix = home, prefix
        self._unread: list[Flaw] = []
        episodes = home / EPISODES
        self._names: list[str] = tried(
            lambda: _names(episodes), [], f"{prefix}{EPISODES}", f"{episodes}", self._unread
        )
        self.folders = _episode_names(self._names)
        index = home / INDEX
        data: bytes | Literal[True] = tried(
            lambda: _bytes(index), b"", f"{prefix}{INDEX}", f"an index at {index}", self._unread
        )
        self._no_index = data is True
        self._data = b"" if data is True else data
        self._held: SortedOut = sort_out(self._data)
        self._foreign: list[str] = []
        self._lacking: list[str] = []

    def flaws(self) -> Iterator[Flaw]:
        """Yield what is wrong: the index first, then the episodes in order of ids."""
        index = f"{self._prefix}{INDEX}"
        if self._no_index:
            yield mendable("lost index", index, "expected an index, got no file")
        yield from self._unread
        yield from index_flaws(index, self._held)
        yield from self._unfinished()
        known = {line.row["id"]: line.row for line in self._held.lines}
        present = frozenset(self.folders)
        for line in self._held.lines:
            name = line.row["id"]
            if name not in present:
                where = f"{self._prefix}{name}"
                yield Flaw(
                    kind="missing episode",
                    where=where,
                    what=f"expected a folder for this row of {index}, got none",
                    repair=RESTORE,
                    mendable=False,
                )
        yield from self._episodes(known)

    def remarks(self) -> Iterator[str]:
        """Yield what is no fault; call after `flaws` was read to its end."""
        if self._foreign:
            yield (
                f"{len(self._foreign)} episode{'s' * (len(self._foreign) > 1)} of another tool in "
                f"{self._home}, {self._foreign[0]} first: {NOT_OURS}"
            )
        if self._lacking:
            yield f"in {self._home} {len(self._lacking)} of their files are missing, {self._lacking[0]} first"
        beyond = [name for name in self._ids() if (episode_number(name) or 0) > MOST_COUNTED]
        if beyond:
            yield (
                f"in {self._home} the number of {beyond[0]} is beyond {MOST_COUNTED:,}: not counted on "
                f"for the next id"
            )
        if self._data.startswith(b"\xef\xbb\xbf") or b"\r\n" in self._data:
            yield f"{self._home / INDEX} has a byte order mark or line ends of two characters: read as it is"
        back = list(_clock_back([line.row for line in self._held.lines]))
        if back:
            yield (
                f"in {self._home} the step count goes back {len(back)} time{'s' * (len(back) > 1)}, "
                f"at {back[0]} first: "
                f"recorded as given"
            )

    def _ids(self) -> list[str]:
        return list(dict.fromkeys([*self.folders, *(line.row["id"] for line in self._held.lines)]))

    def _episodes(self, known: dict[str, Row]) -> Iterator[Flaw]:
        if not self.folders:
            return
        check, index = EpisodeFolder(self._home), f"{self._prefix}{INDEX}"
        for name in self.folders:
            where, folder = f"{self._prefix}{name}", self._home / EPISODES / name
            verdict = check.verdict(folder)
            if verdict.state == "foreign":
                self._foreign.append(name)
                self._lacking += [f"{name}/{each}" for each in verdict.lacks]
            elif verdict.state == "broken":
                yield Flaw(
                    kind="altered episode", where=where, what=verdict.told, repair=RESTORE, mendable=False
                )
            if name not in known:
                yield mendable(
                    "episode without row",
                    where,
                    f"expected a row in {index}; a killed writer leaves it so",
                )
            elif verdict.state == "whole" and known[name] != _kept_row(folder):
                yield Flaw(
                    kind="altered row",
                    where=where,
                    what=f"expected the row in {index} to be the one kept in {STEPS}; got another",
                    repair="nothing: either may be the altered one; compare them",
                    mendable=False,
                )

    def _unfinished(self) -> Iterator[Flaw]:
        for name in self._names:
            if name.startswith(".") and name.endswith(PART):
                where = f"{self._prefix}{EPISODES}/{name}"
                yield mendable("unfinished episode", where, "expected only whole episodes")


def _clock_back(rows: list[Row]) -> Iterator[str]:
    """Yield the ids of episodes that begin at an earlier step than the one before them ended at."""
    last: int | None = None
    for row in rows:
        first, end = row.get("first_step"), row.get("last_step")
        if type(first) is int and last is not None and first < last:
            yield row["id"]
        if type(end) is int:
            last = end


def _episode_names(names: list[str]) -> list[str]:
    numbered = [(number, name) for name in names if (number := episode_number(name)) is not None]
    return [name for _, name in sorted(numbered)]


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except FileNotFoundError:
        if folder.is_symlink():
            raise
        return []


def _bytes(index: Path) -> bytes | Literal[True]:
    """Return what an index holds, or True where it is lost."""
    try:
        return read_regular(index)
    except FileNotFoundError:
        if index.is_symlink():
            raise
        return True


def _kept_row(folder: Path) -> Any:
    try:
        return read_json(folder / STEPS).get("row")
    except MfmError:
        # Gone since it was looked at.
        return None


def _writer(root: Path) -> str | None:
    """Return the number of the process that writes `root`, or None where none does."""
    try:
        lock = os.open(root / LOCK, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        # Of a pipe nothing can be read here.
        told = os.pread(lock, 64, 0) if stat.S_ISREG(os.fstat(lock).st_mode) else b""
        return told.decode("ascii", "replace").strip() or "unknown"
    else:
        return None
    finally:
        os.close(lock)

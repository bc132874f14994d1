"""What is inconsistent in a memory folder: the episodes of this life and of earlier ones, and the indexes.

Nothing is changed; `echo.mfm.episodic.repair` mends what can be mended.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.episodic.index import Line
from echo.mfm.episodic.index_mend import SortedOut, sort_out
from echo.mfm.episodic.life import unfinished_lives
from echo.mfm.episodic.previous import lacking_rows, row_life, rows_without_folder
from echo.mfm.episodic.wholeness import NOT_OURS, EpisodeFolder
from echo.mfm.layout import (
    EPISODES,
    INDEX,
    LOCK,
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
from echo.mfm.options import memory_options

MENDS = "put the index and the folders in step; what is taken out is kept in mended/"
RESTORE = "nothing: what was recorded is gone; restore it from a copy of the memory"


@dataclass(frozen=True, kw_only=True)
class Flaw:
    """One inconsistency of a memory folder."""

    kind: str
    """Short name of the kind of fault, such as 'altered episode'."""
    where: str
    """Episode, 'life_1/ep_000012' for one of an earlier life, or file."""
    what: str
    """Expected and got, in plain words."""
    repair: str
    """What a repair does about it, or why it leaves it."""
    mendable: bool


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
        OSError: if a folder cannot be read.
    """
    folder = Path(root)
    if not is_memory(folder):
        raise MfmError(f"expected a memory folder with {INDEX} or {EPISODES}/ in it at {folder}; got none.")
    lives = earlier_lives(folder)
    homes = [(folder, ""), *((folder / PREVIOUS / life_name(life), f"{life_name(life)}/") for life in lives)]
    flaws: list[Flaw] = []
    remarks: list[str] = []
    episodes = 0
    writer = _writer(folder)
    if writer is not None:
        remarks.append(f"process {writer} is writing this folder; what it has under way shows as unfinished")
    flaws += _options_flaws(folder)
    for home, prefix in homes:
        life = _Life(home=home, prefix=prefix)
        flaws += life.flaws()
        remarks += life.remarks()
        episodes += len(life.folders)
    flaws += _previous_flaws(folder, lives)
    return Examination(flaws=tuple(flaws), remarks=tuple(remarks), episodes=episodes, lives=len(lives))


def is_memory(folder: Path) -> bool:
    """Whether `folder` is a memory folder, whole or not."""
    return (folder / INDEX).is_file() or (folder / EPISODES).is_dir() or (folder / PREVIOUS).is_dir()


class _Life:
    """One life of a memory under examination."""

    def __init__(self, *, home: Path, prefix: str) -> None:
        self._home, self._prefix = home, prefix
        self.folders = _episode_names(home)
        index = home / INDEX
        self._no_index = not index.is_file()
        self._held: SortedOut = sort_out(b"" if self._no_index else index.read_bytes())
        self._foreign: list[str] = []

    def flaws(self) -> Iterator[Flaw]:
        """Yield what is wrong: the index first, then the episodes in order of ids."""
        index = f"{self._prefix}{INDEX}"
        if self._no_index:
            yield _mendable("lost index", index, "expected an index, got no file")
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
        back = list(_clock_back([line.row for line in self._held.lines]))
        if back:
            yield (
                f"in {self._home} the step count goes back {len(back)} time{'s' * (len(back) > 1)}, "
                f"at {back[0]} first: "
                f"recorded as given"
            )

    def _episodes(self, known: dict[str, Row]) -> Iterator[Flaw]:
        if not self.folders:
            return
        check, index = EpisodeFolder(self._home), f"{self._prefix}{INDEX}"
        for name in self.folders:
            where, folder = f"{self._prefix}{name}", self._home / EPISODES / name
            verdict = check.verdict(folder)
            if verdict.state == "foreign":
                self._foreign.append(name)
            elif verdict.state == "broken":
                yield Flaw(
                    kind="altered episode", where=where, what=verdict.told, repair=RESTORE, mendable=False
                )
            if name not in known:
                yield _mendable(
                    "episode without row",
                    where,
                    f"expected a row in {index}; a killed writer leaves it so",
                )
            elif verdict.state == "whole" and known[name] != read_json(folder / STEPS).get("row"):
                yield Flaw(
                    kind="altered row",
                    where=where,
                    what=f"expected the row in {index} to be the one kept in {STEPS}; got another",
                    repair="nothing: either may be the altered one; compare them",
                    mendable=False,
                )

    def _unfinished(self) -> Iterator[Flaw]:
        for name in _names(self._home / EPISODES):
            if name.startswith(".") and name.endswith(PART):
                where = f"{self._prefix}{EPISODES}/{name}"
                yield _mendable("unfinished episode", where, "expected only whole episodes")


def index_flaws(where: str, held: SortedOut) -> Iterator[Flaw]:
    """Yield what is wrong with the lines of an index."""
    for each in held.out:
        kind = "torn index" if each.reason.startswith("torn") else "second row"
        yield _mendable(kind, f"{where} at byte {each.torn.offset}", each.reason)
    if held.rejoined:
        yield _mendable("glued rows", where, f"expected a line for each row, {held.rejoined} have none")


def _previous_flaws(root: Path, lives: list[int]) -> Iterator[Flaw]:
    where = f"{PREVIOUS}/{INDEX}"
    for number in unfinished_lives(root):
        yield _mendable("life half put away", f"{PREVIOUS}/{life_name(number)}", "expected a whole life")
    index = root / where
    if not lives and not index.is_file():
        return
    held = sort_out(
        index.read_bytes() if index.is_file() else b"", key=lambda row: (row_life(row), row["id"])
    )
    yield from index_flaws(where, held)
    lacking = lacking_rows(root, lives, held.lines)
    if lacking:
        first: Line = lacking[0]
        yield _mendable(
            "rows of earlier lives",
            where,
            f"expected a row for each episode, {len(lacking)} have none, "
            f"{life_name(first.row['life'])}/{first.row['id']} first",
        )
    for name in rows_without_folder(root, lives, held.lines):
        yield Flaw(
            kind="missing episode",
            where=name,
            what=f"expected a folder for this row of {where}, got none",
            repair=RESTORE,
            mendable=False,
        )


def _options_flaws(root: Path) -> Iterator[Flaw]:
    try:
        memory_options(root)
    except MfmError as error:
        yield Flaw(
            kind="options",
            where="options.json",
            what=str(error),
            repair="nothing: only its owner knows what was switched off",
            mendable=False,
        )


def _mendable(kind: str, where: str, what: str) -> Flaw:
    return Flaw(kind=kind, where=where, what=what, repair=MENDS, mendable=True)


def _clock_back(rows: list[Row]) -> Iterator[str]:
    """Yield the ids of episodes that begin at an earlier step than the one before them ended at."""
    last: int | None = None
    for row in rows:
        first, end = row.get("first_step"), row.get("last_step")
        if type(first) is int and last is not None and first < last:
            yield row["id"]
        if type(end) is int:
            last = end


def _episode_names(home: Path) -> list[str]:
    numbered = [
        (number, name) for name in _names(home / EPISODES) if (number := episode_number(name)) is not None
    ]
    return [name for _, name in sorted(numbered)]


def _names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []


def _writer(root: Path) -> str | None:
    """Return the number of the process that writes `root`, or None where none does."""
    try:
        lock = os.open(root / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return os.pread(lock, 64, 0).decode("ascii", "replace").strip() or "unknown"
    else:
        return None
    finally:
        os.close(lock)

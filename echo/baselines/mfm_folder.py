"""A memory folder as it is lived in: steps become episodes, episodes are read back.

Every step is recorded. An episode ends with a step that worked and shows something not shown before, so that
its last step is the news and the others led there; or after `STRETCH` steps without any, which is how most of
what was tried in vain is kept.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from csd.episode import Attack, Collect, Craft, Eat, Episode, Mine, Observation, Place, Smelt, Step
from echo.mfm.disk import Disk, write_all
from echo.mfm.episodic.begin import begin_memory
from echo.mfm.episodic.reader import read_episode, read_index
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.layout import MfmError
from echo.mfm.lock import take_lock
from echo.mfm.options import MemoryOptions

STRETCH = 16
"""Steps of an episode that shows nothing new, at most."""

MILESTONE = "milestone"
"""Tag of an episode that brought something never held before."""

STUCK = "stuck"
"""Tag of an episode in which something was tried in vain."""

_VAIN = ("no_result", "no_drop", "not_fuel", "not_placeable", "not_edible", "not_breakable")

_PREFIX = "echo-mfm-"
_SHARED_MEMORY = Path("/dev/shm")
_YOUNG = 60.0
"""Seconds within which a folder that was just made is opened."""
_ROOM = 1 << 30
"""Bytes that must be free there: 30 episodes of 250 steps take 50 MB."""

_TELLING = (Attack, Collect, Craft, Eat, Mine, Place, Smelt)


def got(item: str) -> str:
    """Return the tag of episodes in which `item` was got.

    >>> got("stick")
    'got:stick'
    """
    return f"got:{item}"


def dug(block: str) -> str:
    """Return the tag of episodes in which a `block` was dug.

    >>> dug("stone")
    'dug:stone'
    """
    return f"dug:{block}"


class Fleeting(Disk):
    """A file system for folders that are gone in the end: nothing waits for the platter."""

    def sync(self, path: Path) -> None:
        """Leave it to the system."""

    def sync_trees(self, folders: Sequence[Path]) -> None:
        """Leave it to the system."""

    def append(self, path: Path, data: bytes) -> None:
        """Append `data`. Raises OSError if it could not be written."""
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        try:
            write_all(descriptor, data)
        finally:
            os.close(descriptor)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Waiting:
    """A demonstration that waits for the life to begin."""

    goal: str
    steps: tuple[Step, ...]
    after: Observation
    source: str


class LivedFolder:
    """Steps in, episodes out; where no folder is named, a temporary one is made."""

    def __init__(self, folder: Path | None, options: MemoryOptions, *, source: str) -> None:
        """Begin a memory folder, or go on in one.

        Args:
            folder: the memory folder, made where it is not there; None for a temporary one.
            options: what is used of it.
            source: the world that the episodes come from, as they name it.

        Raises:
            MfmError: if a writer has the folder open, or it holds episodes recorded with other options.
        """
        temporary = folder is None
        disk = Fleeting() if temporary else Disk()
        self.root = _temporary() if folder is None else folder
        opened: list[Recorder] = []
        self._close = weakref.finalize(self, _leave, self.root if temporary else None, opened)
        begin_memory(self.root, options=options, disk=disk)
        self.recorder = Recorder.open(
            self.root,
            source=source,
            durability="batch",
            frames="first" if options.frames else "none",
            disk=disk,
        )
        opened.append(self.recorder)
        self._before_life: list[_Waiting] = []
        self._steps: list[Step] = []
        self._tags: dict[str, None] = {}
        self._shown: dict[object, None] = {}
        self._read: dict[str, tuple[Step, ...]] = {}
        self.written: list[str] = [
            str(row["id"]) for row in read_index(self.root) if row.get("kind") != "initial"
        ]
        """Ids of the episodes of this life, in order, without the initial state."""

    def show(self, episode: Episode) -> None:
        """Take in a demonstration; it is written when the life has begun.

        The first entry of a life says which world it lives in, and a demonstration may come from another one.
        """
        self._before_life.append(
            _Waiting(goal=episode.goal, steps=episode.steps, after=episode.after, source=episode.source)
        )
        if not self.recorder.empty:
            self.begin(episode.after)

    def begin(self, seen: Observation) -> None:
        """Begin the life with what is seen now, unless it has begun, and write what waits for it."""
        if self.recorder.empty:
            self.recorder.initial(seen)
        elif not self._before_life:
            return
        for waiting in self._before_life:
            befores = [step.before for step in waiting.steps[1:]]
            held = dict.fromkeys(waiting.steps[0].before.inventory) if waiting.steps else {}
            for step, after in zip(waiting.steps, [*befores, waiting.after], strict=True):
                fresh = [item for item in after.inventory if item not in held]
                held.update(dict.fromkeys(fresh))
                self.take_in(step, fresh, after, goal=waiting.goal, source=waiting.source)
            self.cut(waiting.after, goal=waiting.goal, source=waiting.source)
        self._before_life.clear()
        self.recorder.flush()

    def take_in(
        self, step: Step, fresh: Sequence[str], after: Observation, *, goal: str, source: str | None = None
    ) -> None:
        """Record a step; writes an episode where it shows something new."""
        self._steps.append(step)
        self._tags.update(dict.fromkeys(_tags(step)))
        news = _news(step)
        new = news is not None and news not in self._shown
        if new:
            self._shown[news] = None
        if fresh:
            self._tags[MILESTONE] = None
        if step.outcome.code in _VAIN:
            self._tags[STUCK] = None
        if new or fresh or len(self._steps) >= STRETCH:
            self.cut(after, goal=goal, source=source)

    def cut(self, after: Observation, *, goal: str, source: str | None = None) -> None:
        """Write the steps since the last episode as one; without any nothing happens."""
        if not self._steps:
            return
        name = self.recorder.write(
            goal=goal, steps=self._steps, after=after, tags=tuple(self._tags), source=source
        )
        self.written.append(name)
        # Reading it back gives the same records: what is in memory already need not be decoded again.
        self._read[name] = _telling(self._steps)
        self._steps, self._tags = [], {}

    def read(self, ids: Iterable[str]) -> tuple[Step, ...]:
        """Return the steps of episodes that tell something, oldest first.

        Files of episodes never change, so that each is read from disk once, and those written here not at
        all.

        Raises:
            MfmError: if one is missing or unreadable.
        """
        for name in ids:
            if name not in self._read:
                self._read[name] = _telling(read_episode(self.root, name).steps)
        return tuple(step for name in sorted(dict.fromkeys(ids)) for step in self._read[name])

    def finish(self) -> None:
        """Close the folder, and remove it where it is a temporary one; a second time nothing happens."""
        self._close()


def _temporary() -> Path:
    """Make a temporary folder, and remove those that killed processes left where it is made.

    A run leaves thousands of small files; removing 2,800 of them took 15 s on a busy disk. So they lie in
    shared memory where there is some with room, unless the environment names a place.
    """
    place = Path(tempfile.gettempdir())
    if "TMPDIR" not in os.environ and _has_room(_SHARED_MEMORY):
        place = _SHARED_MEMORY
    for left in sorted(place.glob(f"{_PREFIX}*")):
        _remove_left(left)
    return Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))


def _has_room(place: Path) -> bool:
    try:
        return shutil.disk_usage(place).free >= _ROOM and os.access(place, os.W_OK)
    except OSError:
        return False


def _remove_left(folder: Path) -> None:
    """Remove a temporary folder unless someone has it open, or may be about to open it."""
    try:
        if time.time() - folder.stat().st_mtime < _YOUNG:
            return
        lock = take_lock(folder)
    except (MfmError, OSError):
        return
    try:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def _leave(temporary: Path | None, open_recorders: list[Recorder]) -> None:
    try:
        for recorder in open_recorders:
            recorder.close()
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def _telling(steps: Iterable[Step]) -> tuple[Step, ...]:
    return tuple(step for step in steps if isinstance(step.action, _TELLING))


def _tags(step: Step) -> list[str]:
    outcome = step.outcome
    tags = [got(item) for item, change in outcome.inventory_delta.items() if change > 0]
    if isinstance(step.action, Collect | Mine) and outcome.block is not None:
        tags.append(dug(outcome.block))
    return tags


def _news(step: Step) -> object:
    """Return what a step that worked shows, None where it shows nothing; equal values show the same."""
    action, outcome = step.action, step.outcome
    if not outcome.ok:
        return None
    match action:
        case Craft():
            return "craft", action.grid
        case Smelt():
            return "smelt", action.input, action.fuel
        case Place() | Eat():
            return action.kind, action.item
        case Attack():
            return "attack", action.mob, step.before.tool
        case Collect() | Mine():
            return "dig", outcome.block, step.before.tool, tuple(outcome.inventory_delta)
        case _:
            return None

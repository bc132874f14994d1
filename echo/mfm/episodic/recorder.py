"""Write episodes into a memory folder, one writer at a time, safe against a kill at any moment.

An episode is written into `.ep_*.part`, brought to the platter, renamed to its id, and only then given
its index line by a single append: whoever reads the index finds whole episodes only. What a kill leaves
behind is mended at the next `Recorder.open`, which reports it (`Recorder.mend`, rules in
`echo.mfm.episodic.mend`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from csd.episode import Observation, Step
from echo.mfm.disk import Disk
from echo.mfm.episodic.documents import Entry, Frames, episode_files
from echo.mfm.episodic.mend import Mend, mend
from echo.mfm.layout import EPISODES, INDEX, PART, MfmError, episode_id, episode_number, to_line
from echo.mfm.lock import take_lock

Durability = Literal["each", "batch"]
"""'each': on the platter when `write` returns. 'batch': at `flush`, `close`, and every `BATCH` episodes;
until then the index has no line for it. A killed process loses nothing either way (the next open puts the
lines in); a power cut may take the episodes of an unfinished batch, and then takes them whole."""

BATCH = 64


class Recorder:
    """The one writer of a memory folder. Safe to call from several threads; a context manager."""

    def __init__(
        self, root: Path, *, source: str, durability: Durability, frames: Frames, disk: Disk, lock: int
    ) -> None:
        """Take over an open lock; use `Recorder.open`."""
        self.root = root
        self.source = source
        self._durability, self._frames, self._disk, self._lock = durability, frames, disk, lock
        self._process = os.getpid()
        self._turn = threading.Lock()
        self._waiting: list[tuple[Path, bytes]] = []
        self._fault: str | None = None
        disk.make_folder(root / EPISODES)
        if not (root / INDEX).exists():
            disk.write_file(root / INDEX, b"")
            disk.sync(root / INDEX)
        disk.sync(root)
        disk.sync(root.parent)
        mended = mend(root, disk)
        self.mend: Mend = mended.mend
        numbers = [episode_number(row["id"]) for row in mended.rows]
        self._last = max((number for number in numbers if number is not None), default=None)

    @classmethod
    def open(
        cls,
        root: Path | str,
        *,
        source: str,
        durability: Durability = "each",
        frames: Frames = "first",
        disk: Disk | None = None,
    ) -> Self:
        """Open the memory at `root` for writing, making it where it does not exist, and mend it.

        Args:
            root: The memory folder.
            source: The world that makes the episodes, such as 'minecraft-1.17.1'.
            durability: When an episode is on the platter, see `Durability`.
            frames: Which pictures are kept, see `Frames`.
            disk: The file system, for tests.

        Raises:
            MfmError: if another writer has it open, or `root` is a file.
            ValueError: on an unknown `durability` or `frames`.
        """
        if durability not in ("each", "batch") or frames not in ("first", "all", "none"):
            raise ValueError(
                f"expected durability 'each' or 'batch' and frames 'first', 'all' or 'none', "
                f"got {durability!r} and {frames!r}"
            )
        folder, disk = Path(root), disk or Disk()
        if folder.exists() and not folder.is_dir():
            raise MfmError(f"expected a folder for a memory at {folder}, got a file. Name another place.")
        disk.make_folder(folder)
        lock = take_lock(folder)
        try:
            return cls(folder, source=source, durability=durability, frames=frames, disk=disk, lock=lock)
        except BaseException:
            os.close(lock)
            raise

    @property
    def last_id(self) -> str | None:
        """Id of the newest episode, or None in an empty memory."""
        return None if self._last is None else episode_id(self._last)

    def initial(self, observation: Observation) -> str:
        """Record the state before the first action as ep_000000 and return that id.

        Raises:
            ValueError: if the memory holds an episode already.
        """
        with self._turn:
            if self._last is not None:
                raise ValueError(
                    f"expected an empty memory for the initial state, {self.root} holds {self.last_id}. "
                    f"Write on with write(), or open another folder."
                )
            return self._put(0, Entry(goal="", steps=(), after=observation), self.source)

    def write(
        self,
        *,
        goal: str,
        steps: Sequence[Step],
        after: Observation,
        notes: Sequence[str] = (),
        tags: Sequence[str] = (),
        source: str | None = None,
    ) -> str:
        """Record one executed task as an episode and return its id.

        Args:
            goal: What it was for.
            steps: Its turns in order, at least one.
            after: What was seen after the last step.
            notes: Remarks for a reader; the first one is shown by a query.
            tags: Tags beside those that follow from the steps (inventory_changed, broke, damage, note).
            source: The world, where it is not the recorder's own.

        Raises:
            ValueError: on no step, a number that is not finite, or a frame of a wrong shape; nothing is
                written then and the id stays free.
            MfmError: if the recorder is closed, or an earlier write failed half way.
            OSError: if the disk refuses; after a failed index append the recorder must be opened again.
        """
        if not steps:
            raise ValueError(
                f"expected at least one step in an episode, got none (goal {goal!r}). "
                f"Use initial() for a state before any action."
            )
        entry = Entry(goal=goal, steps=tuple(steps), after=after, notes=tuple(notes), tags=tuple(tags))
        with self._turn:
            return self._put((self._last or 0) + 1, entry, self.source if source is None else source)

    def flush(self) -> None:
        """Bring all episodes written so far to the platter and into the index."""
        with self._turn:
            self._check_usable()
            self._flush()

    def close(self) -> None:
        """Flush and let go of the memory; closing twice is fine."""
        with self._turn:
            if self._lock < 0:
                return
            try:
                if self._fault is None and os.getpid() == self._process:
                    self._flush()
            finally:
                os.close(self._lock)
                self._lock = -1

    def __enter__(self) -> Self:
        """Return the recorder."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close, also after an exception."""
        self.close()

    def _put(self, number: int, entry: Entry, source: str) -> str:
        self._check_usable()
        name = episode_id(number)
        made = episode_files(name, entry, source, self._frames)
        part = self.root / EPISODES / f".{name}{PART}"
        try:
            self._write_folder(part, made.files)
        except BaseException:
            if part.exists():
                self._disk.remove_folder(part)
            raise
        self._publish(part, name, to_line(made.row))
        self._last = number
        return name

    def _write_folder(self, part: Path, files: dict[str, bytes]) -> None:
        for folder in dict.fromkeys((part / name).parent for name in files):
            self._disk.make_folder(folder)
        for name, data in files.items():
            self._disk.write_file(part / name, data)
        if self._durability == "each":
            self._disk.sync_trees([part])

    def _publish(self, part: Path, name: str, line: bytes) -> None:
        folder = self.root / EPISODES / name
        try:
            self._disk.rename(part, folder)
            if self._durability == "each":
                self._disk.sync(folder.parent)
                self._disk.append(self.root / INDEX, line)
                return
            self._waiting.append((folder, line))
            if len(self._waiting) >= BATCH:
                self._flush()
        except BaseException as error:
            self._fault = f"{name} was left without its index line: {error}"
            raise

    def _flush(self) -> None:
        if not self._waiting:
            return
        try:
            self._disk.sync_trees([folder for folder, _ in self._waiting])
            self._disk.sync(self.root / EPISODES)
            self._disk.append(self.root / INDEX, b"".join(line for _, line in self._waiting))
        except BaseException as error:
            self._fault = f"{self._waiting[0][0].name} and later were left without index lines: {error}"
            raise
        self._waiting.clear()

    def _check_usable(self) -> None:
        if self._lock < 0:
            raise MfmError(f"expected an open recorder, the one for {self.root} is closed. Open it again.")
        if os.getpid() != self._process:
            raise MfmError(
                f"expected to write {self.root} from process {self._process}, which opened it, "
                f"got process {os.getpid()}. Let one process write, or open a folder for each."
            )
        if self._fault is not None:
            raise MfmError(
                f"expected a whole memory, but a write to {self.root} failed half way ({self._fault}). "
                f"Close this recorder, make room on the disk, and open it again: opening mends it."
            )

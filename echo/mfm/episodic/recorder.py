"""Write episodes into a memory folder, one writer at a time, safe against a kill at any moment.

How an episode gets to disk is told in `echo.mfm.episodic.writer`; writing in a thread of its own in
`echo.mfm.episodic.background`. What a kill leaves behind is mended at the next `Recorder.open`, which reports
it (`Recorder.mend`, rules in `echo.mfm.episodic.mend`).

Time is recorded as it is given: an episode may begin before the one before it ended, as when a world starts
over. Rows keep the order of writing; `echo-memory doctor` remarks where the clock went back.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from csd.episode import Observation, Step
from echo.mfm.disk import Disk
from echo.mfm.episodic.background import BackgroundWriter, Waits
from echo.mfm.episodic.begin import last_number, lock_folder
from echo.mfm.episodic.documents import Entry
from echo.mfm.episodic.files import Frames, Making, freeze
from echo.mfm.episodic.frames import Codec, check_codec
from echo.mfm.episodic.mend import Mend, open_folder
from echo.mfm.episodic.refusals import as_texts
from echo.mfm.episodic.shelf import Shelf
from echo.mfm.episodic.writer import Desk, Durability, EpisodeWriter
from echo.mfm.layout import MfmError, episode_id
from echo.mfm.options import memory_options


class Recorder:
    """The one writer of a memory folder. Safe to call from several threads; a context manager."""

    def __init__(
        self,
        root: Path,
        *,
        source: str,
        durability: Durability,
        making: Making,
        background: bool,
        disk: Disk,
        lock: int,
    ) -> None:
        """Take over an open lock; use `Recorder.open`."""
        self.root = root
        self.source = source
        self._lock = lock
        self._process = os.getpid()
        self._turn = threading.Lock()
        mended = open_folder(root, disk)
        self.mend: Mend = mended.mend
        if not memory_options(root).frames:
            making = replace(making, frames="none")
        self._making = making
        self._last = last_number(mended)
        self._empty = not mended.rows
        shelf = Shelf(root)
        if making.frames != "none":
            shelf.learn((*mended.earlier, *mended.rows))
        self._background: BackgroundWriter | None = None
        if background:
            writer = EpisodeWriter(root, durability="batch", disk=disk, shelf=shelf)
            self._background = BackgroundWriter(writer, prompt=durability == "each")
            self._desk: Desk = self._background
            atexit.register(self.close)
        else:
            self._desk = EpisodeWriter(root, durability=durability, disk=disk, shelf=shelf)

    @classmethod
    def open(
        cls,
        root: Path | str,
        *,
        source: str,
        durability: Durability = "each",
        frames: Frames = "first",
        codec: Codec = "png",
        background: bool = False,
        disk: Disk | None = None,
    ) -> Self:
        """Open the memory at `root` for writing, making it where it does not exist, and mend it.

        Args:
            root: The memory folder.
            source: The world that makes the episodes, such as 'minecraft-1.17.1'.
            durability: When an episode is on the platter, see `Durability`.
            frames: Which pictures are kept, see `Frames`; none where the folder's options say so.
            codec: How they are packed, see `Codec`; those there already stay as they are.
            background: Whether a thread of its own writes, so that `write` returns once the episode cannot
                change any more. An episode is then on the platter when `flush` or `close` returns, and, with
                durability 'each', as soon as nothing waits; a killed process loses what waits. At most
                256 episodes and 64 MiB wait, then `write` does (`waits` counts it).
            disk: The file system, for tests.

        Raises:
            MfmError: if another writer has it open, `root` is a file, or its options are unreadable.
            ValueError: on an unknown `durability`, `frames` or `codec`.
        """
        if durability not in ("each", "batch") or frames not in ("first", "all", "none"):
            raise ValueError(
                f"expected durability 'each' or 'batch' and frames 'first', 'all' or 'none', "
                f"got {durability!r} and {frames!r}"
            )
        making = Making(frames=frames, codec=check_codec(codec), borrowed=background)
        folder, disk = Path(root), disk or Disk()
        lock = lock_folder(folder, disk)
        try:
            return cls(
                folder,
                source=source,
                durability=durability,
                making=making,
                background=background,
                disk=disk,
                lock=lock,
            )
        except BaseException:
            os.close(lock)
            raise

    @property
    def empty(self) -> bool:
        """Whether this life holds no episode yet."""
        return self._empty

    @property
    def last_id(self) -> str | None:
        """Id of the newest episode, or None in an empty memory."""
        return None if self._last is None else episode_id(self._last)

    @property
    def waits(self) -> Waits:
        """How often and how long `write` was held because too much waited; none without a background."""
        return Waits() if self._background is None else self._background.waits

    @property
    def unwritten(self) -> tuple[str, ...]:
        """Ids given out whose episode still waits to be written, the oldest first."""
        return () if self._background is None else self._background.unwritten

    def initial(self, observation: Observation) -> str:
        """Record the state before the first action of a life and return its id, ep_000000 in a new memory.

        Raises:
            ValueError: if this life holds an episode already, or the observation cannot be recorded; see
                `write`.
        """
        with self._turn:
            if not self._empty:
                raise ValueError(
                    f"expected an empty memory for the initial state, {self.root} holds {self.last_id}. "
                    f"Write on with write(), begin a new life, or open another folder."
                )
            return self._put(Entry(goal="", steps=(), after=observation), self.source, {})

    def write(
        self,
        *,
        goal: str,
        steps: Sequence[Step],
        after: Observation,
        notes: Sequence[str] = (),
        tags: Sequence[str] = (),
        source: str | None = None,
        attachments: Mapping[str, bytes] | None = None,
    ) -> str:
        """Record one executed task as an episode and return its id.

        Args:
            goal: What it was for.
            steps: Its turns in order, at least one.
            after: What was seen after the last step.
            notes: Remarks for a reader; the first one is shown by a query.
            tags: Tags beside those that follow from the steps (inventory_changed, broke, damage, note);
                printable, without commas and without blanks at their ends.
            source: The world, where it is not the recorder's own.
            attachments: What else belongs to it, plain file name -> content; the index names the first.

        Raises:
            ValueError: on no step, a value that a reader would refuse (such as an action or a code of another
                kind, or a number that is not finite), a tag with a comma, a frame of a wrong shape, or a bad
                attachment name; nothing is written then and the id stays free.
            TypeError: on an attachment that is not bytes; the same.
            MfmError: if the recorder is closed, or an earlier write failed half way or in the background.
            OSError: if the disk refuses; after a failed index append the recorder must be opened again.
        """
        entry = Entry(
            goal=goal,
            steps=tuple(steps),
            after=after,
            notes=as_texts("notes", notes),
            tags=as_texts("tags", tags),
        )
        return self.record(entry, source=source, attachments=attachments)

    def record(
        self, entry: Entry, *, source: str | None = None, attachments: Mapping[str, bytes] | None = None
    ) -> str:
        """Record an episode that may say what led to it, and return its id. See `write`, also for errors."""
        if not entry.steps:
            raise ValueError(
                f"expected at least one step in an episode, got none (goal {entry.goal!r}). "
                f"Use initial() for a state before any action."
            )
        with self._turn:
            return self._put(entry, self.source if source is None else source, attachments or {})

    def flush(self) -> None:
        """Bring all episodes written so far to the platter and into the index.

        Raises:
            MfmError: if the recorder is closed, or the background could not write; calling again tries again.
            OSError: if the disk refuses.
        """
        with self._turn:
            self._check_usable()
            self._desk.flush()

    def close(self) -> None:
        """Flush and let go of the memory; closing twice is fine.

        Raises:
            MfmError: if the background could not write what waited; the ids are named.
            OSError: if the disk refuses.
        """
        with self._turn:
            if self._lock < 0:
                return
            try:
                if os.getpid() == self._process:
                    atexit.unregister(self.close)
                    self._desk.close()
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

    def _put(self, entry: Entry, source: str, attachments: Mapping[str, bytes]) -> str:
        self._check_usable()
        number = self._next(initial=not entry.steps)
        name = episode_id(number)
        self._desk.put(freeze(name, entry, source, self._making, attachments))
        self._last, self._empty = number, False
        return name

    def _next(self, *, initial: bool) -> int:
        if self._last is None:
            return 0 if initial else 1
        return self._last + 1

    def _check_usable(self) -> None:
        if self._lock < 0:
            raise MfmError(f"expected an open recorder, the one for {self.root} is closed. Open it again.")
        if os.getpid() != self._process:
            raise MfmError(
                f"expected to write {self.root} from process {self._process}, which opened it, "
                f"got process {os.getpid()}. Let one process write, or open a folder for each."
            )

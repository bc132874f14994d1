"""Write episodes in a thread of its own, so that whoever acts does not wait for the disk.

The rule for what waits: at most `MOST_EPISODES` episodes and `MOST_BYTES` bytes. A caller that would exceed
either is held until there is room (an episode that is larger than that by itself waits alone); how often and
how long is counted. An episode has its id from the moment it is taken in. When the disk refuses one, it and
all behind it stay in the queue, every later `put` says so, and `flush` tries again. A killed process loses
what waits, never a part of an episode.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass

from echo.mfm.episodic.files import Frozen
from echo.mfm.episodic.writer import EpisodeWriter
from echo.mfm.layout import MfmError

MOST_EPISODES = 256
MOST_BYTES = 1 << 26


@dataclass(frozen=True, kw_only=True)
class Waits:
    """How often a caller was held because too much was waiting to be written."""

    count: int = 0
    seconds: float = 0.0


class BackgroundWriter:
    """An `EpisodeWriter` behind a queue. Any thread may call it."""

    def __init__(
        self,
        writer: EpisodeWriter,
        *,
        prompt: bool,
        most_episodes: int = MOST_EPISODES,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        """Start the thread.

        Args:
            writer: Writes the episodes; nobody else may use it from now on.
            prompt: Whether index lines are written as soon as nothing waits, not only when a batch is full.
            most_episodes: Episodes that may wait, at least 1.
            most_bytes: Bytes that may wait.
        """
        self._writer = writer
        self._prompt = prompt
        self._most_episodes, self._most_bytes = most_episodes, most_bytes
        self._turn = threading.Condition()
        self._queue: deque[Frozen] = deque()
        self._held_bytes = 0
        self._asked = self._flushed = 0
        self._error: BaseException | None = None
        self._closing = False
        self._waits = Waits()
        self._thread = threading.Thread(target=self._work, name="episode-writer", daemon=True)
        self._thread.start()

    @property
    def waits(self) -> Waits:
        """How often and how long callers were held."""
        return self._waits

    @property
    def unwritten(self) -> tuple[str, ...]:
        """Ids of the episodes that wait to be written, the oldest first."""
        with self._turn:
            return tuple(frozen.name for frozen in self._queue)

    def put(self, frozen: Frozen) -> None:
        """Take in an episode, waiting while the queue is full.

        Raises:
            MfmError: if an earlier one could not be written; this one is not taken in then.
        """
        size = frozen.held_bytes
        with self._turn:
            self._check()
            if self._is_full(size):
                start = time.perf_counter()
                while self._is_full(size) and self._error is None:
                    self._turn.wait()
                seconds = time.perf_counter() - start
                self._waits = Waits(count=self._waits.count + 1, seconds=self._waits.seconds + seconds)
                self._check()
            self._queue.append(frozen)
            self._held_bytes += size
            self._turn.notify_all()

    def flush(self) -> None:
        """Wait until all that was taken in is on the platter and in the index; try again what failed.

        Raises:
            MfmError: if the disk refuses; what could not be written still waits.
        """
        with self._turn:
            if self._writer.broken:
                self._check()
            self._error = None
            self._asked += 1
            ticket = self._asked
            self._turn.notify_all()
            while self._flushed < ticket and self._error is None:
                self._turn.wait()
            self._check()

    def close(self) -> None:
        """Flush, and end the thread; closing twice is fine.

        Raises:
            MfmError: if episodes could not be written; their ids are named. They are gone then.
        """
        if not self._thread.is_alive():
            return
        try:
            self.flush()
        except MfmError as error:
            names = self.unwritten
            if not names:
                raise
            raise MfmError(
                f"expected to write all episodes before closing, but {len(names)} were not written and are "
                f"gone: {names[0]} to {names[-1]} ({self._error}). Open the memory again; their ids are free."
            ) from error
        finally:
            with self._turn:
                self._closing = True
                self._turn.notify_all()
            self._thread.join()

    def _is_full(self, size: int) -> bool:
        return bool(self._queue) and (
            len(self._queue) >= self._most_episodes or self._held_bytes + size > self._most_bytes
        )

    def _check(self) -> None:
        if self._error is None:
            return
        names = [frozen.name for frozen in self._queue]
        lost = f"{names[0]} to {names[-1]} ({len(names)}) wait" if names else "none waits"
        cure = (
            "Close this recorder, make room on the disk, and open it again: opening mends it."
            if self._writer.broken
            else "Make room on the disk and call flush(), which tries again; closing tries once more."
        )
        raise MfmError(
            f"expected to write episodes in the background, but the disk refused ({self._error}); of those "
            f"taken in {lost} unwritten. {cure}"
        ) from self._error

    def _work(self) -> None:
        while True:
            with self._turn:
                while not self._closing and not self._has_work():
                    self._turn.wait()
                if not self._has_work():
                    return
                job = self._queue[0] if self._queue else None
                asked = self._asked
            try:
                if job is None:
                    self._writer.flush()
                else:
                    self._writer.put(job)
            except BaseException as error:
                self._failed(job, error)
            else:
                self._done(job, asked)

    def _has_work(self) -> bool:
        if self._error is not None:
            return False
        late = self._prompt and self._writer.waiting > 0
        return bool(self._queue) or self._flushed < self._asked or late

    def _done(self, job: Frozen | None, asked: int) -> None:
        with self._turn:
            if job is None:
                self._flushed = max(self._flushed, asked)
            else:
                self._queue.popleft()
                self._held_bytes -= job.held_bytes
            self._turn.notify_all()

    def _failed(self, job: Frozen | None, error: BaseException) -> None:
        with self._turn:
            if job is not None and self._writer.broken and self._writer.holds(job.name):
                # It lies in its place; only its index line is missing, which opening puts in.
                self._queue.popleft()
                self._held_bytes -= job.held_bytes
            self._error = error
            self._turn.notify_all()

"""Where an agent's experience is kept: in a memory folder with episodes and a bank, or nowhere."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, TextIO

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.descriptor import Csd
from csd.encode import Encoder
from csd.episode import Episode, Observation
from csd.store.schema import BANK_FILE
from echo.agent.arrangement import Arrangement
from echo.agent.threads import THREADS_FILE, UnlockThread
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.layout import episode_id


@dataclass(frozen=True, kw_only=True, slots=True)
class Failed:
    """An attempt that gave nothing, or something else than was asserted of it."""

    arrangement: Arrangement
    step: int
    """Actions taken in the world before it."""
    exemplars: tuple[str, ...]
    """Ids of the descriptors behind it."""
    surprises: tuple[str, ...] = ()
    """What a success showed otherwise than asserted; empty where nothing came out."""


class Archive(Protocol):
    """Takes in experience; ids are the same whether anything is kept or not."""

    @property
    def keeps_frames(self) -> bool:
        """Whether a picture handed in is kept."""
        ...

    def begin(self, seen: Observation) -> None:
        """Take in the state before the first action; call once, before anything else."""
        ...

    def write(self, episode: Episode) -> str:
        """Take in an episode and return its id; the id it carries is not looked at."""
        ...

    def describe(self, csd: Csd, derived_from: Sequence[str] = ()) -> None:
        """Take in the descriptor of an episode written before.

        Args:
            csd: the descriptor.
            derived_from: ids of the descriptors taken in before that what it shows was carried over from.
        """
        ...

    def fail(self, failed: Failed) -> None:
        """Take in an attempt that gave nothing."""
        ...

    def credit(self, exemplars: Sequence[str], axes: Mapping[str, float], *, success: bool) -> None:
        """Take in how a suggestion made from `exemplars` came out; names that are no axis earn nothing."""
        ...

    def trace(self, thread: UnlockThread) -> None:
        """Take in what stood behind an unlock."""
        ...


class NoArchive:
    """Keeps nothing but the count of episodes."""

    keeps_frames = False

    def __init__(self) -> None:
        """Start before the initial state."""
        self._written = 0

    def begin(self, seen: Observation) -> None:
        """Count the initial state."""
        self._written = 1

    def write(self, episode: Episode) -> str:
        """Return the id that the episode would have on disk."""
        self._written += 1
        return episode_id(self._written - 1)

    def describe(self, csd: Csd, derived_from: Sequence[str] = ()) -> None:
        """Keep nothing."""

    def fail(self, failed: Failed) -> None:
        """Keep nothing."""

    def credit(self, exemplars: Sequence[str], axes: Mapping[str, float], *, success: bool) -> None:
        """Keep nothing."""

    def trace(self, thread: UnlockThread) -> None:
        """Keep nothing."""


class FolderArchive:
    """A memory folder: MFM episodes, a bank of descriptors, the threads of unlocks. A context manager.

    Writes survive the death of the process; those of the last moments may be lost with the power.
    """

    keeps_frames = True

    def __init__(self, folder: Path, *, source: str, encoder: Encoder) -> None:
        """Open `folder` for writing, making it where it does not exist.

        Args:
            folder: the memory folder.
            source: the world that makes the episodes.
            encoder: makes the bank's vectors.

        Raises:
            MfmError: if another writer has the folder open.
            BankError: if its bank was filled by another encoder, or is damaged.
        """
        self._folder = folder
        self._threads: TextIO | None = None
        self._recorder = Recorder.open(folder, source=source, durability="batch", frames="all")
        try:
            self._bank = Bank.open(folder / BANK_FILE, encoder, durable=False)
        except BaseException:
            self._recorder.close()
            raise

    def __enter__(self) -> Self:
        """Return the archive."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Bring everything to disk and close."""
        try:
            if self._threads is not None:
                with self._threads:
                    self._threads.flush()
                    os.fsync(self._threads.fileno())
        finally:
            self._bank.close()
            self._recorder.close()

    def begin(self, seen: Observation) -> None:
        """Record the state before the first action.

        Raises:
            ValueError: if the folder holds episodes already.
        """
        self._recorder.initial(seen)

    def write(self, episode: Episode) -> str:
        """Record an episode, with whatever pictures it carries, and return its id."""
        return self._recorder.write(
            goal=episode.goal, steps=episode.steps, after=episode.after, source=episode.source
        )

    def describe(self, csd: Csd, derived_from: Sequence[str] = ()) -> None:
        """Remember a descriptor, linked to those it was carried over from."""
        self._bank.add(csd, derived_from=derived_from)

    def fail(self, failed: Failed) -> None:
        """Log a failure; a surprising success under a key of its own, because it is none."""
        words, conditions = failed.arrangement.words(), dict[str, Any](station=failed.arrangement.offer)
        if failed.surprises:
            words, conditions["surprises"] = f"surprise: {words}", list(failed.surprises)
        self._bank.log_failure(
            words,
            conditions,
            step=failed.step,
            used=failed.exemplars,
        )

    def credit(self, exemplars: Sequence[str], axes: Mapping[str, float], *, success: bool) -> None:
        """Share credit or blame out among the exemplars' axes."""
        shares: dict[Axis, float] = {
            axis: axes[axis.value] / len(exemplars) for axis in AXES if axis.value in axes
        }
        for id in exemplars:
            self._bank.credit(id, shares, success=success)

    def trace(self, thread: UnlockThread) -> None:
        """Append the thread of an unlock as one whole line."""
        if self._threads is None:
            self._threads = (self._folder / THREADS_FILE).open(
                "a", encoding="utf-8", newline="\n", buffering=1
            )
        self._threads.write(thread.model_dump_json() + "\n")

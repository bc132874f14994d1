"""Group the steps of an agent into episodes: one for each action, or one for every few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import Protocol, Self

from csd.episode import Observation, Step
from echo.mfm.episodic.files import still
from echo.mfm.episodic.refusals import as_texts, check_step
from echo.mfm.layout import MfmError


class EpisodeSink(Protocol):
    """Takes episodes, as `Recorder` does."""

    def write(
        self,
        *,
        goal: str,
        steps: Sequence[Step],
        after: Observation,
        notes: Sequence[str] = (),
        tags: Sequence[str] = (),
    ) -> str:
        """Record an episode and return its id."""
        ...


class Diary:
    """Hands steps to a recorder as episodes of `every` steps each. For one thread; a context manager."""

    def __init__(self, recorder: EpisodeSink, *, goal: str, every: int = 1) -> None:
        """Begin with no step.

        Args:
            recorder: Takes the episodes; it stays open when the diary is closed.
            goal: What the steps are for.
            every: Steps an episode, at least 1; the last one of a goal may have fewer.

        Raises:
            ValueError: if `every` is not a whole number of at least 1.
        """
        if type(every) is not int or every < 1:
            raise ValueError(
                f"expected a whole number of steps an episode, at least 1, got {every!r} (goal {goal!r})."
            )
        self._recorder = recorder
        self._goal = goal
        self._every = every
        self._steps: list[Step] = []
        self._after: Observation | None = None
        self._notes: list[str] = []
        self._tags: list[str] = []

    @property
    def goal(self) -> str:
        """What the steps are for."""
        return self._goal

    @property
    def pending(self) -> int:
        """Steps that are not yet in an episode."""
        return len(self._steps)

    def add(
        self, step: Step, after: Observation, *, notes: Sequence[str] = (), tags: Sequence[str] = ()
    ) -> str | None:
        """Take in a step; return the id of the episode that it completed, or None.

        Args:
            step: What was seen, done and brought about; its picture is copied.
            after: What was seen after it.
            notes: Remarks on it.
            tags: Tags of the episode it belongs to.

        Raises:
            ValueError: if the step cannot be recorded, as `Recorder.write`; it is left out, and those before
                it stay.
            MfmError, OSError: as `Recorder.write`; the steps stay and are written with the next.
        """
        noted, tagged = as_texts("notes", notes), as_texts("tags", tags)
        whole = isinstance(step, Step) and isinstance(after, Observation)
        if self._every > 1 or self._steps or not whole:
            check_step(step, after, goal=self._goal, notes=noted, tags=tagged)
        self._steps.append(replace(step, before=_held(step.before)))
        self._after = _held(after)
        self._notes.extend(noted)
        self._tags.extend(tagged)
        return self._write() if len(self._steps) >= self._every else None

    def turn_to(self, goal: str) -> str | None:
        """Close the episode under way and go on for another goal; return its id, or None without steps.

        Raises:
            ValueError, MfmError, OSError: as `add`; the goal stays then.
        """
        name = self._write()
        self._goal = goal
        return name

    def close(self) -> str | None:
        """Record the steps that are left; return the id of their episode, or None where there were none.

        Raises:
            ValueError, MfmError, OSError: as `add`.
        """
        return self._write()

    def __enter__(self) -> Self:
        """Return the diary."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close, also after an exception."""
        self.close()

    def _write(self) -> str | None:
        if self._after is None:
            return None
        try:
            name = self._recorder.write(
                goal=self._goal, steps=self._steps, after=self._after, notes=self._notes, tags=self._tags
            )
        except (ValueError, TypeError) as error:
            # A single step was not looked at before: the recorder did that just now.
            if self._every == 1 and len(self._steps) == 1 and not isinstance(error, MfmError):
                self._clear()
            raise
        self._clear()
        return name

    def _clear(self) -> None:
        self._steps, self._notes, self._tags, self._after = [], [], [], None


def _held(seen: Observation) -> Observation:
    # What is none is for the recorder to refuse, in its words.
    if not isinstance(seen, Observation) or seen.frame is None:
        return seen
    return replace(seen, frame=still(seen.frame))

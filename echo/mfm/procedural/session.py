"""What the procedures of one run share: the world, the steps so far, the budget, the recorder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from csd.episode import Action, Observation, Outcome, Step
from echo.mfm.episodic.documents import Cause, Entry
from echo.mfm.procedural.bounds import MOST_NOTES, MOST_SAID, MOST_SAID_IN_ALL, cut


class World(Protocol):
    """What a procedure needs of a world."""

    def act(self, action: Action) -> Outcome:
        """Carry out one action.

        Raises:
            ValueError: if the action names something that this world does not know.
        """
        ...

    def observe(self, frame: bool = False) -> Observation:
        """Return what is perceived now, with a picture if asked."""
        ...


class EpisodeWriter(Protocol):
    """What records episodes, such as `echo.mfm.episodic.recorder.Recorder`."""

    def record(self, entry: Entry, /) -> str:
        """Record one episode and return its id."""
        ...


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What one run, with all procedures it calls, may use."""

    steps: int = 200
    """Actions."""
    ticks: int = 24_000
    """World time, 20 ticks a second."""
    messages: int = 2_000
    """Yields of any kind, also those that cost no step."""
    seconds: float = 120.0
    """Time by the clock, that of the world included; what is under way in the world is not broken off."""
    depth: int = 4
    """Procedures within one another, the first counted."""


class BudgetSpent(Exception):
    """A budget is used up; the text says which."""


class Session:
    """One run while it goes on."""

    def __init__(
        self,
        world: World,
        budget: Budget,
        *,
        recorder: EpisodeWriter | None,
        cause: Cause,
        episode_steps: int,
    ) -> None:
        """Look at the world and begin.

        Args:
            world: The world to act in.
            budget: What the run may use.
            recorder: Where its episodes go, with pictures; None records none.
            cause: The procedure that is run, for its episodes.
            episode_steps: Actions an episode holds at most.
        """
        self._world, self._budget, self._recorder = world, budget, recorder
        self._cause, self._episode_steps = cause, episode_steps
        self.steps: list[Step] = []
        """Everything done, in order."""
        self.notes: list[str] = []
        """Remarks of the scripts, in order."""
        self.episodes: list[str] = []
        """Ids of the episodes written so far."""
        self.ticks = 0
        """World time used."""
        self._messages = 0
        self._said: int | None = 0
        self._until = time.monotonic() + budget.seconds
        self._written = 0
        self.seen = self.look()
        """What was perceived last."""

    def look(self) -> Observation:
        """Perceive anew."""
        self.seen = self._world.observe(frame=self._recorder is not None)
        return self.seen

    def note(self, text: str) -> None:
        """Keep a remark, cut at `MOST_SAID` characters.

        After `MOST_NOTES` of them, or `MOST_SAID_IN_ALL` characters, one more says that the rest is left out.
        """
        if self._said is None:
            return
        kept = cut(text, MOST_SAID)
        if len(self.notes) < MOST_NOTES and self._said + len(kept) <= MOST_SAID_IN_ALL:
            self.notes.append(kept)
            self._said += len(kept)
        else:
            self.notes.append("(further notes are left out)")
            self._said = None

    def seconds_left(self) -> float:
        """Return how long the run may still go on, by the clock.

        Raises:
            BudgetSpent: if it may not.
        """
        left = self._until - time.monotonic()
        if left <= 0:
            raise BudgetSpent(f"expected at most {self._budget.seconds:g} s by the clock, they are over")
        return left

    def count_message(self) -> None:
        """Count one yield.

        Raises:
            BudgetSpent: if it is one too many.
        """
        self._messages += 1
        if self._messages > self._budget.messages:
            raise BudgetSpent(f"expected at most {self._budget.messages} yields, got more")

    def act(self, action: Action) -> Step:
        """Do one action.

        Raises:
            BudgetSpent: if the budget of the run, its time or that of the world is used up; nothing was done
                then.
            ValueError: as the world's `act`.
        """
        if len(self.steps) >= self._budget.steps:
            raise BudgetSpent(f"expected at most {self._budget.steps} actions, got one more, {action.kind}")
        self.seconds_left()
        if self.ticks >= self._budget.ticks:
            raise BudgetSpent(f"expected at most {self._budget.ticks} ticks, {self.ticks} are used")
        before = self.seen
        outcome = self._world.act(action)
        if outcome.code == "budget_spent":
            raise BudgetSpent(f"expected an action within the budget of the world, got: {outcome.message}")
        step = Step(before=before, action=action, outcome=outcome)
        self.steps.append(step)
        self.ticks += outcome.ticks
        self.look()
        if len(self.steps) - self._written >= self._episode_steps + 1:
            self._write(self._written + self._episode_steps, notes=(), tags=())
        return step

    def close(self, *, notes: Sequence[str], tags: Sequence[str]) -> None:
        """Record what is not recorded yet, with remarks and tags on the last episode."""
        if self._written < len(self.steps):
            self._write(len(self.steps), notes=notes, tags=tags)

    def episodes_of(self, first: int, last: int) -> tuple[str, ...]:
        """Return the episodes that hold the steps from place `first` up to, not with, `last`."""
        size = self._episode_steps
        return tuple(self.episodes[first // size : (last + size - 1) // size]) if first < last else ()

    def _write(self, end: int, *, notes: Sequence[str], tags: Sequence[str]) -> None:
        """Record the steps from the last written one up to, not with, place `end`."""
        if self._recorder is not None:
            after = self.steps[end].before if end < len(self.steps) else self.seen
            steps = self.steps[self._written : end]
            entry = Entry(
                goal=f"procedure {self._cause.procedure}",
                steps=tuple(steps),
                after=after,
                notes=tuple(notes),
                tags=("procedure", *tags),
                cause=self._cause,
            )
            self.episodes.append(self._recorder.record(entry))
        self._written = end

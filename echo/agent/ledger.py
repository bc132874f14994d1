"""The ledger of an episode: what was done, how near the goal came, what each source of attempts cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from csd.episode import Cell, Place, Step
from echo.agent.body import Taken
from echo.agent.goal import goal_done, goal_gain


@dataclass(slots=True)
class Spending:
    """What came of the attempts of one source, and what they cost."""

    tried: int = 0
    made: int = 0
    new: int = 0
    rejected: int = 0
    steps: int = 0
    lost: int = 0
    """Of these steps, those of attempts that made nothing."""


@dataclass(slots=True)
class Ledger:
    """What happened so far."""

    trace: list[Step] = field(default_factory=list)
    """All steps, in order."""
    filled: dict[Cell, str] = field(default_factory=dict)
    """Cell of the goal that was filled -> with what."""
    best: int = 0
    """Parts of the goal that were reached at once, at best."""
    reached_at: int | None = None
    """Counted steps up to the one that reached the goal."""
    spending: dict[str, Spending] = field(default_factory=dict)
    """Source -> what was booked for it; the steps of all of them are all that were counted."""
    actions: int = 0
    """Counted steps taken in."""

    def take_in(self, taken: Taken, *, source: str, reached: bool) -> None:
        """Take in a step of `source`, after which the goal is `reached` or not."""
        step = taken.step
        if taken.actions > self.actions:
            self.of(source).steps += taken.actions - self.actions
            self.actions = taken.actions
        self.trace.append(step)
        self.best = max(self.best, goal_done(step.outcome) or 0)
        target = step.action.target if isinstance(step.action, Place) else None
        if isinstance(step.action, Place) and target is not None and (goal_gain(step.outcome) or 0) > 0:
            self.filled[target] = step.action.item
        if reached and self.reached_at is None:
            self.reached_at = taken.actions

    def of(self, source: str) -> Spending:
        """Return the entry of a source, made where there is none."""
        return self.spending.setdefault(source, Spending())

    def book(self, source: str, *, made: bool, steps: int) -> None:
        """Enter one attempt of a source and its steps, taken in before; lost unless it `made` something."""
        entry = self.of(source)
        entry.tried += 1
        entry.made += made
        entry.lost += 0 if made else steps

    def steps(self) -> dict[str, int]:
        """Return source -> steps so far."""
        return {source: entry.steps for source, entry in self.spending.items()}

    def with_counts(self, attempts: Mapping[str, Mapping[str, int]]) -> dict[str, Spending]:
        """Return all entries, with the counts added that a chronicle kept by itself.

        Args:
            attempts: source -> 'tried', 'made', 'new' and 'rejected'.
        """
        whole = dict(self.spending)
        for source, counts in attempts.items():
            entry = whole.get(source, Spending())
            summed = {name: getattr(entry, name) + count for name, count in counts.items()}
            whole[source] = replace(entry, **summed)
        return whole

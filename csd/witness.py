"""The record that a piece of evidence points to, and the questions that grounding puts to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from csd.descriptor import Value
from csd.episode import Craft, Episode, Observation, Step
from csd.pattern import GridPattern, canonical_grid
from csd.scene import grid_rows

Shown = Callable[["Witness", str], Iterable[Value]]
"""From a witness and a statement's subject to every value that the record bears out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Witness:
    """A moment of an episode."""

    episode: Episode
    index: int
    """Step, 0 to the number of steps; the latter stands for the final observation."""

    @property
    def seen(self) -> Observation:
        """What was observed at this moment."""
        return self.step.before if self.has_step else self.episode.after

    @property
    def has_step(self) -> bool:
        """Whether something was done at this moment, rather than only seen."""
        return self.index < len(self.episode.steps)

    @property
    def step(self) -> Step:
        """The step done at this moment."""
        return self.episode.steps[self.index]

    @property
    def grid(self) -> GridPattern | None:
        """The grid laid in this step, or None where it was no craft or nothing was laid."""
        action = self.step.action
        return canonical_grid(action.grid) if isinstance(action, Craft) and grid_rows(action.grid) else None

    def stands_for(self, subject: str) -> bool:
        """Whether `subject` names what this step gained, or the outcome code where that was nothing."""
        outcome = self.step.outcome
        gained = any(change > 0 for change in outcome.inventory_delta.values())
        return self.gained(subject) or (subject == outcome.code and not (gained and outcome.ok))

    def gained(self, item: str) -> bool:
        """Whether this step added to `item`."""
        return self.step.outcome.inventory_delta.get(item, 0) > 0

    def wore(self, item: str) -> bool | None:
        """Whether holding `item` in the step before this moment wore it; None where it was not held."""
        if self.index == 0:
            return None
        last = self.episode.steps[self.index - 1]
        if last.before.mainhand != item:
            return None
        before, after = last.before.inventory.get(item), self.seen.inventory.get(item)
        worn = before is not None and after is not None and after.wear > before.wear
        return worn or f"broke:{item}" in last.outcome.events

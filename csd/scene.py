"""The view of an episode that the rule builder works on: its deciding step and what that step brought."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from csd.descriptor import Evidence, Statement, Value
from csd.episode import (
    Attack,
    Cell,
    Collect,
    Craft,
    Episode,
    Grid,
    Mine,
    Observation,
    Place,
    Smelt,
    Station,
    Step,
)
from csd.pattern import canonical_grid, shape
from csd.wording import HAND

Verb = Literal["craft", "smelt", "collect", "mine", "attack", "place", "other"]

Kind = Literal["inventory", "action", "outcome", "observation", "frame"]

MOVING = frozenset({"go_to", "look_at", "wait_until"})
"""Actions that bring the body into position; they decide an episode only by failing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """An episode with its deciding step singled out."""

    episode: Episode
    index: int
    """Index of the deciding step."""
    product: str | None
    """The item gained there, or None."""

    @property
    def step(self) -> Step:
        """The deciding step."""
        return self.episode.steps[self.index]

    @property
    def verb(self) -> Verb:
        """What the deciding step did."""
        match self.step.action:
            case Craft() | Smelt() | Collect() | Mine() | Attack() | Place():
                return self.step.action.kind
            case _:
                return "other"

    @property
    def subject(self) -> str:
        """The product, or where nothing was gained the outcome code that stands in its place."""
        return self.product or self.step.outcome.code

    def observation(self, index: int) -> Observation:
        """Return what was seen before step `index`; the number of steps stands for the final observation."""
        steps = self.episode.steps
        return steps[index].before if index < len(steps) else self.episode.after


class Notes:
    """Statements of one axis as they are collected; the same statement twice gathers its evidence."""

    def __init__(self, episode: str) -> None:
        """Start without statements about the episode with id `episode`."""
        self._episode = episode
        self._evidence: dict[tuple[str, str, type, Value], dict[tuple[int, Kind, str], None]] = {}

    def add(
        self, subject: str, predicate: str, value: Value, step: int, kind: Kind, detail: str = ""
    ) -> None:
        """Note that record `kind` of step `step` shows (subject, predicate, value)."""
        # The type keeps True apart from 1, which are equal as dictionary keys.
        places = self._evidence.setdefault((subject, predicate, type(value), value), {})
        places[step, kind, detail] = None

    def statements(self) -> tuple[Statement, ...]:
        """Return what was noted, in the order in which it was first noted."""
        return tuple(
            Statement(
                subject=subject,
                predicate=predicate,
                value=value,
                evidence=tuple(
                    Evidence(episode=self._episode, step=step, kind=kind, detail=detail)
                    for step, kind, detail in places
                ),
            )
            for (subject, predicate, _, value), places in self._evidence.items()
        )


def scene_of(episode: Episode, product: str | None = None) -> Scene | None:
    """Find the deciding step of `episode`.

    It is the last step that gained `product` where that is given and was gained, else the last step that
    did more than bring the body into position, or failed at that; else the last step.

    Args:
        episode: any run of steps.
        product: the item the episode was for, where the caller knows it.

    Returns:
        The scene, or None where the episode has no steps.
    """
    if not episode.steps:
        return None
    indices = range(len(episode.steps) - 1, -1, -1)
    for index in indices:
        if product is not None and episode.steps[index].outcome.inventory_delta.get(product, 0) > 0:
            return Scene(episode=episode, index=index, product=product)
    for index in indices:
        step = episode.steps[index]
        if step.action.kind not in MOVING or not step.outcome.ok:
            return Scene(episode=episode, index=index, product=_gain(step))
    return Scene(episode=episode, index=len(episode.steps) - 1, product=None)


def _gain(step: Step) -> str | None:
    """The item gained: one not carried before where there is one, then the first by name."""
    if not step.outcome.ok:
        return None
    gains = [item for item, change in step.outcome.inventory_delta.items() if change > 0]
    return min(gains, key=lambda item: (step.before.count(item) > 0, item), default=None)


def dug_block(step: Step) -> str | None:
    """Return the kind of block that `step` dug or tried to dig, or None."""
    match step.action:
        case Collect():
            return step.outcome.block or step.action.block
        case Mine():
            return step.outcome.block
        case _:
            return None


def held(step: Step) -> str:
    """Return the item in hand during `step`, 'hand' where none was."""
    return step.before.mainhand or HAND


def station_for(step: Step) -> Station | None:
    """Return the station that `step` was made at: the first in reach that offers what the action needs.

    A grid needs one when it is larger than 2x2 once its empty outer rows and columns are trimmed.
    """
    match step.action:
        case Smelt():
            need = "smelt"
        case Craft() if max(shape(grid_rows(step.action.grid) or ".")) > 2:
            need = "grid3"
        case _:
            return None
    return next((station for station in step.before.stations if station.offers == need), None)


def grid_rows(grid: Grid) -> str | None:
    """Return the canonical pattern of `grid`, or None where no cell is filled."""
    return canonical_grid(grid).rows if any(cell is not None for row in grid for cell in row) else None


def where(cell: Cell, seen: Observation) -> str:
    """Return where `cell` lies from the feet, such as 'above, 4 blocks': 'level' is feet or head height."""
    height = cell[1] - int(seen.position[1] // 1)
    level = "below" if height < 0 else "level" if height <= 1 else "above"
    away = sum((there + 0.5 - here) ** 2 for there, here in zip(cell, seen.position, strict=True)) ** 0.5
    return f"{level}, {round(away)} blocks"

"""A memory of tasks: what is kept from one episode to the next, and what it answers when asked.

One reasoner plays every task (`echo.agent.pursuit`); it begins each episode knowing nothing but what its
memory recalls. Compared memories differ in what they keep of the steps they see, and in what they give back.
Source: Echo §4.1 (baselines share reasoner and executor); differs in that a memory answers with the steps it
keeps, which a reasoner without a language model can use, and not with text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from csd.episode import Action, Cell, Episode, Observation, Step
from echo.agent.goal import Goal, Role
from echo.agent.policy import MemoryPolicy

Ending = Literal["reached", "budget", "stuck"]
"""How an episode ended: its goal reached, its budget spent, or nothing left that could be done."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What a memory is asked. At the start of an episode `item` and `block` are None: recall for the goal."""

    goal: Goal
    seen: Observation
    """What is perceived now."""
    item: str | None = None
    """Asked: how to get this?"""
    block: str | None = None
    """Asked: where is a block of this kind?"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalled:
    """What a memory answers; the reasoner knows it from then on, until the episode ends."""

    steps: tuple[Step, ...] = ()
    """Experiences as they were, oldest first: grids that worked or gave nothing, blocks dug, fuels tried."""
    exemplars: tuple[Step, ...] = ()
    """Of these, or of those recalled earlier, what bears most on the question, best first: the reasoner
    adapts it, one item for another, where a certain thing is asked for."""
    places: Mapping[str, Cell] = field(default_factory=dict)
    """Block kind -> where one stood."""
    plan: tuple[Action, ...] = ()
    """Actions to repeat as they are, before anything else; given up at the first that fails."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """An episode that has ended."""

    goal: Goal
    steps: tuple[Step, ...]
    """All of them, in order."""
    after: Observation
    ending: Ending

    @property
    def success(self) -> bool:
        """Whether the goal was reached."""
        return self.ending == "reached"


class Memory(Protocol):
    """What is kept between the episodes of one run. A new one is empty; everything goes in through it."""

    @property
    def policy(self) -> MemoryPolicy:
        """What it suggests to try, and what it makes of failures; `NoMemory` for nothing."""
        ...

    @property
    def habits(self) -> Habits:
        """How its owner goes about a task, where that is part of the compared system."""
        ...

    def show(self, episode: Episode) -> None:
        """Take in a demonstration, before the first episode."""
        ...

    def recall(self, question: Question) -> Recalled:
        """Answer a question out of what is kept, deterministically, so that asking again answers alike.

        What is asked for may aim what `policy` suggests and `fits` says from then on.
        """
        ...

    def fits(self, role: Role, items: Sequence[str]) -> Mapping[str, float]:
        """Return how likely each of `items` plays `role` well, in [0, 1]; empty where memory has no opinion.

        What was tried in this episode, or recalled as steps, the reasoner knows by itself.
        """
        ...

    def take_in(self, step: Step, fresh: Sequence[str], after: Observation) -> None:
        """Take in one step of an episode.

        Args:
            step: what was done.
            fresh: items that it brought and that neither this episode nor what was recalled had shown held.
            after: what is perceived now.
        """
        ...

    def close(self, ended: Ended) -> None:
        """Take in that an episode has ended."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Habits:
    """Ways of going about a task that belong to a compared system; the defaults are everybody's."""

    replans: bool = True
    """Whether a plan is made anew after a step that did not bring what it should; else it goes on blindly."""
    checks: bool = True
    """Whether a suggestion is verified before it is tried."""
    looks_first: bool = False
    """Whether it looks around for what a plan needs before it acts (active perception)."""
    nearest_first: bool = False
    """Whether, of several things that could be tried, the one that costs least now comes first."""

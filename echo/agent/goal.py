"""What a task asks for, as an agent is told it: a text, and what must be so in the end.

How far a goal is reached is told in the events of an outcome, as ``goal:DONE/PARTS+GAIN``. Source: MFM's
state ("goals", "verified 1/3"); differs in that every outcome of a task carries it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from csd.episode import Cell, Outcome

_EVENT = "goal:"

Where = Literal["hands", "table", "fire"]
"""The grid that hands offer; a station with a larger grid; a station that smelts."""

Role = Literal["fuel", "bridge", "weapon"]
"""A part that an item can play in a task: burns, carries a body, fells a creature."""


HAND = ""
"""Stands for the bare hand among what a creature is fought with."""


@dataclass(frozen=True, kw_only=True)
class Have:
    """Carry `items` all at once."""

    text: str
    items: Mapping[str, int]
    """Item -> how many."""

    @property
    def parts(self) -> int:
        """Into how many parts the goal falls."""
        return len(self.items)


@dataclass(frozen=True, kw_only=True)
class Make:
    """Make anything at all in one place."""

    text: str
    where: Where
    """For 'table', something that the hands' 2x2 grid cannot hold."""

    @property
    def parts(self) -> int:
        """Into how many parts the goal falls."""
        return 1


@dataclass(frozen=True, kw_only=True)
class Fill:
    """Have something that carries a body in each of `cells`, which are empty at the start."""

    text: str
    cells: tuple[Cell, ...]

    @property
    def parts(self) -> int:
        """Into how many parts the goal falls."""
        return len(self.cells)


@dataclass(frozen=True, kw_only=True)
class Fell:
    """Fell one creature of kind `mob` in a single fight of at most `within` ticks."""

    text: str
    mob: str
    within: int
    """Ticks of `Outcome.work_ticks`, without the way there; at least 1."""

    @property
    def parts(self) -> int:
        """Into how many parts the goal falls."""
        return 1


Goal = Have | Make | Fill | Fell


def goal_event(done: int, parts: int, gain: int) -> str:
    """Return the event that tells how far a goal is reached, and by how many parts more than before.

    >>> goal_event(2, 3, 1), goal_event(1, 3, 0)
    ('goal:2/3+1', 'goal:1/3+0')
    """
    return f"{_EVENT}{done}/{parts}{gain:+d}"


def goal_done(outcome: Outcome) -> int | None:
    """Return how many parts of the goal are reached after an outcome; None where it tells nothing of a goal.

    Raises:
        ValueError: if the event is not as `goal_event` writes it.
    """
    told = _told(outcome)
    return None if told is None else int(told[1])


def goal_gain(outcome: Outcome) -> int | None:
    """Return by how many parts an outcome brought the goal nearer; None where it tells nothing of a goal.

    Raises:
        ValueError: if the event is not as `goal_event` writes it.
    """
    told = _told(outcome)
    return None if told is None else int(told[2])


def _told(outcome: Outcome) -> re.Match[str] | None:
    for event in outcome.events:
        if event.startswith(_EVENT):
            matched = re.fullmatch(r"goal:(\d+)/\d+([+-]\d+)", event)
            if matched is None:
                raise ValueError(f"expected an event such as 'goal:2/3+1'; got {event!r}.")
            return matched
    return None

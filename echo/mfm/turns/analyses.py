"""What turn records tell: pace, what looking at stored frames is good for, cost.

Source: the analyses of MFM. Its paper counts, after a look at a stored frame, the turns whose plan
names a new destination and how near that lies to where the frame was recorded, against turns that
opened no image. Ours adds what chance would give: the same distance to all frames that could have
been opened.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean, median

from echo.mfm.turns.record import Spot, Turn

WINDOW = 9
"""Turns in the rolling median of the pace."""
SAME_PLACE = 3.0
"""Blocks within which two destinations are one."""


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Environment steps in one turn."""

    turn: int
    steps: int
    rolling: float
    """Median over this turn and up to `WINDOW` - 1 before it."""


@dataclass(frozen=True, kw_only=True)
class Heading:
    """Turns of one kind, and how many of them set out for somewhere new."""

    turns: int
    new: int
    """Turns of these that name a destination not named before."""

    @property
    def share(self) -> float | None:
        """Of the turns, those with a new destination, in [0, 1]; None without turns."""
        return self.new / self.turns if self.turns else None


@dataclass(frozen=True, kw_only=True)
class Looking:
    """What follows a look at stored frames."""

    with_look: Heading
    without_look: Heading
    distance: float | None
    """Median blocks from the new destination to the nearest frame viewed; None where none is known."""
    chance: float | None
    """Median, over the same destinations, of the mean distance to all places visited before."""


@dataclass(frozen=True, kw_only=True)
class Sum:
    """What some calls say of a cost, added up."""

    known: float
    """Over the calls that say it; a whole number for tokens."""
    calls: int
    """How many those are."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What the agent's turns cost."""

    turns: int
    calls: int
    prompt_tokens: Sum
    completion_tokens: Sum
    money: Sum
    milestones: tuple[tuple[int, str], ...]
    """Life and name, in order of being reached; each once a life."""
    commands: int
    failed_commands: int
    failures: int
    """Turns without a usable answer."""
    frames_viewed: int
    files_changed: int


def pace(turns: Sequence[Turn], window: int = WINDOW) -> list[Pace]:
    """Return the environment steps of each turn with their rolling median within its life, in order.

    >>> from echo.mfm.turns.analyses import rolling_median
    >>> rolling_median([4, 1, 7], window=2)
    [4, 2.5, 4.0]
    """
    told: list[Pace] = []
    for _, lived in groupby(turns, key=lambda turn: turn.life):
        life = list(lived)
        steps = [turn.last_step - turn.first_step for turn in life]
        told += [
            Pace(turn=turn.turn, steps=taken, rolling=middle)
            for turn, taken, middle in zip(life, steps, rolling_median(steps, window), strict=True)
        ]
    return told


def rolling_median(values: Sequence[int], window: int) -> list[float]:
    """Return, for each value, the median of it and up to `window` - 1 values before it."""
    return [median(values[max(0, place - window + 1) : place + 1]) for place in range(len(values))]


def looking(turns: Sequence[Turn]) -> Looking:
    """Compare turns that opened stored frames with turns that opened none.

    What was named and visited before is that of the same life.
    """
    named: list[Spot] = []
    visited: list[Spot] = []
    life: int | None = None
    heading = {True: [0, 0], False: [0, 0]}
    distances: list[float] = []
    by_chance: list[float] = []
    for turn in turns:
        if turn.life != life:
            life, named, visited = turn.life, [], []
        visited.append(turn.at)
        new = [spot for spot in turn.destinations if not _known(spot, named)]
        counts = heading[bool(turn.viewed)]
        counts[0] += 1
        counts[1] += bool(new)
        frames = [frame.at for frame in turn.viewed if frame.at is not None]
        if new and frames:
            distances.append(min(math.dist(new[0], at) for at in frames))
            by_chance.append(fmean(math.dist(new[0], at) for at in visited))
        named += turn.destinations
    return Looking(
        with_look=Heading(turns=heading[True][0], new=heading[True][1]),
        without_look=Heading(turns=heading[False][0], new=heading[False][1]),
        distance=median(distances) if distances else None,
        chance=median(by_chance) if by_chance else None,
    )


def cost(turns: Sequence[Turn]) -> Cost:
    """Add up what `turns` cost."""
    calls = [call for turn in turns for call in turn.calls]
    commands = [done for turn in turns for done in turn.commands]
    return Cost(
        turns=len(turns),
        calls=len(calls),
        prompt_tokens=_sum([call.prompt_tokens for call in calls]),
        completion_tokens=_sum([call.completion_tokens for call in calls]),
        money=_sum([call.money for call in calls]),
        milestones=tuple(dict.fromkeys((turn.life, name) for turn in turns for name in turn.milestones)),
        commands=len(commands),
        failed_commands=sum(not done.ok for done in commands),
        failures=sum(turn.failure is not None for turn in turns),
        frames_viewed=sum(len(turn.viewed) for turn in turns),
        files_changed=len({name for turn in turns for name in turn.changed}),
    )


def _known(spot: Spot, named: Sequence[Spot]) -> bool:
    return any(math.dist(spot, other) <= SAME_PLACE for other in named)


def _sum(values: Sequence[float | None]) -> Sum:
    known = [value for value in values if value is not None]
    return Sum(known=sum(known), calls=len(known))

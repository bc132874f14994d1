"""Policies that stand before another one: all goes on to it, but for what they are there for."""

from __future__ import annotations

from collections.abc import Hashable

from csd.axes import AXES
from csd.descriptor import Csd
from echo.agent.arrangement import Arrangement
from echo.agent.policy import Idea, MemoryPolicy, Penalty, Prospects


class Passing:
    """Passes everything on."""

    def __init__(self, policy: MemoryPolicy) -> None:
        """Stand before `policy`."""
        self._policy = policy

    @property
    def penalty(self) -> Penalty | None:
        """The policy's."""
        return self._policy.penalty

    def remember(self, csd: Csd) -> None:
        """Pass it on."""
        self._policy.remember(csd)

    def failed(self, arrangement: Arrangement) -> None:
        """Pass it on."""
        self._policy.failed(arrangement)

    def suggest(self, prospects: Prospects) -> Idea | None:
        """Return the policy's suggestion."""
        return self._policy.suggest(prospects)

    def carried_over(self, idea: Idea, fuel: str | None) -> Idea:
        """Return what the policy makes of an idea."""
        return self._policy.carried_over(idea, fuel)

    def set_aside(self, idea: Idea, ways: int | None) -> None:
        """Pass it on."""
        self._policy.set_aside(idea, ways)

    def judged(self, idea: Idea, *, worked: bool, new: bool) -> None:
        """Pass it on."""
        self._policy.judged(idea, worked=worked, new=new)


class Listening(Passing):
    """Remembers which axes stood behind what was tried, and behind what it made."""

    def __init__(self, policy: MemoryPolicy) -> None:
        """Listen in on `policy`."""
        super().__init__(policy)
        self._tried: list[Idea] = []
        self._made: list[Idea] = []

    def shares(self, *, made: bool = False) -> dict[str, float]:
        """Return the mean share of each axis in the ideas tried, or in those that made something; sorted."""
        ideas = self._made if made else self._tried
        names = sorted({name: None for idea in ideas for name in idea.axes})
        return {name: sum(idea.axes.get(name, 0.0) for idea in ideas) / len(ideas) for name in names}

    def judged(self, idea: Idea, *, worked: bool, new: bool) -> None:
        """Remember the idea and pass it on."""
        self._tried.append(idea)
        if worked:
            self._made.append(idea)
        super().judged(idea, worked=worked, new=new)


class Merging(Passing):
    """Passes on a descriptor once, however often the same is described."""

    def __init__(self, policy: MemoryPolicy) -> None:
        """Start with nothing passed on."""
        super().__init__(policy)
        self._said: dict[Hashable, None] = {}

    def remember(self, csd: Csd) -> None:
        """Pass a descriptor on unless the same was said before, of whatever place and time."""
        said = tuple(tuple((s.subject, s.predicate, s.value) for s in csd.axis(axis)) for axis in AXES)
        if said not in self._said:
            self._said[said] = None
            super().remember(csd)

"""Listening in on a memory policy: which axes stood behind what was tried, and behind what it made."""

from __future__ import annotations

from csd.descriptor import Csd
from echo.agent.arrangement import Arrangement
from echo.agent.policy import Idea, MemoryPolicy, Penalty, Prospects


class Listening:
    """A policy that passes everything on to another, and remembers the shares of tried ideas."""

    def __init__(self, policy: MemoryPolicy) -> None:
        """Listen in on `policy`."""
        self._policy = policy
        self._tried: list[Idea] = []
        self._made: list[Idea] = []

    def shares(self, *, made: bool = False) -> dict[str, float]:
        """Return the mean share of each axis in the ideas tried, or in those that made something; sorted."""
        ideas = self._made if made else self._tried
        names = sorted({name: None for idea in ideas for name in idea.axes})
        return {name: sum(idea.axes.get(name, 0.0) for idea in ideas) / len(ideas) for name in names}

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
        """Remember the idea and pass it on."""
        self._tried.append(idea)
        if worked:
            self._made.append(idea)
        self._policy.judged(idea, worked=worked, new=new)

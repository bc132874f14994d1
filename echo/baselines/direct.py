"""Direct: no memory at all. Every episode starts from nothing, demonstrations are forgotten.

Kept of the original: that nothing is stored, retrieved or written. What cannot be kept is what its language
model knows of the game beforehand; the shared reasoner knows nothing of it. Source: the memoryless agent of
Echo §4.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from csd.episode import Episode, Observation, Step
from echo.agent.goal import Role
from echo.agent.memory import Ended, Habits, Question, Recalled
from echo.agent.policy import NoMemory


class Direct:
    """Implements `echo.agent.memory.Memory` by keeping nothing and answering nothing.

    Other memories build on it: what they do not say themselves is said here.
    """

    def __init__(self) -> None:
        """Start empty, and stay so."""
        self._policy = NoMemory()

    @property
    def policy(self) -> NoMemory:
        """It suggests nothing."""
        return self._policy

    @property
    def habits(self) -> Habits:
        """Everybody's."""
        return Habits()

    def show(self, episode: Episode) -> None:
        """Forget it."""

    def recall(self, question: Question) -> Recalled:
        """Return nothing."""
        return Recalled()

    def fits(self, role: Role, items: Sequence[str]) -> Mapping[str, float]:
        """Return an empty mapping: it has no opinion."""
        return {}

    def take_in(self, step: Step, fresh: Sequence[str], after: Observation) -> None:
        """Forget it."""

    def close(self, ended: Ended) -> None:
        """Forget it."""

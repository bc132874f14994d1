"""DEPS: keeps nothing between episodes; within one it plans anew after failures and takes the nearest first.

Kept of the original: no memory across episodes; describing a failure, explaining it and planning anew,
which is what the shared reasoner does with every surprise; and the selector, which of several sub-goals
open at once takes the nearest in the current state. What cannot be kept: the explanation in words by a
language model, and the learned horizon predictor behind the selector, in whose place the cost in steps from
here is used. Source: DEPS, arXiv 2302.01560; the selector is its "S", switched off it takes sub-goals in
the planned order.
"""

from __future__ import annotations

from echo.agent.memory import Habits
from echo.baselines.direct import Direct


class Deps(Direct):
    """Implements `echo.agent.memory.Memory`: the habits are all there is to it."""

    def __init__(self, *, selector: bool = True) -> None:
        """Start empty, and stay so.

        Args:
            selector: whether it chooses; off, things are tried in the order in which they come.
        """
        super().__init__()
        self._selects = selector

    @property
    def habits(self) -> Habits:
        """The nearest first, unless the selector is off."""
        return Habits(nearest_first=self._selects)

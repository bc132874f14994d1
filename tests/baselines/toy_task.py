"""A task in the toy world: carry something."""

from __future__ import annotations

import numpy as np

from csd.episode import Action, Outcome
from echo.agent.goal import Have
from echo.agent.memory import Memory
from echo.agent.pursuit import Pursued, Pursuit
from tests.agent.toy_world import ToyWorld


class ToyTask(ToyWorld):
    """The toy world, in which something is to be carried."""

    def __init__(self, goal: Have) -> None:
        super().__init__()
        self.goal = goal
        self.reached = False

    def act(self, action: Action) -> Outcome:
        outcome = super().act(action)
        self.reached = self.reached or all(
            self.held.get(item, 0) >= count for item, count in self.goal.items.items()
        )
        return outcome


def play(memory: Memory, goal: Have, *, dice: int = 0, budget: int = 400) -> Pursued:
    """Play one episode."""
    return Pursuit(ToyTask(goal), memory, budget=budget, rng=np.random.default_rng(dice)).run()

"""A world whose every step a memory of tasks is told: one life, cut into episodes at each new item.

An unlocking life is no task, but the originals set themselves tasks: here each is to hold something never
held before. It is reached, and a new one begins, with every new item.
"""

from __future__ import annotations

from csd.episode import Action, Frame, Observation, Outcome, Step
from echo.agent.body import World
from echo.agent.goal import Have
from echo.agent.memory import Ended, Memory

TASK = "hold something never held before"
"""What each of these episodes is for, in words."""


class Watched:
    """Implements `echo.agent.body.World` by passing everything on and telling a memory of it."""

    def __init__(self, world: World, memory: Memory) -> None:
        """Look on.

        Args:
            world: acts and is perceived.
            memory: takes in each step once what came of it is perceived.
        """
        self._world, self._memory = world, memory
        self._seen: Observation | None = None
        self._acted: tuple[Action, Outcome] | None = None
        self._held: dict[str, None] = {}
        self._steps: list[Step] = []
        self.episodes = 0
        """Episodes that ended, each with something new."""

    @property
    def seen(self) -> Observation:
        """What was perceived last; perceived now where nothing was yet."""
        return self._seen if self._seen is not None else self.observe()

    @property
    def memory(self) -> Memory:
        """What is told of it."""
        return self._memory

    @property
    def source(self) -> str:
        """The world's."""
        return self._world.source

    def act(self, action: Action) -> Outcome:
        """Carry out one action; what a spent budget refuses is no step."""
        outcome = self._world.act(action)
        if outcome.code != "budget_spent":
            self._acted = (action, outcome)
        return outcome

    def observe(self, frame: bool = False) -> Observation:
        """Return what is perceived now, and tell memory of what was done since the last time."""
        after = self._world.observe(frame)
        before, self._seen = self._seen, after
        fresh = [item for item in after.inventory if item not in self._held]
        self._held.update(dict.fromkeys(fresh))
        if self._acted is not None and before is not None:
            action, outcome = self._acted
            self._take_in(Step(before=before, action=action, outcome=outcome), fresh, after)
        self._acted = None
        return after

    def render(self) -> Frame:
        """Return the world's picture."""
        return self._world.render()

    def _take_in(self, step: Step, fresh: list[str], after: Observation) -> None:
        self._steps.append(step)
        self._memory.take_in(step, fresh, after)
        if fresh:
            goal = Have(text=TASK, items=dict.fromkeys(fresh, 1))
            self._memory.close(Ended(goal=goal, steps=tuple(self._steps), after=after, ending="reached"))
            self._steps.clear()
            self.episodes += 1

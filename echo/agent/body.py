"""The agent's hands: carries out actions, keeps the trace, and stops at the first surprise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from csd.episode import (
    COUNTED_KINDS,
    Action,
    Attack,
    Cell,
    Collect,
    Craft,
    Equip,
    Frame,
    GoTo,
    Observation,
    Outcome,
    Place,
    Smelt,
    Step,
)
from echo.agent.arrangement import Arrangement
from echo.agent.knowledge import Knowledge
from echo.agent.planner import Task


class World(Protocol):
    """What an agent needs of a world."""

    def act(self, action: Action) -> Outcome:
        """Carry out one action."""
        ...

    def observe(self, frame: bool = False) -> Observation:
        """Return what is perceived now, with a picture if asked."""
        ...

    def render(self) -> Frame:
        """Return the picture of what is seen now, (height, width, 3) uint8."""
        ...

    @property
    def source(self) -> str:
        """What episodes of this world give as their source."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Surprise:
    """A task that did not bring what it was for."""

    expected: str
    outcome: Outcome | None
    """The outcome that broke it off; None where nothing could be done at all."""


class BudgetSpent(Exception):
    """The budget of counted actions, the agent's or the world's, is used up."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """A step just taken, and how far the agent is with it."""

    step: Step
    after: Observation
    fresh: tuple[str, ...]
    """Items held for the first time, in inventory order."""
    actions: int
    """Counted actions up to and with it."""


class Body:
    """Carries out actions in one world, keeping knowledge and the trace of steps up to date."""

    def __init__(
        self,
        world: World,
        knowledge: Knowledge,
        budget: int,
        on_step: Callable[[Taken], None],
        counted: frozenset[str] = COUNTED_KINDS,
    ) -> None:
        """Take over a world.

        Args:
            world: the world to act in.
            knowledge: taken along and kept up to date; what is carried already counts as held before.
            budget: counted actions allowed.
            on_step: called after each step.
            counted: kinds of action that count.
        """
        self._world = world
        self.knowledge = knowledge
        self._budget = budget
        self._on_step = on_step
        self._counted = counted
        self.seen = world.observe()
        """What was perceived last."""
        self.actions = 0
        """Counted actions so far."""
        self.ticks = 0
        """World time that the agent's actions took."""
        self.surprises = 0
        """Tasks of plans that did not bring what they were for."""
        self._latest: Outcome | None = None
        self.knowledge.look(self.seen)

    def do(self, action: Action) -> Outcome:
        """Carry out one action.

        Raises:
            BudgetSpent: when a counted action would exceed the agent's budget, or the world's is used up;
                nothing was done then.
        """
        counted = action.kind in self._counted
        if counted and self.actions >= self._budget:
            raise BudgetSpent
        before = self.seen
        outcome = self._world.act(action)
        if outcome.code == "budget_spent":
            raise BudgetSpent
        self.actions += counted
        self.ticks += outcome.ticks
        self.seen = self._world.observe()
        self._latest = outcome
        step = Step(before=before, action=action, outcome=outcome)
        self.knowledge.note(step)
        fresh = tuple(self.knowledge.look(self.seen))
        self._on_step(Taken(step=step, after=self.seen, fresh=fresh, actions=self.actions))
        return outcome

    def held(self) -> dict[str, int]:
        """Return item -> count as carried now."""
        return {item: stack.count for item, stack in self.seen.inventory.items()}

    def carry_out(self, tasks: tuple[Task, ...]) -> Surprise | None:
        """Do the tasks of a plan in order; stop at the first that does not bring what it should."""
        for task in tasks:
            match task.way.verb:
                case "collect":
                    surprise = self._dig(task)
                case "attack":
                    surprise = self._hunt(task)
                case _:
                    surprise = self._make(task)
            if surprise is not None:
                return surprise
        return None

    def lay_grid(self, grid: Arrangement) -> Outcome:
        """Lay one grid, at a station where it needs one."""
        if grid.offer is not None:
            self.reach(grid.offer)
        return self.do(Craft(grid=grid.grid))

    def smelt(self, item: str, fuel: str) -> Outcome:
        """Smelt one item at a station for it."""
        self.reach("smelt")
        return self.do(Smelt(input=item, fuel=fuel))

    def reach(self, offer: str) -> bool:
        """Get within reach of a station with `offer`: there already, known, or put down; False if none."""
        if any(station.offers == offer for station in self.seen.stations):
            return True
        known = [cell for cell, (_, offered) in self.knowledge.stations.items() if offered == offer]
        for cell in sorted(known, key=self._distance):
            self.do(GoTo(target=cell))
            if any(station.offers == offer for station in self.seen.stations):
                return True
            self.knowledge.stations.pop(cell, None)
        for block, offered in self.knowledge.offers.items():
            if offered == offer and self.seen.count(block) > 0 and self.do(Place(item=block)).ok:
                return any(station.offers == offer for station in self.seen.stations)
        return False

    def hold(self, item: str | None) -> None:
        """Hold `item` unless it is held already."""
        if self.seen.mainhand != item and (item is None or self.seen.count(item) > 0):
            self.do(Equip(item=item))

    def find(self, block: str) -> bool:
        """Bring `block` into sight: seen now, or walked to where it was last seen; False if it is lost."""
        if block in self.seen.blocks:
            return True
        cell = self.knowledge.last_seen.get(block)
        if cell is not None:
            self.do(GoTo(target=cell))
            if block in self.seen.blocks:
                return True
            self.knowledge.last_seen.pop(block, None)
        return False

    def dig(self, block: str, tool: str | None) -> Outcome | None:
        """Dig one `block` holding `tool`; None where no such block can be found."""
        if not self.find(block):
            return None
        self.hold(tool)
        return self.do(Collect(block=block))

    def _dig(self, task: Task) -> Surprise | None:
        way = task.way
        target = self.seen.count(way.product) + task.until
        for attempt in range(4 * task.times + 8):
            if self.seen.count(way.product) >= target:
                return None
            tool = task.tool
            if tool is not None and self.seen.count(tool) == 0:
                return self._stopped(f"{tool} in hand")
            outcome = self.dig(way.block or "", tool)
            if outcome is None:
                return self._stopped(f"{way.block} in sight")
            if outcome.code not in ("ok", "no_drop") or (outcome.code == "no_drop" and attempt > 30):
                return self._stopped(f"{way.product} from {way.block}")
        return None if self.seen.count(way.product) >= target else self._stopped(way.product)

    def _hunt(self, task: Task) -> Surprise | None:
        product, mob = task.way.product, task.way.mob or ""
        target = self.seen.count(product) + task.until
        for _ in range(2 * task.times + 4):
            if self.seen.count(product) >= target:
                return None
            if self.do(Attack(mob=mob)).code not in ("ok", "no_drop"):
                return self._stopped(f"{mob} in sight")
        return None if self.seen.count(product) >= target else self._stopped(product)

    def _make(self, task: Task) -> Surprise | None:
        for _ in range(task.times):
            if task.way.grid is not None:
                outcome = self.lay_grid(task.way.grid)
            else:
                outcome = self.smelt(task.way.inputs[0][0], task.fuel or "")
            if not outcome.ok:
                return self._stopped(task.way.product)
        return None

    def _stopped(self, expected: str) -> Surprise:
        self.surprises += 1
        return Surprise(expected=expected, outcome=self._latest)

    def _distance(self, cell: Cell) -> tuple[float, Cell]:
        x, y, z = self.seen.position
        return (abs(cell[0] - x) + abs(cell[1] - y) + abs(cell[2] - z), cell)

"""Tasks in the toy world: things to carry, make, fill and fell, some far off; and a memory by script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from csd.episode import Action, Attack, Cell, Craft, Episode, GoTo, Observation, Outcome, Place, Smelt, Step
from echo.agent.goal import Fell, Fill, Goal, Have, Make, Role, goal_event
from echo.agent.memory import Ended, Habits, Question, Recalled
from echo.agent.policy import MemoryPolicy, NoMemory
from echo.agent.pursuit import Pursued, Pursuit
from tests.agent.toy_world import RULES, Rules, ToyWorld

SIGHT = 10
"""Blocks along each axis from which a thing far off is seen."""

NOTHING = Rules(blocks={}, recipes={})
"""A land without a single block."""

TREE: Cell = (25, 64, 0)
"""Out of sight at first, in sight of the second point that a scout walks to, (20, 64, 0)."""


@dataclass(frozen=True, kw_only=True)
class Lay:
    """What a world of a task holds beside the rules."""

    far: Mapping[str, Cell] = field(default_factory=dict)
    """Block kind -> where it stands, seen from near by alone."""
    mobs: Mapping[str, Cell] = field(default_factory=dict)
    """Creature -> where it stays, however often it is felled."""
    ticks: Mapping[str | None, int] = field(default_factory=dict)
    """Item in hand -> ticks of a fight; 100 where nothing is said."""
    drops: Mapping[str, str] = field(default_factory=dict)
    """Creature -> what it leaves."""
    carriers: tuple[str, ...] = ()
    """What fills a cell so that it carries."""
    loose: tuple[str, ...] = ()
    """What can be put into a cell and does not carry."""


class GoalWorld(ToyWorld):
    """The toy world with a task in it; bodies move, and every outcome tells how far the goal is."""

    def __init__(
        self,
        goal: Goal,
        lay: Lay | None = None,
        *,
        held: Mapping[str, int] | None = None,
        rules: Rules = RULES,
    ) -> None:
        super().__init__(rules, held)
        self.goal, self.lay = goal, lay or Lay()
        self.filled: dict[Cell, str] = {}
        self.reached, self.parts = False, 0
        self._at: Cell = (0, 64, 0)
        self._fought = 0

    def act(self, action: Action) -> Outcome:
        self._fought = 0
        outcome = super().act(action)
        if isinstance(action, GoTo):
            self._at = action.target
        if isinstance(action, Attack):
            outcome = replace(outcome, work_ticks=self._fought)
        before, self.parts = self.parts, self._parts(action, outcome)
        self.reached = self.reached or self.parts == self.goal.parts
        return replace(outcome, events=(goal_event(self.parts, self.goal.parts, self.parts - before),))

    def observe(self, frame: bool = False) -> Observation:
        seen = super().observe(frame)
        blocks = {
            kind: replace(sight, nearest=self.lay.far.get(kind, sight.nearest))
            for kind, sight in seen.blocks.items()
            if self._near(self.lay.far.get(kind, self._at))
        }
        x, y, z = self._at
        mobs = {mob: 1 for mob, cell in self.lay.mobs.items() if self._near(cell)}
        return replace(seen, position=(x + 0.5, float(y), z + 0.5), blocks=blocks, mobs=mobs)

    def _carry_out(self, action: Action):
        match action:
            case Attack(mob=mob):
                return self._fight(mob), None
            case Place(item=item, target=target) if target is not None:
                return self._fill(item, target), item
        kind = getattr(action, "block", None)
        if kind in self.lay.far and not self._near(self.lay.far[kind]):
            return "not_seen", kind
        return super()._carry_out(action)

    def _fight(self, mob: str):
        if mob not in self.lay.mobs or not self._near(self.lay.mobs[mob]):
            return "not_seen"
        self._fought = self.lay.ticks.get(self._hand, 100)
        if mob not in self.lay.drops:
            return "no_drop"
        self._gain(self.lay.drops[mob], 1)
        return "ok"

    def _fill(self, item: str, cell: Cell):
        if item not in (*self.lay.carriers, *self.lay.loose):
            return "not_placeable"
        self._gain(item, -1)
        if item in self.lay.carriers:
            self.filled[cell] = item
        return "ok"

    def _near(self, cell: Cell) -> bool:
        return all(abs(one - other) <= SIGHT for one, other in zip(cell, self._at, strict=True))

    def _parts(self, action: Action, outcome: Outcome) -> int:
        match self.goal:
            case Have(items=items):
                return sum(self.held.get(item, 0) >= count for item, count in items.items())
            case Fill(cells=cells):
                return sum(cell in self.filled for cell in cells)
            case Make(where=where):
                return int(outcome.ok and isinstance(action, Smelt if where == "fire" else Craft))
            case Fell(mob=mob, within=within):
                return int(isinstance(action, Attack) and action.mob == mob and 0 < self._fought <= within)


class ScriptedMemory:
    """Answers as a script says, and keeps what it was asked and told."""

    def __init__(
        self,
        start: Recalled | None = None,
        *,
        items: Mapping[str, Recalled] | None = None,
        blocks: Mapping[str, Recalled] | None = None,
        fits: Mapping[str, float] | None = None,
        habits: Habits | None = None,
        policy: MemoryPolicy | None = None,
    ) -> None:
        self._start, self._items, self._blocks = start or Recalled(), items or {}, blocks or {}
        self._fits = fits or {}
        self.habits = habits or Habits()
        self.policy: MemoryPolicy = policy or NoMemory()
        self.asked: list[tuple[str | None, str | None]] = []
        """Item and block of each question."""
        self.taken: list[tuple[Step, tuple[str, ...]]] = []
        self.ended: list[Ended] = []
        self.roles: list[Role] = []

    def show(self, episode: Episode) -> None:
        """Forget it."""

    def recall(self, question: Question) -> Recalled:
        self.asked.append((question.item, question.block))
        if question.item is not None:
            return self._items.get(question.item, Recalled())
        if question.block is not None:
            return self._blocks.get(question.block, Recalled())
        return self._start

    def fits(self, role: Role, items: Sequence[str]) -> Mapping[str, float]:
        self.roles.append(role)
        return {item: fit for item, fit in self._fits.items() if item in items}

    def take_in(self, step: Step, fresh: Sequence[str], after: Observation) -> None:
        self.taken.append((step, tuple(fresh)))

    def close(self, ended: Ended) -> None:
        self.ended.append(ended)


def have(**items: int) -> Have:
    return Have(text="carry " + ", ".join(items), items=items)


def lived(*actions: Action, world: ToyWorld | None = None, **held: int) -> tuple[Step, ...]:
    """Return the steps of doing `actions` in a world: what an earlier episode left."""
    world = world or ToyWorld(held=held)
    steps = []
    for action in actions:
        before = world.observe()
        steps.append(Step(before=before, action=action, outcome=world.act(action)))
    return tuple(steps)


def play(
    world: GoalWorld, memory: ScriptedMemory | None = None, *, budget: int = 60, dice: int = 0
) -> Pursued:
    """Play one episode."""
    return Pursuit(world, memory or ScriptedMemory(), budget=budget, rng=np.random.default_rng(dice)).run()


def deeds(world: ToyWorld) -> list[Action]:
    return [action for action, _ in world.done]

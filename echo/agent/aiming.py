"""Aiming: doing what leads to a goal by what is known, and getting hold of what stands in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from csd.episode import Cell, Craft
from echo.agent.arrangement import Arrangement
from echo.agent.casting import Casting
from echo.agent.goal import Fell, Fill, Goal, Have, Make
from echo.agent.knowledge import Way
from echo.agent.life import Doings
from echo.agent.memory import Memory, Question, Recalled
from echo.agent.scouting import Scout
from echo.agent.wants import wants_of

CHEAPEST = 3
"""Known ways to make something in one place that are tried, the cheapest first."""


class Aiming:
    """Pursues one goal with an agent's doings."""

    def __init__(self, doings: Doings, casting: Casting, scout: Scout, memory: Memory, goal: Goal) -> None:
        """Start with nothing asked of memory.

        Args:
            doings: planner, attempter and body.
            casting: finds players of roles.
            scout: walks about.
            memory: asked for ways and places, once each.
            goal: what to reach.
        """
        self._doings, self._casting, self._scout = doings, casting, scout
        self._memory, self._goal, self._body = memory, goal, doings.body
        self._asked: dict[tuple[Literal["item", "block"], str], None] = {}
        self._vain = 0
        """Plans for the goal, one after another, that a surprise ended."""
        self._ways_then = 0
        """Ways known when the latest of them ended."""

    def aim(self, filled: Mapping[Cell, str]) -> bool:
        """Do something that leads to the goal by what is known; False where nothing does.

        Args:
            filled: cells of the goal filled so far, with what.

        Raises:
            BudgetSpent: when the budget ends.
        """
        match self._goal:
            case Have():
                return self._gather(dict(self._goal.items)) or self._mend(list(self._goal.items))
            case Make():
                return self._make(self._goal)
            case Fill():
                return self._casting.fill(self._goal, filled)
            case Fell():
                return self._casting.fell(self._goal) or self._seek_creature(self._goal.mob)

    def _gather(self, wanted: Mapping[str, int]) -> bool:
        """Carry out a plan for `wanted`; False where there is none or plans keep failing."""
        if self._ways() > self._ways_then:
            self._vain = 0
        if self._vain >= self._doings.options.plans:
            return False
        plan = self._doings.planner.for_items(wanted, self._body.held())
        if not plan:
            return False
        if self._body.carry_out(plan) is None:
            self._vain = 0
        else:
            self._vain += 1
            self._ways_then = self._ways()
        return True

    def _ways(self) -> int:
        return sum(map(len, self._body.knowledge.ways.values()))

    def _mend(self, items: list[str]) -> bool:
        """Get hold of what stands between the known ways and `items`: ask, look, or burn something else."""
        knowledge = self._body.knowledge
        wants = wants_of(items, self._body.held(), knowledge, self._doings.prices)
        for item in wants.ways:
            if self._ask("item", item, Question(goal=self._goal, seen=self._body.seen, item=item)):
                return True
        for block in wants.blocks:
            self._ask("block", block, Question(goal=self._goal, seen=self._body.seen, block=block))
            if block in knowledge.last_seen:
                self._vain = 0
                return True
        if (wants.blocks or wants.creatures) and not wants.ways:
            self._vain = 0
            return self._scout.go_on()
        for item in wants.smelts:
            if self._body.seen.count(item) == 0:
                plan = self._doings.planner.for_items({item: 1}, self._body.held(), "smelt")
                if plan is None or self._body.carry_out(plan) is not None:
                    continue
            if self._casting.burn(item):
                return True
        return False

    def _make(self, goal: Make) -> bool:
        """Make the cheapest thing that is known to be made in the asked place."""
        ways = [
            way
            for known in self._body.knowledge.ways.values()
            for way in known
            if _made_in(way) == goal.where
        ]
        ways.sort(key=lambda way: sum(n * self._doings.prices.of(item) for item, n in way.inputs))
        for way in ways[:CHEAPEST]:
            laid = way.grid or Arrangement.smelting(way.inputs[0][0])
            if self._doings.attempter.redo(laid):
                return True
        return bool(ways) and self._mend([way.product for way in ways[:CHEAPEST]])

    def _seek_creature(self, mob: str) -> bool:
        return not self._body.seen.mobs.get(mob) and self._scout.go_on()

    def _ask(self, kind: Literal["item", "block"], about: str, question: Question) -> bool:
        """Ask memory once about one item or block, which may share a name; True where it told something."""
        if (kind, about) in self._asked:
            return False
        self._asked[kind, about] = None
        recalled = self._memory.recall(question)
        for step in recalled.steps:
            self._body.knowledge.recollect(step)
        self.know(recalled)
        return bool(recalled.steps)

    def know(self, recalled: Recalled) -> None:
        """Tell the explorer of recalled grids, and keep recalled places in mind."""
        for block, cell in recalled.places.items():
            self._body.knowledge.last_seen.setdefault(block, cell)
        for step in recalled.steps:
            if isinstance(step.action, Craft) and step.outcome.code in ("ok", "no_result"):
                self._doings.know(Arrangement.from_grid(step.action.grid), worked=step.outcome.ok)
        if isinstance(self._goal, Have):
            # Only where a certain thing is asked for can what made its like be adapted.
            laid = [Arrangement.laid_by(step.action) for step in recalled.exemplars if step.outcome.ok]
            self._doings.heed([exemplar for exemplar in laid if exemplar is not None])


def _made_in(way: Way) -> str:
    if way.verb == "smelt":
        return "fire"
    if way.grid is None:
        return ""
    return "hands" if way.grid.offer is None else "table"

"""Pursuing a goal: one episode of a task, played by the reasoner that all memories share.

It begins knowing nothing, asks its memory, does what can be planned from what it then knows, looks for what
is missing, casts items in the parts a goal asks for, and else finds out more. Source: Echo §3.4 to 3.5 (plan,
pre-check, execute, replan); differs in that the reasoner follows rules and asks no language model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from csd.episode import COUNTED_KINDS, Step
from echo.agent.agent import Agent
from echo.agent.aiming import Aiming
from echo.agent.archive import NoArchive
from echo.agent.body import Body, BudgetSpent, Taken, World
from echo.agent.casting import Casting
from echo.agent.goal import Fell, Fill, Goal, Have
from echo.agent.knowledge import Knowledge
from echo.agent.ledger import Ledger, Spending
from echo.agent.life import Doings
from echo.agent.memory import Ended, Ending, Memory, Question, Recalled
from echo.agent.model_policy import ModelPolicy
from echo.agent.model_use import ModelUse
from echo.agent.options import AgentOptions, options_for
from echo.agent.passing import Listening
from echo.agent.policy import MemoryPolicy, NoMemory
from echo.agent.scouting import Scout
from echo.agent.writeback import Chronicle, Purpose, Source

COUNTED = COUNTED_KINDS | {"go_to", "place"}
"""Actions that cost a step of a task: walking and placing do too, so that knowing where things are is worth
something."""

FORGETFUL_DICE = 2.0
"""Dice, in bits, of an explorer that is told of no failure: else each episode would repeat the last."""

AIMED_EXPLORATION = 0.85
"""Share of decisions that go to exploration and adaptation although memory promises new items: what is new is
not yet what is asked for."""

NEAREST = 10.0
"""How much more the price of missing material counts where what is nearest comes first."""

FIRST_LOOKS = 4
"""Points that active perception walks to before it acts, at most."""


class GoalWorld(World, Protocol):
    """A world with a task in it."""

    @property
    def goal(self) -> Goal:
        """What is asked for, under the names that the world shows."""
        ...

    @property
    def reached(self) -> bool:
        """Whether the goal was reached at any time."""
        ...


@dataclass(frozen=True, kw_only=True)
class Pursued:
    """What an episode came to."""

    ending: Ending
    steps: int
    """Steps that count, up to the one that reached the goal."""
    ticks: int
    decisions: int
    recalled: int
    """Experiences that memory gave back at the start."""
    spending: Mapping[str, Spending]
    """Source -> what came of it: collect, exploration, edit, adaptation, transfer, pattern, role
    (casting a part), plan (doing what is known) and scout (walking about between attempts: steps alone)."""
    axes: Mapping[str, float]
    axes_made: Mapping[str, float]
    unprepared: int
    surprises: int
    best: int
    """Parts of the goal reached."""
    trace: tuple[Step, ...]
    use: ModelUse | None = None
    """What a model decided and answered; None where the rule decided."""


class Pursuit:
    """One episode: one goal, one budget, one memory."""

    def __init__(
        self,
        world: GoalWorld,
        memory: Memory,
        *,
        budget: int,
        rng: np.random.Generator,
        reasons: Callable[[MemoryPolicy, Goal], ModelPolicy] | None = None,
    ) -> None:
        """Ask memory for what it knows of the goal.

        Args:
            world: at its first observation.
            memory: what earlier episodes left.
            budget: steps, counted as `COUNTED`.
            rng: throws all of the reasoner's dice.
            reasons: puts a model before the memory, to choose what is tried; None for the rule.
        """
        self._world, self._memory, self._goal = world, memory, world.goal
        self._ledger = Ledger()
        self._source: str | None = None
        """Whose the steps are that are being taken; None while something is found out: doings say whose."""
        self._model = None if reasons is None else reasons(memory.policy, self._goal)
        self._listening = Listening(self._model or memory.policy)
        knowledge = Knowledge()
        self._chronicle = Chronicle(
            knowledge=knowledge,
            policy=self._listening,
            archive=NoArchive(),
            picture=world.render,
            source=world.source,
            record="none",
        )
        recalled = memory.recall(Question(goal=self._goal, seen=world.observe()))
        for step in recalled.steps:
            knowledge.recollect(step)
        if self._model is not None:
            self._model.recollect((*recalled.exemplars, *recalled.steps))
        self._body = Body(world, knowledge, budget, self._take_in, counted=COUNTED)
        agent = Agent(
            policy=self._listening, edits=True, options=_options(memory, recalled, self._goal), rng=rng
        )
        self._doings = Doings(agent, self._body, self._chronicle)
        self._plan = list(recalled.plan)
        self._recalled = len(recalled.steps)
        self._scout = Scout(self._body)
        casting = Casting(self._body, self._doings.planner, memory.fits, rng)
        self._aiming = Aiming(self._doings, casting, self._scout, memory, self._goal)
        self._aiming.know(recalled)

    def run(self) -> Pursued:
        """Act until the goal is reached, the budget spent, or nothing is left to do."""
        ending: Ending = "budget"
        idle, patience = 0, 50
        try:
            self._look_first()
            while not self._world.reached:
                before = self._body.actions
                if not self._turn() and not self._walk_on():
                    ending = "stuck"
                    break
                idle = idle + 1 if self._body.actions == before else 0
                if idle > patience:
                    ending = "stuck"
                    break
        except BudgetSpent:
            pass
        if self._world.reached:
            ending = "reached"
        self._memory.close(
            Ended(goal=self._goal, steps=tuple(self._ledger.trace), after=self._body.seen, ending=ending)
        )
        return self._pursued(ending)

    def _turn(self) -> bool:
        """Do one thing; False where nothing is left but walking on."""
        if self._plan:
            return self._replay()
        self._doings.catch_up()
        return self._aim() or self._find_out()

    def _aim(self) -> bool:
        """Do what leads to the goal, if anything does, and book it, also where the budget breaks it off."""
        source: Source = "role" if isinstance(self._goal, Fill | Fell) else "plan"
        self._turn_to(source)
        before, best = self._body.actions, self._ledger.best
        try:
            return self._aiming.aim(self._ledger.filled)
        finally:
            spent = self._body.actions - before
            if spent > 0:
                nearer = self._ledger.best > best or self._world.reached
                self._ledger.book(source, made=nearer, steps=spent)

    def _find_out(self) -> bool:
        """Let the explorer or memory choose, and book what is lost, also where the budget breaks it off."""
        self._source = None
        before, made = self._ledger.steps(), _made(self._chronicle)
        try:
            return self._doings.find_out()
        finally:
            after = _made(self._chronicle)
            for source, steps in self._ledger.steps().items():
                if after.get(source, 0) == made.get(source, 0):
                    self._ledger.of(source).lost += steps - before.get(source, 0)

    def _walk_on(self) -> bool:
        """Walk to where nothing was seen yet; False where no point is left."""
        self._source = "scout"
        return self._scout.go_on()

    def _look_first(self) -> None:
        """Walk about until all that known ways begin with is seen, where the memory's owner does so."""
        if not self._memory.habits.looks_first:
            return
        knowledge = self._body.knowledge
        blocks = [way.block for ways in knowledge.ways.values() for way in ways if way.block is not None]
        for _ in range(FIRST_LOOKS):
            if all(block in knowledge.last_seen for block in blocks):
                return
            self._walk_on()

    def _replay(self) -> bool:
        """Repeat the next action of a remembered plan."""
        action = self._plan.pop(0)
        self._turn_to("plan")
        before = self._body.actions
        outcome = self._body.do(action)
        self._ledger.book("plan", made=outcome.ok, steps=self._body.actions - before)
        if not outcome.ok:
            self._body.surprises += 1
            if self._memory.habits.replans:
                self._plan.clear()
        return True

    def _turn_to(self, source: Source) -> None:
        """Let steps, and what they bring, be those of `source`, and no more of what was tried before."""
        self._source = source
        self._chronicle.turn_to(Purpose(source=source, detail=self._goal.text))

    def _take_in(self, taken: Taken) -> None:
        source = self._source or self._doings.source
        self._ledger.take_in(taken, source=source, reached=self._world.reached)
        self._memory.take_in(taken.step, taken.fresh, taken.after)
        self._chronicle.take_in(taken)

    def _pursued(self, ending: Ending) -> Pursued:
        ledger = self._ledger
        return Pursued(
            ending=ending,
            steps=self._body.actions if ledger.reached_at is None else ledger.reached_at,
            ticks=self._body.ticks,
            decisions=len(self._doings.decision_seconds),
            recalled=self._recalled,
            spending=ledger.with_counts(self._chronicle.attempts),
            axes=self._listening.shares(),
            axes_made=self._listening.shares(made=True),
            unprepared=self._doings.attempter.unprepared,
            surprises=self._body.surprises,
            best=ledger.best,
            trace=tuple(ledger.trace),
            use=None if self._model is None else self._model.use,
        )


def _options(memory: Memory, recalled: Recalled, goal: Goal) -> AgentOptions:
    """Return everybody's settings with the habits of one memory's owner."""
    habits, base = memory.habits, options_for(remembers=not isinstance(memory.policy, NoMemory))
    warned = any(step.outcome.code == "no_result" for step in recalled.steps)
    explorer = replace(
        base.explorer,
        dice_bits=0.0 if warned else FORGETFUL_DICE,
        price_share=NEAREST if habits.nearest_first else base.explorer.price_share,
    )
    return replace(
        base,
        explorer=explorer,
        explore_share=AIMED_EXPLORATION if isinstance(goal, Have) else base.explore_share,
        verifies=habits.checks,
        plans=base.plans if habits.replans else 1,
    )


def _made(chronicle: Chronicle) -> dict[str, int]:
    return {source: counts["made"] for source, counts in chronicle.attempts.items()}

"""Attempting: get what an arrangement needs, carry it out once, and tell everyone how it came out."""

from __future__ import annotations

from collections.abc import Mapping

from csd.episode import Outcome
from echo.agent.agent import Agent
from echo.agent.arrangement import Arrangement
from echo.agent.body import Body
from echo.agent.explorer import Explorer, Proposal
from echo.agent.knowledge import Knowledge
from echo.agent.planner import Planner
from echo.agent.policy import Idea
from echo.agent.writeback import Chronicle, Purpose
from ical.task import InducedTask
from ical.verify import Verdict, verify

TRIED_CODES = ("ok", "no_result")
"""Outcomes that say whether an arrangement gives something; others say that it could not be tried."""


class Attempter:
    """Carries out what was decided."""

    def __init__(
        self, agent: Agent, body: Body, planner: Planner, explorer: Explorer, chronicle: Chronicle
    ) -> None:
        """Take over the body."""
        self._body, self._planner, self._prices = body, planner, planner.prices
        self._explorer, self._chronicle = explorer, chronicle
        self._policy, self._options = agent.policy, agent.options
        self.unprepared = 0
        """Attempts given up because what they take could not be got."""

    def attempt(self, choice: Idea | Proposal) -> None:
        """Check, prepare and try one arrangement, at most once in a life.

        An idea that something known speaks against, other than what preparation can mend, is set aside for
        good. What cannot be prepared, or turns out not to be possible, is until more ways are known.

        Raises:
            BudgetSpent: when the budget ends; what was done until then counts.
        """
        arrangement = choice.arrangement
        if self._known(choice):
            return
        verdict = self._verdict(choice)
        if verdict is not None and isinstance(choice, Idea) and not verdict.mendable:
            self._chronicle.reject(choice.source)
            self._policy.set_aside(choice, None)
            return
        self._chronicle.start(_preparing(arrangement))
        if not self.prepare(arrangement):
            self.unprepared += 1
            self._set_aside(choice)
            return
        self._chronicle.turn_to(_purpose(choice, verdict))
        before = len(self._chronicle.unlocks)
        outcome = self._try(arrangement)
        if outcome is None or outcome.code not in TRIED_CODES:
            self._set_aside(choice)
            return
        self._judge(choice, outcome, new=len(self._chronicle.unlocks) > before)

    def recall(self, arrangement: Arrangement) -> None:
        """Do what was demonstrated, if it can be prepared.

        Raises:
            BudgetSpent: when the budget ends.
        """
        self._chronicle.start(_preparing(arrangement))
        if not self.prepare(arrangement):
            return
        self._chronicle.turn_to(
            Purpose(
                source="exploration",
                detail=f"as demonstrated: {arrangement.words()}",
                exemplars=(self._chronicle.shown[arrangement],),
            )
        )
        outcome = self._body.lay_grid(arrangement)
        self._chronicle.count("exploration", made=outcome.ok)

    def redo(self, arrangement: Arrangement) -> bool:
        """Make again what is known to work; False where it cannot be prepared or gives nothing now.

        Raises:
            BudgetSpent: when the budget ends.
        """
        if not self.prepare(arrangement):
            return False
        outcome = self._try(arrangement)
        return outcome is not None and outcome.ok

    def prepare(self, arrangement: Arrangement) -> bool:
        """Get what `arrangement` needs, planning anew after a surprise; False where that fails.

        Raises:
            BudgetSpent: when the budget ends.
        """
        for _ in range(self._options.plans):
            plan = self._planner.for_arrangement(arrangement, self._body.held())
            if plan is None:
                return False
            if self._body.carry_out(plan) is None:
                return True
            self._prices.catch_up(news=self._chronicle.news)
        return False

    def _known(self, choice: Idea | Proposal) -> bool:
        """Tell memory of an arrangement that was carried out before, whatever came of it."""
        arrangement = choice.arrangement
        if arrangement.smelts or not self._body.knowledge.tried(arrangement):
            return False
        if self._body.knowledge.grids[arrangement] is None:
            self._policy.failed(arrangement)
        if isinstance(choice, Idea):
            self._policy.set_aside(choice, None)
        return True

    def _verdict(self, choice: Idea | Proposal) -> Verdict | None:
        """Return what the verifier says of an idea's task, None where there is no task to check."""
        if not self._options.verifies or not isinstance(choice, Idea) or choice.task is None:
            return None
        return check(choice.task, self._body.held(), self._body.knowledge)

    def _set_aside(self, choice: Idea | Proposal) -> None:
        self._explorer.block(choice.arrangement)
        if isinstance(choice, Idea):
            self._policy.set_aside(choice, len(self._body.knowledge.ways))

    def _try(self, arrangement: Arrangement) -> Outcome | None:
        if arrangement.smelts:
            return self._smelt(arrangement.fillers[0])
        return self._body.lay_grid(arrangement)

    def _smelt(self, item: str) -> Outcome | None:
        """Smelt one `item` with a fuel that is known, else with whatever burns; None where nothing does."""
        # Fuels are those left when the fire stands: what it is put down from is held no longer.
        if not self._body.reach("smelt"):
            return None
        fuel = self._prices.fuel()
        if fuel is not None and self._body.seen.count(fuel) > (fuel == item):
            return self._body.smelt(item, fuel)
        known, count = self._body.knowledge, self._body.seen.count
        for held in sorted(self._body.held(), key=lambda one: (one not in known.fuels, -count(one), one)):
            if held in known.not_fuel or held == item:
                continue
            outcome = self._body.smelt(item, held)
            if outcome.code != "not_fuel":
                return outcome
        return None

    def _judge(self, choice: Idea | Proposal, outcome: Outcome, *, new: bool) -> None:
        arrangement = choice.arrangement
        self._chronicle.close_attempt(arrangement, outcome, self._body.seen)
        own = isinstance(choice, Proposal)
        if not arrangement.smelts:
            self._explorer.noted(arrangement, worked=outcome.ok, new=outcome.ok and new, own=own)
        if isinstance(choice, Proposal):
            self._explorer.judged(choice.source, new=new)
        else:
            self._policy.judged(choice, worked=outcome.ok, new=new)
        if not outcome.ok:
            self._policy.failed(arrangement)


def _preparing(arrangement: Arrangement) -> Purpose:
    return Purpose(source="exploration", detail=f"on the way to {arrangement.words()}")


def check(task: InducedTask, held: Mapping[str, int], knowledge: Knowledge) -> Verdict:
    """Check a task against what is carried and what the agent has found out.

    Args:
        task: what induction proposes.
        held: item -> how many are carried.
        knowledge: the agent's: names, stations, and what was in vain.
    """
    return verify(
        task,
        held=held,
        known_items=names_seen(knowledge),
        offers=tuple(knowledge.offers.values()),
        failed=lambda rows, fillers: in_vain(Arrangement(rows, fillers), knowledge),
    )


def names_seen(knowledge: Knowledge) -> dict[str, None]:
    """Return every item and block that the agent saw by name, in the world or in a demonstration."""
    used = [item for ways in knowledge.ways.values() for way in ways for item, _ in way.inputs]
    blocks = (*knowledge.last_seen, *knowledge.own_blocks, *knowledge.offers, *knowledge.digging)
    items = (*knowledge.items, *knowledge.ways, *knowledge.placeable, *knowledge.smelted, *knowledge.fuels)
    return dict.fromkeys((*items, *used, *blocks))


def in_vain(arrangement: Arrangement, knowledge: Knowledge) -> bool:
    """Return whether an arrangement was carried out before and gave nothing."""
    if not knowledge.tried(arrangement):
        return False
    if arrangement.smelts:
        return knowledge.smelted[arrangement.fillers[0]] is None
    return knowledge.grids[arrangement] is None


def _purpose(choice: Idea | Proposal, verdict: Verdict | None) -> Purpose:
    if isinstance(choice, Idea):
        return Purpose(
            source=choice.source,
            detail=choice.detail,
            axes=choice.axes,
            exemplars=choice.exemplars,
            idea=choice,
            verdict=verdict,
        )
    return Purpose(source=choice.source, detail=choice.arrangement.words())

"""An attempter in a toy world with a policy that notes what it is told, and things to attempt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from csd.axes import Axis
from csd.episode import Collect, Craft, Smelt
from echo.agent.agent import Agent
from echo.agent.archive import NoArchive
from echo.agent.arrangement import Arrangement
from echo.agent.attempt import Attempter
from echo.agent.body import Body
from echo.agent.explorer import Explorer, Proposal
from echo.agent.knowledge import Knowledge
from echo.agent.options import AgentOptions
from echo.agent.planner import Planner, Prices
from echo.agent.policy import Idea, NoMemory
from echo.agent.writeback import Chronicle
from ical.task import Assertion, InducedTask, StepSupport, assertions_for
from tests.agent.toy_world import ToyWorld


class Noting(NoMemory):
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []

    def failed(self, arrangement: Arrangement) -> None:
        self.told.append(("failed", arrangement))

    def set_aside(self, idea: Idea, ways: int | None) -> None:
        self.told.append(("aside", idea.arrangement, ways))

    def judged(self, idea: Idea, *, worked: bool, new: bool) -> None:
        self.told.append(("judged", idea.arrangement, worked, new))


class Setting:
    """An attempter in a toy world, with what it works on."""

    def __init__(self, world: ToyWorld, options: AgentOptions | None = None) -> None:
        self.world, self.known, self.policy = world, Knowledge(), Noting()
        self.chronicle = Chronicle(
            knowledge=self.known,
            policy=self.policy,
            archive=NoArchive(),
            picture=world.render,
            source=world.source,
            record="none",
        )
        self.body = Body(world, self.known, 10_000, self.chronicle.take_in)
        self.prices = Prices(self.known)
        self.explorer = Explorer(self.known, self.prices, edits=False)
        agent = Agent(
            policy=self.policy,
            edits=False,
            options=options or AgentOptions(),
            rng=np.random.default_rng(0),
        )
        planner = Planner(self.known, self.prices)
        self.attempter = Attempter(agent, self.body, planner, self.explorer, self.chronicle)

    def do(self, *actions: Collect | Craft) -> None:
        for action in actions:
            self.body.do(action)
        self.prices.catch_up(news=True)
        self.world.done.clear()


def proposal(arrangement: Arrangement) -> Proposal:
    return Proposal(arrangement=arrangement, bits=1.0, plain=1.0, source="exploration")


def idea(arrangement: Arrangement) -> Idea:
    return Idea(
        arrangement=arrangement,
        success=0.5,
        score=0.5,
        source="transfer",
        axes={"func": 1.0},
        exemplars=("csd_0",),
        detail="stone for plank",
    )


def task(arrangement: Arrangement, assertions: tuple[Assertion, ...] | None = None) -> InducedTask:
    """Return the task of an arrangement, supported by one exemplar."""
    needs = arrangement.needs()
    station = arrangement.offer
    assert station in (None, "grid3", "smelt")
    deciding = (
        Smelt(input=arrangement.fillers[0], fuel="plank")
        if arrangement.smelts
        else Craft(grid=arrangement.grid)
    )
    return InducedTask(
        goal="try it",
        actions=(deciding,),
        needs=needs,
        station=station,
        effects=None,
        assertions=assertions_for(needs, None) if assertions is None else assertions,
        support=(StepSupport(step=0, exemplar="csd_0", axes={Axis.FUNC: 1.0}),),
        success=0.5,
        source="transfer",
    )


def carried(arrangement: Arrangement) -> Idea:
    return replace(idea(arrangement), task=task(arrangement))


def kinds(world: ToyWorld) -> list[str]:
    return [action.kind for action, _ in world.done]

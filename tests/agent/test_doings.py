from __future__ import annotations

import numpy as np
import pytest

from csd.episode import Craft
from echo.agent.agent import Agent
from echo.agent.archive import NoArchive
from echo.agent.arrangement import Arrangement
from echo.agent.body import Body
from echo.agent.knowledge import Knowledge
from echo.agent.life import Doings
from echo.agent.options import AgentOptions
from echo.agent.policy import NoMemory
from echo.agent.writeback import Chronicle
from tests.agent.toy_goals import deeds
from tests.agent.toy_world import RULES, Rules, ToyWorld

PLANKS, TABLE = Arrangement("A", ("log",)), Arrangement("AA/AA", ("plank",))


def doings_in(world: ToyWorld, known: Knowledge | None = None) -> Doings:
    known = known or Knowledge()
    chronicle = Chronicle(
        knowledge=known,
        policy=NoMemory(),
        archive=NoArchive(),
        picture=world.render,
        source=world.source,
        record="none",
    )
    body = Body(world, known, 1_000, chronicle.take_in)
    agent = Agent(policy=NoMemory(), edits=False, options=AgentOptions(), rng=np.random.default_rng(0))
    return Doings(agent, body, chronicle)


def laid(doings: Doings, world: ToyWorld, count: int) -> list[Arrangement]:
    """Return the first `count` grids that are tried."""
    found: list[Arrangement] = []
    while len(found) < count and doings.find_out():
        found = [Arrangement.from_grid(one.grid) for one in deeds(world) if isinstance(one, Craft)]
    return found


BARE = Rules(blocks={}, recipes=RULES.recipes)


def test_a_grid_that_failed_before_is_left_out_and_speaks_against_its_item():
    world = ToyWorld(Rules(blocks={}, recipes={}), {"log": 9, "stone": 9})
    plain = laid(doings_in(world), world, 2)
    again = ToyWorld(Rules(blocks={}, recipes={}), {"log": 9, "stone": 9})
    known = Knowledge(grids={plain[0]: None})
    doings = doings_in(again, known)
    doings.know(plain[0], worked=False)
    assert laid(doings, again, 1) == [plain[1]]


def test_a_grid_that_worked_before_is_made_as_soon_as_its_parts_are_known():
    world = ToyWorld(BARE, {"log": 9})
    doings = doings_in(world, Knowledge(grids={TABLE: "table"}))
    doings.chronicle.shown[TABLE] = "csd_0"
    doings.know(TABLE, worked=True)
    # Planks come first, by exploration; then the table, before any other grid.
    assert laid(doings, world, 2) == [PLANKS, TABLE]


@pytest.mark.parametrize("product", [None, "log"])
def test_a_grid_of_no_use_is_not_made_again(product):
    world = ToyWorld(BARE, {"log": 9})
    doings = doings_in(world, Knowledge(grids={Arrangement("AA", ("log",)): product}))
    doings.know(Arrangement("AA", ("log",)), worked=True)
    assert laid(doings, world, 1) == [PLANKS]


def test_what_bears_on_the_goal_is_adapted_first():
    world = ToyWorld(Rules(blocks={}, recipes={}), {"log": 9, "stone": 9})
    doings = doings_in(world, Knowledge(grids={Arrangement("AA/A.", ("plank",)): "step"}))
    doings.heed([Arrangement("AA/A.", ("plank",))])
    # A single item would be shorter to say, were it not for the exemplar.
    shapes = [one.rows for one in laid(doings, world, 2)]
    assert shapes == ["AA/A.", "AA/A."]


def test_every_decision_is_timed():
    world = ToyWorld(BARE, {"log": 9})
    doings = doings_in(world)
    laid(doings, world, 3)
    assert len(doings.decision_seconds) == 3
    assert all(seconds > 0 for seconds in doings.decision_seconds)

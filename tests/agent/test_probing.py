from __future__ import annotations

from dataclasses import replace

import numpy as np

from csd.episode import Attack, Collect, Equip, GoTo, Place
from echo.agent.agent import Agent
from echo.agent.archive import NoArchive
from echo.agent.body import Body
from echo.agent.knowledge import Knowledge
from echo.agent.options import AgentOptions
from echo.agent.planner import Planner, Prices
from echo.agent.policy import NoMemory
from echo.agent.probing import Prober
from echo.agent.writeback import Chronicle
from tests.agent.toy_goals import NOTHING, GoalWorld, Lay, have
from tests.agent.toy_world import RULES, ToyWorld


def prober_in(world: ToyWorld) -> Prober:
    known = Knowledge()
    chronicle = Chronicle(
        knowledge=known,
        policy=NoMemory(),
        archive=NoArchive(),
        picture=world.render,
        source=world.source,
        record="none",
    )
    body = Body(world, known, 10_000, chronicle.take_in)
    agent = Agent(policy=NoMemory(), edits=False, options=AgentOptions(), rng=np.random.default_rng(0))
    return Prober(agent, body, Planner(known, Prices(known)), chronicle)


def digs(world: ToyWorld) -> list[tuple[str, str | None]]:
    """Return (block, item held) of every dig."""
    hand: str | None = None
    found = []
    for action, _ in world.done:
        if isinstance(action, Equip):
            hand = action.item
        elif isinstance(action, Collect):
            found.append((action.block, hand))
    return found


def test_every_kind_of_block_is_dug_once():
    world = ToyWorld()
    prober = prober_in(world)
    while prober.probe():
        pass
    assert digs(world) == [("dust", None), ("ore", None), ("rock", None), ("tree", None)]


def test_a_new_tool_is_tried_on_closed_blocks_until_it_fails_twice_in_a_row():
    world = ToyWorld()
    prober = prober_in(world)
    while prober.probe():
        pass
    world.held["pick"] = 1
    world.done.clear()
    prober._body.do(Equip(item="pick"))
    while prober.probe():
        pass
    # Equally hard blocks go by name: dust and ore stay closed, so that rock is never reached.
    assert digs(world) == [("dust", "pick"), ("ore", "pick")]


def test_an_item_is_put_down_once_to_see_whether_it_can_be():
    world = ToyWorld(held={"rod": 1, "table": 1})
    prober = prober_in(world)
    while prober.probe():
        pass
    places = [(action, code) for action, code in world.done if isinstance(action, Place)]
    assert places == [
        (Place(item="rod"), "not_placeable"),
        (Place(item="table"), "ok"),
        (Place(item="log"), "not_placeable"),
    ]


def test_the_tour_looks_around_and_comes_back():
    world = ToyWorld()
    prober_in(world).tour()
    assert len(world.done) == 28
    assert world.done[-1][0] == GoTo(target=(0, 64, 0))
    assert world.counted == 0


def test_with_nothing_known_to_dig_there_is_nothing_to_dig_at_random():
    world = ToyWorld()
    prober = prober_in(world)
    assert not prober.dig_anything()
    prober.probe()
    assert prober.dig_anything()
    assert digs(world) == [("dust", None), ("dust", None)]


def test_a_creature_of_a_kind_never_fought_is_struck_once():
    world = GoalWorld(
        have(gold=1), Lay(mobs={"cow": (0, 64, 0), "wolf": (0, 64, 0)}, drops={"cow": "hide"}), rules=NOTHING
    )
    prober = prober_in(world)
    while prober.probe():
        pass
    struck = [action for action, _ in world.done if isinstance(action, Attack)]
    assert struck == [Attack(mob="cow"), Attack(mob="wolf")]
    assert prober._chronicle.attempts["collect"] == {"tried": 2, "made": 1, "new": 1, "rejected": 0}


def test_a_creature_known_from_an_earlier_fight_or_that_got_away_is_left_alone():
    world = GoalWorld(have(gold=1), Lay(mobs={"cow": (0, 64, 0)}), rules=NOTHING)
    prober = prober_in(world)
    prober._knowledge.fights["cow"] = {None: 80}
    assert not prober.probe()
    gone = GoalWorld(have(gold=1), Lay(mobs={"cow": (0, 64, 0)}), rules=NOTHING)
    prober = prober_in(gone)
    gone.lay = Lay()
    assert prober.probe()
    assert gone.done == [(Attack(mob="cow"), "not_seen")]
    gone.lay = Lay(mobs={"cow": (0, 64, 0)})
    assert not prober.probe()


def test_digging_for_want_of_something_better_counts_as_an_attempt():
    world = ToyWorld(replace(RULES, blocks={"tree": RULES.blocks["tree"]}))
    prober = prober_in(world)
    prober.probe()
    assert prober.dig_anything()
    assert prober._chronicle.attempts["collect"] == {"tried": 2, "made": 2, "new": 1, "rejected": 0}
    assert prober.source == "collect"


class Full(ToyWorld):
    """Has room for nothing."""

    def _dig(self, kind):
        return "inventory_full"


def test_a_block_that_there_is_no_room_for_is_probed_once():
    world = Full(replace(RULES, blocks={"rock": RULES.blocks["rock"], "tree": RULES.blocks["tree"]}))
    prober = prober_in(world)
    for _ in range(5):
        prober.probe()
    assert digs(world) == [("rock", None), ("tree", None)]

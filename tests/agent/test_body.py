from __future__ import annotations

import pytest

from csd.episode import Attack, Collect, Craft, Equip, GoTo, Place
from echo.agent.arrangement import Arrangement
from echo.agent.body import Body, BudgetSpent, Taken
from echo.agent.knowledge import Knowledge, Way
from echo.agent.planner import Task
from tests.agent.toy_goals import GoalWorld, Lay, have
from tests.agent.toy_world import TOOL_USES, ToyWorld

LOG = Way(verb="collect", product="log", block="tree")
STONE = Way(verb="collect", product="stone", block="rock")
BOX = Arrangement("AA", ("log",))
BOX_WAY = Way(verb="craft", product="box", inputs=(("log", 2),), grid=BOX)


def body_in(world: ToyWorld, budget: int = 1_000) -> tuple[Body, list[Taken]]:
    taken: list[Taken] = []
    return Body(world, Knowledge(), budget, taken.append), taken


def test_every_step_is_told_with_what_came_new_and_how_far_the_budget_is():
    body, taken = body_in(ToyWorld())
    body.do(Equip(item=None))
    body.do(Collect(block="tree"))
    body.do(Collect(block="tree"))
    assert [(one.fresh, one.actions) for one in taken] == [((), 0), (("log",), 1), ((), 2)]
    assert taken[1].step.before.count("log") == 0
    assert taken[1].after.count("log") == 1


def test_what_is_carried_at_the_start_is_no_news():
    body, taken = body_in(ToyWorld(held={"log": 2}))
    body.do(Craft(grid=(("log",),)))
    assert taken[0].fresh == ("plank",)
    assert body.knowledge.items == ["log", "plank"]


def test_the_budget_is_used_to_the_last_action_and_not_beyond():
    world = ToyWorld()
    body, _ = body_in(world, budget=2)
    body.do(Collect(block="tree"))
    body.do(Collect(block="tree"))
    body.do(Equip(item=None))
    with pytest.raises(BudgetSpent):
        body.do(Collect(block="tree"))
    assert (body.actions, world.counted) == (2, 2)


def test_a_world_that_ends_earlier_ends_the_life_without_counting_the_refused_action():
    body, taken = body_in(ToyWorld(budget=1), budget=50)
    body.do(Collect(block="tree"))
    with pytest.raises(BudgetSpent):
        body.do(Collect(block="tree"))
    assert body.actions == len(taken) == 1


def test_a_plan_stops_at_the_first_surprise():
    world = ToyWorld()
    body, _ = body_in(world)
    tasks = (Task(way=LOG, times=2, until=2), Task(way=BOX_WAY, times=1), Task(way=LOG, times=1, until=1))
    surprise = body.carry_out(tasks)
    assert surprise is not None
    assert (surprise.expected, surprise.outcome.code if surprise.outcome else None) == ("box", "no_result")
    assert [action.kind for action, _ in world.done] == ["collect", "collect", "craft"]


def test_a_tool_that_breaks_under_way_is_a_surprise():
    world = ToyWorld(held={"pick": 1})
    body, _ = body_in(world)
    surprise = body.carry_out((Task(way=STONE, times=9, tool="pick", until=9),))
    assert surprise is not None
    assert surprise.expected == "pick in hand"
    assert world.held == {"stone": TOOL_USES}


def test_a_tool_is_taken_into_the_hand_once():
    world = ToyWorld(held={"pick": 1})
    body, _ = body_in(world)
    assert body.carry_out((Task(way=STONE, times=3, tool="pick", until=3),)) is None
    assert [action.kind for action, _ in world.done] == ["equip", "collect", "collect", "collect"]


def test_a_station_that_is_carried_is_put_down_for_a_large_grid():
    world = ToyWorld(held={"table": 1, "plank": 3, "rod": 2})
    body, _ = body_in(world)
    body.knowledge.offers["table"] = "grid3"
    assert body.lay_grid(Arrangement("AAA/.B./.B.", ("plank", "rod"))).ok
    assert [action.kind for action, _ in world.done] == ["place", "craft"]
    assert world.done[0][0] == Place(item="table")


def test_a_block_that_is_gone_is_forgotten():
    body, _ = body_in(ToyWorld())
    body.knowledge.last_seen["gold"] = (9, 9, 9)
    assert body.dig("gold", None) is None
    assert "gold" not in body.knowledge.last_seen


HIDE = Way(verb="attack", product="hide", mob="cow")
MEADOW = Lay(mobs={"cow": (0, 64, 0)}, drops={"cow": "hide"})


def test_a_creature_is_fought_until_enough_was_got():
    world = GoalWorld(have(hide=3), MEADOW, held={"hide": 1})
    body, _ = body_in(world)
    assert body.carry_out((Task(way=HIDE, times=2, until=2),)) is None
    assert world.held["hide"] == 3
    assert [action for action, _ in world.done] == [Attack(mob="cow")] * 2


def test_a_creature_that_is_gone_is_a_surprise():
    world = GoalWorld(have(hide=1), Lay())
    body, _ = body_in(world)
    surprise = body.carry_out((Task(way=HIDE, times=1, until=1),))
    assert surprise is not None
    assert (surprise.expected, body.surprises) == ("cow in sight", 1)
    assert len(world.done) == 1


def test_a_creature_that_leaves_nothing_is_fought_so_often_and_no_more():
    world = GoalWorld(have(hide=1), Lay(mobs={"cow": (0, 64, 0)}))
    body, _ = body_in(world)
    surprise = body.carry_out((Task(way=HIDE, times=3, until=3),))
    assert surprise is not None
    assert surprise.expected == "hide"
    # Twice as often as planned, and four times more.
    assert len(world.done) == 2 * 3 + 4


def test_only_the_kinds_that_are_said_to_count_do():
    world = ToyWorld(held={"table": 2})
    taken: list[Taken] = []
    body = Body(world, Knowledge(), 2, taken.append, counted=frozenset({"go_to", "place"}))
    body.do(Collect(block="tree"))
    body.do(Place(item="table"))
    body.do(GoTo(target=(1, 64, 1)))
    assert [one.actions for one in taken] == [0, 1, 2]
    with pytest.raises(BudgetSpent):
        body.do(Place(item="table"))
    body.do(Collect(block="tree"))
    assert body.actions == 2

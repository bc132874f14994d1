from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from csd.episode import Attack, Collect, Craft, Equip, GoTo, Place, Smelt
from echo.agent.goal import Fell, Make
from echo.agent.knowledge import Way
from echo.agent.memory import Habits, Recalled
from echo.agent.pursuit import Pursuit
from tests.agent.toy_goals import TREE, GoalWorld, Lay, ScriptedMemory, deeds, have, lived, play
from tests.agent.toy_world import RULES, Block, ToyWorld

DIG, PLANKS, ROCK = Collect(block="tree"), Craft(grid=(("log",),)), Collect(block="rock")
FAR = Lay(far={"tree": TREE})
WALK = [GoTo(target=(0, 44, 0)), GoTo(target=(20, 64, 0))]
"""To the second point of a scout, from which the tree is seen."""
TABLE = Craft(grid=(("plank", "plank"), ("plank", "plank")))


def test_a_block_that_is_missing_is_asked_for_once_then_looked_for():
    world, memory = GoalWorld(have(log=1), FAR), ScriptedMemory(Recalled(steps=lived(DIG)))
    pursued = play(world, memory)
    assert memory.asked == [(None, None), (None, "tree")]
    assert deeds(world) == [*WALK, DIG]
    assert (pursued.ending, pursued.steps) == ("reached", 3)


def test_a_place_recalled_at_the_start_saves_the_walk_and_the_question():
    world = GoalWorld(have(log=1), FAR)
    memory = ScriptedMemory(Recalled(steps=lived(DIG), places={"tree": TREE}))
    assert play(world, memory).steps == 2
    assert deeds(world) == [GoTo(target=TREE), DIG]
    assert memory.asked == [(None, None)]


def test_a_place_told_when_asked_saves_the_walk():
    world = GoalWorld(have(log=1), FAR)
    memory = ScriptedMemory(Recalled(steps=lived(DIG)), blocks={"tree": Recalled(places={"tree": TREE})})
    assert play(world, memory).steps == 2
    assert deeds(world) == [GoTo(target=TREE), DIG]


def test_a_place_where_nothing_stands_costs_the_way_there_and_is_forgotten():
    world, nowhere = GoalWorld(have(log=1), FAR), (-40, 64, 0)
    memory = ScriptedMemory(Recalled(steps=lived(DIG), places={"tree": nowhere}))
    pursued = play(world, memory)
    assert deeds(world) == [GoTo(target=nowhere), *WALK, DIG]
    assert (pursued.surprises, memory.asked) == (1, [(None, None), (None, "tree")])


def test_what_is_seen_counts_more_than_a_place_recalled():
    world = GoalWorld(have(log=1))
    play(world, ScriptedMemory(Recalled(steps=lived(DIG), places={"tree": (90, 64, 0)})))
    assert deeds(world) == [DIG]


def test_an_item_that_nobody_knows_a_way_to_is_asked_for_once_and_the_answer_used():
    world = GoalWorld(have(plank=4), held={"log": 1})
    memory = ScriptedMemory(items={"plank": Recalled(steps=lived(PLANKS, log=1))})
    pursued = play(world, memory)
    assert memory.asked == [(None, None), ("plank", None)]
    assert deeds(world) == [PLANKS]
    assert pursued.steps == 1


def test_questions_go_back_along_the_known_ways():
    memory = ScriptedMemory(Recalled(steps=lived(PLANKS, log=1)), items={"log": Recalled(steps=lived(DIG))})
    world = GoalWorld(have(plank=4))
    play(world, memory)
    assert memory.asked == [(None, None), ("log", None)]
    assert deeds(world) == [DIG, PLANKS]


def smelting(fuel: str, code_of: str = "raw_ore"):
    """Return an earlier episode's smelting of `code_of` with `fuel`."""
    return lived(Place(item="oven"), Smelt(input=code_of, fuel=fuel), **{"oven": 1, code_of: 1, fuel: 1})


FUELS = {"oven": 1, "raw_ore": 2, "rod": 3, "plank": 3}


def test_another_fuel_is_tried_when_the_usual_one_is_absent_and_what_failed_is_not_tried_again():
    world = GoalWorld(have(ingot=1), held=FUELS)
    fits = {"rod": 0.9, "plank": 0.8, "oven": 0.1}
    memory = ScriptedMemory(Recalled(steps=smelting("coal")), fits=fits)
    pursued = play(world, memory)
    assert world.done == [
        (Place(item="oven"), "ok"),
        (Smelt(input="raw_ore", fuel="rod"), "not_fuel"),
        (Smelt(input="raw_ore", fuel="plank"), "ok"),
    ]
    assert (pursued.ending, pursued.steps, memory.roles) == ("reached", 3, ["fuel", "fuel"])


def test_a_fuel_that_failed_in_an_earlier_episode_is_not_tried():
    world = GoalWorld(have(ingot=1), held=FUELS)
    memory = ScriptedMemory(
        Recalled(steps=(*smelting("coal"), *smelting("rod"))), fits={"rod": 0.9, "plank": 0.8, "oven": 0.1}
    )
    play(world, memory)
    assert deeds(world) == [Place(item="oven"), Smelt(input="raw_ore", fuel="plank")]


def test_a_fuel_known_to_burn_is_used_without_asking():
    world = GoalWorld(have(ingot=1), held=FUELS)
    memory = ScriptedMemory(Recalled(steps=(*smelting("coal"), *smelting("plank"))), fits={"rod": 0.9})
    play(world, memory)
    assert deeds(world) == [Place(item="oven"), Smelt(input="raw_ore", fuel="plank")]
    assert memory.roles == []


def make(where) -> Make:
    return Make(text="make anything", where=where)


def test_anything_at_all_is_the_cheapest_that_is_known_to_be_made_there():
    steps = lived(TABLE, PLANKS, plank=4, log=1)
    world = GoalWorld(make("hands"), held={"plank": 4, "log": 1})
    pursued = play(world, ScriptedMemory(Recalled(steps=steps)))
    # No way to a log is known, nor one to planks without it: both are out of reach, four times and once.
    assert deeds(world) == [PLANKS]
    assert (pursued.ending, pursued.best) == ("reached", 1)


def test_what_was_made_in_the_hands_is_nothing_for_the_fire():
    steps = (*lived(PLANKS, log=1), *smelting("plank", "log"))
    world = GoalWorld(make("fire"), held={"oven": 1, "log": 2, "plank": 2})
    play(world, ScriptedMemory(Recalled(steps=steps)))
    assert deeds(world) == [Place(item="oven"), Smelt(input="log", fuel="plank")]


def test_what_lies_in_a_large_grid_is_made_at_a_table():
    ring = Craft(grid=(("stone",) * 3, ("stone", None, "stone"), ("stone",) * 3))
    steps = lived(Place(item="table"), ring, PLANKS, table=1, stone=8, log=1)
    world = GoalWorld(make("table"), held={"table": 1, "stone": 8, "log": 1})
    play(world, ScriptedMemory(Recalled(steps=steps)))
    assert deeds(world) == [Place(item="table"), ring]


def test_a_creature_far_off_is_looked_for():
    world = GoalWorld(Fell(text="fell it", mob="wolf", within=50), Lay(mobs={"wolf": TREE}, ticks={None: 40}))
    pursued = play(world)
    assert deeds(world)[-3:] == [*WALK, Attack(mob="wolf")]
    assert pursued.ending == "reached"


def test_what_a_creature_leaves_is_got_by_fighting_it():
    hide = Lay(mobs={"cow": (0, 64, 0)}, drops={"cow": "hide"})
    steps = lived(Attack(mob="cow"), world=GoalWorld(have(hide=1), hide))
    world = GoalWorld(have(hide=2), hide)
    assert play(world, ScriptedMemory(Recalled(steps=steps))).steps == 2
    assert deeds(world) == [Attack(mob="cow")] * 2


def test_a_creature_that_is_wanted_and_out_of_sight_is_looked_for():
    steps = lived(
        Attack(mob="cow"),
        world=GoalWorld(have(hide=1), Lay(mobs={"cow": (0, 64, 0)}, drops={"cow": "hide"})),
    )
    world = GoalWorld(have(hide=1), Lay(mobs={"cow": TREE}, drops={"cow": "hide"}))
    play(world, ScriptedMemory(Recalled(steps=steps)))
    assert deeds(world) == [*WALK, Attack(mob="cow")]


NO_BLOCKS = replace(RULES, blocks={})


@pytest.mark.parametrize("aimed", [True, False])
def test_exemplars_are_adapted_only_where_a_certain_thing_is_asked_for(aimed):
    (planks,) = lived(TABLE, plank=4)
    failed = lived(Craft(grid=(("feather",),)), feather=1)
    recalled = Recalled(steps=(planks, *failed), exemplars=(planks,))
    goal = have(gold=1) if aimed else make("fire")
    world = GoalWorld(goal, held={"stone": 9}, rules=NO_BLOCKS)
    pursued = play(world, ScriptedMemory(recalled), budget=30)
    assert ("adaptation" in pursued.spending) is aimed
    wall = Craft(grid=(("stone", "stone"), ("stone", "stone")))
    laid = [action for action in deeds(world) if isinstance(action, Craft)]
    # What the exemplar is laid of is replaced by what is held.
    assert wall in laid
    assert (laid[0] == wall) is aimed


def test_a_tool_is_held_to_dig_what_only_it_opened():
    steps = lived(Equip(item="pick"), ROCK, pick=1)
    world = GoalWorld(have(stone=1), held={"pick": 1})
    assert play(world, ScriptedMemory(Recalled(steps=steps))).steps == 1
    assert deeds(world) == [Equip(item="pick"), ROCK]


class Full(GoalWorld):
    """Has room for nothing."""

    def _dig(self, kind):
        return "inventory_full"


TREES = replace(RULES, blocks={"tree": RULES.blocks["tree"]})


@pytest.mark.parametrize(("replans", "plans"), [(True, 3), (False, 1)])
def test_so_many_plans_for_a_goal_are_made_and_not_one_more(replans, plans):
    world = Full(have(log=1), rules=TREES)
    memory = ScriptedMemory(Recalled(steps=lived(DIG)), habits=Habits(replans=replans))
    pursuit = Pursuit(world, memory, budget=60, rng=np.random.default_rng(0))
    pursuit._doings.catch_up()
    assert [pursuit._aiming.aim({}) for _ in range(plans + 2)] == [True] * plans + [False] * 2
    assert deeds(world) == [DIG] * plans


def test_a_goal_whose_plans_failed_is_planned_for_again_once_another_way_is_known():
    world = Full(have(log=1), rules=TREES)
    pursuit = Pursuit(
        world, ScriptedMemory(Recalled(steps=lived(DIG))), budget=60, rng=np.random.default_rng(0)
    )
    pursuit._doings.catch_up()
    while pursuit._aiming.aim({}):
        pass
    pursuit._body.knowledge.ways["plank"] = [Way(verb="collect", product="plank", block="house")]
    assert pursuit._aiming.aim({})
    assert deeds(world) == [DIG] * 4


def test_an_item_and_a_block_of_one_name_are_asked_for_apart():
    sand = replace(RULES, blocks={"sand": Block(drop="sand")})
    dig = Collect(block="sand")
    world = GoalWorld(have(sand=1), Lay(far={"sand": TREE}), rules=sand)
    memory = ScriptedMemory(
        items={"sand": Recalled(steps=lived(dig, world=ToyWorld(sand)))},
        blocks={"sand": Recalled(places={"sand": TREE})},
    )
    play(world, memory)
    assert memory.asked == [(None, None), ("sand", None), (None, "sand")]
    assert deeds(world) == [GoTo(target=TREE), dig]

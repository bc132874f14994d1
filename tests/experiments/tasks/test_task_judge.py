from __future__ import annotations

import pytest

from csd.episode import Attack, Craft, Equip, Place, Smelt
from echo.agent.goal import Fell, Fill, Have, Make
from echo.experiments.tasks.judge import TaskWorld, fits_hands, shown_goal
from echo.experiments.tasks.loading import load_task
from tests.worlds.flat_land import flat_world

PLANK = (("oak_log",),)
TABLE = (("oak_planks", "oak_planks"), ("oak_planks", "oak_planks"))


def judged(goal, **options):
    return TaskWorld(flat_world(**options), goal)


def told(outcome):
    return outcome.events[-1]


def test_what_must_be_carried_counts_part_by_part():
    world = judged(Have(text="", items={"oak_planks": 4, "crafting_table": 1}), inventory={"oak_log": 2})
    assert (world.done, world.reached) == (0, False)
    assert told(world.act(Craft(grid=PLANK))) == "goal:1/2+1"
    assert told(world.act(Craft(grid=PLANK))) == "goal:1/2+0"
    assert told(world.act(Craft(grid=TABLE))) == "goal:2/2+1"
    assert world.reached


def test_all_parts_must_be_carried_at_once():
    world = judged(Have(text="", items={"oak_planks": 4, "crafting_table": 1}), inventory={"oak_log": 1})
    world.act(Craft(grid=PLANK))
    assert told(world.act(Craft(grid=TABLE))) == "goal:1/2+0"
    assert not world.reached


def test_a_part_that_is_lost_is_told_as_a_loss():
    world = judged(Have(text="", items={"oak_planks": 4, "stick": 1}), inventory={"oak_planks": 4})
    assert world.done == 1
    assert told(world.act(Place(item="oak_planks"))) == "goal:0/2-1"


def test_what_was_reached_stays_reached():
    world = judged(Have(text="", items={"oak_planks": 4}), inventory={"oak_log": 1})
    world.act(Craft(grid=PLANK))
    assert told(world.act(Craft(grid=TABLE))) == "goal:1/1+0"
    assert (world.reached, world.done) == (True, 1)


def test_too_few_are_not_enough():
    world = judged(Have(text="", items={"oak_planks": 5}), inventory={"oak_log": 1})
    world.act(Craft(grid=PLANK))
    assert not world.reached


def test_made_in_the_hands_means_a_grid_of_two_by_two():
    world = judged(Make(text="", where="hands"), inventory={"oak_planks": 9}, stations=("crafting_table",))
    fence_gateless = (("oak_planks",) * 3, (None,) * 3, (None,) * 3)
    assert told(world.act(Craft(grid=fence_gateless))) == "goal:0/1+0"
    assert told(world.act(Craft(grid=(("stick",),)))) == "goal:0/1+0"
    assert told(world.act(Craft(grid=TABLE))) == "goal:1/1+1"


def test_made_at_the_table_means_a_grid_that_the_hands_cannot_hold():
    world = judged(Make(text="", where="table"), inventory={"oak_planks": 9}, stations=("crafting_table",))
    assert told(world.act(Craft(grid=TABLE))) == "goal:0/1+0"
    slab = (("oak_planks", "oak_planks", "oak_planks"),)
    assert told(world.act(Craft(grid=slab))) == "goal:1/1+1"


def test_a_small_thing_in_a_large_grid_is_small():
    assert fits_hands(((None, None, None), (None, "stick", None), (None, "stick", None)))
    assert not fits_hands((("stick",), (None,), ("stick",)))
    assert fits_hands(())


def test_made_in_the_fire_means_smelted():
    world = judged(
        Make(text="", where="fire"), inventory={"sand": 1, "oak_planks": 2, "dirt": 1}, stations=("furnace",)
    )
    assert told(world.act(Smelt(input="sand", fuel="dirt"))) == "goal:0/1+0"
    assert told(world.act(Smelt(input="sand", fuel="oak_planks"))) == "goal:1/1+1"


def test_a_gap_is_filled_by_what_stays_and_carries():
    world = flat_world(gap=2, inventory={"gravel": 1, "poppy": 1, "bricks": 2})
    near, far = world.gap
    task = TaskWorld(world, Fill(text="", cells=(near, far)))
    assert told(task.act(Place(item="gravel", target=near))) == "goal:0/2+0"
    assert told(task.act(Place(item="poppy", target=near))) == "goal:0/2+0"
    assert told(task.act(Place(item="bricks", target=near))) == "goal:1/2+1"
    assert told(task.act(Place(item="bricks", target=far))) == "goal:2/2+1"
    assert task.reached


def test_a_creature_counts_as_felled_only_by_a_fight_that_was_short_enough():
    # Bare hands take 16 strikes and 15 waits of 5 ticks, 76 ticks in all; a stone axe 2 strikes, 24 ticks.
    world = judged(
        Fell(text="", mob="spider", within=75),
        mobs=("spider", "cow"),
        inventory={"stone_axe": 1},
    )
    assert told(world.act(Attack(mob="spider"))) == "goal:0/1+0"
    world.act(Equip(item="stone_axe"))
    assert told(world.act(Attack(mob="cow"))) == "goal:0/1+0"
    assert told(world.act(Attack(mob="spider"))) == "goal:1/1+1"


def test_a_fight_of_just_the_allowed_ticks_counts():
    world = judged(Fell(text="", mob="spider", within=76), mobs=("spider",))
    assert told(world.act(Attack(mob="spider"))) == "goal:1/1+1"


def test_a_creature_out_of_sight_is_not_felled():
    world = judged(Fell(text="", mob="spider", within=76))
    assert told(world.act(Attack(mob="spider"))) == "goal:0/1+0"


def test_a_goal_is_told_in_the_names_that_the_world_shows():
    world = flat_world(invented_names=3)
    goal = shown_goal(load_task("iron-pickaxe"), world)
    shown = world.names.shown("iron_pickaxe")
    assert shown != "iron_pickaxe"
    assert goal == Have(text=f"carry {shown}", items={shown: 1})


def test_a_goal_in_invented_names_is_reached_by_the_same_deed():
    world = flat_world(invented_names=3, inventory={"oak_log": 1})
    name = world.names.shown
    task = TaskWorld(world, Have(text="", items={name("oak_planks"): 4}))
    assert told(task.act(Craft(grid=((name("oak_log"),),)))) == "goal:1/1+1"


def test_a_world_with_too_short_a_gap_is_refused():
    with pytest.raises(ValueError, match=r"expected a gap of at least 3 cells for 'bridge-eq'; got 2"):
        shown_goal(load_task("bridge-eq"), flat_world(gap=2))

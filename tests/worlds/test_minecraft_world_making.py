from __future__ import annotations

import itertools
import math

import pytest

from csd.episode import Collect, Craft, Drop, Eat, Equip, GoTo, Mine, Place, Smelt, WaitUntil
from tests.worlds.flat_land import GROUND, act_all, flat_world, middle

PICKAXE = (("oak_planks",) * 3, (None, "stick", None), (None, "stick", None))


def test_planks_and_sticks_are_made_by_hand():
    world = flat_world(inventory={"oak_log": 1})
    first, second = act_all(
        world, Craft(grid=(("oak_log",),)), Craft(grid=(("oak_planks", None), ("oak_planks", None)))
    )
    assert first.inventory_delta == {"oak_log": -1, "oak_planks": 4}
    assert second.inventory_delta == {"oak_planks": -2, "stick": 4}


def test_a_large_grid_needs_a_station_whose_name_is_not_given_away():
    world = flat_world(inventory={"oak_planks": 3, "stick": 2})
    outcome = world.act(Craft(grid=PICKAXE))
    assert outcome.code == "no_station"
    assert "crafting_table" not in outcome.message
    assert world.observe().count("oak_planks") == 3
    near = flat_world(inventory={"oak_planks": 3, "stick": 2}, stations=("crafting_table",))
    assert near.act(Craft(grid=PICKAXE)).inventory_delta == {
        "oak_planks": -3,
        "stick": -2,
        "wooden_pickaxe": 1,
    }


def test_an_empty_margin_does_not_make_a_grid_large():
    world = flat_world(inventory={"oak_log": 1})
    grid = ((None, None, None), (None, None, "oak_log"), (None, None, None))
    assert world.act(Craft(grid=grid)).inventory_delta == {"oak_log": -1, "oak_planks": 4}


@pytest.mark.parametrize(
    ("grid", "code"),
    [
        ((("stick", "stick"),), "no_result"),
        (((None, None), (None, None)), "no_result"),
        ((("stick", "stick"), ("stick", "stick")), "missing_item"),
        ((("diamond",),), "missing_item"),
    ],
)
def test_a_grid_that_fails_consumes_nothing(grid, code):
    world = flat_world(inventory={"stick": 3})
    outcome = world.act(Craft(grid=grid))
    assert (outcome.code, outcome.inventory_delta) == (code, {})
    assert world.observe().count("stick") == 3


def test_withheld_results_do_not_appear():
    world = flat_world(inventory={"oak_log": 1}, withheld=("oak_planks",))
    assert world.act(Craft(grid=(("oak_log",),))).code == "no_result"


def test_buckets_come_back_out_of_a_cake():
    world = flat_world(
        inventory={"milk_bucket": 3, "sugar": 2, "egg": 1, "wheat": 3}, stations=("crafting_table",)
    )
    grid = (("milk_bucket",) * 3, ("sugar", "egg", "sugar"), ("wheat",) * 3)
    assert world.act(Craft(grid=grid)).inventory_delta == {
        "bucket": 3,
        "cake": 1,
        "egg": -1,
        "milk_bucket": -3,
        "sugar": -2,
        "wheat": -3,
    }


def test_one_coal_smelts_eight():
    world = flat_world(inventory={"cobblestone": 9, "coal": 2}, stations=("furnace",))
    outcomes = [world.act(Smelt(input="cobblestone", fuel="coal")) for _ in range(9)]
    assert [outcome.inventory_delta.get("coal", 0) for outcome in outcomes] == [-1] + [0] * 7 + [-1]
    assert {(outcome.code, outcome.ticks, outcome.work_ticks) for outcome in outcomes} == {("ok", 200, 200)}
    assert world.observe().count("stone") == 9


def test_weak_fuel_is_used_in_numbers():
    world = flat_world(inventory={"cobblestone": 2, "stick": 3}, stations=("furnace",))
    assert world.act(Smelt(input="cobblestone", fuel="stick")).inventory_delta == {
        "cobblestone": -1,
        "stick": -2,
        "stone": 1,
    }
    assert world.act(Smelt(input="cobblestone", fuel="stick")).code == "missing_item"
    assert world.observe().count("stick") == 1


def test_an_input_that_is_its_own_fuel_needs_two():
    world = flat_world(inventory={"oak_log": 1}, stations=("furnace",))
    assert world.act(Smelt(input="oak_log", fuel="oak_log")).code == "missing_item"
    world = flat_world(inventory={"oak_log": 2}, stations=("furnace",))
    assert world.act(Smelt(input="oak_log", fuel="oak_log")).inventory_delta == {"charcoal": 1, "oak_log": -2}


@pytest.mark.parametrize(
    ("source", "fuel", "code"),
    [
        ("dirt", "coal", "no_result"),
        ("cobblestone", "dirt", "not_fuel"),
        ("dirt", "cobblestone", "not_fuel"),
        ("iron_ore", "coal", "missing_item"),
        ("cobblestone", "charcoal", "missing_item"),
    ],
)
def test_a_furnace_takes_nothing_it_can_do_nothing_with(source, fuel, code):
    world = flat_world(inventory={"cobblestone": 1, "coal": 1, "dirt": 1}, stations=("furnace",))
    outcome = world.act(Smelt(input=source, fuel=fuel))
    assert (outcome.code, outcome.inventory_delta) == (code, {})


def test_smelting_needs_a_station_whose_name_is_not_given_away():
    outcome = flat_world(inventory={"cobblestone": 1, "coal": 1}).act(Smelt(input="cobblestone", fuel="coal"))
    assert outcome.code == "no_station"
    assert "furnace" not in outcome.message


def test_a_blast_furnace_does_ores_in_half_the_time_and_nothing_else():
    world = flat_world(inventory={"raw_iron": 1, "cobblestone": 1, "coal": 1}, stations=("blast_furnace",))
    assert world.act(Smelt(input="cobblestone", fuel="coal")).code == "no_result"
    outcome = world.act(Smelt(input="raw_iron", fuel="coal"))
    assert (outcome.inventory_delta["iron_ingot"], outcome.ticks) == (1, 100)


def test_a_placed_table_can_be_used_and_taken_up_again():
    world = flat_world(inventory={"crafting_table": 1})
    assert world.observe().stations == ()
    placed = world.act(Place(item="crafting_table"))
    (station,) = world.observe().stations
    assert (station.block, station.position, station.offers) == ("crafting_table", placed.cell, "grid3")
    assert world.observe().blocks["crafting_table"].nearest == placed.cell
    assert world.act(Mine(target=station.position)).inventory_delta == {"crafting_table": 1}
    assert world.observe().stations == ()


def test_a_furnace_taken_up_loses_its_fire():
    world = flat_world(
        inventory={"cobblestone": 2, "coal": 2, "wooden_pickaxe": 1, "furnace": 1}, stations=()
    )
    act_all(
        world,
        Place(item="furnace"),
        Smelt(input="cobblestone", fuel="coal"),
        Equip(item="wooden_pickaxe"),
        Collect(block="furnace"),
        Place(item="furnace"),
    )
    assert world.act(Smelt(input="cobblestone", fuel="coal")).inventory_delta["coal"] == -1


def test_placing_says_no():
    world = flat_world(inventory={"stick": 1, "dirt": 9})
    x, y, z = (int(part) for part in world.observe().position)
    cases = {
        Place(item="stick"): "not_placeable",
        Place(item="stone"): "missing_item",
        Place(item="dirt", target=(x, y, z)): "no_space",
        Place(item="dirt", target=(x, y + 1, z)): "no_space",
        Place(item="dirt", target=(x, y - 1, z)): "no_space",
        Place(item="dirt", target=(x, y + 4, z)): "no_space",
        Place(item="dirt", target=(x, y + 9, z)): "out_of_reach",
    }
    for action, code in cases.items():
        outcome = world.act(action)
        assert (outcome.code, outcome.inventory_delta) == (code, {}), action


def test_sand_put_in_the_air_comes_down():
    pillar = {(12, GROUND + 1, 12): "oak_log", (12, GROUND + 2, 12): "oak_log"}
    world = flat_world(pillar, inventory={"sand": 1})
    x, _, z = world.observe().blocks["oak_log"].nearest
    world.act(GoTo(target=(x, GROUND + 1, z)))
    side = next(
        (x + dx, GROUND + 2, z) for dx in (-1, 1) if math.floor(world.observe().position[0]) != x + dx
    )
    outcome = world.act(Place(item="sand", target=side))
    assert (outcome.code, outcome.cell) == ("ok", (side[0], GROUND + 1, z))
    assert world.observe().blocks["sand"].nearest == outcome.cell


def test_a_bucket_takes_up_water_and_gives_it_back():
    world = flat_world(middle("water"), inventory={"bucket": 1})
    assert world.act(Collect(block="water")).code == "not_breakable"
    world.act(Equip(item="bucket"))
    taken = world.act(Collect(block="water"))
    assert (taken.code, taken.inventory_delta) == ("ok", {"bucket": -1, "water_bucket": 1})
    assert world.observe().mainhand == "water_bucket"
    given = world.act(Place(item="water_bucket"))
    assert (given.block, given.inventory_delta) == ("water", {"bucket": 1, "water_bucket": -1})


def test_water_turns_lava_beside_it_into_obsidian():
    world = flat_world(middle("lava"), inventory={"water_bucket": 1})
    x, y, z = world.observe().blocks["lava"].nearest
    world.act(GoTo(target=(x, y, z)))
    assert world.act(Place(item="water_bucket", target=(x, y + 1, z))).code == "no_space"
    assert world.act(Place(item="water_bucket", target=(x - 1, y, z))).code == "ok"
    assert world.observe().blocks["obsidian"].nearest == (x, y, z)


def test_a_full_inventory_refuses_and_says_what_to_do():
    world = flat_world(middle("oak_log"), slots=1, inventory={"dirt": 64})
    outcome = world.act(Collect(block="oak_log"))
    assert (outcome.code, outcome.inventory_delta) == ("inventory_full", {})
    world.act(Drop(item="dirt", amount=63))
    assert world.act(Collect(block="grass_block")).inventory_delta == {"dirt": 1}
    two = flat_world(slots=1, inventory={"oak_log": 2})
    assert two.act(Craft(grid=(("oak_log",),))).code == "inventory_full"
    assert flat_world(slots=1, inventory={"oak_log": 1}).act(Craft(grid=(("oak_log",),))).code == "ok"


def test_eating_needs_food_and_hunger():
    world = flat_world(inventory={"apple": 1, "stick": 1})
    assert world.act(Eat(item="stick")).code == "not_edible"
    assert world.act(Eat(item="apple")).code == "not_edible"
    assert world.act(Eat(item="beef")).code == "missing_item"
    corners = ((0, GROUND, 0), (23, GROUND, 23))
    way = [world.observe().position]
    while world.observe().vitals.food > 17:
        world.act(GoTo(target=corners[len(way) % 2]))
        way.append(world.observe().position)
    walked = [math.dist(one, two) for one, two in itertools.pairwise(way)]
    # 5 points of saturation and 3 of food, 4 points of effort each, 0.1 a block
    assert sum(walked[:-1]) < 320 <= sum(walked)
    assert world.act(Eat(item="apple")).inventory_delta == {"apple": -1}
    assert world.observe().vitals.food == 20.0


def test_without_hunger_walking_costs_no_food():
    world = flat_world(hunger=False)
    for _ in range(10):
        act_all(world, GoTo(target=(0, GROUND, 0)), GoTo(target=(23, GROUND, 23)))
    assert world.observe().vitals.food == 20.0


def test_dropping_throws_away_what_is_carried_and_no_more():
    world = flat_world(inventory={"dirt": 2})
    assert world.act(Drop(item="dirt", amount=3)).code == "missing_item"
    assert world.act(Drop(item="dirt", amount=2)).inventory_delta == {"dirt": -2}
    assert "dirt" not in world.observe().inventory


def test_waiting_passes_time_until_the_condition_holds():
    world = flat_world()
    assert world.act(WaitUntil(condition="health", ticks=500)).ticks == 0
    assert world.act(WaitUntil(condition="time", ticks=500)).ticks == 500
    assert world.act(WaitUntil(condition="day", ticks=500)).ticks == 0
    world.act(WaitUntil(condition="time", ticks=12_500))
    assert world.observe().tick == 13_000
    assert world.act(WaitUntil(condition="day", ticks=24_000)).ticks == 11_000

from __future__ import annotations

from csd.episode import Action, Collect, Craft, Equip, Place, Smelt, Step
from echo.agent.arrangement import Arrangement
from echo.agent.knowledge import Knowledge
from tests.agent.toy_world import ToyWorld


def live(world: ToyWorld, *actions: Action) -> Knowledge:
    """Return what is known after doing `actions`."""
    known = Knowledge()
    known.look(world.observe())
    for action in actions:
        before = world.observe()
        outcome = world.act(action)
        known.look(world.observe())
        known.note(Step(before=before, action=action, outcome=outcome))
    return known


def test_items_are_listed_in_the_order_in_which_they_were_first_held():
    known = live(ToyWorld(), Collect(block="tree"), Craft(grid=(("log",),)))
    assert known.items == ["log", "plank"]
    assert known.index == {"log": 0, "plank": 1}


def test_a_craft_that_worked_is_a_way_to_its_product():
    known = live(ToyWorld(held={"log": 1}), Craft(grid=(("log",),)))
    (way,) = known.ways["plank"]
    assert (way.verb, way.inputs, way.yields, way.grid) == (
        "craft",
        (("log", 1),),
        4,
        Arrangement("A", ("log",)),
    )


def test_a_grid_that_gave_nothing_counts_as_tried_and_a_missing_item_does_not():
    known = live(ToyWorld(held={"log": 2}), Craft(grid=(("log", "log"),)), Craft(grid=(("stone",),)))
    assert known.tried(Arrangement("AA", ("log",)))
    assert known.grids[Arrangement("AA", ("log",))] is None
    assert not known.tried(Arrangement("A", ("stone",)))


def test_a_block_is_closed_until_it_yields_to_something():
    world = ToyWorld(held={"pick": 1})
    assert live(world, Collect(block="rock")).closed() == ["rock"]
    known = live(world, Collect(block="rock"), Equip(item="pick"), Collect(block="rock"))
    assert known.closed() == []
    assert known.worked_with("rock") == ["pick"]


def test_the_mean_yield_leaves_out_tools_that_never_got_anything():
    world = ToyWorld(held={"pick": 1})
    hand, pick = Collect(block="rock"), Equip(item="pick")
    known = live(world, hand, hand, pick, hand)
    assert known.yield_of("rock", "stone") == 1.0


def test_what_the_agent_put_down_itself_is_no_source_of_anything():
    known = live(ToyWorld(held={"table": 1}), Place(item="table"))
    assert list(known.own_blocks) == ["table"]
    assert known.offers == {"table": "grid3"}


def test_fuel_that_did_not_burn_is_told_from_an_input_that_gave_nothing():
    world = ToyWorld(held={"oven": 1, "log": 1, "plank": 2, "rod": 1})
    known = live(
        world,
        Place(item="oven"),
        Smelt(input="log", fuel="rod"),
        Smelt(input="rod", fuel="plank"),
        Smelt(input="log", fuel="plank"),
    )
    assert list(known.not_fuel) == ["rod"]
    assert known.smelted == {"rod": None, "log": "coal"}
    assert known.fuels == {"plank": [1, 1]}
    assert known.tried(Arrangement.smelting("rod"))


def test_a_step_watched_tells_what_a_station_offers_without_being_there():
    world = ToyWorld(held={"table": 1, "plank": 3, "rod": 2})
    world.act(Place(item="table"))
    before = world.observe()
    action = Craft(grid=(("plank",) * 3, (None, "rod", None), (None, "rod", None)))
    known = Knowledge()
    known.watch(Step(before=before, action=action, outcome=world.act(action)))
    assert known.offers == {"table": "grid3"}
    assert known.items == []
    assert list(known.ways) == ["pick"]

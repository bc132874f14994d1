from __future__ import annotations

from csd.episode import Action, Attack, Collect, Craft, Equip, Place, Smelt, Step
from echo.agent.arrangement import Arrangement
from echo.agent.goal import Fill
from echo.agent.knowledge import Knowledge, Way
from tests.agent.toy_goals import GoalWorld, Lay, lived
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


def recollected(*steps: Step) -> Knowledge:
    known = Knowledge()
    for step in steps:
        known.recollect(step)
    return known


def test_what_was_carried_and_gained_in_an_earlier_episode_counts_as_held():
    known = recollected(*lived(Craft(grid=(("log",),)), log=1, pick=1))
    assert known.items == ["log", "pick", "plank"]
    assert known.stack_size == {"log": 64, "pick": 1, "plank": 64}
    assert known.ways["plank"][0].yields == 4


def test_a_recalled_dig_with_planks_in_hand_counts_as_bare_hand():
    planks = recollected(*lived(Equip(item="plank"), Collect(block="tree"), plank=3))
    assert planks.worked_with("tree") == [None]
    pick = recollected(*lived(Equip(item="pick"), Collect(block="rock"), pick=1))
    assert pick.worked_with("rock") == ["pick"]


def test_what_was_in_sight_in_an_earlier_episode_is_not_in_sight_now():
    known = recollected(*lived(Collect(block="tree")))
    assert known.last_seen == {}
    assert known.stations == {}
    assert list(known.ways) == ["log"]


GAP = Fill(text="fill it", cells=((3, 63, 0),))


def put(item: str, *, target: bool = True) -> tuple[Step, ...]:
    world = GoalWorld(GAP, Lay(carriers=("brick",), loose=("sand",)), held={item: 2, "table": 1})
    return lived(Place(item=item, target=GAP.cells[0] if target else None), world=world)


def test_what_carries_is_known_from_the_cells_of_a_goal_alone():
    assert recollected(*put("brick")).carries == {"brick": True}
    assert recollected(*put("sand")).carries == {"sand": False}
    for steps in (put("feather"), put("table", target=False), lived(Place(item="table"), table=1)):
        assert recollected(*steps).carries == {}


def test_the_latest_trial_says_whether_an_item_carries():
    # The cell is filled already when the second is laid into it.
    cell = Place(item="brick", target=GAP.cells[0])
    twice = lived(cell, cell, world=GoalWorld(GAP, Lay(carriers=("brick",)), held={"brick": 2}))
    assert recollected(*twice).carries == {"brick": False}


def fought(weapon: str | None, ticks: int, drops: str | None = None) -> tuple[Step, ...]:
    lay = Lay(mobs={"cow": (0, 64, 0)}, ticks={weapon: ticks}, drops={} if drops is None else {"cow": drops})
    world = GoalWorld(GAP, lay, held={weapon or "log": 1})
    return lived(Equip(item=weapon), Attack(mob="cow"), world=world)


def test_fights_are_known_by_creature_and_weapon_with_their_latest_time():
    known = recollected(*fought("sword", 40), *fought(None, 80), *fought("sword", 30))
    assert known.fights == {"cow": {"sword": 30, None: 80}}
    assert known.ways == {}


def test_a_creature_that_leaves_something_is_a_way_to_it_once():
    known = recollected(*fought("sword", 40, "hide"), *fought(None, 80, "hide"), *fought(None, 80, "meat"))
    assert known.ways == {
        "hide": [Way(verb="attack", product="hide", yields=1, mob="cow")],
        "meat": [Way(verb="attack", product="meat", yields=1, mob="cow")],
    }


def test_a_creature_out_of_sight_tells_nothing_of_fighting_it():
    missed = lived(Attack(mob="cow"), world=GoalWorld(GAP, Lay()))
    assert recollected(*missed).fights == {}


def test_only_creatures_in_sight_at_the_latest_look_are_known_to_be_there():
    known = Knowledge()
    known.look(GoalWorld(GAP, Lay(mobs={"cow": (0, 64, 0)})).observe())
    assert list(known.creatures) == ["cow"]
    known.look(GoalWorld(GAP).observe())
    assert known.creatures == {}

from __future__ import annotations

import numpy as np
import pytest

from csd.episode import Attack, Collect, Craft, Equip, GoTo, Place, Smelt
from echo.agent.body import Body
from echo.agent.casting import Casting
from echo.agent.goal import Fell, Fill
from echo.agent.knowledge import Knowledge
from echo.agent.memory import Recalled
from echo.agent.planner import Planner, Prices
from tests.agent.toy_goals import GoalWorld, Lay, ScriptedMemory, deeds, have, lived, play

CELLS = ((3, 63, 0), (4, 63, 0))
GAP = Fill(text="fill the gap", cells=CELLS)
GROUND = Lay(carriers=("brick", "plank"), loose=("sand",))


def casting_in(world: GoalWorld, fits: dict[str, float] | None = None, dice: int = 0) -> Casting:
    known = Knowledge()
    body = Body(world, known, 100, lambda taken: None)
    planner = Planner(known, Prices(known))
    return Casting(body, planner, ScriptedMemory(fits=fits).fits, np.random.default_rng(dice))


def spider(within: int) -> Fell:
    return Fell(text="fell it", mob="spider", within=within)


def den(**ticks: int) -> Lay:
    """Return a spider near by, and what a fight takes with each weapon, 80 ticks with the bare hand."""
    return Lay(mobs={"spider": (0, 64, 0)}, ticks={None: 80, **ticks})


def test_the_likeliest_is_tried_first_and_what_carries_is_preferred_once_known():
    world = GoalWorld(GAP, GROUND, held={"sand": 3, "brick": 3, "feather": 3})
    memory = ScriptedMemory(fits={"sand": 0.9, "feather": 0.8, "brick": 0.1})
    pursued = play(world, memory)
    assert world.done == [
        (Place(item="sand", target=CELLS[0]), "ok"),
        (Place(item="feather", target=CELLS[0]), "not_placeable"),
        (Place(item="brick", target=CELLS[0]), "ok"),
        (Place(item="brick", target=CELLS[1]), "ok"),
    ]
    assert (pursued.ending, pursued.steps, pursued.best) == ("reached", 4, 2)
    role = pursued.spending["role"]
    assert (role.tried, role.made, role.steps) == (4, 2, 4)


def test_what_carried_in_an_earlier_episode_is_laid_at_once():
    steps = lived(
        Place(item="sand", target=CELLS[0]),
        Place(item="brick", target=CELLS[0]),
        world=GoalWorld(GAP, GROUND, held={"sand": 1, "brick": 1}),
    )
    world = GoalWorld(GAP, GROUND, held={"sand": 3, "feather": 3, "brick": 2})
    memory = ScriptedMemory(Recalled(steps=steps), fits={"sand": 1.0, "feather": 0.9})
    play(world, memory)
    assert deeds(world) == [Place(item="brick", target=cell) for cell in CELLS]
    assert memory.roles == []


def test_more_of_what_carries_is_made_before_it_is_laid():
    dig, planks = Collect(block="tree"), Craft(grid=(("log",),))
    steps = (
        *lived(dig, planks),
        *lived(Place(item="plank", target=CELLS[0]), world=GoalWorld(GAP, GROUND, held={"plank": 1})),
    )
    world = GoalWorld(GAP, GROUND, held={"plank": 1})
    pursued = play(world, ScriptedMemory(Recalled(steps=steps)))
    assert deeds(world) == [dig, planks, *(Place(item="plank", target=cell) for cell in CELLS)]
    assert pursued.steps == 4


def test_the_last_of_what_carries_is_laid_though_no_more_can_be_had():
    first = Place(item="brick", target=CELLS[0])
    steps = lived(first, world=GoalWorld(GAP, GROUND, held={"brick": 1}))
    world = GoalWorld(GAP, GROUND, held={"brick": 1, "plank": 1})
    play(world, ScriptedMemory(Recalled(steps=steps)))
    assert deeds(world) == [first, Place(item="plank", target=CELLS[1])]


class Wide(GoalWorld):
    """Nothing can be laid from further off than two blocks."""

    def _fill(self, item, cell):
        return "out_of_reach" if abs(cell[0] - self._at[0]) > 2 else super()._fill(item, cell)


def test_a_cell_out_of_reach_is_walked_to():
    world = Wide(GAP, GROUND, held={"brick": 2})
    pursued = play(world)
    assert [action.kind for action in deeds(world)] == ["place", "go_to", "place", "place"]
    assert deeds(world)[1] == GoTo(target=CELLS[0])
    assert pursued.steps == 4


def test_nothing_is_laid_where_nothing_is_left_to_lay_or_to_fill():
    world = GoalWorld(GAP, GROUND, held={"brick": 2})
    casting = casting_in(world)
    assert not casting.fill(GAP, dict.fromkeys(CELLS, "brick"))
    assert casting.fill(GAP, {})
    world.held.clear()
    assert not casting_in(world).fill(GAP, {})
    assert len(world.done) == 1


def test_the_dice_order_what_nothing_speaks_for_once_and_for_all():
    held = dict.fromkeys(("ant", "bee", "cat", "dog", "elk", "fox"), 1)
    orders = []
    for dice in (0, 0, 1):
        world = GoalWorld(GAP, Lay(), held=held)
        casting = casting_in(world, dice=dice)
        while casting.fill(GAP, {}):
            pass
        orders.append([action.item for action in deeds(world)])
    assert orders[0] == orders[1] != orders[2]
    assert all(sorted(order) == sorted(held) for order in orders)


def test_a_fight_in_time_ends_the_search():
    world = GoalWorld(spider(64), den(hoe=90, sword=40, axe=30), held={"hoe": 1, "sword": 1, "axe": 1})
    memory = ScriptedMemory(fits={"hoe": 0.9, "sword": 0.8, "axe": 0.7, "": 0.1})
    pursued = play(world, memory)
    fight = Attack(mob="spider")
    assert deeds(world) == [Equip(item="hoe"), fight, Equip(item="sword"), fight]
    assert (pursued.ending, pursued.steps, memory.roles) == ("reached", 2, ["weapon", "weapon"])


def test_a_fight_that_took_as_long_as_allowed_was_in_time():
    world = GoalWorld(spider(80), den())
    assert play(world).steps == 1


def earlier_fight(weapon: str, ticks: int):
    steps = Equip(item=weapon), Attack(mob="spider")
    return lived(*steps, world=GoalWorld(spider(1), den(**{weapon: ticks}), held={weapon: 1}))


@pytest.mark.parametrize(("within", "first"), [(64, "sword"), (30, "hoe")])
def test_whether_an_earlier_fight_speaks_for_a_weapon_depends_on_the_time_allowed_now(within, first):
    world = GoalWorld(spider(within), den(hoe=20, sword=40), held={"hoe": 1, "sword": 1})
    memory = ScriptedMemory(Recalled(steps=earlier_fight("sword", 40)), fits={"hoe": 0.9, "": 0.1})
    pursued = play(world, memory)
    assert deeds(world) == [Equip(item=first), Attack(mob="spider")]
    assert pursued.steps == 1


def test_the_bare_hand_is_a_weapon_like_any_other():
    world = GoalWorld(spider(85), den(hoe=90), held={"hoe": 1})
    play(world, ScriptedMemory(fits={"hoe": 0.9, "": 0.2}))
    assert deeds(world) == [
        Equip(item="hoe"),
        Attack(mob="spider"),
        Equip(item=None),
        Attack(mob="spider"),
    ]


def test_nothing_is_fought_that_is_not_in_sight_nor_with_what_was_too_slow():
    world = GoalWorld(spider(64), Lay(mobs={"spider": (99, 64, 0)}))
    assert not casting_in(world).fell(spider(64))
    slow = casting_in(GoalWorld(spider(64), den()))
    assert slow.fell(spider(64))
    # The bare hand is all there is, and took 80 ticks.
    assert not slow.fell(spider(64))


def test_nothing_burns_without_a_fire_an_input_or_a_fuel_left():
    held = {"oven": 1, "raw_ore": 1, "rod": 1}
    assert not casting_in(GoalWorld(have(ingot=1), held=held)).burn("raw_ore")
    for lacking in ("raw_ore", "rod"):
        world = GoalWorld(have(ingot=1), held={**held, lacking: 0})
        casting = casting_in(world)
        casting._body.do(Place(item="oven"))
        assert not casting.burn("raw_ore")
        assert not any(isinstance(action, Smelt) for action in deeds(world))


def test_fuels_are_tried_until_one_burns_and_none_a_second_time():
    world = GoalWorld(have(ingot=1), held={"oven": 1, "raw_ore": 1, "rod": 1, "feather": 1})
    casting = casting_in(world, {"rod": 0.9})
    casting._body.do(Place(item="oven"))
    assert [casting.burn("raw_ore") for _ in range(3)] == [True, True, False]
    fuels = [action.fuel for action in deeds(world) if isinstance(action, Smelt)]
    assert fuels == ["rod", "feather"]


def test_what_the_fire_is_put_down_from_is_not_burnt_in_it():
    world = GoalWorld(have(ingot=1), held={"oven": 1, "raw_ore": 1, "rod": 1})
    casting = casting_in(world, {"oven": 0.9, "rod": 0.1})
    casting._known.offers["oven"] = "smelt"
    assert casting.burn("raw_ore")
    assert world.done == [(Place(item="oven"), "ok"), (Smelt(input="raw_ore", fuel="rod"), "not_fuel")]


def test_no_fire_is_put_down_where_nothing_is_left_to_burn():
    world = GoalWorld(have(ingot=1), held={"oven": 1, "raw_ore": 1, "rod": 1})
    casting = casting_in(world)
    casting._known.offers["oven"] = "smelt"
    casting._known.not_fuel.update({"rod": None, "oven": None})
    assert not casting.burn("raw_ore")
    assert world.done == []

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csd.episode import (
    Attack,
    Collect,
    Craft,
    Drop,
    Eat,
    Equip,
    GoTo,
    LookAt,
    Mine,
    Place,
    Smelt,
    WaitUntil,
)
from echo.worlds.minecraft.checking import ActionError
from echo.worlds.minecraft.options import OptionsError, WorldOptions
from echo.worlds.minecraft.world import MinecraftWorld
from tests.worlds.flat_land import flat_facts, flat_world, middle


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (Collect(block="unobtainium"), r"got 'unobtainium' in Collect\.block"),
        (Collect(block=7), r"got 7 in Collect\.block"),
        (Collect(block="stick"), "kinds of block"),
        (Craft(grid=(("stick", "sitck"),)), r"'sitck' in Craft\.grid row 0 column 1"),
        (Craft(grid=((None,) * 4,)), "1 to 3 cells"),
        (Craft(grid=((None,),) * 4), "1 to 3 rows"),
        (Craft(grid=()), "1 to 3 rows"),
        (Craft(grid=((None, None), (None,))), "rows of equal length"),
        (Craft(grid=[["stick"]]), "expected a tuple"),
        (Smelt(input="cobblestone", fuel="fire"), r"'fire' in Smelt\.fuel"),
        (Place(item="stick", target=(0, 0)), r"\(0, 0\) in Place\.target"),
        (GoTo(target=(0.5, 1, 2)), r"in GoTo\.target"),
        (Mine(target=(True, 1, 2)), r"in Mine\.target"),
        (LookAt(target=(10**9, 1, 2)), r"in LookAt\.target"),
        (Equip(item="sword"), r"'sword' in Equip\.item"),
        (Eat(item=""), r"'' in Eat\.item"),
        (Attack(mob="dragon"), "kinds of creature"),
        (Drop(item="stick", amount=-1), r"got -1 in Drop\.amount"),
        (Drop(item="stick", amount=0), r"got 0 in Drop\.amount"),
        (WaitUntil(ticks=0), r"got 0 in WaitUntil\.ticks"),
        (WaitUntil(condition="rain"), "got 'rain'"),
        ("collect stone", "got str 'collect stone'"),
        (None, "got NoneType None"),
    ],
)
def test_a_malformed_action_is_an_error_that_says_where(action, message):
    world = flat_world()
    before = world.observe()
    with pytest.raises(ActionError, match=message) as caught:
        world.act(action)
    assert str(caught.value).startswith("expected")
    assert world.observe() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "got -1 for seed"),
        ({"max_steps": 0}, "got 0 for max_steps"),
        ({"copies": 0}, "got 0 for copies"),
        ({"sight": 2}, "got 2 for sight"),
        ({"frame_size": True}, "got True for frame_size"),
        ({"slots": 0}, "got 0 for slots"),
        ({"inventory": {"stick": -2}}, "got -2 for 'stick'"),
    ],
)
def test_an_option_out_of_range_is_refused(options, message):
    with pytest.raises(OptionsError, match=message):
        WorldOptions(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inventory": {"sitck": 1}}, "got 'sitck' in inventory"),
        ({"withheld": ("grass_path",)}, "got 'grass_path' in withheld"),
        ({"stations": ("stick",)}, "got 'stick' in stations"),
        ({"mobs": ("zombie",)}, "got 'zombie' in mobs"),
    ],
)
def test_an_option_with_an_unknown_name_is_refused(options, message):
    with pytest.raises(OptionsError, match=message):
        MinecraftWorld(WorldOptions(**options), flat_facts())


def test_the_budget_counts_attempts_and_not_walking():
    world = flat_world(middle("oak_log"), max_steps=3, inventory={"oak_log": 1})
    target = world.observe().blocks["oak_log"].nearest
    world.act(GoTo(target=target))
    world.act(Equip(item="oak_log"))
    assert world.counted == 0
    world.act(Craft(grid=(("stick",),)))
    world.act(Mine(target=(0, 0, 0)))
    world.act(Collect(block="diamond_ore"))
    assert (world.counted, world.observe().step) == (3, 5)
    before = world.observe()
    for action in (Collect(block="oak_log"), GoTo(target=target), WaitUntil()):
        assert world.act(action).code == "budget_spent"
    assert world.observe() == before


def test_unlocked_items_are_kept_with_the_time_they_came():
    world = flat_world(middle("oak_log"), inventory={"dirt": 1})
    world.act(Collect(block="oak_log"))
    world.act(Craft(grid=(("oak_log",),)))
    world.act(Drop(item="oak_planks", amount=4))
    world.act(Drop(item="dirt"))
    assert world.unlocked == {"dirt": 0, "oak_log": 1, "oak_planks": 2}


_ITEMS = ("oak_log", "oak_planks", "stick", "cobblestone", "coal", "dirt", "wooden_pickaxe", "crafting_table")
_item = st.sampled_from(_ITEMS)
_row = st.tuples(st.none() | _item, st.none() | _item)
_cell = st.tuples(st.integers(0, 23), st.integers(0, 14), st.integers(0, 23))
_actions = st.one_of(
    st.builds(Collect, block=st.sampled_from(["oak_log", "stone", "grass_block", "coal_ore", "bedrock"])),
    st.builds(Craft, grid=st.tuples(_row, _row)),
    st.builds(Smelt, input=_item, fuel=_item),
    st.builds(Place, item=_item, target=st.none() | _cell),
    st.builds(Equip, item=st.none() | _item),
    st.builds(Drop, item=_item, amount=st.integers(1, 3)),
    st.builds(Mine, target=_cell),
    st.builds(GoTo, target=_cell),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(_actions, max_size=25))
def test_the_books_balance_whatever_is_done(actions):
    world = flat_world(
        middle("oak_log"), stations=("furnace",), slots=9, inventory=dict.fromkeys(_ITEMS[:5], 6)
    )
    for action in actions:
        before = world.observe()
        carried = {item: stack.count for item, stack in before.inventory.items()}
        outcome = world.act(action)
        after = world.observe()
        names = sorted({*carried, *after.inventory})
        change = {item: after.count(item) - carried.get(item, 0) for item in names}
        assert outcome.inventory_delta == {item: amount for item, amount in change.items() if amount}
        assert after.tick - before.tick == outcome.ticks >= outcome.work_ticks >= 0
        assert {item: stack.count for item, stack in before.inventory.items()} == carried
        assert list(after.inventory) == sorted(after.inventory)
        assert list(after.blocks) == sorted(after.blocks)
        if outcome.code not in ("ok", "no_drop", "inventory_full"):
            assert outcome.inventory_delta == {}
            assert after.blocks == before.blocks


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"invented_names": -2}, "at least 0; got -2 for invented_names"),
        ({"withheld": "stick"}, r"Write \('stick',\)"),
    ],
)
def test_an_option_out_of_range_is_refused_in_the_options_own_words(
    changes: dict[str, object], told: str
) -> None:
    with pytest.raises(OptionsError, match=told):
        WorldOptions(**changes)


def test_a_negative_seed_is_refused_at_reset() -> None:
    with pytest.raises(OptionsError, match="seed of at least 0, or None; got -3"):
        MinecraftWorld().reset(seed=-3)

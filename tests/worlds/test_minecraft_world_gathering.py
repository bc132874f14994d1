from __future__ import annotations

import pytest

from csd.episode import Attack, Collect, Equip, GoTo, LookAt, Mine
from tests.worlds.flat_land import GROUND, SIZE, flat_world, middle


def test_a_log_comes_loose_by_hand_in_three_seconds():
    world = flat_world(middle("oak_log"))
    outcome = world.act(Collect(block="oak_log"))
    assert (outcome.code, outcome.inventory_delta, outcome.work_ticks) == ("ok", {"oak_log": 1}, 60)
    assert outcome.block == "oak_log"
    assert outcome.cell is not None
    assert "oak_log" not in world.observe().blocks
    assert world.observe().count("oak_log") == 1


@pytest.mark.parametrize(
    ("held", "block", "code", "work_ticks"),
    [
        (None, "stone", "no_drop", 150),  # 1.5 x 100
        ("wooden_pickaxe", "stone", "ok", 23),  # 1.5 x 30 / 2 = 22.5
        ("stone_pickaxe", "stone", "ok", 12),  # 1.5 x 30 / 4 = 11.25
        ("golden_pickaxe", "stone", "ok", 4),  # 1.5 x 30 / 12 = 3.75
        ("wooden_pickaxe", "iron_ore", "no_drop", 150),  # 3 x 100 / 2: right class, too soft
        ("stone_pickaxe", "iron_ore", "ok", 23),  # 3 x 30 / 4 = 22.5
        ("wooden_axe", "oak_log", "ok", 30),  # 2 x 30 / 2
        ("wooden_axe", "stone", "no_drop", 150),  # wrong class
        (None, "grass_block", "ok", 18),  # 0.6 x 30
        ("shears", "oak_leaves", "ok", 1),  # 0.2 x 30 / 15 = 0.4
        ("iron_sword", "cobweb", "ok", 8),  # 4 x 30 / 15
    ],
)
def test_dig_time_and_harvest_follow_the_tool(held, block, code, work_ticks):
    world = flat_world(middle(block), inventory={held: 1} if held else {})
    world.act(Equip(item=held))
    outcome = world.act(Collect(block=block))
    assert (outcome.code, outcome.work_ticks) == (code, work_ticks)


def test_a_block_dug_with_the_wrong_tool_is_gone():
    world = flat_world(middle("diamond_ore"))
    outcome = world.act(Collect(block="diamond_ore"))
    assert (outcome.code, outcome.inventory_delta) == ("no_drop", {})
    assert world.act(Collect(block="diamond_ore")).code == "not_seen"


def test_collecting_costs_the_way_and_mining_does_not():
    world = flat_world({(1, GROUND + 1, 1): "oak_log", (22, GROUND + 1, 22): "oak_log"})
    seen = world.observe().blocks["oak_log"]
    assert world.act(Mine(target=seen.nearest)).code == "out_of_reach"
    walked = world.act(GoTo(target=seen.nearest))
    assert walked.ticks > 0
    mined = world.act(Mine(target=seen.nearest))
    assert (mined.code, mined.ticks, mined.work_ticks) == ("ok", 60, 60)
    far = world.observe().blocks["oak_log"]
    position = world.observe().position
    collected = world.act(Collect(block="oak_log"))
    way = sum((a - b) ** 2 for a, b in zip(world.observe().position, position, strict=True)) ** 0.5
    assert far.distance > 20
    assert collected.ticks == round(way * 20 / 5.612) + 60


def test_rock_on_the_way_costs_cutting_time():
    cave = {(12, 2, 12): "coal_ore"}
    by_hand = flat_world(cave).act(Collect(block="coal_ore"))
    world = flat_world(cave, inventory={"diamond_pickaxe": 1})
    world.act(Equip(item="diamond_pickaxe"))
    by_pickaxe = world.act(Collect(block="coal_ore"))
    assert by_hand.ticks - by_hand.work_ticks > by_pickaxe.ticks - by_pickaxe.work_ticks > 0


def test_air_bedrock_and_water_do_not_come_loose():
    world = flat_world(middle("water"))
    x, y, z = (int(part) for part in world.observe().position)
    assert world.act(Mine(target=(x, y + 2, z))).code == "not_seen"
    assert world.act(Mine(target=(-1, 0, 0))).code == "not_seen"
    for block in ("bedrock", "water"):
        outcome = world.act(Collect(block=block))
        assert (outcome.code, outcome.ticks) == ("not_breakable", 0)
        assert "bucket" not in outcome.message


def test_a_tool_breaks_after_its_last_use():
    world = flat_world(inventory={"wooden_pickaxe": 1})
    world.act(Equip(item="wooden_pickaxe"))
    outcomes = [world.act(Collect(block="stone")) for _ in range(58)]
    assert all(outcome.events == () for outcome in outcomes)
    assert world.observe().inventory["wooden_pickaxe"].wear == pytest.approx(58 / 59)
    last = world.act(Collect(block="stone"))
    assert last.events == ("broke:wooden_pickaxe",)
    assert last.inventory_delta == {"cobblestone": 1, "wooden_pickaxe": -1}
    assert world.observe().mainhand is None


def test_of_two_tools_the_worn_one_is_used_and_the_other_stays_in_the_hand():
    world = flat_world(inventory={"wooden_pickaxe": 2})
    world.act(Equip(item="wooden_pickaxe"))
    for _ in range(59):
        world.act(Collect(block="stone"))
    stack = world.observe().inventory["wooden_pickaxe"]
    assert (stack.count, stack.wear, world.observe().mainhand) == (1, 0.0, "wooden_pickaxe")


def test_gravel_above_a_dug_block_comes_down():
    column = {(12, GROUND + 1, 12): "oak_log", (12, GROUND + 2, 12): "gravel", (12, GROUND + 3, 12): "gravel"}
    world = flat_world(column)
    log = world.observe().blocks["oak_log"].nearest
    world.act(Collect(block="oak_log"))
    seen = world.observe().blocks["gravel"]
    assert seen.count == 2
    assert world.act(Mine(target=log)).block == "gravel"
    assert world.act(Mine(target=log)).block == "gravel"
    assert world.act(Mine(target=log)).code == "not_seen"


def test_a_body_falls_when_the_block_under_it_goes():
    world = flat_world()
    x, y, z = (int(part) for part in world.observe().position)
    assert y == GROUND + 1
    world.act(Mine(target=(x, GROUND, z)))
    assert world.observe().position[1] == GROUND


def test_withheld_items_never_come_out():
    world = flat_world(
        middle("oak_log"), withheld=("oak_log", "stick"), inventory={"stick": 5, "oak_planks": 4}
    )
    assert world.observe().count("stick") == 0
    assert world.act(Collect(block="oak_log")).code == "no_drop"


def test_sheep_fall_and_leave_wool():
    world = flat_world(mobs=("sheep",))
    assert world.observe().mobs == {"sheep": 4}
    outcome = world.act(Attack(mob="sheep"))
    assert outcome.code == "ok"
    assert outcome.inventory_delta["white_wool"] == 1
    assert world.observe().mobs == {"sheep": 4}
    assert world.act(Attack(mob="cow")).code == "not_seen"


def test_a_spider_bites_back_but_never_kills():
    world = flat_world(mobs=("spider",))
    outcome = world.act(Attack(mob="spider"))
    # 16 strikes by hand at 4 a second: 15 x 5 + 1 = 76 ticks, three full seconds at 2 damage
    assert outcome.events == ("damage:6",)
    assert 80 <= outcome.ticks < 160  # time to heal one point
    assert world.observe().vitals.health == 15.0
    for _ in range(20):
        world.act(Attack(mob="spider"))
    assert world.observe().vitals.health >= 1.0


def test_looking_turns_the_view_as_the_game_counts_degrees():
    world = flat_world()
    x, y, z = (int(part) for part in world.observe().position)
    turns = {(x, y, z + 5): 0.0, (x - 5, y, z): 90.0, (x, y, z - 5): 180.0, (x + 5, y, z): 270.0}
    for target, yaw in turns.items():
        world.act(LookAt(target=target))
        assert world.observe().yaw == yaw
    world.act(LookAt(target=(x, y - 6, z)))
    assert world.observe().pitch == 90.0


def test_walking_outside_the_land_is_refused():
    outcome = flat_world().act(GoTo(target=(SIZE, 9, 0)))
    assert outcome.code == "out_of_reach"
    assert f"x 0..{SIZE - 1}" in outcome.message

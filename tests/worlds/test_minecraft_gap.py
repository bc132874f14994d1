from __future__ import annotations

import numpy as np
import pytest

from csd.episode import Attack, Equip, Place
from echo.worlds.minecraft.gap import DEPTH, dig_gap
from echo.worlds.minecraft.mobs import Herd
from echo.worlds.minecraft.options import OptionsError, WorldOptions
from echo.worlds.minecraft.scene import named_rng
from echo.worlds.minecraft.terrain import PAD, lay_out
from echo.worlds.minecraft.walking import within_reach
from echo.worlds.minecraft.world import MinecraftWorld
from tests.worlds.flat_land import GROUND, flat_facts, flat_world


def land(copies=1):
    return lay_out(flat_facts(), copies, named_rng(0, "land"))


def test_the_row_begins_beside_the_ground_under_the_feet_and_runs_away_from_it():
    assert dig_gap(land(), (12, GROUND + 1, 12), 3) == (
        (13, GROUND, 12),
        (14, GROUND, 12),
        (15, GROUND, 12),
    )


def test_the_row_turns_where_the_land_ends():
    assert dig_gap(land(), (21, GROUND + 1, 12), 3)[0] == (20, GROUND, 12)


def test_a_gap_longer_than_the_land_is_refused():
    with pytest.raises(ValueError, match=r"expected room for a gap of 30 cells"):
        dig_gap(land(), (12, GROUND + 1, 12), 30)


def test_a_cell_of_the_row_touches_only_its_neighbours_in_the_row_and_the_walls_at_both_ends():
    dug = land()
    row = dig_gap(dug, (12, GROUND + 1, 12), 3)
    for number, (x, y, z) in enumerate(row):
        beside = {(dx, dy, dz): dug.is_solid((x + dx, y + dy, z + dz)) for dx, dy, dz in SIDES}
        solid = [side for side, is_solid in beside.items() if is_solid]
        assert solid == ([(-1, 0, 0)] if number == 0 else [(1, 0, 0)] if number == 2 else [])


SIDES = ((-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1))


def test_the_far_wall_is_made_where_the_ground_falls_away():
    facts = flat_facts({(x, GROUND, z): "air" for x in range(14, 24) for z in range(24)})
    dug = lay_out(facts, 1, named_rng(0, "land"))
    row = dig_gap(dug, (12, GROUND + 1, 12), 3)
    assert dug.is_solid((16, GROUND, 12))
    assert not any(dug.is_solid(cell) for cell in row)


def world(**options):
    return flat_world(gap=3, **options)


def test_the_whole_gap_is_within_reach_of_the_spawn_point():
    made = world()
    assert all(within_reach(made.scene.body.feet, cell) for cell in made.gap)


def test_a_block_put_into_the_gap_carries_and_one_beyond_it_touches_nothing():
    made = world(inventory={"bricks": 3})
    near, middle, _ = made.gap
    assert made.act(Place(item="bricks", target=middle)).code == "no_space"
    assert made.act(Place(item="bricks", target=near)).ok
    assert made.carries(near)
    assert made.act(Place(item="bricks", target=middle)).ok


def test_gravel_falls_to_the_floor_and_carries_nobody():
    made = world(inventory={"gravel": 1})
    near = made.gap[0]
    outcome = made.act(Place(item="gravel", target=near))
    # The flat land is shallower than the trench is deep: the lowest layer is the floor.
    assert outcome.cell == (near[0], max(GROUND - DEPTH, 0) + 1, near[2])
    assert not made.carries(near)


def test_a_flower_stays_but_carries_nobody_and_gives_way_to_a_block():
    made = world(inventory={"poppy": 1, "bricks": 1})
    near = made.gap[0]
    assert made.act(Place(item="poppy", target=near)).cell == near
    assert not made.carries(near)
    assert made.act(Place(item="bricks", target=near)).ok
    assert made.carries(near)


def test_sight_knows_the_land_with_the_gap_in_it():
    before, after = flat_world().observe().blocks, world().observe().blocks
    # Three by three cells of grass are gone; the floor of stone one above bedrock stays.
    assert before["grass_block"].count - after["grass_block"].count == 9


def test_the_nearest_block_of_every_kind_is_right_beside_a_gap():
    options = WorldOptions(copies=2, sight=12, gap=3, seed=3)
    made = MinecraftWorld(options)
    scene = made.scene
    eye = np.add(scene.body.feet, (0.0, 1.12, 0.0))
    cells = np.argwhere(scene.land.ids > 1) - PAD + (0, scene.land.min_y, 0)
    far = np.sqrt(((cells - eye) ** 2).sum(axis=1))
    nearest: dict[str, float] = {}
    for cell, distance in zip(cells[far <= 12], far[far <= 12], strict=True):
        name = scene.land.name_at(tuple(cell.tolist()))
        nearest[name] = min(distance, nearest.get(name, 99.0))
    seen = {name: block.distance for name, block in made.observe().blocks.items()}
    assert seen == pytest.approx(nearest, abs=1e-3)


def test_a_world_without_a_gap_has_no_cells_of_it():
    assert flat_world().gap == ()


def test_a_negative_gap_is_refused():
    with pytest.raises(OptionsError, match=r"at least 0; got -1 for gap"):
        WorldOptions(gap=-1)


def test_creatures_asked_to_stay_near_stand_within_that_many_blocks():
    made = flat_world(mobs=("spider",), mobs_near=4)
    x, y, z = made.scene.body.feet
    for _, cell in made.scene.herd.places():
        assert (cell[0] - x) ** 2 + (cell[1] - y) ** 2 + (cell[2] - z) ** 2 <= 16


def test_one_that_falls_is_replaced_by_one_as_near():
    grounds = land()
    herd = Herd(grounds, ("spider",), named_rng(0, "mobs"), ((12, GROUND + 1, 12), 2))
    for _ in range(20):
        herd.fell("spider", herd.places()[0][1])
    assert all(abs(cell[0] - 12) <= 2 and abs(cell[2] - 12) <= 2 for _, cell in herd.places())


def test_where_no_ground_is_open_creatures_stand_at_the_spawn_point_itself():
    facts = flat_facts({(x, GROUND + 1, z): "water" for x in range(24) for z in range(24)})
    herd = Herd(
        lay_out(facts, 1, named_rng(0, "land")), ("cow",), named_rng(0, "mobs"), ((3, GROUND + 1, 3), 2)
    )
    assert herd.places() == [("cow", (3, GROUND + 1, 3))] * 4


def test_dice_change_where_creatures_stand_but_not_the_land():
    first, second = (flat_world(mobs=("cow",), dice=dice) for dice in (1, 2))
    assert first.scene.body.feet == second.scene.body.feet
    assert first.scene.herd.places() != second.scene.herd.places()


def test_a_fight_tells_its_own_ticks_without_the_way_there():
    made = flat_world(mobs=("spider",), mobs_near=12, inventory={"iron_sword": 1})
    made.act(Equip(item="iron_sword"))
    outcome = made.act(Attack(mob="spider"))
    # 16 points of health, 6 a strike: three strikes, two waits of 20 / 1.6 = 12.5 ticks, and the last one.
    assert outcome.work_ticks == 26
    assert outcome.ticks >= 26


def test_digging_in_one_world_leaves_the_next_one_whole():
    facts = flat_facts()
    options = WorldOptions(copies=1, seed=5)
    before = MinecraftWorld(options, facts).observe().blocks
    MinecraftWorld(WorldOptions(copies=1, seed=5, gap=4), facts)
    assert MinecraftWorld(options, facts).observe().blocks == before

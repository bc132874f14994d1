from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from echo.worlds.minecraft.facts import Terrain, load_facts
from echo.worlds.minecraft.options import WorldOptions
from echo.worlds.minecraft.terrain import AIR, PAD, VOID, lay_out, spawn_cell
from echo.worlds.minecraft.world import MinecraftWorld
from tests.worlds.flat_land import GROUND, flat_facts


def test_copies_are_mirror_images_side_by_side():
    facts = load_facts()
    land = lay_out(facts, 3, np.random.default_rng(0))
    ids = land.ids[PAD:-PAD, PAD:-PAD, PAD:-PAD]
    assert land.shape == (48, facts.terrain.blocks.shape[1], 80)
    assert (ids[:16] == ids[16:32][::-1]).all()
    assert (ids[:16] == ids[32:]).all()


def test_resources_grow_with_the_copies_and_keep_their_mix():
    facts = load_facts()
    for copies in (1, 4):
        land = lay_out(facts, copies, np.random.default_rng(1))
        totals = land.counts.sum(axis=0)
        for block, number in {"oak_log": 165, "coal_ore": 685, "iron_ore": 467, "diamond_ore": 16}.items():
            assert totals[land.kind_of[block]] == copies * number
        assert totals[VOID] == totals[AIR] == 0


def test_four_orientations_come_out_of_the_seeds():
    facts = load_facts()
    seen = {lay_out(facts, 1, np.random.default_rng(seed)).ids.tobytes() for seed in range(24)}
    assert len(seen) == 4


def test_changes_keep_counts_and_cells_in_step():
    land = lay_out(flat_facts(), 1, np.random.default_rng(0))
    stone, gold = land.kind_of["stone"], land.kind("gold_block")
    before = land.counts.sum(axis=0)
    land.put((3, 4, 5), gold)
    land.put((3, 20, 5), stone)
    assert (land.name_at((3, 4, 5)), land.name_at((3, 20, 5))) == ("gold_block", "stone")
    change = land.counts.sum(axis=0) - before
    assert (change[gold], change[stone]) == (1, 0)
    assert [(land.cell(index), old, new) for index, old, new in land.changed] == [
        ((3, 4, 5), stone, gold),
        ((3, 20, 5), AIR, stone),
    ]
    assert land.at((-1, 4, 5)) == VOID


def test_many_new_kinds_find_room():
    land = lay_out(flat_facts(), 1, np.random.default_rng(0))
    names = [f"{colour}_wool" for colour in ("red", "lime", "blue")] + sorted(land._facts.blocks)[:120]
    for name in names:
        land.put((1, 25, 1), land.kind(name))
        assert land.name_at((1, 25, 1)) == name


def test_bodies_appear_on_open_ground():
    for seed in range(5):
        world = MinecraftWorld(WorldOptions(seed=seed))
        land, (x, y, z) = world._scene.land, world._scene.body.feet
        assert land.is_solid((x, y - 1, z))
        assert not any(land.is_solid((x, above, z)) for above in range(y, land.shape[1]))


def test_a_land_without_open_ground_is_refused():
    blocks = np.zeros((4, 8, 4), dtype=np.uint16)
    facts = replace(load_facts(), terrain=Terrain(palette=("air",), blocks=blocks, min_y=0, biome="the_void"))
    land = lay_out(facts, 1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="expected open ground in some of 200 random columns"):
        spawn_cell(land, np.random.default_rng(0))


def test_stations_stand_within_reach_of_the_spawn():
    world = MinecraftWorld(WorldOptions(stations=("crafting_table", "furnace")), flat_facts())
    stations = world.observe().stations
    assert sorted(station.offers for station in stations) == ["grid3", "smelt"]
    assert all(station.position[1] == GROUND + 1 for station in stations)

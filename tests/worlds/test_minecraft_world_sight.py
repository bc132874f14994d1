from __future__ import annotations

import numpy as np
import pytest

from csd.episode import Collect, Equip, GoTo, Place
from echo.worlds.minecraft.many_kinds import ManyKinds, SectionBounds
from echo.worlds.minecraft.options import WorldOptions
from echo.worlds.minecraft.terrain import PAD
from echo.worlds.minecraft.world import MinecraftWorld
from tests.worlds.flat_land import GROUND, flat_world


def _by_brute_force(world: MinecraftWorld) -> dict[str, tuple[float, set[tuple[int, int, int]]]]:
    """Return per kind in sight the least distance and every cell that near."""
    land, feet = world._scene.land, world._scene.body.feet
    ids = land.ids[PAD:-PAD, PAD:-PAD, PAD:-PAD]
    seen = {}
    for kind in range(2, len(land.names)):
        cells = np.argwhere(ids == kind) + np.array((0, land.min_y, 0))
        if not len(cells):
            continue
        gap = cells + 0.5 - np.add(feet, (0.5, 1.62, 0.5))
        distance = np.sqrt((gap**2).sum(axis=1))
        if distance.min() <= world.options.sight:
            near = cells[distance <= distance.min() + 1e-4]
            seen[land.names[kind]] = (float(distance.min()), {tuple(map(int, cell)) for cell in near})
    return seen


@pytest.mark.parametrize(("seed", "sight"), [(0, 32), (1, 32), (2, 12)])
def test_the_nearest_block_of_every_kind_is_the_one_a_full_search_finds(seed, sight):
    world = MinecraftWorld(
        WorldOptions(seed=seed, sight=sight, inventory={"iron_pickaxe": 9, "dirt": 99, "crafting_table": 9})
    )
    world.act(Equip(item="iron_pickaxe"))
    rng = np.random.default_rng(seed)
    for turn in range(24):
        seen = world.observe().blocks
        expected = _by_brute_force(world)
        assert list(seen) == sorted(expected)
        for block, entry in seen.items():
            distance, cells = expected[block]
            assert entry.distance == pytest.approx(distance, abs=2e-3), block
            assert entry.nearest in cells, block
            assert entry.count >= 1
        if turn % 6 == 5:
            world.act(GoTo(target=tuple(int(rng.integers(size)) for size in (64, 60, 80))))
        elif turn % 6 == 4:
            world.act(Place(item=str(rng.choice(["dirt", "crafting_table"]))))
        else:
            world.act(Collect(block=str(rng.choice(list(seen)))))


def test_counts_are_those_of_the_sections_the_sphere_touches():
    world = flat_world({(23, GROUND + 1, 23): "oak_log", (0, GROUND + 1, 0): "oak_log"}, sight=40)
    seen = world.observe().blocks
    assert seen["oak_log"].count == 2
    assert seen["grass_block"].count == 24 * 24
    assert seen["stone"].count == 24 * 24 * 7


def test_a_kind_beyond_sight_is_not_seen_though_its_section_is_touched():
    world = flat_world({(23, GROUND + 1, 23): "oak_log"}, sight=5)
    target = world.observe().position
    assert target[0] < 16 or target[2] < 16 or "oak_log" in world.observe().blocks
    world.act(GoTo(target=(0, GROUND, 0) if "oak_log" in world.observe().blocks else (23, GROUND, 23)))
    corners = {(0, 0): (23, 23), (23, 23): (0, 0), (0, 23): (23, 0), (23, 0): (0, 23)}
    logs = set()
    for x, z in corners:
        world.act(GoTo(target=(x, GROUND, z)))
        if "oak_log" in world.observe().blocks:
            logs.add(world.observe().blocks["oak_log"].nearest)
    assert len(logs) == 1


def test_what_was_seen_does_not_change_afterwards():
    world = flat_world({(12, GROUND + 1, 12): "oak_log"})
    before = world.observe()
    world.act(Collect(block="oak_log"))
    assert "oak_log" in before.blocks
    assert "oak_log" not in world.observe().blocks


def test_common_kinds_are_found_after_digging_and_placing():
    land = flat_world()._scene.land
    stone, eye_rise = land.kind_of["stone"], 1.12
    many, bounds = ManyKinds(land, [stone], eye_rise), SectionBounds(land)
    feet = (12, 20, 12)
    eye = np.array((12, 20 + eye_rise, 12), dtype=np.float32)

    def nearest() -> tuple[float, tuple[int, int, int]]:
        rank = int(many.ball(feet)[stone])
        return many.nearest(stone, feet, eye, bounds.squares(eye), 1000.0, rank)

    square, cell = nearest()
    assert cell == (12, 7, 12)
    assert square == pytest.approx((13 + eye_rise) ** 2, rel=1e-5)
    land.put((12, 7, 12), 1)
    many.remove(stone, land.index((12, 7, 12)))
    assert nearest()[0] == pytest.approx((13 + eye_rise) ** 2 + 1, rel=1e-5)
    land.put((12, 10, 12), stone)
    many.add(stone, land.index((12, 10, 12)))
    assert nearest()[1] == (12, 10, 12)

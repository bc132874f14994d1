from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from csd.episode import Collect, Craft, Equip, GoTo, LookAt
from echo.bench.world_speed import measure_world_speed
from echo.worlds.minecraft.checking import ActionError
from echo.worlds.minecraft.options import OptionsError, WorldOptions
from echo.worlds.minecraft.world import MinecraftWorld
from tests.worlds.flat_land import GROUND, flat_world, middle


@pytest.mark.parametrize("frames", [True, False])
def test_gymnasium_finds_nothing_to_object_to(frames):
    world = MinecraftWorld(WorldOptions(frames=frames, frame_size=16, max_steps=50))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(world)
    # Only what it says of every environment made without its registry.
    assert [
        str(warning.message) for warning in caught if "not having a spec" not in str(warning.message)
    ] == []


def test_every_sampled_action_is_answered():
    world = MinecraftWorld(WorldOptions(seed=2, max_steps=10_000, inventory={"dirt": 64, "bread": 9}))
    world.action_space.seed(0)
    codes = set()
    for _ in range(600):
        perceived, reward, terminated, truncated, info = world.step(world.action_space.sample())
        assert perceived in world.observation_space
        assert reward == len(info["unlocked"])
        assert (terminated, truncated) == (False, False)
        assert json.loads(perceived["text"])["step"] == info["observation"].step
        codes.add(info["outcome"].code)
    assert {"ok", "not_seen", "missing_item", "no_station", "out_of_reach"} <= codes


def test_reward_is_for_items_carried_for_the_first_time():
    world = flat_world(middle("oak_log"), inventory={"oak_log": 1})
    steps = [world.step(action) for action in (Collect(block="oak_log"), Craft(grid=(("oak_log",),)))]
    assert [step[1] for step in steps] == [0.0, 1.0]
    assert steps[1][4]["unlocked"] == ("oak_planks",)
    assert world.step(Craft(grid=(("oak_log",),)))[1] == 0.0


def test_a_spent_budget_truncates():
    world = flat_world(max_steps=2)
    assert [world.step(Collect(block="grass_block"))[2:4] for _ in range(3)] == [
        (False, False),
        (False, True),
        (False, True),
    ]


def test_reset_starts_over_and_takes_changed_options():
    world = MinecraftWorld(WorldOptions(seed=3, copies=1))
    first, _ = world.reset()
    world.step(Collect(block="stone"))
    second, info = world.reset(seed=3)
    assert first == second
    assert info["outcome"] is None
    other, _ = world.reset()
    assert other != first
    renamed, _ = world.reset(seed=3, options={"inventory": {"stick": 2}})
    assert json.loads(renamed["text"])["inventory"]["stick"]["count"] == 2
    with pytest.raises(OptionsError, match="got 'difficulty'"):
        world.reset(options={"difficulty": "hard"})


def test_a_dict_outside_the_action_space_is_refused():
    world = flat_world()
    with pytest.raises(ActionError, match="member of action_space"):
        world.step({"verb": 3})


_LIFE = """
import hashlib
import numpy as np
from echo.worlds.minecraft.options import WorldOptions
from echo.worlds.minecraft.spaces import observation_text
from echo.worlds.minecraft.world import MinecraftWorld
from csd.episode import Collect

digest = hashlib.sha256()
world = MinecraftWorld(WorldOptions(seed=7, invented_names=3, mobs=("sheep", "cow"), frame_size=32))
world.action_space.seed(1)
rng = np.random.default_rng(2)
for turn in range(120):
    seen = world.observe(frame=turn % 30 == 0)
    digest.update(observation_text(seen).encode())
    if seen.frame is not None:
        digest.update(seen.frame.tobytes())
    if turn % 2:
        outcome = world.act(Collect(block=list(seen.blocks)[int(rng.integers(len(seen.blocks)))]))
        digest.update(repr(outcome).encode())
    else:
        world.step(world.action_space.sample())
print(digest.hexdigest())
"""


def test_one_seed_gives_one_life_in_two_processes():
    digests = [
        subprocess.run(
            [sys.executable, "-c", _LIFE],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert digests[0] == digests[1]
    assert len(digests[0].strip()) == 64


def test_seeds_differ_in_land_or_spawn():
    spawns = {MinecraftWorld(WorldOptions(seed=seed)).observe().position for seed in range(6)}
    assert len(spawns) == 6


def test_the_speed_bench_reports_what_it_measured():
    measured = measure_world_speed(0.2)
    assert measured["steps"] > 50
    per_step = (measured["act_us"] + measured["observe_us"]) / 1e6
    assert measured["steps_per_second"] == pytest.approx(1 / per_step)


def test_a_frame_shows_what_is_looked_at_in_its_own_colour():
    world = flat_world(middle("oak_log"), frame_size=33)
    log = world.observe().blocks["oak_log"]
    world.act(GoTo(target=log.nearest))
    world.act(LookAt(target=log.nearest))
    frame = world.observe(frame=True).frame
    assert frame is not None
    assert (frame.shape, frame.dtype) == ((33, 33, 3), np.uint8)
    seen = frame[16, 16] / 255
    own = np.array(log.colour) / 255
    assert np.allclose(seen / seen.sum(), own / own.sum(), atol=0.02)
    assert world.observe().frame is None


def test_a_frame_has_the_sky_above_the_ground_below_and_the_held_item_in_the_corner():
    world = flat_world(inventory={"diamond_block": 1}, frame_size=48)
    x, y, z = (int(part) for part in world.observe().position)
    target = (x, y, z + 20) if z < 12 else (x, y, z - 20)
    world.act(LookAt(target=(target[0], y + 1, target[2])))
    empty = world.render()
    assert empty[0].mean(axis=0).argmax() == 2  # blue
    assert empty[-1].mean(axis=0).argmax() == 1  # green
    world.act(Equip(item="diamond_block"))
    held = world.render()
    assert tuple(held[-4, -4]) == world.facts.blocks["diamond_block"].colour
    assert (held[:24] == empty[:24]).all()


def test_the_view_turns_left_and_right_the_right_way_round():
    world = flat_world({(12, GROUND + 1, 12): "redstone_block"}, frame_size=33, hunger=False)
    x, y, z = world.observe().blocks["redstone_block"].nearest
    world.act(GoTo(target=(x, y, z)))
    world.act(LookAt(target=(x, y, z)))
    body = world._scene.body
    body.yaw += 25.0  # yaw grows to the right, so the block moves to the left
    red = (world.render()[..., 0].astype(int) - world.render()[..., 1]) > 60
    assert red.any()
    assert np.nonzero(red)[1].mean() < 16

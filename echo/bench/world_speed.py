"""How fast the Minecraft world answers, frames and no frames.

The policy is random and mixed: it collects what it sees, lays carried items into grids, smelts, places,
equips and walks. Its own choices are not timed.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

from csd.episode import Action, Collect, Craft, Equip, GoTo, Observation, Place, Smelt
from echo.worlds.minecraft.options import WorldOptions
from echo.worlds.minecraft.world import MinecraftWorld

_START = {
    "diamond_pickaxe": 20,
    "oak_planks": 4_000,
    "stick": 4_000,
    "cobblestone": 4_000,
    "coal": 500,
    "crafting_table": 200,
}
_FRAMES = 50


def measure_world_speed(seconds: float, seed: int = 0) -> dict[str, float]:
    """Act and observe at random for a while.

    Args:
        seconds: Processor time to spend in the world, more than 0.
        seed: Of the world and the policy.

    Returns:
        ``steps_per_second`` (`act` and one `observe` a step, by the processor's clock, which other programs
        on the machine disturb less), ``wall_steps_per_second``, ``act_us`` and ``observe_us`` (mean
        microseconds), ``frame_ms`` (mean of 50 frames of 64x64), ``steps``.
    """
    world = MinecraftWorld(_options(seed))
    rng = np.random.default_rng(seed)
    observation = world.observe()
    acting = observing = wall = 0.0
    steps = 0
    while acting + observing < seconds:
        action = _choose(observation, rng)
        began, wall_began = time.process_time(), time.perf_counter()
        world.act(action)
        acted = time.process_time()
        observation = world.observe()
        observing += time.process_time() - acted
        acting += acted - began
        wall += time.perf_counter() - wall_began
        steps += 1
        if not observation.inventory.get("diamond_pickaxe"):
            world.begin(_options(seed + steps))
    began = time.process_time()
    for _ in range(_FRAMES):
        world.render()
    return {
        "steps_per_second": steps / (acting + observing),
        "wall_steps_per_second": steps / wall,
        "act_us": acting / steps * 1e6,
        "observe_us": observing / steps * 1e6,
        "frame_ms": (time.process_time() - began) / _FRAMES * 1e3,
        "steps": steps,
    }


def _options(seed: int) -> WorldOptions:
    return WorldOptions(
        seed=seed, max_steps=1_000_000_000, inventory=_START, stations=("crafting_table", "furnace")
    )


def _choose(seen: Observation, rng: np.random.Generator) -> Action:
    """Return a random action: 40 % collect, 35 % craft, the rest evenly smelt, place, equip and walk."""
    roll = rng.random()
    blocks, items = list(seen.blocks), list(seen.inventory)
    if roll < 0.40:
        return Collect(block=blocks[int(rng.integers(len(blocks)))])
    if roll < 0.75:
        side = 3 if any(station.offers == "grid3" for station in seen.stations) else 2
        chosen = rng.integers(-len(items), len(items), (side, side)).tolist()
        return Craft(grid=tuple(tuple(items[n] if n >= 0 else None for n in row) for row in chosen))
    if roll < 0.81:
        return Smelt(input="cobblestone", fuel="coal")
    if roll < 0.87:
        return Place(item=items[int(rng.integers(len(items)))])
    if roll < 0.93:
        return Equip(item="diamond_pickaxe")
    return GoTo(target=seen.blocks[blocks[int(rng.integers(len(blocks)))]].nearest)


if __name__ == "__main__":
    measured = measure_world_speed(float(sys.argv[1]) if len(sys.argv) > 1 else 5.0)
    sys.stdout.write(json.dumps({name: round(value, 1) for name, value in measured.items()}) + "\n")

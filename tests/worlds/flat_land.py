"""A small flat land with the game's own rules, so that expected values can be worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from csd.episode import Action, Cell, Outcome
from echo.worlds.minecraft.facts import Facts, Terrain, load_facts
from echo.worlds.minecraft.options import WorldOptions
from echo.worlds.minecraft.world import MinecraftWorld

SIZE = 24
GROUND = 8
"""World y of the grass; bedrock at 0, stone between."""


def flat_facts(blocks: Mapping[Cell, str] | None = None, ground: str = "grass_block") -> Facts:
    """Return the real rules over 24 x 24 columns of bedrock, stone and `ground`, with some cells replaced."""
    placed = dict(blocks or {})
    palette = tuple(dict.fromkeys(["air", "bedrock", "stone", ground, *placed.values()]))
    land = np.zeros((SIZE, 32, SIZE), dtype=np.uint16)
    land[:, 0], land[:, 1:GROUND], land[:, GROUND] = 1, 2, palette.index(ground)
    for (x, y, z), block in placed.items():
        land[x, y, z] = palette.index(block)
    return replace(load_facts(), terrain=Terrain(palette=palette, blocks=land, min_y=0, biome="plains"))


def flat_world(
    blocks: Mapping[Cell, str] | None = None, *, ground: str = "grass_block", **options: object
) -> MinecraftWorld:
    """Return a world on flat land. The seed may mirror the land: find cells through what is seen."""
    settings = {"copies": 1, "seed": 5, "max_steps": 1000, **options}
    return MinecraftWorld(WorldOptions(**settings), flat_facts(blocks, ground))


def middle(block: str) -> dict[Cell, str]:
    """Return one `block` standing on the ground near the middle of the land."""
    return {(12, GROUND + 1, 12): block}


def act_all(world: MinecraftWorld, *actions: Action) -> list[Outcome]:
    """Return the outcome of each action."""
    return [world.act(action) for action in actions]

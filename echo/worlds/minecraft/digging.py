"""Digging: how long it takes and what it does to the tool.

Source: the game's break-speed rule. Damage a tick is speed / hardness / 30 with a tool that can harvest the
block, / 100 otherwise; speed is the tool's when it is of the block's class (whatever its tier), else 1. Being
under water or off the ground, haste and enchantments are left out.
"""

from __future__ import annotations

import math

from echo.worlds.minecraft.facts import BlockFact, ItemFact
from echo.worlds.minecraft.rules import harvests

TIER_SPEED = {"wood": 2.0, "stone": 4.0, "iron": 6.0, "diamond": 8.0, "netherite": 9.0, "gold": 12.0}
_SHEAR_SPEED = {"leaves": 15.0, "cobweb": 15.0, "wool": 5.0}
_SWORD_SPEED = {"cobweb": 15.0, "leaves": 1.5}


def dig_ticks(block: BlockFact, tool: ItemFact | None) -> int | None:
    """Return how many ticks digging takes, at least 1, or None where nothing breaks the block."""
    if block.hardness is None:
        return None
    if block.hardness == 0:
        return 1
    rate = 30.0 if harvests(block, tool.name if tool else None) else 100.0
    # The small step back keeps 1 / (2 / 30 / 2) at 30 ticks where floating point would make it 31.
    return max(1, math.ceil(block.hardness * rate / _speed(block, tool) - 1e-9))


def _speed(block: BlockFact, tool: ItemFact | None) -> float:
    if tool is None or tool.tool_class is None:
        return 1.0
    if tool.tool_class in ("shears", "sword"):
        speeds = _SHEAR_SPEED if tool.tool_class == "shears" else _SWORD_SPEED
        return next((speed for part, speed in speeds.items() if block.name.endswith(part)), 1.0)
    if tool.tool_class == block.tool_class and tool.tier is not None:
        return TIER_SPEED[tool.tier]
    return 1.0


def dig_wear(block: BlockFact, tool: ItemFact | None) -> int:
    """Return how much of its durability digging `block` costs the tool."""
    if tool is None or tool.tool_class is None or not block.hardness:
        return 0
    return 2 if tool.tool_class == "sword" else 1

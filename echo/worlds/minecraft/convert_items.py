"""Turn minecraft-data's item and food tables into item records, with fuel, damage and placing rules."""

from __future__ import annotations

from collections.abc import Mapping

from echo.worlds.minecraft.convert_sources import GameTables
from echo.worlds.minecraft.facts_files import ItemRecord, ItemsRecord
from echo.worlds.minecraft.vanilla_rules import (
    ATTACK,
    FUEL_TICKS,
    FUEL_TICKS_BY_TAG,
    PLACES,
    TIER_BY_PREFIX,
)

_BARE_HAND = 1.0
_TRIDENT = 9.0


def convert_items(tables: GameTables, item_tags: Mapping[str, list[str]]) -> ItemsRecord:
    """Return a record of every item; fuel follows from `item_tags` and the table of single items."""
    fuels = fuel_ticks(item_tags)
    block_names = set(tables.block_names.values())
    foods = {
        row["name"]: (round(float(row["foodPoints"]), 4), round(float(row["saturation"]), 4))
        for row in tables.foods
    }
    items: dict[str, ItemRecord] = {}
    for row in tables.items:
        name = row["name"]
        tool_class, tier = tool_of(name)
        items[name] = ItemRecord(
            stack_size=row["stackSize"],
            durability=row.get("maxDurability"),
            block=PLACES.get(name, name if name in block_names and name not in PLACES.values() else None),
            food=foods.get(name),
            fuel_ticks=fuels.get(name),
            tool_class=tool_class,
            tier=tier,
            attack=attack_of(name, tool_class, tier),
        )
    return ItemsRecord(items=items)


def fuel_ticks(item_tags: Mapping[str, list[str]]) -> dict[str, int]:
    """Return ticks burnt by item; a single item's entry goes before its tag's."""
    fuels: dict[str, int] = {}
    for tag, ticks in FUEL_TICKS_BY_TAG:
        fuels.update(dict.fromkeys(item_tags.get(tag, []), ticks))
    fuels.update(FUEL_TICKS)
    for name in item_tags.get("non_flammable_wood", []):
        fuels.pop(name, None)
    return fuels


def tool_of(name: str) -> tuple[str | None, str | None]:
    """Return (tool class, tier) of an item, each None where it has none.

    >>> tool_of("golden_axe"), tool_of("shears"), tool_of("iron_door")
    (('axe', 'gold'), ('shears', None), (None, None))
    """
    if name == "shears":
        return "shears", None
    prefix, _, tool = name.partition("_")
    if prefix in TIER_BY_PREFIX and tool in ATTACK:
        return tool, TIER_BY_PREFIX[prefix]
    return None, None


def attack_of(name: str, tool_class: str | None, tier: str | None) -> float:
    """Return the damage of a full-strength hit in half hearts."""
    if tool_class in ATTACK and tier is not None:
        return float(ATTACK[tool_class][tier])
    return _TRIDENT if name == "trident" else _BARE_HAND

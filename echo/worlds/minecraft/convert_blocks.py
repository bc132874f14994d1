"""Turn minecraft-data's block and loot tables into block records, with vanilla's rules laid over them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from echo.worlds.minecraft.block_colours import block_colour
from echo.worlds.minecraft.convert_sources import GameTables
from echo.worlds.minecraft.facts_files import BlockRecord, BlocksRecord, DropRecord, MobsRecord
from echo.worlds.minecraft.vanilla_rules import DROPS, MOB_DROPS, PLACES, UNBREAKABLE, DropRow

_TOOL_CLASSES = ("pickaxe", "axe", "shovel", "hoe")


def convert_blocks(tables: GameTables, block_tags: Mapping[str, list[str]]) -> BlocksRecord:
    """Return a record of every block.

    Args:
        tables: minecraft-data's tables.
        block_tags: block tag to names; ``mineable/*`` gives the tool class.
    """
    classes = {
        name: tool for tool in reversed(_TOOL_CLASSES) for name in block_tags.get(f"mineable/{tool}", [])
    }
    loot = {row["block"]: row["drops"] for row in tables.loot}
    item_names = set(tables.item_names.values())
    blocks: dict[str, BlockRecord] = {}
    for row in tables.blocks:
        name = row["name"]
        tools = (tables.item_names[int(number)] for number in row.get("harvestTools", {}))
        blocks[name] = BlockRecord(
            hardness=None if name in UNBREAKABLE else float(row["hardness"]),
            harvest_tools=sorted(tools),
            tool_class=classes.get(name),
            drops=[] if name in UNBREAKABLE else block_drops(name, loot, item_names),
            item=placing_item(name, item_names),
            solid=row["boundingBox"] == "block",
            colour=block_colour(name),
        )
    return BlocksRecord(blocks=blocks)


def block_drops(
    name: str, loot: Mapping[str, list[dict[str, Any]]], item_names: set[str]
) -> list[DropRecord]:
    """Return what digging the block `name` leaves, without enchantments.

    `DROPS` where it has an entry. Otherwise the source's entries that do not need Silk Touch, each
    certain and single where the source has a stack (it counts double slabs, four candles), since
    its own chances share 1 among all listed items. A block on the wall, which the source's loot
    table leaves out, drops the item that places it; a coral fan there needs Silk Touch.
    """
    if name in DROPS:
        return drop_records(DROPS[name])
    if name not in loot:
        item = placing_item(name, item_names)
        on_wall = "wall_" in name and not name.endswith("_coral_wall_fan")
        return drop_records(((item, 1, 1, 1.0, "any", 0),)) if item and on_wall else []
    rows: list[DropRow] = []
    for entry in loot[name]:
        if entry.get("silkTouch"):
            continue
        low, high = entry["stackSizeRange"]
        if name.endswith(("_slab", "candle")):
            low = high = 1
        rows.append((entry["item"], low, high, 1.0, "any", len(rows)))
    return drop_records(tuple(rows))


def placing_item(name: str, item_names: set[str]) -> str | None:
    """Return the item that places the block `name`, or None.

    >>> placing_item("oak_wall_sign", {"oak_sign"}), placing_item("wheat", {"wheat", "wheat_seeds"})
    ('oak_sign', 'wheat_seeds')
    """
    for item, block in PLACES.items():
        if block == name and item in item_names:
            return item
    if name in item_names:
        return name
    standing = name.replace("wall_", "", 1)
    return standing if "wall_" in name and standing in item_names else None


def convert_mobs() -> MobsRecord:
    """Return the drops of the mobs the project knows."""
    return MobsRecord(mobs={name: drop_records(rows) for name, rows in MOB_DROPS.items()})


def drop_records(rows: tuple[DropRow, ...]) -> list[DropRecord]:
    """Return `rows` as records, in order."""
    return [
        DropRecord(item=item, low=low, high=high, chance=chance, tool=tool, pool=pool)
        for item, low, high, chance, tool, pool in rows
    ]

"""The data card people read, written from the one machines read."""

from __future__ import annotations

from echo.worlds.minecraft.facts_files import CARD_NAME, CardRecord

_MEANING = {
    "blocks.json.gz": "of blocks: hardness, harvest tools, tool class, drops, placing item, solidity, colour",
    "items.json.gz": "of items: stack size, durability, placed block, food, fuel, tool class, tier, damage",
    "mobs.json.gz": "what a few mobs drop when a player kills them",
    "recipe_ids_1.16.5.json.gz": "all recipe ids of 1.16.5, only for the cross-check against another source",
    "recipes.json.gz": "every recipe that is data: pattern or ingredients with alternatives, result, time",
    "tags.json.gz": "item and block tags",
    "terrain.json.gz": "five neighbouring chunk columns (16 x 80 blocks) as runs along y, then z, then x",
}


def card_text(card: CardRecord) -> str:
    """Return ``CARD.md`` for `card`."""
    sections = (
        _head(card),
        _sources(card),
        _files(card),
        _counts(card),
        _ORIGINS,
        _closure(card),
        _LIMITS,
    )
    return "\n\n".join(sections) + "\n"


def _head(card: CardRecord) -> str:
    return f"""# Minecraft {card.version}: recipes, blocks, items and terrain as data

Made by `{card.command}` (see its `--help`; equal sources give equal bytes). Written by that command: do not
edit by hand. `{CARD_NAME}` holds the same for machines, with a digest of every source file that was read.
Licence of the sources and of these files: {card.licence}. Recipes and numbers are facts of the game; no art,
text or sound of it is here. Not an official Minecraft product; not associated with Mojang or Microsoft."""


def _sources(card: CardRecord) -> str:
    rows = [
        f"| [{source.package}]({source.url}) | {source.version} | {source.licence} "
        f"| {source.author} | {len(source.files)} |"
        for source in card.sources
    ]
    note = (
        "Both are projects of PrismarineJS and its contributors, whose copyright remains; the permission\n"
        "notice of the MIT licence stands in this project's LICENSE as well."
    )
    return "\n".join(
        [
            "## Sources",
            "",
            "| npm package | version | licence | author | files read |",
            "|---|---|---|---|---|",
            *rows,
            "",
            note,
        ]
    )


def _files(card: CardRecord) -> str:
    rows = [
        f"| `{name}` | {_MEANING[name]} | {seal.bytes:,} | `{seal.sha256}` |"
        for name, seal in sorted(card.files.items())
    ]
    head = ["## Files", "", "| file | holds | bytes | sha256 |", "|---|---|---|---|"]
    note = (
        "Each is gzip without a time stamp around compact JSON with sorted keys; `card.json` also has the\n"
        "digest of the JSON inside, which does not depend on the compressor."
    )
    return "\n".join([*head, *rows, "", note])


def _counts(card: CardRecord) -> str:
    rows = [f"| {name} | {count:,} |" for name, count in sorted(card.counts.items())]
    return "\n".join(["## Counts", "", "| what | how many |", "|---|---|", *rows])


_ORIGINS = """## Where each field comes from

- *Recorded from a vanilla server* (minecraft-packets): recipes, tags, and the terrain, whose chunk sections
  are unpacked from the network format.
- *Community tables* (minecraft-data): names behind ids, hardness, harvest tools, stack size, durability,
  foods, solidity, and which items a block can drop.
- *The author's tables of vanilla rules* (`echo/worlds/minecraft/vanilla_rules.py`), because no package states
  them, or states them naively:
  - Drops without enchantments. The loot table's chances share 1 among all items listed, so they are not
    used. Ores always drop their raw item (copper 2-3, redstone 4-5, lapis 4-9, others 1); gravel gives
    flint with 0.10, else gravel; leaves give a sapling with 0.05 (jungle 0.025), one or two sticks with
    0.02, an apple with 0.005 (oak and dark oak); grass and ferns give seeds with 0.125; shears give leaves,
    grass, ferns, vines and glow lichen themselves instead. Crops count as fully grown, a snow layer as one
    snowball, slabs and candles as single. Whatever needs Silk Touch is left out.
  - Fuel times by tag and item; the woods of the Nether do not burn.
  - Attack damage by tool class and tier; unbreakable blocks (bedrock, fluids, air, portals); seeds, buckets
    and the like that place a block of another name; drops of five mobs (no zombie: its iron ingot
    short-cuts the tree).
- *Our own choice* (`block_colours.py`): one flat colour for every block, made without the game's art.

The harvest tools of the community tables agree with the recorded `mineable/*` tags on every block that a
recorded `needs_*_tool` tag names (tested)."""


def _closure(card: CardRecord) -> str:
    total, made, layers = (f"{card.counts[key]:,}" for key in ("reachable", "made", "layers"))
    cut = card.counts["reachable_plants_by_hand"]
    uncut = card.counts["reachable_plants_by_hand_no_shears"]
    return f"""## What can be had from bare hands

Rule (`echo/worlds/minecraft/reachability.py`): dig the blocks of the terrain with the bare hand or any
tool had (every drop of non-zero chance counts, shears cut plants), scoop water and lava with a bucket, dig
the obsidian they make, craft, and smelt in a furnace with any fuel; no other station, no mobs, no growth.
A layer holds what the layers before it make possible; an item that can be dug and made in one layer counts
as dug.

- {total} items in {layers} layers (numbered from 0), {made} of them made by a recipe.
- Without obsidian {card.counts["reachable_no_obsidian"]}; the made items are the same.
- The loot table does not mark what needs shears. Read so that leaves and grass fall to the bare hand, it is
  {cut} with shears and {uncut} without (glow lichen is the difference).
- By vanilla's rule, without shears: {card.counts["reachable_no_shears"]}."""


_LIMITS = """## Limits

- One spot of one world: hills of oak and birch above caves. What else occurs naturally is in no data file.
- The thirteen recipes that are code in the game (dyeing, fireworks, maps, repair ...) have an id and no
  content.
- Recipe unlocking, advancements, enchantments, potions and villagers are not here.
- An agent must never read these files: they hold what it is meant to find out. Only the world and the
  bench do."""

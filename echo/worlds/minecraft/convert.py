"""Make the Minecraft facts from two npm packages: ``python -m echo.worlds.minecraft.convert``.

Reads packets recorded from a vanilla server (recipes, tags, chunk columns; npm ``minecraft-packets``)
and community tables (names, hardness, harvest tools, loot, foods; npm ``minecraft-data``), lays the rules
of `echo.worlds.minecraft.vanilla_rules` over them, and writes compressed JSON with a data card. Equal
sources give equal bytes, on every run.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ValidationError

from echo.worlds.minecraft import facts_files as files
from echo.worlds.minecraft.convert_blocks import convert_blocks, convert_mobs
from echo.worlds.minecraft.convert_card import card_text
from echo.worlds.minecraft.convert_items import convert_items
from echo.worlds.minecraft.convert_recipes import convert_recipes, convert_tags, recipe_ids
from echo.worlds.minecraft.convert_sources import SourceError, SourcePackage, game_tables, packets
from echo.worlds.minecraft.convert_terrain import convert_terrain, state_names
from echo.worlds.minecraft.facts import Facts, facts_from_records
from echo.worlds.minecraft.reachability import ReachRules, reachable

VERSION = "1.17.1"
CROSS_CHECK_VERSION = "1.16.5"
DEFAULT_OUT = Path("data") / "minecraft" / VERSION
CARD_TEXT_NAME = "CARD.md"
COMMAND = "python -m echo.worlds.minecraft.convert --packets DIR --data DIR"
_EXAMPLE = """example:
  npm pack minecraft-packets@1.9.0 minecraft-data@3.119.0
  mkdir packets data-package
  tar xzf minecraft-packets-1.9.0.tgz -C packets
  tar xzf minecraft-data-3.119.0.tgz -C data-package
  python -m echo.worlds.minecraft.convert --packets packets --data data-package --out data/minecraft/1.17.1
"""


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """What a conversion makes: the bytes of each file by name, and the card."""

    contents: dict[str, bytes]
    card: files.CardRecord


def convert(packet_package: SourcePackage, data_package: SourcePackage) -> Conversion:
    """Convert the two packages in memory.

    Raises:
        SourceError: if a source file is missing, damaged or of another version.
    """
    records = _records(packet_package, data_package)
    contents: dict[str, bytes] = {}
    seals: dict[str, files.FileRecord] = {}
    for name, record in sorted(records.items()):
        content = files.record_bytes(record)
        packed = files.pack(content)
        contents[name] = packed
        seals[name] = files.FileRecord(
            sha256=files.sha256(packed), content_sha256=files.sha256(content), bytes=len(packed)
        )
    card = files.CardRecord(
        format=files.FORMAT,
        version=VERSION,
        command=COMMAND,
        licence="MIT",
        sources=[packet_package.record(), data_package.record()],
        files=seals,
        counts=_counts(records),
    )
    card_json = json.dumps(card.model_dump(mode="json"), sort_keys=True, indent=1) + "\n"
    contents[files.CARD_NAME] = card_json.encode()
    contents[CARD_TEXT_NAME] = card_text(card).encode()
    return Conversion(contents=contents, card=card)


def _records(packet_package: SourcePackage, data_package: SourcePackage) -> dict[str, BaseModel]:
    tables = game_tables(data_package, VERSION)
    (recipe_path, recipe_packet), *_ = packets(packet_package, VERSION, "declare_recipes")
    (tag_path, tag_packet), *_ = packets(packet_package, VERSION, "tags")
    (_, other_packet), *_ = packets(packet_package, CROSS_CHECK_VERSION, "declare_recipes")
    chunks = packets(packet_package, VERSION, "map_chunk")
    try:
        tags = convert_tags(tag_packet, tables.item_names, tables.block_names, tag_path)
        return {
            files.RECIPES_NAME: convert_recipes(recipe_packet, tables.item_names, recipe_path),
            files.TAGS_NAME: tags,
            files.ITEMS_NAME: convert_items(tables, tags.items),
            files.BLOCKS_NAME: convert_blocks(tables, tags.blocks),
            files.MOBS_NAME: convert_mobs(),
            files.TERRAIN_NAME: convert_terrain(chunks, state_names(tables.blocks), tables.biome_names),
            files.RECIPE_IDS_NAME: files.RecipeIdsRecord(
                version=CROSS_CHECK_VERSION, ids=recipe_ids(other_packet)
            ),
        }
    except (KeyError, TypeError, ValidationError) as error:
        raise SourceError(
            f"expected the layout of minecraft-packets 1.9.0 and minecraft-data 3.119.0; got "
            f"{type(error).__name__} {error} in {packet_package.root} or {data_package.root} "
            f"({packet_package.version}, {data_package.version}). Use those versions."
        ) from error


def _counts(records: dict[str, BaseModel]) -> dict[str, int]:
    facts = facts_from_records(records, VERSION, "the sources")
    counts = {
        "recipes_special": len(facts.special_recipes),
        "recipes_all": len(facts.recipes) + len(facts.special_recipes),
        "recipe_results_distinct": len({recipe.result for recipe in facts.recipes}),
        "items": len(facts.items),
        "blocks": len(facts.blocks),
        "terrain_blocks": int(facts.terrain.blocks.size),
        "terrain_block_kinds": len(facts.terrain.palette),
    }
    for recipe in facts.recipes:
        key = f"recipes_{recipe.kind}"
        counts[key] = counts.get(key, 0) + 1
    return counts | _closure_counts(facts)


def _closure_counts(facts: Facts) -> dict[str, int]:
    whole = reachable(facts)
    by_hand = ReachRules(plants_by_hand=True)
    return {
        "reachable": len(whole.layers),
        "made": len(whole.made),
        "layers": max(whole.layers.values(), default=-1) + 1,
        "reachable_no_obsidian": len(reachable(facts, ReachRules(obsidian=False)).layers),
        "reachable_no_shears": len(reachable(facts, ReachRules(shears=False)).layers),
        "reachable_plants_by_hand": len(reachable(facts, by_hand).layers),
        "reachable_plants_by_hand_no_shears": len(reachable(facts, replace(by_hand, shears=False)).layers),
    }


def write(conversion: Conversion, out: Path) -> None:
    """Write every file to `out`, each whole or not at all, the card last.

    A reader that comes between the writes meets a digest that does not match, never mixed facts.
    """
    out.mkdir(parents=True, exist_ok=True)
    names = [name for name in conversion.contents if name != files.CARD_NAME]
    for name in (*names, files.CARD_NAME):
        partial = out / f"{name}.partial"
        partial.write_bytes(conversion.contents[name])
        partial.replace(out / name)


def build_parser() -> argparse.ArgumentParser:
    """Return the command's argument parser."""
    parser = argparse.ArgumentParser(
        prog="python -m echo.worlds.minecraft.convert",
        description="Make data/minecraft/1.17.1 from the npm packages minecraft-packets and minecraft-data. "
        "Equal sources give equal bytes.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--packets", type=Path, required=True, metavar="DIR",
                        help="unpacked npm package minecraft-packets (1.9.0)")  # fmt: skip
    parser.add_argument("--data", type=Path, required=True, metavar="DIR",
                        help="unpacked npm package minecraft-data (3.119.0)")  # fmt: skip
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, metavar="DIR",
                        help="folder to write, made if absent (default: %(default)s)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the data card as one JSON object")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns 0, or 2 where the sources or the folder cannot be used."""
    arguments = build_parser().parse_args(argv)
    try:
        conversion = convert(
            SourcePackage.from_folder(arguments.packets, "minecraft-packets"),
            SourcePackage.from_folder(arguments.data, "minecraft-data"),
        )
        write(conversion, arguments.out)
    except (SourceError, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    if arguments.json:
        card = conversion.card.model_dump(mode="json")
        sys.stdout.write(json.dumps(card, sort_keys=True) + "\n")
        return 0
    for name, content in sorted(conversion.contents.items()):
        sys.stdout.write(f"{len(content):>9,} bytes  {arguments.out / name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

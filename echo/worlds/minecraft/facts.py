"""Minecraft's rules and terrain as plain frozen data, loaded from ``data/minecraft/<version>/``.

Only the world and the bench may import this: it holds the recipes. Names are vanilla ids without the
``minecraft:`` prefix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from csd.resources import data_file
from echo.worlds.minecraft import facts_files as files
from echo.worlds.minecraft.facts_files import FactsError, RecordT

__all__ = [
    "BlockFact", "Drop", "Facts", "FactsError", "ItemFact", "Recipe", "RecipeKind", "Terrain", "load_facts",
]  # fmt: skip

VERSION = "1.17.1"
"""The one version whose facts the project carries."""


class RecipeKind(StrEnum):
    """How a recipe is carried out; the value is the vanilla type id."""

    SHAPED = "crafting_shaped"
    SHAPELESS = "crafting_shapeless"
    STONECUTTING = "stonecutting"
    SMELTING = "smelting"
    BLASTING = "blasting"
    SMOKING = "smoking"
    CAMPFIRE = "campfire_cooking"
    SMITHING = "smithing"


@dataclass(frozen=True, kw_only=True, slots=True)
class Recipe:
    """One recipe."""

    id: str
    """Vanilla recipe id, unique."""
    kind: RecipeKind
    rows: tuple[tuple[frozenset[str] | None, ...], ...]
    """Shaped: the trimmed pattern from the top row down, each cell the items that fit; otherwise ()."""
    ingredients: tuple[frozenset[str], ...]
    """The filled cells in reading order, or the ingredients; smithing: base, then addition."""
    result: str
    """Item made."""
    count: int
    """How many are made at once, >= 1."""
    cook_ticks: int = 0
    """Time in the station in ticks (20 a second); 0 where nothing is cooked."""
    experience: float = 0.0
    """Experience points a result."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Drop:
    """One thing a block or mob may leave behind."""

    item: str
    low: int
    """Least number dropped when this drop happens."""
    high: int
    """Greatest number, inclusive; every number between is equally likely."""
    chance: float
    """Probability in (0, 1]."""
    tool: str
    """What must be held, besides the block's harvest tools: "any", "shears", "no_shears" or "sword"."""
    pool: int = 0
    """Drops of one block with one pool are alternatives of a single draw: at most one of them happens."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockFact:
    """What the rules say of one kind of block."""

    name: str
    hardness: float | None
    """Vanilla hardness (0 breaks at once); None cannot be dug: bedrock, fluids, portals."""
    harvest_tools: frozenset[str]
    """Held items with which digging yields the drops; empty: the bare hand does."""
    tool_class: str | None
    """The class that digs it faster: "pickaxe", "axe", "shovel" or "hoe"."""
    drops: tuple[Drop, ...]
    item: str | None
    """The item that places it."""
    solid: bool
    """Whether it fills its space for a walker."""
    colour: tuple[int, int, int]
    """Our own flat colour, RGB 0-255."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemFact:
    """What the rules say of one kind of item."""

    name: str
    stack_size: int
    """1, 16 or 64."""
    durability: int | None
    """Uses before it breaks; None does not wear."""
    block: str | None
    """The block it places."""
    food: tuple[float, float] | None
    """(food points, saturation) it restores when eaten."""
    fuel_ticks: int | None
    """Ticks one of it burns in a furnace (200 smelt one item)."""
    tool_class: str | None
    """"pickaxe", "axe", "shovel", "hoe", "sword" or "shears"."""
    tier: str | None
    """"wood", "stone", "iron", "gold", "diamond" or "netherite" for tools of those."""
    attack: float
    """Damage of a full-strength hit, in half hearts (bare hand 1)."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Terrain:
    """The captured blocks."""

    palette: tuple[str, ...]
    """Block names; a block's number is its place here."""
    blocks: NDArray[np.uint16]
    """(x, y, z) = (16, 96, 80), read-only; y 0 is `min_y`."""
    min_y: int
    biome: str
    """The commonest biome of the captured columns."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Facts:
    """Everything the world needs to play by Minecraft's rules."""

    version: str
    items: Mapping[str, ItemFact]
    """By name, in name order; as all mappings here, read-only."""
    blocks: Mapping[str, BlockFact]
    recipes: tuple[Recipe, ...]
    """Sorted by id; the 13 recipes that are code in the game (dyes, fireworks, maps ...) are left out."""
    special_recipes: tuple[str, ...]
    """Ids of those 13, sorted."""
    tags: Mapping[str, frozenset[str]]
    """Item tags."""
    block_tags: Mapping[str, frozenset[str]]
    terrain: Terrain
    mobs: Mapping[str, tuple[Drop, ...]]


def load_facts(version: str = VERSION, folder: Path | None = None) -> Facts:
    """Load the facts of `version`, once a process and folder.

    Args:
        version: Minecraft version the facts must be of.
        folder: where the files and their card lie; default the project's own ``data/minecraft/<version>``.

    Raises:
        FactsError: if a file is missing, truncated, altered, or of another version or layout.
    """
    return _load(version, folder)


@lru_cache(maxsize=4)
def _load(version: str, folder: Path | None) -> Facts:
    place: Path | Traversable
    if folder is None:
        try:
            place = data_file("minecraft", version)
        except FileNotFoundError as error:
            raise FactsError(
                f"expected facts of a version the project carries ({VERSION}); got {version!r}. {error}"
            ) from error
    else:
        place = folder
    card = files.read_card(place, version)
    records = {name: files.read_record(place, name, card, kind) for name, kind in files.RECORD_KINDS.items()}
    return facts_from_records(records, version, str(place))


def facts_from_records(records: Mapping[str, BaseModel], version: str, where: str) -> Facts:
    """Build facts from the records of one version, by file name as in `facts_files.RECORD_KINDS`.

    Raises:
        FactsError: if the terrain's runs do not fill its shape; `where` names the place in the message.
    """
    recipes = _of(records, files.RECIPES_NAME, files.RecipesRecord)
    tags = _of(records, files.TAGS_NAME, files.TagsRecord)
    items = _of(records, files.ITEMS_NAME, files.ItemsRecord).items
    blocks = _of(records, files.BLOCKS_NAME, files.BlocksRecord).blocks
    mobs = _of(records, files.MOBS_NAME, files.MobsRecord).mobs
    return Facts(
        version=version,
        items=MappingProxyType({name: _item(name, record) for name, record in sorted(items.items())}),
        blocks=MappingProxyType({name: _block(name, record) for name, record in sorted(blocks.items())}),
        recipes=tuple(_recipe(record) for record in recipes.recipes),
        special_recipes=tuple(recipes.special),
        tags=_tags(tags.items),
        block_tags=_tags(tags.blocks),
        terrain=_terrain(
            _of(records, files.TERRAIN_NAME, files.TerrainRecord), f"{where}/{files.TERRAIN_NAME}"
        ),
        mobs=MappingProxyType({name: _drops(drops) for name, drops in sorted(mobs.items())}),
    )


def _of(records: Mapping[str, BaseModel], name: str, kind: type[RecordT]) -> RecordT:
    record = records[name]
    if not isinstance(record, kind):
        raise TypeError(f"expected a {kind.__name__} for {name}; got a {type(record).__name__}.")
    return record


def _item(name: str, record: files.ItemRecord) -> ItemFact:
    return ItemFact(name=name, **record.model_dump())


def _block(name: str, record: files.BlockRecord) -> BlockFact:
    return BlockFact(
        name=name,
        hardness=record.hardness,
        harvest_tools=frozenset(record.harvest_tools),
        tool_class=record.tool_class,
        drops=_drops(record.drops),
        item=record.item,
        solid=record.solid,
        colour=record.colour,
    )


def _drops(records: list[files.DropRecord]) -> tuple[Drop, ...]:
    return tuple(Drop(**record.model_dump()) for record in records)


def _tags(tags: dict[str, list[str]]) -> Mapping[str, frozenset[str]]:
    return MappingProxyType({name: frozenset(members) for name, members in sorted(tags.items())})


def _recipe(record: files.RecipeRecord) -> Recipe:
    return Recipe(
        id=record.id,
        kind=RecipeKind(record.kind),
        rows=tuple(tuple(frozenset(cell) if cell else None for cell in row) for row in record.rows),
        ingredients=tuple(frozenset(alternatives) for alternatives in record.ingredients),
        result=record.result,
        count=record.count,
        cook_ticks=record.cook_ticks,
        experience=record.experience,
    )


def _terrain(record: files.TerrainRecord, where: str) -> Terrain:
    width, height, depth = record.shape
    numbers = np.array([number for number, _ in record.runs], dtype=np.uint16)
    lengths = np.array([length for _, length in record.runs], dtype=np.int64)
    total = width * height * depth
    if int(lengths.sum()) != total or int(numbers.max(initial=0)) >= len(record.palette):
        raise FactsError(
            f"expected runs of {total} blocks over {len(record.palette)} kinds; got {int(lengths.sum())} "
            f"blocks, greatest number {int(numbers.max(initial=0))}, in {where}. Convert again."
        )
    blocks = np.ascontiguousarray(
        np.repeat(numbers, lengths).reshape(width, depth, height).transpose(0, 2, 1)
    )
    blocks.setflags(write=False)
    return Terrain(palette=tuple(record.palette), blocks=blocks, min_y=record.min_y, biome=record.biome)

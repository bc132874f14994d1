"""The layout of the Minecraft facts on disk: one strict record a file, and the card that seals them.

Each ``*.json.gz`` holds one record as compact JSON with sorted keys, compressed without a time stamp, so
that equal facts are equal bytes. ``card.json`` names the digest of every file; nothing is read that
does not carry the digest the card gives it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import struct
import zlib
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

FORMAT = "echo-minecraft-facts/1"
"""Name and version of this layout; a reader refuses any other."""

CARD_NAME = "card.json"
RECIPES_NAME = "recipes.json.gz"
TAGS_NAME = "tags.json.gz"
ITEMS_NAME = "items.json.gz"
BLOCKS_NAME = "blocks.json.gz"
MOBS_NAME = "mobs.json.gz"
TERRAIN_NAME = "terrain.json.gz"
RECIPE_IDS_NAME = "recipe_ids_1.16.5.json.gz"

RECIPE_KINDS = (
    "crafting_shaped", "crafting_shapeless", "stonecutting", "smelting", "blasting", "smoking",
    "campfire_cooking", "smithing",
)  # fmt: skip
"""Vanilla's recipe types that are data, without the ``minecraft:`` prefix."""

RecordT = TypeVar("RecordT", bound=BaseModel)


class FactsError(ValueError):
    """A file of facts is missing, damaged or of another version."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DropRecord(_Record):
    """One possible drop; see `echo.worlds.minecraft.facts.Drop` for the meaning of each field."""

    item: str
    low: int = Field(ge=0)
    high: int = Field(ge=0)
    chance: float = Field(ge=0, le=1)
    tool: str = Field(pattern="^(any|shears|no_shears|sword)$")
    pool: int = Field(ge=0)


class RecipeRecord(_Record):
    """One recipe; alternatives are sorted item names, an empty grid cell is an empty list."""

    id: str
    kind: str = Field(pattern=f"^({'|'.join(RECIPE_KINDS)})$")
    rows: list[list[list[str]]]
    ingredients: list[list[str]]
    result: str
    count: int = Field(ge=1)
    cook_ticks: int = Field(ge=0)
    experience: float = Field(ge=0)


class RecipesRecord(_Record):
    """Every recipe, sorted by id, and the ids of the recipes that are code in the game, not data."""

    recipes: list[RecipeRecord]
    special: list[str]


class TagsRecord(_Record):
    """Tag name to sorted names, for items and for blocks."""

    items: dict[str, list[str]]
    blocks: dict[str, list[str]]


class ItemRecord(_Record):
    """One item; see `echo.worlds.minecraft.facts.ItemFact`."""

    stack_size: int = Field(ge=1)
    durability: int | None
    block: str | None
    food: tuple[float, float] | None
    fuel_ticks: int | None
    tool_class: str | None
    tier: str | None
    attack: float


class ItemsRecord(_Record):
    """Item name to item."""

    items: dict[str, ItemRecord]


class BlockRecord(_Record):
    """One block; see `echo.worlds.minecraft.facts.BlockFact`."""

    hardness: float | None
    harvest_tools: list[str]
    tool_class: str | None
    drops: list[DropRecord]
    item: str | None
    solid: bool
    colour: tuple[int, int, int]


class BlocksRecord(_Record):
    """Block name to block."""

    blocks: dict[str, BlockRecord]


class MobsRecord(_Record):
    """Mob name to what it drops when a player kills it."""

    mobs: dict[str, list[DropRecord]]


class TerrainRecord(_Record):
    """The captured blocks as runs along y, then z, then x (y fastest)."""

    palette: list[str]
    shape: tuple[int, int, int]
    runs: list[tuple[int, int]]
    """(index into the palette, length) pairs; the lengths sum to the product of the shape."""
    min_y: int
    biome: str
    origin: tuple[int, int]
    """World (x, z) of the block at local (0, 0)."""


class RecipeIdsRecord(_Record):
    """The sorted recipe ids of another version, for the cross-check against an independent source."""

    version: str
    ids: list[str]


RECORD_KINDS: dict[str, type[BaseModel]] = {
    BLOCKS_NAME: BlocksRecord,
    ITEMS_NAME: ItemsRecord,
    MOBS_NAME: MobsRecord,
    RECIPE_IDS_NAME: RecipeIdsRecord,
    RECIPES_NAME: RecipesRecord,
    TAGS_NAME: TagsRecord,
    TERRAIN_NAME: TerrainRecord,
}
"""The files of one version, sorted by name, and the record each holds; the card lists exactly these."""


class SourceRecord(_Record):
    """One package the facts come from."""

    package: str
    version: str
    licence: str
    author: str
    """Whose copyright it is, as its package.json says."""
    url: str
    files: dict[str, str]
    """Path inside the package to the sha256 of the file read there."""


class FileRecord(_Record):
    """Seals of one file of facts."""

    sha256: str
    """Of the bytes as they lie on disk."""
    content_sha256: str
    """Of the JSON inside, which no change of compressor can alter."""
    bytes: int


class CardRecord(_Record):
    """The machine-readable data card."""

    format: str
    version: str
    command: str
    licence: str
    sources: list[SourceRecord]
    files: dict[str, FileRecord]
    counts: dict[str, int]


def record_bytes(record: BaseModel) -> bytes:
    """Return `record` as compact JSON with sorted keys (equal records, equal bytes)."""
    return json.dumps(record.model_dump(mode="json"), sort_keys=True, separators=(",", ":")).encode() + b"\n"


_GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
"""RFC 1952: deflate, no flags, no time, best compression, unknown system."""


def pack(content: bytes) -> bytes:
    """Return `content` as gzip without a name or time stamp.

    The container is written here, because the standard library's header differs between Python versions.
    """
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = deflate.compress(content) + deflate.flush()
    return _GZIP_HEADER + body + struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)


def sha256(content: bytes) -> str:
    """Return the sha256 of `content` as lower-case hex."""
    return hashlib.sha256(content).hexdigest()


def read_card(folder: Path | Traversable, version: str) -> CardRecord:
    """Read and check the card of the facts in `folder`.

    Raises:
        FactsError: if the card is missing, is not a card, or is of another layout or game version.
    """
    try:
        text = folder.joinpath(CARD_NAME).read_bytes()
    except OSError as error:
        raise FactsError(
            f"expected a data card {CARD_NAME} in {folder}; got none ({error.strerror}). "
            f"Run python -m echo.worlds.minecraft.convert, or reinstall echo-memory."
        ) from error
    card = _parse(text, CardRecord, f"{folder}/{CARD_NAME}")
    if card.format != FORMAT or card.version != version:
        raise FactsError(
            f"expected facts of Minecraft {version} in layout {FORMAT}; got Minecraft {card.version} "
            f"in layout {card.format}, in {folder}/{CARD_NAME}. Point to the right folder or convert again."
        )
    if sorted(card.files) != sorted(RECORD_KINDS):
        raise FactsError(
            f"expected the files {', '.join(sorted(RECORD_KINDS))}; got {', '.join(sorted(card.files))} "
            f"in {folder}/{CARD_NAME}. Convert again."
        )
    return card


def read_record(folder: Path | Traversable, name: str, card: CardRecord, kind: type[RecordT]) -> RecordT:
    """Read the file `name` of `folder` after checking it against the seal in `card`.

    Raises:
        FactsError: if the file is missing, truncated, changed, or not a record of this kind.
    """
    where = f"{folder}/{name}"
    try:
        packed = folder.joinpath(name).read_bytes()
    except OSError as error:
        raise FactsError(
            f"expected the facts file {where}; got none ({error.strerror}). "
            f"Run python -m echo.worlds.minecraft.convert, or reinstall echo-memory."
        ) from error
    seal = card.files[name]
    if sha256(packed) != seal.sha256:
        raise FactsError(
            f"expected {seal.bytes} bytes with sha256 {seal.sha256[:12]}...; got {len(packed)} bytes with "
            f"sha256 {sha256(packed)[:12]}..., in {where}. The file is damaged or from another conversion: "
            f"restore it, or convert again."
        )
    try:
        content = gzip.decompress(packed)
    except (OSError, EOFError, zlib.error) as error:
        raise FactsError(
            f"expected gzip-compressed JSON; got bytes that do not decompress ({error}), in {where}. "
            f"Restore the file, or convert again."
        ) from error
    return _parse(content, kind, where)


def _parse(content: bytes, kind: type[RecordT], where: str) -> RecordT:
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the top level"
        raise FactsError(
            f"expected a {kind.__name__}; got {first['msg']!r} at {place}, in {where}. "
            f"Restore the file, or convert again."
        ) from error

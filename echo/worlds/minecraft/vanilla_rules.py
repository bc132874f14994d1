"""Rules of vanilla Minecraft 1.17.1 that no source package states (or states naively), as tables.

The author's list, written from the game's published rules (fuel times, loot chances, attack damage); the
data card says so. The converter reads it; the running world never does.
"""

from __future__ import annotations

FUEL_TICKS_BY_TAG: tuple[tuple[str, int], ...] = (
    ("logs", 300), ("planks", 300), ("wooden_stairs", 300), ("wooden_slabs", 150), ("wooden_trapdoors", 300),
    ("wooden_pressure_plates", 300), ("wooden_fences", 300), ("banners", 300), ("signs", 200),
    ("wooden_doors", 200), ("boats", 1200), ("wool", 100), ("wooden_buttons", 100), ("saplings", 100),
    ("carpets", 67),
)  # fmt: skip
"""Item tag and the ticks each member burns; members of #non_flammable_wood never burn."""

FUEL_TICKS: dict[str, int] = {
    "lava_bucket": 20000, "coal_block": 16000, "dried_kelp_block": 4001, "blaze_rod": 2400, "coal": 1600,
    "charcoal": 1600, "scaffolding": 400, "note_block": 300, "bookshelf": 300, "lectern": 300, "jukebox": 300,
    "chest": 300, "trapped_chest": 300, "crafting_table": 300, "daylight_detector": 300, "bow": 300,
    "fishing_rod": 300, "ladder": 300, "crossbow": 300, "loom": 300, "barrel": 300, "cartography_table": 300,
    "fletching_table": 300, "smithing_table": 300, "composter": 300, "oak_fence_gate": 300,
    "birch_fence_gate": 300, "spruce_fence_gate": 300, "jungle_fence_gate": 300, "dark_oak_fence_gate": 300,
    "acacia_fence_gate": 300, "wooden_shovel": 200, "wooden_sword": 200, "wooden_hoe": 200, "wooden_axe": 200,
    "wooden_pickaxe": 200, "stick": 100, "bowl": 100, "dead_bush": 100, "azalea": 100,
    "flowering_azalea": 100, "bamboo": 50,
}  # fmt: skip

TIER_BY_PREFIX: dict[str, str] = {
    "wooden": "wood", "stone": "stone", "iron": "iron", "golden": "gold", "diamond": "diamond",
    "netherite": "netherite",
}  # fmt: skip

ATTACK: dict[str, dict[str, float]] = {
    "sword": {"wood": 4, "gold": 4, "stone": 5, "iron": 6, "diamond": 7, "netherite": 8},
    "axe": {"wood": 7, "gold": 7, "stone": 9, "iron": 9, "diamond": 9, "netherite": 10},
    "pickaxe": {"wood": 2, "gold": 2, "stone": 3, "iron": 4, "diamond": 5, "netherite": 6},
    "shovel": {"wood": 2.5, "gold": 2.5, "stone": 3.5, "iron": 4.5, "diamond": 5.5, "netherite": 6.5},
    "hoe": {"wood": 1, "gold": 1, "stone": 1, "iron": 1, "diamond": 1, "netherite": 1},
}
"""Full-strength damage in half hearts by tool class and tier; everything else hits as the bare hand, 1."""

PLACES: dict[str, str] = {
    "wheat_seeds": "wheat", "beetroot_seeds": "beetroots", "melon_seeds": "melon_stem",
    "pumpkin_seeds": "pumpkin_stem", "carrot": "carrots", "potato": "potatoes", "cocoa_beans": "cocoa",
    "sweet_berries": "sweet_berry_bush", "glow_berries": "cave_vines", "redstone": "redstone_wire",
    "string": "tripwire", "water_bucket": "water", "lava_bucket": "lava", "powder_snow_bucket": "powder_snow",
}  # fmt: skip
"""Items that place a block of another name; every other block item bears its block's name."""

UNBREAKABLE: frozenset[str] = frozenset(
    {
        "bedrock", "barrier", "light", "water", "lava", "bubble_column", "air", "cave_air", "void_air",
        "end_portal", "end_portal_frame", "end_gateway", "nether_portal", "moving_piston", "command_block",
        "chain_command_block", "repeating_command_block", "structure_block", "jigsaw",
    }
)  # fmt: skip
"""Blocks that cannot be dug; the source package gives most of them hardness 0 or 100."""

DropRow = tuple[str, int, int, float, str, int]
"""(item, low, high, chance, tool, pool), as in `echo.worlds.minecraft.facts.Drop`."""


def _one(item: str, low: int = 1, high: int = 1) -> tuple[DropRow, ...]:
    return ((item, low, high, 1.0, "any", 0),)


def _leaves(leaf: str, sapling: str, chance: float = 0.05, apple: bool = False) -> tuple[DropRow, ...]:
    rows: tuple[DropRow, ...] = (
        (leaf, 1, 1, 1.0, "shears", 0),
        (sapling, 1, 1, chance, "no_shears", 1),
        ("stick", 1, 2, 0.02, "no_shears", 2),
    )
    return (*rows, ("apple", 1, 1, 0.005, "no_shears", 3)) if apple else rows


def _plant(cut: str, count: int = 1, otherwise: tuple[DropRow, ...] = ()) -> tuple[DropRow, ...]:
    return ((cut, count, count, 1.0, "shears", 0), *otherwise)


_SEEDS: tuple[DropRow, ...] = (("wheat_seeds", 1, 1, 0.125, "no_shears", 1),)
_ORES: dict[str, tuple[DropRow, ...]] = {
    "coal_ore": _one("coal"), "iron_ore": _one("raw_iron"), "gold_ore": _one("raw_gold"),
    "copper_ore": _one("raw_copper", 2, 3), "redstone_ore": _one("redstone", 4, 5),
    "lapis_ore": _one("lapis_lazuli", 4, 9), "diamond_ore": _one("diamond"), "emerald_ore": _one("emerald"),
}  # fmt: skip
_MUSHROOM_CHANCE = 1 / 9
"""The game draws uniformly from -6 .. 2 and drops what is above zero: one or two, 1/9 each."""

DROPS: dict[str, tuple[DropRow, ...]] = {
    **_ORES,
    **{f"deepslate_{name}": rows for name, rows in _ORES.items()},
    "nether_gold_ore": _one("gold_nugget", 2, 6),
    "nether_quartz_ore": _one("quartz"),
    "gilded_blackstone": (
        ("gold_nugget", 2, 5, 0.1, "any", 0),
        ("gilded_blackstone", 1, 1, 0.9, "any", 0),
    ),
    "gravel": (("flint", 1, 1, 0.1, "any", 0), ("gravel", 1, 1, 0.9, "any", 0)),
    "oak_leaves": _leaves("oak_leaves", "oak_sapling", apple=True),
    "dark_oak_leaves": _leaves("dark_oak_leaves", "dark_oak_sapling", apple=True),
    "birch_leaves": _leaves("birch_leaves", "birch_sapling"),
    "spruce_leaves": _leaves("spruce_leaves", "spruce_sapling"),
    "acacia_leaves": _leaves("acacia_leaves", "acacia_sapling"),
    "jungle_leaves": _leaves("jungle_leaves", "jungle_sapling", 0.025),
    "azalea_leaves": _leaves("azalea_leaves", "azalea"),
    "flowering_azalea_leaves": _leaves("flowering_azalea_leaves", "flowering_azalea"),
    "grass": _plant("grass", 1, _SEEDS),
    "fern": _plant("fern", 1, _SEEDS),
    "tall_grass": _plant("grass", 2, _SEEDS),
    "large_fern": _plant("fern", 2, _SEEDS),
    "dead_bush": _plant("dead_bush", 1, (("stick", 0, 2, 1.0, "no_shears", 1),)),
    "vine": _plant("vine"),
    "glow_lichen": _plant("glow_lichen"),
    "seagrass": _plant("seagrass"),
    "tall_seagrass": _plant("seagrass", 2),
    "nether_sprouts": _plant("nether_sprouts"),
    "hanging_roots": _plant("hanging_roots"),
    "cobweb": (("cobweb", 1, 1, 1.0, "shears", 0), ("string", 1, 1, 1.0, "sword", 0)),
    "twisting_vines": (("twisting_vines", 1, 1, 0.33, "any", 0),),
    "twisting_vines_plant": (("twisting_vines", 1, 1, 0.33, "any", 0),),
    "weeping_vines": (("weeping_vines", 1, 1, 0.33, "any", 0),),
    "weeping_vines_plant": (("weeping_vines", 1, 1, 0.33, "any", 0),),
    "wheat": (("wheat", 1, 1, 1.0, "any", 0), ("wheat_seeds", 1, 4, 1.0, "any", 1)),
    "beetroots": (("beetroot", 1, 1, 1.0, "any", 0), ("beetroot_seeds", 1, 4, 1.0, "any", 1)),
    "carrots": _one("carrot", 2, 5),
    "potatoes": (("potato", 2, 5, 1.0, "any", 0), ("poisonous_potato", 1, 1, 0.02, "any", 1)),
    "sweet_berry_bush": _one("sweet_berries", 2, 3),
    "chorus_plant": _one("chorus_fruit", 0, 1),
    "melon": _one("melon_slice", 3, 7),
    "glowstone": _one("glowstone_dust", 2, 4),
    "sea_lantern": _one("prismarine_crystals", 2, 3),
    "amethyst_cluster": _one("amethyst_shard", 4, 4),
    "snow": _one("snowball"),
    "sea_pickle": _one("sea_pickle"),
    "composter": _one("composter"),
    **{
        f"{colour}_mushroom_block": (
            (f"{colour}_mushroom", 1, 1, _MUSHROOM_CHANCE, "any", 0),
            (f"{colour}_mushroom", 2, 2, _MUSHROOM_CHANCE, "any", 0),
        )
        for colour in ("brown", "red")
    },
}
"""Drops that replace the source package's: chances and amounts without enchantments, crops fully grown."""

MOB_DROPS: dict[str, tuple[DropRow, ...]] = {
    "chicken": (("chicken", 1, 1, 1.0, "any", 0), ("feather", 0, 2, 1.0, "any", 1)),
    "cow": (("beef", 1, 3, 1.0, "any", 0), ("leather", 0, 2, 1.0, "any", 1)),
    "pig": (("porkchop", 1, 3, 1.0, "any", 0),),
    "sheep": (("mutton", 1, 2, 1.0, "any", 0), ("white_wool", 1, 1, 1.0, "any", 1)),
    "spider": (("string", 0, 2, 1.0, "any", 0), ("spider_eye", 1, 1, 1 / 3, "any", 1)),
}
"""What a player's kill leaves. Zombies are left out: their rare iron ingot short-cuts the tree."""

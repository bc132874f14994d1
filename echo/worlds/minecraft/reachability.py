"""What can be had from bare hands on the captured terrain, and in how many layers: the bench's yardstick.

Never shown to an agent. The rule, stated once: the player starts with nothing; a layer holds everything
that the layers before it make possible.

- *Dig*: every block of the terrain that can be dug, with the bare hand or any tool had; all its drops of
  non-zero chance count, those that need shears once shears are had.
- *Scoop* (`ReachRules.fluids`): a bucket takes water and lava where the terrain has them. Where both can be
  carried, lava turned to stone by water is obsidian, dug as any block (`ReachRules.obsidian`).
- *Make*: shaped and shapeless recipes, with a crafting table where they do not fit 2 x 2; furnace recipes
  once a furnace and a fuel are had. Stonecutter, blast furnace, smoker, campfire and smithing table are
  left out; with them (`ReachRules.other_stations`) the closure is the same, but cut copper slabs and
  stairs come one layer earlier, from the stonecutter.
- No mobs, trades, growth, brewing or enchantment, unless `ReachRules.mobs` names mobs.

An item is *made* if a recipe is how it is first had; where digging and making come in one layer, it counts
as dug.

Measured on 1.17.1: 187 made in 12 layers (0 to 11) under every setting without mobs; with sheep, cow
and spider 208. Reachable in all: 218 (217 without obsidian). The source's loot table marks no shears: read
so that leaves and grass fall to the bare hand (`ReachRules.plants_by_hand`), it is 218 with shears and 217
without, glow lichen being the one that only shears give. By vanilla's rule without shears it is 214.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from echo.worlds.minecraft.facts import BlockFact, Facts, Recipe, RecipeKind
from echo.worlds.minecraft.rules import drop_applies

_HAND_SIDE = 2
_HAND_CELLS = 4
_PLANTS_BY_HAND = ("oak_leaves", "birch_leaves", "grass")
"""What the source's loot table lists without a mark, though the game asks for shears."""
_STATIONS = {
    RecipeKind.STONECUTTING: "stonecutter",
    RecipeKind.BLASTING: "blast_furnace",
    RecipeKind.SMOKING: "smoker",
    RecipeKind.CAMPFIRE: "campfire",
    RecipeKind.SMITHING: "smithing_table",
}
_SCOOPS = (("water", "water_bucket"), ("lava", "lava_bucket"))


@dataclass(frozen=True, kw_only=True, slots=True)
class ReachRules:
    """Which ways of having things count."""

    shears: bool = True
    """Shears, once had, cut leaves, grass and glow lichen."""
    plants_by_hand: bool = False
    """Leaves and grass give themselves to the bare hand, as the unmarked loot table has it."""
    fluids: bool = True
    """A bucket takes up water and lava."""
    other_stations: bool = False
    """Stonecutter, blast furnace, smoker, campfire and smithing table are used once had."""
    obsidian: bool = True
    """Water and lava, both carried, make obsidian to dig."""
    mobs: tuple[str, ...] = ()
    """Mobs that may be killed with the bare hand."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Reach:
    """The closure."""

    layers: Mapping[str, int]
    """Item to the layer in which it is first had; 0 needs nothing. In order of layer, then name."""
    made: frozenset[str]
    """Items first had by a recipe."""


def reachable(facts: Facts, rules: ReachRules | None = None) -> Reach:
    """Return everything that can be had from bare hands on the terrain of `facts`.

    Raises:
        ValueError: if `rules` names a mob the facts do not know.
    """
    rules = rules or ReachRules()
    unknown = [mob for mob in rules.mobs if mob not in facts.mobs]
    if unknown:
        raise ValueError(f"expected mobs out of {', '.join(facts.mobs)}; got {', '.join(unknown)}.")
    layers: dict[str, int] = {}
    made: set[str] = set()
    layer = 0
    while True:
        had = frozenset(layers)
        found = sorted(_gathered(facts, rules, had) - had)
        crafted = sorted(
            {recipe.result for recipe in facts.recipes if _makes(recipe, facts, rules, had)} - had
        )
        made.update(item for item in crafted if item not in found)
        fresh = sorted({*found, *crafted})
        if not fresh:
            return Reach(layers=MappingProxyType(layers), made=frozenset(made))
        layers.update(dict.fromkeys(fresh, layer))
        layer += 1


def _gathered(facts: Facts, rules: ReachRules, had: frozenset[str]) -> set[str]:
    present = frozenset(facts.terrain.palette)
    blocks = [facts.blocks[name] for name in facts.terrain.palette]
    if rules.fluids and "bucket" in had:
        scooped = {item for fluid, item in _SCOOPS if fluid in present}
    else:
        scooped = set()
    if rules.obsidian and {"water_bucket", "lava_bucket"} <= had:
        blocks.append(facts.blocks["obsidian"])
    dug = {item for block in blocks for item in _dug(block, rules, had)}
    killed = {drop.item for mob in rules.mobs for drop in facts.mobs[mob]}
    return dug | scooped | killed


def _dug(block: BlockFact, rules: ReachRules, had: frozenset[str]) -> set[str]:
    if block.hardness is None or (block.harvest_tools and not block.harvest_tools & had):
        return set()
    hands: list[str | None] = [None]
    hands += [item for item in sorted(had) if item.endswith("_sword") or (rules.shears and item == "shears")]
    items = {drop.item for drop in block.drops for held in hands if drop_applies(drop, held)}
    if rules.plants_by_hand and block.name in _PLANTS_BY_HAND:
        items.add(block.name)
    return items


def _makes(recipe: Recipe, facts: Facts, rules: ReachRules, had: frozenset[str]) -> bool:
    if not all(alternatives & had for alternatives in recipe.ingredients):
        return False
    match recipe.kind:
        case RecipeKind.SHAPED:
            fits = max(len(recipe.rows), *(len(row) for row in recipe.rows)) <= _HAND_SIDE
            return fits or "crafting_table" in had
        case RecipeKind.SHAPELESS:
            return len(recipe.ingredients) <= _HAND_CELLS or "crafting_table" in had
        case RecipeKind.SMELTING:
            return "furnace" in had and any(facts.items[item].fuel_ticks for item in had)
        case kind:
            return rules.other_stations and _STATIONS[kind] in had

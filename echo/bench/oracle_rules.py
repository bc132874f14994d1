"""The oracle's knowledge: every way to every item, and what each costs from bare hands.

Bench only: it holds the recipes, the drops and the lie of the land.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from echo.worlds.minecraft.facts import Facts, Recipe, RecipeKind
from echo.worlds.minecraft.making import HAND_GRID
from echo.worlds.minecraft.mobs import fight_ticks
from echo.worlds.minecraft.placing import falls
from echo.worlds.minecraft.rules import drop_applies

FUEL_SHARE = 1.0
"""Steps reckoned for the fuel of one smelt."""
MEANS_SHARE = 0.2
"""Part of a tool's or station's cost that is reckoned for each item it serves."""
_LEAST = 0.01
_FURNACE = "furnace"
_TABLE = "crafting_table"


@dataclass(frozen=True, kw_only=True, slots=True)
class OracleWay:
    """One way to get an item."""

    verb: Literal["dig", "fight", "craft", "smelt"]
    item: str
    yields: float
    """Expected number each time."""
    slots: tuple[tuple[frozenset[str], int], ...] = ()
    """Items that fit, and how many of them, for each sort of slot."""
    rows: tuple[tuple[frozenset[str] | None, ...], ...] = ()
    """For craft: the grid."""
    source: str = ""
    """Block dug or creature felled."""
    tools: frozenset[str] = frozenset()
    """Tools one of which must be held; empty for the bare hand."""
    station: str | None = None
    """Block that must be within reach."""


@lru_cache(maxsize=64)
def every_way(
    facts: Facts, withheld: frozenset[str], mobs: tuple[str, ...]
) -> Mapping[str, tuple[OracleWay, ...]]:
    """Return item -> the ways to get it, without those that give a withheld item.

    Blocks count that the land has and that some tool or the bare hand digs.
    """
    ways: dict[str, tuple[OracleWay, ...]] = {}
    for way in [*_dug(facts), *_fought(facts, mobs), *_made(facts)]:
        if way.item not in withheld:
            ways[way.item] = (*ways.get(way.item, ()), way)
    return ways


@lru_cache(maxsize=64)
def bare_costs(facts: Facts, withheld: frozenset[str], mobs: tuple[str, ...]) -> Mapping[str, float]:
    """Return item -> steps it takes from bare hands; items out of reach are absent."""
    return costs(every_way(facts, withheld, mobs), ())


def costs(ways: Mapping[str, tuple[OracleWay, ...]], have: Iterable[str]) -> dict[str, float]:
    """Return item -> steps it takes, what is carried costing nothing; items out of reach are absent.

    A station or tool counts in part for each item that needs it: it orders ways well, and bounds nothing.
    """
    known = dict.fromkeys(have, 0.0)
    while True:
        better = {
            item: best
            for item, its in ways.items()
            if (best := min(way_cost(way, known) for way in its)) < known.get(item, math.inf) - 1e-9
        }
        if not better:
            return known
        known.update(better)


def way_cost(way: OracleWay, known: Mapping[str, float]) -> float:
    """Return the steps that one item takes this way, more than anything it takes; infinite if out of reach.

    Were it less, a diamond could be worth digging with a pickaxe made of diamonds.
    """
    inputs = [(_cheapest(fits, known), count) for fits, count in way.slots]
    means = [_cheapest(way.tools, known)] if way.tools else []
    means += [] if way.station is None else [known.get(way.station, math.inf)]
    fuel = FUEL_SHARE if way.verb == "smelt" else 0.0
    total = (1.0 + fuel + sum(cost * count for cost, count in inputs)) / way.yields + MEANS_SHARE * sum(means)
    return max(total, *(cost + _LEAST for cost, _ in inputs), *(cost + _LEAST for cost in means), _LEAST)


def burns(facts: Facts, item: str) -> bool:
    """Return whether `item` keeps a fire going."""
    return facts.items[item].fuel_ticks is not None


def carries(facts: Facts, item: str) -> bool:
    """Return whether `item`, put into a gap, stays there and carries a body."""
    block = facts.items[item].block
    return block is not None and facts.blocks[block].solid and not falls(block)


def fells(facts: Facts, item: str, mob: str, within: int) -> bool:
    """Return whether a fight against `mob` with `item` in hand takes at most `within` ticks."""
    fact = facts.items[item]
    return fight_ticks(mob, fact.attack, fact.tool_class)[1] <= within


def _cheapest(items: frozenset[str], known: Mapping[str, float]) -> float:
    return min((known.get(item, math.inf) for item in items), default=math.inf)


def _dug(facts: Facts) -> list[OracleWay]:
    ways = []
    for name in sorted(facts.terrain.palette):
        block = facts.blocks[name]
        if block.hardness is None:
            continue
        for drop in block.drops:
            if drop.tool in ("any", "no_shears") or drop_applies(drop, None):
                mean = drop.chance * (drop.low + drop.high) / 2
                if mean > 0:
                    ways.append(
                        OracleWay(
                            verb="dig", item=drop.item, yields=mean, source=name, tools=block.harvest_tools
                        )
                    )
    return ways


def _fought(facts: Facts, mobs: tuple[str, ...]) -> list[OracleWay]:
    return [
        OracleWay(verb="fight", item=drop.item, yields=drop.chance * (drop.low + drop.high) / 2, source=mob)
        for mob in sorted(mobs)
        for drop in facts.mobs[mob]
    ]


def _made(facts: Facts) -> list[OracleWay]:
    ways = []
    for recipe in facts.recipes:
        if recipe.kind is RecipeKind.SMELTING:
            slots = ((recipe.ingredients[0], 1),)
            ways.append(
                OracleWay(
                    verb="smelt", item=recipe.result, yields=recipe.count, slots=slots, station=_FURNACE
                )
            )
        elif recipe.kind in (RecipeKind.SHAPED, RecipeKind.SHAPELESS):
            ways.append(_crafted(recipe))
    return ways


def _crafted(recipe: Recipe) -> OracleWay:
    rows = recipe.rows or _square(recipe.ingredients)
    counts: dict[frozenset[str], int] = {}
    for fits in recipe.ingredients:
        counts[fits] = counts.get(fits, 0) + 1
    large = len(rows) > HAND_GRID or len(rows[0]) > HAND_GRID
    return OracleWay(
        verb="craft",
        item=recipe.result,
        yields=recipe.count,
        slots=tuple(counts.items()),
        rows=rows,
        station=_TABLE if large else None,
    )


def _square(
    ingredients: tuple[frozenset[str], ...],
) -> tuple[tuple[frozenset[str] | None, ...], ...]:
    """Return the ingredients of a shapeless recipe in the smallest square grid."""
    side = math.ceil(math.sqrt(len(ingredients)))
    cells = [*ingredients, *[None] * (side * side - len(ingredients))]
    return tuple(tuple(cells[row * side : (row + 1) * side]) for row in range(side))

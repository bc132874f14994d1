"""What the game answers: the product of a grid, of a furnace, and what a broken block leaves.

The world's side of the wall: agents meet these only as outcomes of their actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from echo.worlds.minecraft.facts import BlockFact, Drop, Facts, Recipe, RecipeKind

GRID_SIDE = 3
"""A crafting table's grid is 3 x 3; the hand's is 2 x 2."""

REMAINDERS: Mapping[str, str] = {
    "lava_bucket": "bucket",
    "milk_bucket": "bucket",
    "water_bucket": "bucket",
    "honey_bottle": "glass_bottle",
    "dragon_breath": "glass_bottle",
}
"""What stays behind when the item is used up in a grid or burnt (vanilla's crafting remainders)."""

_Shape = tuple[int, int, int]
"""(columns, rows, filled cells as bits in reading order) of a trimmed grid."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pattern:
    cells: tuple[frozenset[str], ...]
    product: tuple[str, int]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Index:
    shaped: Mapping[tuple[_Shape, str], tuple[_Pattern, ...]]
    """By shape and first filled cell, in recipe-id order, each pattern before its mirror image."""
    shapeless: Mapping[tuple[int, str], tuple[_Pattern, ...]]
    """By number of ingredients and the item first met in the grid."""
    smelting: Mapping[str, Recipe]
    """By input, for the furnace."""


def craft_result(facts: Facts, grid: Sequence[Sequence[str | None]]) -> tuple[str, int] | None:
    """Return what a crafting grid makes, as vanilla decides it.

    A shaped recipe fits at any place of the grid, and mirrored left to right; a shapeless one in any
    order. The grid may be the hand's 2 x 2 or the table's 3 x 3 (or any smaller rectangle).

    Args:
        facts: the rules.
        grid: rows from the top; each cell an item name, or None where it is empty.

    Returns:
        (item, how many), or None where nothing is made. An unknown item name makes nothing.

    Raises:
        ValueError: if the grid is ragged, has no cell, or is larger than 3 x 3.
    """
    shape, items = trimmed(grid)
    if not items:
        return None
    index = _index(facts)
    for pattern in index.shaped.get((shape, items[0]), ()):
        if all(item in cell for item, cell in zip(items, pattern.cells, strict=True)):
            return pattern.product
    for pattern in index.shapeless.get((len(items), items[0]), ()):
        if _assigns(items, pattern.cells):
            return pattern.product
    return None


def trimmed(grid: Sequence[Sequence[str | None]]) -> tuple[_Shape, tuple[str, ...]]:
    """Cut the empty margin off a grid.

    Returns:
        (columns, rows, filled cells as bits, the top left cell lowest) and the items in reading order.

    Raises:
        ValueError: if the grid is ragged, has no cell, or is larger than 3 x 3.

    >>> trimmed([[None, None], [None, "stick"]])
    ((1, 1, 1), ('stick',))
    """
    height = len(grid)
    width = len(grid[0]) if height else 0
    if not 1 <= height <= GRID_SIDE or not 1 <= width <= GRID_SIDE:
        raise ValueError(
            f"expected a crafting grid of 1 to {GRID_SIDE} rows and columns; got {height} x {width} cells."
        )
    filled: list[tuple[int, int, str]] = []
    for y, row in enumerate(grid):
        if len(row) != width:
            raise ValueError(
                f"expected a crafting grid with rows of equal length; got {[len(row) for row in grid]} cells."
            )
        for x, item in enumerate(row):
            if item is not None:
                filled.append((x, y, item))
    if not filled:
        return (0, 0, 0), ()
    left, right = min(x for x, _, _ in filled), max(x for x, _, _ in filled)
    top, columns = filled[0][1], right - left + 1
    bits = 0
    for x, y, _ in filled:
        bits |= 1 << ((y - top) * columns + x - left)
    return (columns, filled[-1][1] - top + 1, bits), tuple(item for _, _, item in filled)


def smelt_result(facts: Facts, item: str) -> tuple[str, int] | None:
    """Return (item, how many) that a furnace makes of one `item`, or None where it makes nothing."""
    recipe = smelting_recipe(facts, item)
    return None if recipe is None else (recipe.result, recipe.count)


def smelting_recipe(facts: Facts, item: str) -> Recipe | None:
    """Return the furnace recipe of `item` (with its time and experience), or None."""
    return _index(facts).smelting.get(item)


def harvests(block: BlockFact, held: str | None) -> bool:
    """Return whether digging `block` with `held` (None: the bare hand) yields its drops at all."""
    return block.hardness is not None and (not block.harvest_tools or held in block.harvest_tools)


def drop_applies(drop: Drop, held: str | None) -> bool:
    """Return whether `drop` is possible with `held` in hand, beyond the harvest tools."""
    if drop.tool == "any":
        return True
    if drop.tool == "shears":
        return held == "shears"
    if drop.tool == "no_shears":
        return held != "shears"
    return held is not None and held.endswith("_sword")


def roll_drops(block: BlockFact, held: str | None, rng: np.random.Generator) -> tuple[tuple[str, int], ...]:
    """Draw what digging `block` with `held` leaves.

    One uniform draw decides each pool, one more each amount that is not fixed; certain, fixed drops draw
    nothing.

    Returns:
        (item, how many >= 1) in the order of the block's drops.
    """
    return _roll(block.drops, held, rng) if harvests(block, held) else ()


def roll_mob_drops(drops: Sequence[Drop], rng: np.random.Generator) -> tuple[tuple[str, int], ...]:
    """Draw what a killed mob leaves, as `roll_drops` does for a block."""
    return _roll(drops, None, rng)


def _roll(drops: Sequence[Drop], held: str | None, rng: np.random.Generator) -> tuple[tuple[str, int], ...]:
    left: dict[int, float] = {}
    found: list[tuple[str, int]] = []
    for drop in drops:
        if not drop_applies(drop, held):
            continue
        if drop.chance < 1.0:
            remaining = left.get(drop.pool)
            if remaining is None:
                remaining = float(rng.random())
            # What this drop leaves of the draw decides the pool's next alternative; below zero it is spent.
            left[drop.pool] = remaining - drop.chance
            if not 0.0 <= remaining < drop.chance:
                continue
        amount = drop.low if drop.low == drop.high else int(rng.integers(drop.low, drop.high + 1))
        if amount:
            found.append((drop.item, amount))
    return tuple(found)


@lru_cache(maxsize=4)
def _index(facts: Facts) -> _Index:
    shaped: dict[tuple[_Shape, str], list[_Pattern]] = {}
    shapeless: dict[tuple[int, str], list[_Pattern]] = {}
    smelting: dict[str, Recipe] = {}
    for recipe in facts.recipes:
        product = (recipe.result, recipe.count)
        if recipe.kind is RecipeKind.SHAPED:
            for shape, cells in _variants(recipe):
                for first in sorted(cells[0]):
                    shaped.setdefault((shape, first), []).append(_Pattern(cells=cells, product=product))
        elif recipe.kind is RecipeKind.SHAPELESS:
            pattern = _Pattern(cells=recipe.ingredients, product=product)
            for first in sorted(frozenset().union(*recipe.ingredients)):
                shapeless.setdefault((len(recipe.ingredients), first), []).append(pattern)
        elif recipe.kind is RecipeKind.SMELTING:
            for item in sorted(recipe.ingredients[0]):
                smelting.setdefault(item, recipe)
    return _Index(
        shaped={key: tuple(patterns) for key, patterns in shaped.items()},
        shapeless={key: tuple(patterns) for key, patterns in shapeless.items()},
        smelting=smelting,
    )


def _variants(recipe: Recipe) -> list[tuple[_Shape, tuple[frozenset[str], ...]]]:
    """Return the pattern and, where it differs, its mirror image."""
    mirror = tuple(row[::-1] for row in recipe.rows)
    variants: list[tuple[_Shape, tuple[frozenset[str], ...]]] = []
    for rows in (recipe.rows,) if mirror == recipe.rows else (recipe.rows, mirror):
        cells = [cell for row in rows for cell in row]
        bits = sum(1 << place for place, cell in enumerate(cells) if cell is not None)
        shape = (len(rows[0]), len(rows), bits)
        variants.append((shape, tuple(cell for cell in cells if cell is not None)))
    return variants


def _assigns(items: tuple[str, ...], slots: tuple[frozenset[str], ...]) -> bool:
    """Return whether the items can be given to the slots one to one."""
    if not items:
        return True
    first, rest = items[0], items[1:]
    return any(
        first in slot and _assigns(rest, slots[:place] + slots[place + 1 :])
        for place, slot in enumerate(slots)
    )

"""Craft and smelt: what goes into a grid or a furnace, and what comes out.

Failing consumes nothing: the grid is only laid out, and a furnace takes neither input nor fuel that do
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from csd.episode import Craft, Grid, Outcome, Smelt, Station
from echo.worlds.minecraft.facts import Facts, Recipe, RecipeKind
from echo.worlds.minecraft.rules import REMAINDERS, craft_result
from echo.worlds.minecraft.scene import Scene
from echo.worlds.minecraft.stations import FIRES

CRAFT_TICKS = 20
HAND_GRID = 2


def craft(scene: Scene, action: Craft) -> Outcome:
    """Lay items into a grid and take what appears."""
    grid = trimmed(action.grid)
    rows, columns = len(grid), max((len(row) for row in grid), default=0)
    if max(rows, columns) > HAND_GRID and not _stations(scene, "grid3"):
        return scene.outcome(
            "no_station",
            f"expected a station within reach that offers a 3x3 grid; got none, and {rows} rows by {columns} "
            f"columns do not fit into the 2x2 grid of the hands. Go to a station or lay a smaller grid.",
        )
    needed: dict[str, int] = {}
    for row in grid:
        for item in row:
            if item is not None:
                needed[item] = needed.get(item, 0) + 1
    if lacking := _lacking(scene, needed):
        return lacking
    made = craft_result(scene.facts, grid) if needed else None
    if made is None or made[0] in scene.withheld:
        return scene.outcome(
            "no_result", "nothing appears in this grid; all items are back.", ticks=CRAFT_TICKS
        )
    result, count = made
    if not scene.inventory.fits(result, count, without=needed):
        return _full(scene)
    _use_up(scene, needed)
    scene.gain(result, count)
    return scene.outcome("ok", f"made {count} {scene.shown(result)}.", ticks=CRAFT_TICKS)


def trimmed(grid: Grid) -> Grid:
    """Return `grid` without empty rows and columns at its edges; () when it is empty."""
    rows = [number for number, row in enumerate(grid) if any(item is not None for item in row)]
    if not rows:
        return ()
    kept = grid[rows[0] : rows[-1] + 1]
    columns = [number for row in kept for number, item in enumerate(row) if item is not None]
    return tuple(row[min(columns) : max(columns) + 1] for row in kept)


def smelt(scene: Scene, action: Smelt) -> Outcome:
    """Put one input into a furnace and wait for what comes out."""
    fires = _stations(scene, "smelt")
    if not fires:
        return scene.outcome(
            "no_station",
            "expected a station within reach that offers smelting; got none. Go to one or place one.",
        )
    if lacking := _lacking(scene, {action.input: 1}):
        return lacking
    for fire in fires:
        kind = FIRES[scene.stations.block_at(fire.position)]
        made = fire_recipe(scene.facts, action.input, kind)
        if made is not None and made.result not in scene.withheld:
            return _burn(scene, action, fire, made)
    if refusal := _fuel_refusal(scene, action, fires[0], 1):
        return refusal
    return scene.outcome(
        "no_result",
        f"nothing happens to {scene.shown(action.input)} in the fire; it is back.",
        ticks=CRAFT_TICKS,
    )


def fire_recipe(facts: Facts, item: str, kind: RecipeKind) -> Recipe | None:
    """Return the recipe by which a fire of `kind` turns `item` into something, or None."""
    return _fire_recipes(facts, kind).get(item)


@lru_cache(maxsize=12)
def _fire_recipes(facts: Facts, kind: RecipeKind) -> Mapping[str, Recipe]:
    """Return the recipes of one kind of fire by input, the first by id where two take one input."""
    recipes: dict[str, Recipe] = {}
    for recipe in facts.recipes:
        if recipe.kind is kind:
            for item in sorted(recipe.ingredients[0]):
                recipes.setdefault(item, recipe)
    return recipes


def _burn(scene: Scene, action: Smelt, fire: Station, made: Recipe) -> Outcome:
    result, count, cook = made.result, made.count, made.cook_ticks
    left = scene.stations.burning.get(fire.position, 0)
    if refusal := _fuel_refusal(scene, action, fire, cook):
        return refusal
    used = {action.input: 1}
    if left < cook:
        heat = scene.facts.items[action.fuel].fuel_ticks
        assert heat is not None
        pieces = -(-(cook - left) // heat)
        used[action.fuel] = used.get(action.fuel, 0) + pieces
        left += pieces * heat
    if lacking := _lacking(scene, used):
        return lacking
    if not scene.inventory.fits(result, count, without=used):
        return _full(scene)
    scene.stations.burning[fire.position] = left - cook
    _use_up(scene, used)
    scene.gain(result, count)
    return scene.outcome(
        "ok",
        f"made {count} {scene.shown(result)} out of {scene.shown(action.input)}.",
        ticks=cook,
        work_ticks=cook,
    )


def _fuel_refusal(scene: Scene, action: Smelt, fire: Station, cook: int) -> Outcome | None:
    """Return why `fuel` keeps no fire going, None where the fire still burns or it does."""
    if scene.stations.burning.get(fire.position, 0) >= cook:
        return None
    needed = {action.input: 1}
    needed[action.fuel] = needed.get(action.fuel, 0) + 1
    if lacking := _lacking(scene, needed):
        return lacking
    if scene.facts.items[action.fuel].fuel_ticks is None:
        return scene.outcome(
            "not_fuel", f"expected something that burns; got {scene.shown(action.fuel)}. Try another fuel."
        )
    return None


def _stations(scene: Scene, offers: str) -> list[Station]:
    return [station for station in scene.stations_in_reach() if station.offers == offers]


def _lacking(scene: Scene, needed: dict[str, int]) -> Outcome | None:
    """Return which item there is too little of, the first in order of need."""
    for item, amount in needed.items():
        held = scene.inventory.count(item)
        if held < amount:
            return scene.outcome(
                "missing_item",
                f"expected {amount} {scene.shown(item)}; got {held} in the inventory. Get more first.",
            )
    return None


def _use_up(scene: Scene, used: dict[str, int]) -> None:
    for item, amount in used.items():
        scene.lose(item, amount)
        if item in REMAINDERS:
            scene.gain(REMAINDERS[item], amount)


def _full(scene: Scene) -> Outcome:
    return scene.outcome(
        "inventory_full", "expected room for what appears; got a full inventory. Drop something first."
    )

"""Turn the recorded recipe and tag packets into records with names for ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from echo.worlds.minecraft.convert_sources import SourceError
from echo.worlds.minecraft.facts_files import RecipeRecord, RecipesRecord, TagsRecord

_SPECIAL = "crafting_special_"
_COOKING = ("smelting", "blasting", "smoking", "campfire_cooking")


def bare(name: str) -> str:
    """Return `name` without the ``minecraft:`` prefix."""
    return name.removeprefix("minecraft:")


def convert_recipes(packet: dict[str, Any], names: Mapping[int, str], where: str) -> RecipesRecord:
    """Return the recipes of a ``declare_recipes`` packet, sorted by id.

    Args:
        packet: the packet as recorded.
        names: item id to name.
        where: the packet's path, for errors.

    Raises:
        SourceError: on a recipe kind, an item id or a grid that cannot be read.
    """
    recipes: list[RecipeRecord] = []
    special: list[str] = []
    for entry in packet.get("recipes", []):
        kind, identity = bare(entry["type"]), bare(entry["recipeId"])
        if kind.startswith(_SPECIAL):
            special.append(identity)
            continue
        try:
            recipes.append(_recipe(kind, identity, entry["data"], names))
        except (KeyError, TypeError, ValueError) as error:
            raise SourceError(
                f"expected a readable recipe; got {type(error).__name__} {error} at recipe {identity!r} "
                f"of kind {kind!r} in {where}. Check that both packages cover this version."
            ) from error
    if not recipes:
        raise SourceError(f"expected recipes in {where}; got none.")
    return RecipesRecord(recipes=sorted(recipes, key=lambda recipe: recipe.id), special=sorted(special))


def recipe_ids(packet: dict[str, Any]) -> list[str]:
    """Return the sorted ids of all recipes in a packet, those that are code in the game among them."""
    return sorted(bare(entry["recipeId"]) for entry in packet["recipes"])


def _recipe(kind: str, identity: str, data: dict[str, Any], names: Mapping[int, str]) -> RecipeRecord:
    rows: list[list[list[str]]] = []
    if kind == "crafting_shaped":
        rows = _rows(data, names)
        ingredients = [cell for row in rows for cell in row if cell]
    elif kind == "crafting_shapeless":
        ingredients = [_alternatives(slot, names) for slot in data["ingredients"]]
    elif kind == "smithing":
        ingredients = [_alternatives(data["base"], names), _alternatives(data["addition"], names)]
    elif kind == "stonecutting" or kind in _COOKING:
        ingredients = [_alternatives(data["ingredient"], names)]
    else:
        raise ValueError(f"unknown recipe kind {kind!r}")
    if not ingredients or not all(ingredients):
        raise ValueError("an ingredient without an item")
    return RecipeRecord(
        id=identity,
        kind=kind,
        rows=rows,
        ingredients=ingredients,
        result=names[data["result"]["itemId"]],
        count=data["result"]["itemCount"],
        cook_ticks=data["cookTime"] if kind in _COOKING else 0,
        # The packet holds single-precision floats: 0.35 arrives as 0.3499999940395355.
        experience=round(data["experience"], 4) if kind in _COOKING else 0.0,
    )


def _rows(data: dict[str, Any], names: Mapping[int, str]) -> list[list[list[str]]]:
    width, height = data["width"], data["height"]
    # The recorder nests the cells width by height, but they come off the wire row by row.
    cells = [_alternatives(cell, names) for column in data["ingredients"] for cell in column]
    if len(cells) != width * height:
        raise ValueError(f"{len(cells)} cells for a {width} by {height} grid")
    return [cells[row * width : (row + 1) * width] for row in range(height)]


def _alternatives(slot: list[dict[str, Any]], names: Mapping[int, str]) -> list[str]:
    return sorted({names[stack["itemId"]] for stack in slot if stack["present"]})


def convert_tags(
    packet: dict[str, Any], items: Mapping[int, str], blocks: Mapping[int, str], where: str
) -> TagsRecord:
    """Return the item and block tags of a ``tags`` packet; members are sorted names.

    Raises:
        SourceError: if either group is missing or names an unknown id.
    """
    groups: dict[str, dict[str, list[str]]] = {}
    for group in packet.get("tags", []):
        kind = bare(group["tagType"])
        names = {"item": items, "block": blocks}.get(kind)
        if names is None:
            continue
        try:
            groups[kind] = {
                bare(tag["tagName"]): sorted(names[number] for number in tag["entries"])
                for tag in group["tags"]
            }
        except KeyError as error:
            raise SourceError(
                f"expected a known {kind} id; got {error} among the tags in {where}."
            ) from error
    if set(groups) != {"item", "block"}:
        raise SourceError(f"expected item and block tags in {where}; got {sorted(groups)}.")
    return TagsRecord(items=groups["item"], blocks=groups["block"])

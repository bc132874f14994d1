"""What really is alike, by the world's rules: the ground truth that recall is judged by and never sees.

The bench may read recipes and undo invented names; nothing that decides may.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from csd.descriptor import Csd
from csd.pattern import canonical_grid
from echo.worlds.minecraft.facts import BlockFact, Facts, Recipe, RecipeKind
from echo.worlds.minecraft.names import NameBook
from ical.retrieve import materials_of

_GRIDS = (RecipeKind.SHAPED, RecipeKind.SHAPELESS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Role:
    """The part that an ingredient takes in recipes of one shape."""

    shape: str
    """'smelting', the canonical pattern of a grid, or how often each ingredient of a loose one is used."""
    part: str
    """The ingredient's letter in the pattern, or how often it is used."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Made:
    """What a successful craft or smelt was, by the rules."""

    shape: str
    roles: tuple[Role, ...]


class Truth:
    """The rules of one life's world, under the names it shows."""

    def __init__(self, facts: Facts, names: NameBook) -> None:
        """Read the recipes that a table, the hand and a furnace carry out."""
        self._names = names
        self._facts = facts
        self._making: dict[str, list[Recipe]] = {}
        self._roles: dict[str, dict[Role, None]] = {}
        for recipe in facts.recipes:
            if recipe.kind not in (*_GRIDS, RecipeKind.SMELTING):
                continue
            self._making.setdefault(recipe.result, []).append(recipe)
            for role, items in _parts(recipe):
                for item in sorted(items):
                    self._roles.setdefault(item, {})[role] = None

    def roles_of(self, item: str) -> tuple[Role, ...]:
        """Return every part that the thing shown as `item` can take in a recipe."""
        return tuple(self._roles.get(self._real(item), ()))

    def made(self, csd: Csd) -> Made | None:
        """Return the recipe that `csd` carried out; None for anything else than a success of one."""
        if not csd.meta.success or csd.meta.product is None or csd.meta.verb not in ("craft", "smelt"):
            return None
        used = {self._real(name): None for name in materials_of(csd)}
        smelts = csd.meta.verb == "smelt"
        for recipe in self._making.get(self._real(csd.meta.product), ()):
            if (recipe.kind is RecipeKind.SMELTING) is smelts and _fits(recipe, list(used)):
                roles = tuple(dict.fromkeys(role for role, _ in _parts(recipe)))
                return Made(shape=roles[0].shape, roles=roles)
        return None

    def dug(self, csd: Csd) -> str | None:
        """Return the class of the block that was dug or tried: what suits it, must be held, and comes out."""
        if csd.meta.verb != "collect":
            return None
        words = next((str(s.value).split() for s in csd.proc if s.predicate == "step"), [])
        # A block of a crop or a wall torch has no item of its own, and keeps its name.
        name = words[1].rstrip(":") if len(words) > 1 and words[0] == "collect" else ""
        block = self._facts.blocks.get(self._real(name))
        return None if block is None else _digging_class(block)

    def _real(self, shown: str) -> str:
        return self._names.real(shown) or shown


def _digging_class(block: BlockFact) -> str:
    own = any(drop.item == block.item for drop in block.drops)
    leaves = "itself" if own else "another" if block.drops else "nothing"
    return f"{block.tool_class} {' '.join(sorted(block.harvest_tools))} {leaves}"


def _parts(recipe: Recipe) -> Iterator[tuple[Role, frozenset[str]]]:
    """Yield each role of a recipe with the items that can take it."""
    if recipe.kind is RecipeKind.SMELTING:
        yield Role(shape="smelting", part="input"), frozenset().union(*recipe.ingredients)
    elif recipe.kind is RecipeKind.SHAPED:
        named = {" ".join(sorted(items)): items for items in recipe.ingredients}
        grid = tuple(
            tuple(None if items is None else " ".join(sorted(items)) for items in row) for row in recipe.rows
        )
        pattern = canonical_grid(grid)
        for letter, name in pattern.fillers.items():
            yield Role(shape=pattern.rows, part=letter), named[name]
    else:
        times = Counter(recipe.ingredients)
        shape = "+".join(map(str, sorted(times.values(), reverse=True)))
        for items, number in times.items():
            yield Role(shape=shape, part=str(number)), items


def _fits(recipe: Recipe, used: Sequence[str]) -> bool:
    """Return whether `used` holds something for each ingredient and, in a grid, nothing else."""
    if not all(any(item in items for item in used) for items in recipe.ingredients):
        return False
    return recipe.kind is RecipeKind.SMELTING or all(
        any(item in items for items in recipe.ingredients) for item in used
    )

"""Demonstrations: recorded episodes of a few recipes, the only thing an agent may be told before it starts.

The demonstrator knows the recipes, which is why it is part of the bench. What the agent gets is an episode
like its own: what was seen, what was laid into the grid, what came out.

Source: Echo §4.1 (k-shot); differs in that the demonstrations are made by a script in the same world, so that
they hold perceptions and no text about the game.
"""

from __future__ import annotations

from dataclasses import dataclass

from csd.episode import Craft, Episode, Grid, Step
from echo.experiments.spec import UsageError
from echo.worlds.minecraft.options import WorldOptions
from echo.worlds.minecraft.world import MinecraftWorld

SOURCE = "demonstration"
"""The `source` of a demonstrated episode."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What the demonstrator makes, in real names."""

    product: str
    rows: tuple[str, ...]
    """The grid, one letter an item, a dot for an empty cell."""
    items: dict[str, str]
    """Letter -> item."""

    @property
    def needs(self) -> dict[str, int]:
        """Item -> how many the grid takes."""
        return {item: "".join(self.rows).count(letter) for letter, item in self.items.items()}


_PLANKS = {"p": "oak_planks"}
_PLANKS_AND_STICKS = {"p": "oak_planks", "s": "stick"}

RECIPES: tuple[Recipe, ...] = (
    Recipe(product="wooden_pickaxe", rows=("ppp", ".s.", ".s."), items=_PLANKS_AND_STICKS),
    Recipe(product="furnace", rows=("ccc", "c.c", "ccc"), items={"c": "cobblestone"}),
    Recipe(product="wooden_sword", rows=("p", "p", "s"), items=_PLANKS_AND_STICKS),
    Recipe(product="oak_fence", rows=("psp", "psp"), items=_PLANKS_AND_STICKS),
    Recipe(product="oak_stairs", rows=("p..", "pp.", "ppp"), items=_PLANKS),
    Recipe(product="torch", rows=("c", "s"), items={"c": "coal", "s": "stick"}),
    Recipe(product="chest", rows=("ppp", "p.p", "ppp"), items=_PLANKS),
    Recipe(product="oak_door", rows=("pp", "pp", "pp"), items=_PLANKS),
)
"""In the order in which shots are given: with two shots a tool and a station."""


def record_demonstrations(shots: int, seed: int, invented_names: int | None) -> list[Episode]:
    """Return `shots` demonstrated episodes, the first of `RECIPES`, under the names the agent will see.

    Args:
        shots: 0 to 8.
        seed: Seed of the worlds they are made in.
        invented_names: Seed of the renaming, or None for the real names.

    Returns:
        One-step episodes with the ids ep_000001, ep_000002, ...

    Raises:
        UsageError: on more shots than there are recipes, or a negative number.
    """
    if not 0 <= shots <= len(RECIPES):
        raise UsageError(f"expected 0 to {len(RECIPES)} shots; got {shots}. Ask for fewer demonstrations.")
    return [
        demonstrate(recipe, f"ep_{number:06d}", seed, invented_names)
        for number, recipe in enumerate(RECIPES[:shots], start=1)
    ]


def demonstrate(recipe: Recipe, episode: str, seed: int, invented_names: int | None) -> Episode:
    """Make `recipe` once beside a crafting table, with exactly what it takes, and return the episode."""
    world = MinecraftWorld(
        WorldOptions(
            seed=seed,
            invented_names=invented_names,
            inventory=recipe.needs,
            stations=("crafting_table",),
        )
    )
    product = world.names.shown(recipe.product)
    before = world.observe(frame=True)
    action = Craft(grid=_grid(recipe, world))
    outcome = world.act(action)
    if not outcome.ok or outcome.inventory_delta.get(product, 0) < 1:
        raise RuntimeError(
            f"expected the demonstration to make {recipe.product}; got {outcome.code} ({outcome.message}) "
            f"in a world of seed {seed}. The recipe in {__name__} does not agree with the world's rules."
        )
    return Episode(
        id=episode,
        goal=f"make a {product}",
        steps=(Step(before=before, action=action, outcome=outcome),),
        after=world.observe(frame=True),
        source=SOURCE,
    )


def _grid(recipe: Recipe, world: MinecraftWorld) -> Grid:
    """Return the recipe's grid under the names the world shows."""
    shown = {letter: world.names.shown(item) for letter, item in recipe.items.items()}
    return tuple(tuple(shown.get(letter) for letter in row) for row in recipe.rows)

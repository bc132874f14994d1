"""The grid, the furnace and the drops answer as vanilla does."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo.worlds.minecraft.facts import Facts, RecipeKind, load_facts
from echo.worlds.minecraft.rules import (
    craft_result,
    harvests,
    roll_drops,
    roll_mob_drops,
    smelt_result,
    smelting_recipe,
    trimmed,
)

FACTS = load_facts()
SHAPED = [recipe for recipe in FACTS.recipes if recipe.kind is RecipeKind.SHAPED]
SHAPELESS = [recipe for recipe in FACTS.recipes if recipe.kind is RecipeKind.SHAPELESS]
_ = None


def placed(rows, right, down, side=3):
    grid = [[None] * side for _ in range(side)]
    for y, row in enumerate(rows):
        for x, item in enumerate(row):
            grid[y + down][x + right] = item
    return grid


@pytest.mark.parametrize(
    ("grid", "result"),
    [
        ([["oak_log", _], [_, _]], ("oak_planks", 4)),
        ([[_, _], [_, "birch_log"]], ("birch_planks", 4)),
        ([["oak_planks", _], ["birch_planks", _]], ("stick", 4)),
        ([["oak_planks", "birch_planks"], ["birch_planks", "oak_planks"]], ("crafting_table", 1)),
        ([["cobblestone"] * 3, [_, "stick", _], [_, "stick", _]], ("stone_pickaxe", 1)),
        ([["cobblestone"] * 3, ["cobblestone", _, "cobblestone"], ["cobblestone"] * 3], ("furnace", 1)),
        ([["iron_ingot", _, "iron_ingot"], [_, "iron_ingot", _], [_, _, _]], ("bucket", 1)),
        ([["iron_ingot", "flint"], [_, _]], ("flint_and_steel", 1)),
        ([[_, "iron_ingot"], ["flint", _]], ("flint_and_steel", 1)),
        ([["coal", _], ["stick", _]], ("torch", 4)),
        ([["oak_planks", "stick"], [_, _]], None),
        ([["cobblestone"] * 3, [_, "stick", _], [_, "dirt", _]], None),
        ([[_, _], [_, _]], None),
        ([["no_such_item", _], [_, _]], None),
    ],
)
def test_a_grid_makes_what_vanilla_makes(grid, result):
    assert craft_result(FACTS, grid) == result


def test_an_asymmetric_pattern_fits_mirrored_but_not_upside_down():
    axe = [["iron_ingot", "iron_ingot"], ["iron_ingot", "stick"], [_, "stick"]]
    mirrored = [row[::-1] for row in axe]
    assert craft_result(FACTS, placed(axe, 0, 0)) == ("iron_axe", 1)
    assert craft_result(FACTS, placed(axe, 1, 0)) == ("iron_axe", 1)
    assert craft_result(FACTS, placed(mirrored, 1, 0)) == ("iron_axe", 1)
    assert craft_result(FACTS, placed(axe[::-1], 0, 0)) is None


def test_every_shaped_recipe_works_at_every_place_of_the_grid_and_mirrored():
    for recipe in SHAPED:
        rows = [[min(cell) if cell else None for cell in row] for row in recipe.rows]
        for version in (rows, [row[::-1] for row in rows]):
            wide, high = len(rows[0]), len(rows)
            for right, down in itertools.product(range(4 - wide), range(4 - high)):
                assert craft_result(FACTS, placed(version, right, down)) == (recipe.result, recipe.count)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SHAPELESS), st.randoms(use_true_random=False))
def test_a_shapeless_recipe_works_in_any_order_and_with_any_alternative(recipe, random):
    items = [random.choice(sorted(slot)) for slot in recipe.ingredients]
    cells = items + [None] * (9 - len(items))
    random.shuffle(cells)
    assert craft_result(FACTS, [cells[:3], cells[3:6], cells[6:]]) == (recipe.result, recipe.count)


def reference_result(facts: Facts, grid) -> tuple[str, int] | None:
    """Vanilla's own procedure, slowly: slide every pattern over the grid, then try every order."""
    for recipe in SHAPED:
        for rows in (recipe.rows, tuple(row[::-1] for row in recipe.rows)):
            for right, down in itertools.product(range(4 - len(rows[0])), range(4 - len(rows))):
                wanted = placed(rows, right, down)
                if all(
                    (wish is None) == (item is None) and (wish is None or item in wish)
                    for wishes, items in zip(wanted, grid, strict=True)
                    for wish, item in zip(wishes, items, strict=True)
                ):
                    return recipe.result, recipe.count
    items = [item for row in grid for item in row if item is not None]
    for recipe in SHAPELESS:
        if len(recipe.ingredients) == len(items) and any(
            all(item in slot for item, slot in zip(order, recipe.ingredients, strict=True))
            for order in itertools.permutations(items)
        ):
            return recipe.result, recipe.count
    return None


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from([None, None, "oak_planks", "stick", "iron_ingot", "cobblestone", "coal", "redstone"]),
        min_size=9, max_size=9,
    ).filter(lambda cells: sum(cell is not None for cell in cells) <= 5)
)  # fmt: skip
def test_the_index_answers_as_the_slow_procedure_does(cells):
    grid = [cells[:3], cells[3:6], cells[6:]]
    assert craft_result(FACTS, grid) == reference_result(FACTS, grid)


@pytest.mark.parametrize("grid", [[], [[]], [[None] * 4], [[None]] * 4])
def test_a_grid_of_impossible_size_is_refused(grid):
    with pytest.raises(ValueError, match="expected a crafting grid of 1 to 3 rows and columns; got"):
        craft_result(FACTS, grid)


def test_a_ragged_grid_is_refused():
    with pytest.raises(ValueError, match=r"rows of equal length; got \[2, 1\]"):
        craft_result(FACTS, [[None, None], [None]])


def test_trimming_cuts_the_margin_and_keeps_the_holes():
    grid = [[_, _, _], [_, "a", _], [_, _, "b"]]
    assert trimmed(grid) == ((2, 2, 0b1001), ("a", "b"))


@pytest.mark.parametrize(
    ("item", "result"),
    [("raw_iron", ("iron_ingot", 1)), ("cobblestone", ("stone", 1)), ("stone", ("smooth_stone", 1)),
     ("oak_log", ("charcoal", 1)), ("coal_ore", ("coal", 1)), ("dirt", None), ("no_such_item", None)],
)  # fmt: skip
def test_a_furnace_makes_what_vanilla_makes(item, result):
    assert smelt_result(FACTS, item) == result


def test_a_smelting_recipe_takes_ten_seconds():
    recipe = smelting_recipe(FACTS, "raw_iron")
    assert recipe is not None
    assert recipe.cook_ticks == 200


@pytest.mark.parametrize(
    ("block", "held", "yields"),
    [("stone", None, False), ("stone", "wooden_pickaxe", True), ("iron_ore", "wooden_pickaxe", False),
     ("iron_ore", "golden_pickaxe", False), ("iron_ore", "stone_pickaxe", True),
     ("diamond_ore", "iron_pickaxe", True), ("oak_log", None, True), ("bedrock", "diamond_pickaxe", False)],
)  # fmt: skip
def test_only_the_right_tool_yields_drops(block, held, yields):
    assert harvests(FACTS.blocks[block], held) is yields
    assert bool(roll_drops(FACTS.blocks[block], held, np.random.default_rng(0))) is yields


def test_shears_give_leaves_and_nothing_else():
    assert roll_drops(FACTS.blocks["oak_leaves"], "shears", np.random.default_rng(0)) == (("oak_leaves", 1),)


def test_gravel_gives_either_flint_or_gravel_one_in_ten():
    rng = np.random.default_rng(1)
    rolls = [roll_drops(FACTS.blocks["gravel"], None, rng) for _ in range(4000)]
    assert all(roll in ((("flint", 1),), (("gravel", 1),)) for roll in rolls)
    # 400 expected, standard deviation 19.
    assert 320 < sum(roll == (("flint", 1),) for roll in rolls) < 480


def test_leaves_give_saplings_sticks_and_apples_at_their_own_chances():
    rng = np.random.default_rng(2)
    found = [drop for _ in range(20_000) for drop in roll_drops(FACTS.blocks["oak_leaves"], None, rng)]
    rolls = {item: sum(name == item for name, _ in found) for item in ("oak_sapling", "stick", "apple")}
    # Expected 1,000, 400 and 100 with standard deviations 31, 20 and 10.
    assert 850 < rolls["oak_sapling"] < 1150
    assert 320 < rolls["stick"] < 480
    assert 60 < rolls["apple"] < 140
    assert {amount for name, amount in found if name == "stick"} == {1, 2}


def test_amounts_reach_both_ends_and_never_pass_them():
    rng = np.random.default_rng(3)
    amounts = {roll_drops(FACTS.blocks["lapis_ore"], "stone_pickaxe", rng)[0][1] for _ in range(400)}
    assert amounts == set(range(4, 10))


def test_a_mob_may_leave_nothing_of_a_kind():
    rng = np.random.default_rng(4)
    rolls = [dict(roll_mob_drops(FACTS.mobs["cow"], rng)) for _ in range(200)]
    assert {roll.get("leather", 0) for roll in rolls} == {0, 1, 2}
    assert {roll["beef"] for roll in rolls} == {1, 2, 3}


def test_drops_depend_on_nothing_but_the_generator():
    one, other = (
        [roll_drops(FACTS.blocks["oak_leaves"], None, rng) for _ in range(500)]
        for rng in (np.random.default_rng(5), np.random.default_rng(5))
    )
    assert one == other

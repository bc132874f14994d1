"""The committed facts: counts worked out from the sources, consistency, and refusal of bad files."""

import gzip
import itertools
import json
import shutil
from collections import Counter
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest

from csd.resources import data_file
from echo.worlds.minecraft import facts_files
from echo.worlds.minecraft.facts import Facts, FactsError, RecipeKind, load_facts


@pytest.fixture(scope="module")
def facts() -> Facts:
    return load_facts()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    folder = tmp_path / "facts"
    shutil.copytree(Path(str(data_file("minecraft", "1.17.1"))), folder)
    return folder


def terrain_counts(facts: Facts) -> dict[str, int]:
    numbers = np.bincount(facts.terrain.blocks.reshape(-1), minlength=len(facts.terrain.palette))
    return dict(zip(facts.terrain.palette, (int(number) for number in numbers), strict=True))


def test_recipes_are_counted_by_kind(facts):
    assert Counter(recipe.kind.value for recipe in facts.recipes) == {
        "crafting_shaped": 543,
        "crafting_shapeless": 183,
        "stonecutting": 198,
        "smelting": 70,
        "blasting": 24,
        "smoking": 9,
        "campfire_cooking": 9,
        "smithing": 9,
    }
    assert len(facts.special_recipes) == 13
    assert len(facts.recipes) + len(facts.special_recipes) == 1058
    assert len({recipe.result for recipe in facts.recipes}) == 694


def test_recipes_are_sorted_by_a_unique_id(facts):
    ids = [recipe.id for recipe in facts.recipes]
    assert ids == sorted(set(ids))


def test_a_shaped_recipe_keeps_its_rows_and_its_alternatives(facts):
    (boat,) = [recipe for recipe in facts.recipes if recipe.id == "oak_boat"]
    plank = frozenset({"oak_planks"})
    assert boat.rows == ((plank, None, plank), (plank, plank, plank))
    assert boat.ingredients == (plank,) * 5
    (pickaxe,) = [recipe for recipe in facts.recipes if recipe.id == "stone_pickaxe"]
    assert pickaxe.rows[0][0] == {"cobblestone", "blackstone", "cobbled_deepslate"}
    assert pickaxe.rows[1] == (None, frozenset({"stick"}), None)


def test_cooking_recipes_keep_time_and_experience(facts):
    by_id = {recipe.id: recipe for recipe in facts.recipes}
    smelting = by_id["iron_ingot_from_smelting_raw_iron"]
    blasting = by_id["iron_ingot_from_blasting_raw_iron"]
    assert (smelting.cook_ticks, smelting.experience) == (200, 0.7)
    assert (blasting.cook_ticks, blasting.experience) == (100, 0.7)


def test_terrain_holds_the_captured_forest_and_ores(facts):
    counts = terrain_counts(facts)
    assert facts.terrain.blocks.shape == (16, 96, 80)
    assert sum(counts.values()) == 16 * 96 * 80
    assert counts["oak_log"] == 165
    assert counts["birch_log"] == 54
    assert counts["coal_ore"] == 685
    assert counts["iron_ore"] == 467
    assert counts["diamond_ore"] + counts["deepslate_diamond_ore"] == 25
    assert counts["lava"] == 450
    assert counts["water"] == 79


def test_terrain_lies_the_right_way_up_and_is_continuous_across_chunk_borders(facts):
    terrain = facts.terrain
    bedrock = terrain.palette.index("bedrock")
    assert (terrain.blocks[:, 0, :] == bedrock).all()
    assert not (terrain.blocks[:, 5:, :] == bedrock).any()
    under = terrain.blocks[:, :64, :]
    alike = (under[:, :, 1:] == under[:, :, :-1]).mean(axis=(0, 1))
    borders = np.arange(15, 79, 16)
    # 0.846 against 0.852; with x and z swapped, or either reversed, the borders fall to 0.43 or below.
    assert alike[borders].mean() > np.delete(alike, borders).mean() - 0.05


def test_terrain_cannot_be_changed_by_a_world(facts):
    with pytest.raises(ValueError, match="read-only"):
        facts.terrain.blocks[0, 0, 0] = 1


def test_grass_grows_on_grass_blocks_which_lie_on_dirt(facts):
    blocks, palette = facts.terrain.blocks, facts.terrain.palette
    for x, y, z in zip(*np.nonzero(blocks == palette.index("grass")), strict=True):
        assert palette[blocks[x, y - 1, z]] in {"grass_block", "dirt"}


def test_every_name_that_facts_mention_exists(facts):
    for recipe in facts.recipes:
        assert recipe.result in facts.items
        assert all(item in facts.items for slot in recipe.ingredients for item in slot)
    for block in facts.blocks.values():
        assert all(drop.item in facts.items for drop in block.drops)
        assert all(tool in facts.items for tool in block.harvest_tools)
        assert block.item is None or block.item in facts.items
    for item in facts.items.values():
        assert item.block is None or item.block in facts.blocks
    assert all(name in facts.blocks for name in facts.terrain.palette)


def test_drops_of_one_pool_never_exceed_certainty(facts):
    every = [block.drops for block in facts.blocks.values()] + list(facts.mobs.values())
    for drops in every:
        assert all(0 < drop.chance <= 1 and 0 <= drop.low <= drop.high for drop in drops)
        for held in ("shears", "no_shears"):
            pools: dict[int, float] = {}
            for drop in drops:
                if drop.tool in {"any", held}:
                    pools[drop.pool] = pools.get(drop.pool, 0) + drop.chance
            assert all(chance <= 1 + 1e-9 for chance in pools.values())


def test_harvest_tools_agree_with_the_recorded_tags(facts):
    tiers = ("wooden", "golden", "stone", "iron", "diamond", "netherite")
    classes = ("pickaxe", "axe", "shovel", "hoe")
    checked = 0
    for tag, least in (("needs_stone_tool", 2), ("needs_iron_tool", 3), ("needs_diamond_tool", 4)):
        for name in sorted(facts.block_tags[tag]):
            mineable = [kind for kind in classes if name in facts.block_tags[f"mineable/{kind}"]]
            expected = {f"{tier}_{kind}" for tier in tiers[least:] for kind in mineable}
            assert facts.blocks[name].harvest_tools == expected, name
            checked += 1
    assert checked == 43 + 12 + 5


@pytest.mark.parametrize(
    ("name", "hardness", "tool_class", "item"),
    [
        ("stone", 1.5, "pickaxe", "stone"),
        ("oak_log", 2.0, "axe", "oak_log"),
        ("dirt", 0.5, "shovel", "dirt"),
        ("oak_leaves", 0.2, "hoe", "oak_leaves"),
        ("bedrock", None, None, "bedrock"),
        ("water", None, None, "water_bucket"),
        ("wall_torch", 0.0, None, "torch"),
        ("wheat", 0.0, "axe", "wheat_seeds"),
        ("redstone_wire", 0.0, None, "redstone"),
    ],
)
def test_a_block_has_its_hardness_tool_class_and_placing_item(facts, name, hardness, tool_class, item):
    block = facts.blocks[name]
    assert (block.hardness, block.tool_class, block.item) == (hardness, tool_class, item)


@pytest.mark.parametrize(
    ("name", "drops"),
    [
        ("stone", [("cobblestone", 1, 1, 1.0, "any")]),
        ("coal_ore", [("coal", 1, 1, 1.0, "any")]),
        ("deepslate_redstone_ore", [("redstone", 4, 5, 1.0, "any")]),
        ("grass_block", [("dirt", 1, 1, 1.0, "any")]),
        ("gravel", [("flint", 1, 1, 0.1, "any"), ("gravel", 1, 1, 0.9, "any")]),
        (
            "birch_leaves",
            [
                ("birch_leaves", 1, 1, 1.0, "shears"),
                ("birch_sapling", 1, 1, 0.05, "no_shears"),
                ("stick", 1, 2, 0.02, "no_shears"),
            ],
        ),
        ("oak_slab", [("oak_slab", 1, 1, 1.0, "any")]),
        ("oak_wall_sign", [("oak_sign", 1, 1, 1.0, "any")]),
        ("glass", []),
        ("structure_void", []),
        ("tube_coral_wall_fan", []),
    ],
)
def test_a_block_drops_what_vanilla_drops_without_enchantment(facts, name, drops):
    found = facts.blocks[name].drops
    assert [(drop.item, drop.low, drop.high, drop.chance, drop.tool) for drop in found] == drops


@pytest.mark.parametrize(
    ("name", "ticks"),
    [("coal", 1600), ("oak_log", 300), ("birch_planks", 300), ("stick", 100), ("oak_sapling", 100),
     ("lava_bucket", 20000), ("warped_planks", None), ("crimson_stem", None), ("cobblestone", None)],
)  # fmt: skip
def test_fuel_burns_as_long_as_in_vanilla(facts, name, ticks):
    assert facts.items[name].fuel_ticks == ticks


def test_items_carry_stack_durability_food_tier_and_damage(facts):
    pickaxe, apple, pearl = (facts.items[name] for name in ("stone_pickaxe", "apple", "ender_pearl"))
    assert (pickaxe.stack_size, pickaxe.durability, pickaxe.tool_class, pickaxe.tier, pickaxe.attack) == (
        1, 131, "pickaxe", "stone", 3.0,
    )  # fmt: skip
    assert (apple.food, apple.durability, apple.tool_class, apple.attack) == ((4.0, 2.4), None, None, 1.0)
    assert pearl.stack_size == 16
    assert facts.items["wheat_seeds"].block == "wheat"
    assert facts.items["wheat"].block is None


def test_mobs_known_are_exactly_those_without_a_short_cut(facts):
    assert list(facts.mobs) == ["chicken", "cow", "pig", "sheep", "spider"]
    assert [drop.item for drop in facts.mobs["sheep"]] == ["mutton", "white_wool"]


def test_terrain_colours_can_be_told_apart(facts):
    names = [*facts.terrain.palette, "crafting_table", "furnace", "oak_planks", "cobblestone", "torch"]
    for one, other in itertools.combinations(names, 2):
        a, b = (np.array(facts.blocks[name].colour) for name in (one, other))
        assert np.linalg.norm(a - b) >= 24, (one, other)


def test_facts_are_loaded_once():
    assert load_facts() is load_facts("1.17.1")


def test_a_version_the_project_does_not_carry_is_refused():
    with pytest.raises(FactsError, match=r"expected facts of a version the project carries \(1\.17\.1\)"):
        load_facts("1.12.2")


def test_facts_of_another_version_in_the_folder_are_refused(copy):
    card = json.loads((copy / "card.json").read_text())
    (copy / "card.json").write_text(json.dumps(card | {"version": "1.18.2"}))
    with pytest.raises(FactsError, match=r"expected facts of Minecraft 1\.17\.1 .* got Minecraft 1\.18\.2"):
        load_facts("1.17.1", copy)


def test_facts_of_another_layout_are_refused(copy):
    card = json.loads((copy / "card.json").read_text())
    (copy / "card.json").write_text(json.dumps(card | {"format": "echo-minecraft-facts/9"}))
    with pytest.raises(FactsError, match=r"got .* in layout echo-minecraft-facts/9"):
        load_facts("1.17.1", copy)


@pytest.mark.parametrize("name", sorted(facts_files.RECORD_KINDS))
def test_a_truncated_file_is_refused(copy, name):
    packed = (copy / name).read_bytes()
    (copy / name).write_bytes(packed[: len(packed) // 2])
    with pytest.raises(FactsError, match=rf"expected {len(packed)} bytes .* got {len(packed) // 2} bytes"):
        load_facts("1.17.1", copy)


def test_a_file_with_one_changed_byte_is_refused(copy):
    packed = bytearray((copy / "recipes.json.gz").read_bytes())
    packed[len(packed) // 2] ^= 1
    (copy / "recipes.json.gz").write_bytes(bytes(packed))
    with pytest.raises(FactsError, match=r"recipes\.json\.gz. The file is damaged"):
        load_facts("1.17.1", copy)


def test_a_missing_file_and_a_missing_card_are_refused(copy):
    (copy / "tags.json.gz").unlink()
    with pytest.raises(FactsError, match=r"expected the facts file .*tags\.json\.gz; got none"):
        load_facts("1.17.1", copy)
    (copy / "card.json").unlink()
    with pytest.raises(FactsError, match=r"expected a data card card\.json .* got none"):
        load_facts("1.17.1", copy)


def reseal(folder: Path, name: str, packed: bytes) -> None:
    (folder / name).write_bytes(packed)
    card = json.loads((folder / "card.json").read_text())
    card["files"][name] |= {"sha256": facts_files.sha256(packed), "bytes": len(packed)}
    (folder / "card.json").write_text(json.dumps(card))


def test_a_sealed_file_that_is_not_gzip_or_not_a_record_is_refused(copy):
    reseal(copy, "mobs.json.gz", b"{}")
    with pytest.raises(FactsError, match="expected gzip-compressed JSON"):
        load_facts("1.17.1", copy)
    reseal(copy, "mobs.json.gz", facts_files.pack(b'{"mobs": {"cow": [{"item": "beef"}]}}'))
    with pytest.raises(FactsError, match=r"expected a MobsRecord; got 'Field required' at mobs\.cow\.0\.low"):
        load_facts("1.17.1", copy)


def test_a_sealed_recipe_of_unknown_kind_is_refused(copy):
    recipes = json.loads(gzip.decompress((copy / "recipes.json.gz").read_bytes()))
    recipes["recipes"][3]["kind"] = "brewing"
    reseal(copy, "recipes.json.gz", facts_files.pack(json.dumps(recipes).encode()))
    with pytest.raises(FactsError, match=r"String should match pattern .* at recipes\.3\.kind"):
        load_facts("1.17.1", copy)


def test_record_kinds_on_disk_are_the_kinds_in_memory():
    assert tuple(RecipeKind) == facts_files.RECIPE_KINDS


def test_terrain_whose_runs_do_not_fill_its_shape_is_refused(copy):
    terrain = json.loads(gzip.decompress((copy / "terrain.json.gz").read_bytes()))
    terrain["runs"][0][1] += 1
    reseal(copy, "terrain.json.gz", facts_files.pack(json.dumps(terrain).encode()))
    with pytest.raises(FactsError, match="expected runs of 122880 blocks over 36 kinds; got 122881 blocks"):
        load_facts("1.17.1", copy)


def test_the_card_a_reader_sees_agrees_with_the_one_machines_read(facts):
    folder = Path(str(data_file("minecraft", "1.17.1")))
    card = facts_files.read_card(folder, "1.17.1")
    text = (folder / "CARD.md").read_text()
    for name, seal in card.files.items():
        assert f"`{name}`" in text
        assert seal.sha256 in text
        assert facts_files.sha256((folder / name).read_bytes()) == seal.sha256
    assert [(source.package, source.version, source.licence) for source in card.sources] == [
        ("minecraft-packets", "1.9.0", "MIT"),
        ("minecraft-data", "3.119.0", "MIT"),
    ]
    assert card.counts["recipes_all"] == 1058


def test_recipe_ids_of_1_16_5_equal_the_recipe_files_of_plancraft():
    folder = Path(str(data_file("minecraft", "1.17.1")))
    card = facts_files.read_card(folder, "1.17.1")
    record = facts_files.read_record(folder, facts_files.RECIPE_IDS_NAME, card, facts_files.RecipeIdsRecord)
    assert record.version == "1.16.5"
    assert len(record.ids) == 859
    try:
        # Its files are read in place: importing the package would need dozens of others.
        installed = distribution("plancraft").files or []
    except PackageNotFoundError:
        pytest.skip("plancraft is not installed: pip install --no-deps plancraft")
    names = sorted(
        path.stem for path in installed if path.suffix == ".json" and path.parent.name == "recipes"
    )
    assert names == record.ids

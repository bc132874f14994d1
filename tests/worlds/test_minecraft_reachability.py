"""The closure from bare hands has the size the project's yardstick names."""

from pathlib import Path

import pytest

from csd.resources import data_file
from echo.worlds.minecraft import facts_files
from echo.worlds.minecraft.facts import load_facts
from echo.worlds.minecraft.reachability import ReachRules, reachable

FACTS = load_facts()
WHOLE = reachable(FACTS)


def test_187_items_are_made_in_twelve_layers():
    assert len(WHOLE.made) == 187
    assert sorted(set(WHOLE.layers.values())) == list(range(12))


@pytest.mark.parametrize(
    ("rules", "items"),
    [
        (ReachRules(), 218),
        (ReachRules(obsidian=False), 217),
        (ReachRules(plants_by_hand=True), 218),
        (ReachRules(plants_by_hand=True, shears=False), 217),
        (ReachRules(shears=False), 214),
        (ReachRules(fluids=False), 215),
    ],
)
def test_the_number_reachable_follows_from_the_rule_and_the_made_ones_do_not_change(rules, items):
    reach = reachable(FACTS, rules)
    assert len(reach.layers) == items
    assert reach.made == WHOLE.made


def test_shears_alone_give_leaves_grass_and_glow_lichen():
    without = reachable(FACTS, ReachRules(shears=False))
    assert set(WHOLE.layers) - set(without.layers) == {"oak_leaves", "birch_leaves", "grass", "glow_lichen"}


def test_mobs_open_21_more_items_to_make():
    reach = reachable(FACTS, ReachRules(mobs=("sheep", "cow", "spider"), obsidian=False))
    assert (len(reach.layers), len(reach.made)) == (244, 208)


def test_milestones_come_in_their_layers():
    assert {
        name: WHOLE.layers[name]
        for name in ("oak_log", "oak_planks", "crafting_table", "wooden_pickaxe", "cobblestone", "furnace",
                     "stone_pickaxe", "raw_iron", "iron_ingot", "iron_pickaxe", "diamond", "diamond_pickaxe")
    } == {
        "oak_log": 0, "oak_planks": 1, "crafting_table": 2, "wooden_pickaxe": 3, "cobblestone": 4,
        "furnace": 5, "stone_pickaxe": 5, "raw_iron": 6, "iron_ingot": 7, "iron_pickaxe": 8, "diamond": 9,
        "diamond_pickaxe": 10,
    }  # fmt: skip


def test_bare_hands_have_exactly_what_falls_without_a_tool():
    assert sorted(name for name, layer in WHOLE.layers.items() if layer == 0) == [
        "apple", "birch_log", "birch_sapling", "dirt", "flint", "gravel", "oak_log", "oak_sapling",
        "pointed_dripstone", "stick", "wheat_seeds",
    ]  # fmt: skip


def test_other_stations_open_nothing_new():
    stations = reachable(FACTS, ReachRules(other_stations=True))
    assert stations.made == WHOLE.made
    assert {name for name in WHOLE.layers if stations.layers[name] != WHOLE.layers[name]} == {
        "cut_copper_slab",
        "cut_copper_stairs",
    }


def test_the_data_card_states_the_numbers_measured_here():
    folder = Path(str(data_file("minecraft", "1.17.1")))
    counts = facts_files.read_card(folder, "1.17.1").counts
    assert (counts["reachable"], counts["made"], counts["layers"]) == (218, 187, 12)
    assert "218 items in 12 layers (numbered from 0), 187 of them made" in (folder / "CARD.md").read_text()


def test_an_unknown_mob_is_refused():
    with pytest.raises(ValueError, match="expected mobs out of chicken, cow, pig, sheep, spider; got zombie"):
        reachable(FACTS, ReachRules(mobs=("zombie",)))

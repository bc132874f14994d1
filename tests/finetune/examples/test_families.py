from __future__ import annotations

from csd.build import describe
from csd.descriptor import Csd
from csd.episode import Episode
from finetune.examples.families import About, about, groups_of, with_words, word
from tests.csd.sample_episodes import attacked_sheep, crafted_pickaxe, dug_stone, smelted_iron
from tests.finetune.examples.recorded_samples import crafted, dug, put_down, smelted, tried


def told(episode: Episode) -> About:
    made = describe(episode)
    assert isinstance(made, Csd)
    return about(episode, made)


def test_a_word_family_is_the_last_word():
    assert [word(each) for each in ("oak_planks", "deepslate_iron_ore", "chest", "odd_")] == [
        "planks", "ore", "chest", "odd"
    ]  # fmt: skip


def test_a_craft_is_about_what_it_made_and_how_it_was_laid():
    found = told(crafted_pickaxe())
    assert (found.task_family, found.item_family) == ("craft", "pickaxe")
    assert found.touched == ("word pickaxe", "grid AAA/.B./.B.")
    assert found.recipes == ("craft AAA/.B./.B. of A oak_planks, B stick to wooden_pickaxe",)


def test_a_grid_that_gave_nothing_is_about_its_first_item_and_is_no_recipe():
    found = told(tried((("oak_planks", "stick"),)))
    assert (found.task_family, found.item_family, found.recipes) == ("craft failed", "planks", ())
    assert found.touched == ("word planks",)


def test_smelting_is_about_the_product():
    found = told(smelted_iron())
    assert (found.task_family, found.item_family) == ("smelt", "ingot")
    assert found.recipes == ("smelt iron_ore to iron_ingot",)


def test_digging_is_about_the_block_whatever_came_out():
    assert told(dug("iron_ore")).task_family == "dig failed"
    assert told(dug("iron_ore", drops="raw_iron")).item_family == "ore"
    assert told(dug_stone()).item_family == "stone"
    assert told(dug_stone()).task_family == "dig"


def test_placing_is_about_the_item_and_fighting_about_the_creature():
    assert (told(put_down("oak_slab")).task_family, told(put_down("oak_slab")).item_family) == (
        "place",
        "slab",
    )
    assert (told(attacked_sheep()).task_family, told(attacked_sheep()).item_family) == ("attack", "sheep")


def test_item_families_of_one_grid_pattern_are_one_group():
    episodes = [
        crafted((("oak_planks",) * 3,), "oak_slab", 6),
        crafted((("brik",) * 3,), "zorp", 6),
        crafted((("oak_planks",) * 2,), "oak_pressure_plate", 1),
        smelted("raw_iron", "iron_ingot"),
    ]
    groups = groups_of(episodes)
    assert groups.names == ("ingot", "plate", "slab+zorp")
    assert groups.of(told(episodes[1])) == ("slab+zorp",)


def test_one_item_made_in_two_patterns_joins_both():
    groups = groups_of(
        [
            crafted((("oak_planks",) * 2,), "oak_plate", 1),
            crafted((("iron_ingot",),), "iron_plate", 1),
            crafted((("oak_planks",),), "oak_button", 1),
        ]
    )
    assert groups.names == ("button+plate",)


def test_a_family_without_a_recipe_is_a_group_of_its_own():
    groups = with_words(groups_of([crafted((("p",) * 3,), "oak_slab", 6)]), ["leaves", "slab"])
    assert groups.names == ("leaves", "slab")
    assert groups.of_mark["grid AAA"] == "slab"

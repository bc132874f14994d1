from __future__ import annotations

from dataclasses import replace

import pytest

from csd.axes import AXES, Axis
from csd.build import BUILDER, NotDescribed, describe
from csd.descriptor import Csd, Statement
from csd.episode import Collect, Craft, Episode, Smelt
from csd.scene import where
from tests.csd import sample_episodes as samples


def described(episode: Episode, product: str | None = None) -> Csd:
    csd = describe(episode, product)
    assert isinstance(csd, Csd)
    return csd


def facts(csd: Csd, axis: Axis) -> list[tuple[str, str, object]]:
    return [(s.subject, s.predicate, s.value) for s in csd.axis(axis)]


def find(csd: Csd, axis: Axis, subject: str, predicate: str) -> Statement:
    return next(s for s in csd.axis(axis) if (s.subject, s.predicate) == (subject, predicate))


def test_a_crafted_pickaxe_fills_struct_from_the_grid():
    assert facts(described(samples.crafted_pickaxe()), Axis.STRUCT)[:9] == [
        ("wooden_pickaxe", "grid", "AAA/.B./.B."),
        ("oak_planks", "fills", "A"),
        ("stick", "fills", "B"),
        ("oak_planks", "cells", 3),
        ("stick", "cells", 2),
        ("oak_planks", "part", "top row"),
        ("stick", "part", "lower stem"),
        ("A", "above", "B"),
        ("wooden_pickaxe", "symmetry", "mirror"),
    ]


def test_a_crafted_pickaxe_fills_proc_with_amounts_prerequisites_and_steps():
    assert facts(described(samples.crafted_pickaxe()), Axis.PROC) == [
        ("wooden_pickaxe", "made_by", "craft"),
        ("wooden_pickaxe", "consumes", "oak_planks x3"),
        ("wooden_pickaxe", "consumes", "stick x2"),
        ("wooden_pickaxe", "yields", 1),
        ("wooden_pickaxe", "after", "oak_planks"),
        ("wooden_pickaxe", "after", "stick"),
        ("wooden_pickaxe", "after", "crafting_table"),
        ("wooden_pickaxe", "ticks", 2),
        ("1", "step", "craft AA of oak_planks x2: no_result"),
        ("2", "step", "craft AAA/.B./.B. of oak_planks x3, stick x2"),
    ]


def test_a_crafted_pickaxe_fills_func_with_roles_and_attr_with_what_was_seen():
    csd = described(samples.crafted_pickaxe())
    assert ("oak_planks", "plays", "head") in facts(csd, Axis.FUNC)
    assert ("stick", "plays", "handle") in facts(csd, Axis.FUNC)
    assert ("stick", "supports", "oak_planks") in facts(csd, Axis.FUNC)
    assert ("crafting_table", "affords", "grid3") in facts(csd, Axis.FUNC)
    assert facts(csd, Axis.ATTR) == [
        ("wooden_pickaxe", "stack_size", 1),
        ("oak_planks", "stack_size", 64),
        ("stick", "stack_size", 64),
        ("crafting_table", "colour", "brown"),
    ]


def test_failures_on_the_way_are_told_with_their_message():
    csd = described(samples.crafted_pickaxe())
    assert facts(csd, Axis.INTER)[:2] == [
        ("craft AA of oak_planks x2", "tried", "no_result"),
        (
            "craft AA of oak_planks x2",
            "failed",
            "expected a grid that gives something; got oak_planks x2",
        ),
    ]
    assert ("wooden_pickaxe", "station", "crafting_table") in facts(csd, Axis.INTER)


def test_evidence_names_step_record_and_part():
    evidence = find(described(samples.crafted_pickaxe()), Axis.PROC, "wooden_pickaxe", "consumes").evidence
    assert [(e.episode, e.step, e.kind, e.detail) for e in evidence] == [
        ("ep_000001", 1, "inventory", "oak_planks -3")
    ]


def test_circumstances_are_those_of_the_episode():
    meta = described(samples.crafted_pickaxe()).meta
    assert (meta.product, meta.verb, meta.success, meta.builder) == ("wooden_pickaxe", "craft", True, BUILDER)
    assert meta.objects == ("crafting_table", "grass_block")
    assert (meta.biome, meta.world, meta.episodes) == ("forest", "test-world", ("ep_000001",))


def test_a_mirrored_grid_is_described_alike_but_for_the_evidence():
    right, left = described(samples.crafted_axe()), described(samples.crafted_axe(mirrored=True))
    for axis in AXES:
        assert facts(right, axis) == facts(left, axis)
    assert find(left, Axis.STRUCT, "wooden_axe", "grid").evidence[0].detail == "laid AA/BA/B."


def test_a_small_grid_is_made_at_no_station_even_beside_one():
    before = samples.see({"oak_log": 1}, stations=(samples.TABLE,))
    made = samples.brought(inventory_delta={"oak_log": -1, "oak_planks": 4})
    csd = described(
        samples.episode((before, Craft(grid=(("oak_log",),)), made), after=samples.see({"oak_planks": 4}))
    )
    assert ("oak_planks", "station", "none") in facts(csd, Axis.INTER)
    assert ("oak_log", "plays", "whole") in facts(csd, Axis.FUNC)
    assert not [fact for fact in facts(csd, Axis.FUNC) if fact[1] == "affords"]


def test_smelting_fills_slots_roles_and_burning():
    csd = described(samples.smelted_iron())
    assert facts(csd, Axis.STRUCT)[:2] == [("iron_ore", "slot", "input"), ("coal", "slot", "fuel")]
    assert ("coal", "burns", True) in facts(csd, Axis.ATTR)
    assert facts(csd, Axis.FUNC) == [
        ("iron_ore", "plays", "charge"),
        ("coal", "plays", "fuel"),
        ("coal", "supports", "iron_ore"),
        ("furnace", "plays", "station"),
        ("iron_ore", "serves", "iron_ingot"),
        ("furnace", "affords", "smelt"),
    ]
    assert ("iron_ingot", "ticks", 200) in facts(csd, Axis.PROC)


def test_fuel_that_was_not_taken_played_no_part():
    csd = described(samples.smelted_iron(fire_burning=True))
    spoken_of = [fact for axis in (Axis.STRUCT, Axis.PROC, Axis.FUNC) for fact in facts(csd, axis)]
    assert not [fact for fact in spoken_of if fact[0] == "coal"]
    assert not [fact for fact in facts(csd, Axis.ATTR) if fact[1] == "burns"]


def test_a_log_that_smelts_itself_counts_as_charge_and_as_fuel():
    before = samples.see({"oak_log": 2}, stations=(samples.FURNACE,))
    made = samples.brought(inventory_delta={"charcoal": 1, "oak_log": -2})
    action = Smelt(input="oak_log", fuel="oak_log")
    csd = described(samples.episode((before, action, made), after=samples.see({"charcoal": 1})))
    assert ("oak_log", "plays", "charge") in facts(csd, Axis.FUNC)
    assert ("oak_log", "plays", "fuel") in facts(csd, Axis.FUNC)


def test_digging_tells_measured_time_tools_drops_and_wear():
    assert facts(described(samples.dug_stone()), Axis.ATTR) == [
        ("cobblestone", "stack_size", 64),
        ("stone", "colour", "grey"),
        ("wooden_pickaxe", "stack_size", 1),
        ("stone", "dig_ticks", 150),
        ("stone", "refused", "hand"),
        ("stone", "dig_ticks", 23),
        ("stone", "yielded_to", "wooden_pickaxe"),
        ("stone", "drops", "cobblestone"),
        ("wooden_pickaxe", "wears", True),
    ]


def test_digging_tells_place_tool_and_what_it_opened():
    csd = described(samples.dug_stone())
    assert facts(csd, Axis.STRUCT) == [("stone", "lies", "below, 4 blocks"), ("stone", "near", "grass_block")]
    assert facts(csd, Axis.FUNC) == [
        ("stone", "plays", "source"),
        ("wooden_pickaxe", "plays", "tool"),
        ("wooden_pickaxe", "opens", "stone"),
    ]
    assert ("cobblestone", "after", "wooden_pickaxe") in facts(csd, Axis.PROC)


def test_something_merely_held_while_digging_is_no_tool():
    before = samples.see({"dirt": 1}, mainhand="dirt")
    outcome = samples.brought(inventory_delta={"oak_log": 1}, work=60, block="oak_log", cell=(3, 66, 0))
    after = samples.see({"dirt": 1, "oak_log": 1}, mainhand="dirt")
    csd = described(samples.episode((before, Collect(block="oak_log"), outcome), after=after))
    assert facts(csd, Axis.FUNC) == [("oak_log", "plays", "source")]
    assert ("oak_log", "after", "dirt") not in facts(csd, Axis.PROC)
    assert ("oak_log", "yielded_to", "dirt") in facts(csd, Axis.ATTR)


def test_a_placed_block_that_turns_out_a_station_affords_what_it_offers():
    csd = described(samples.placed_table())
    assert facts(csd, Axis.FUNC) == [
        ("crafting_table", "plays", "building block"),
        ("crafting_table", "affords", "grid3"),
    ]
    assert ("crafting_table", "placeable", True) in facts(csd, Axis.ATTR)
    assert (csd.meta.verb, csd.meta.product) == ("place", None)


def test_an_attack_tells_source_weapon_and_loot():
    csd = described(samples.attacked_sheep())
    assert facts(csd, Axis.FUNC) == [("sheep", "plays", "source"), ("stone_sword", "plays", "weapon")]
    assert facts(csd, Axis.STRUCT) == [("sheep", "near", "grass_block")]
    assert ("white_wool", "yields", 1) in facts(csd, Axis.PROC)


def test_eating_makes_food():
    csd = described(samples.ate_apple())
    assert facts(csd, Axis.FUNC) == [("apple", "plays", "food")]
    assert ("eat apple", "feedback", "apple -1; food:4") in facts(csd, Axis.INTER)


def test_a_failed_craft_keeps_its_grid_under_the_outcome_code_and_gives_no_role():
    failed = samples.crafted_pickaxe()
    failed = replace(failed, steps=failed.steps[:1], after=failed.steps[0].before)
    csd = described(failed)
    assert (csd.meta.success, csd.meta.product, csd.meta.verb) == (False, None, "craft")
    assert facts(csd, Axis.STRUCT)[0] == ("no_result", "grid", "AA")
    assert facts(csd, Axis.FUNC) == [("crafting_table", "affords", "grid3")]
    assert facts(csd, Axis.INTER)[-1] == ("no_result", "station", "none")


def test_an_axis_that_nothing_is_known_of_stays_empty():
    csd = described(samples.failed_collect())
    assert csd.struct == csd.attr == csd.func == ()
    assert facts(csd, Axis.INTER) == [
        ("collect iron_ore", "tried", "not_seen"),
        ("collect iron_ore", "failed", "expected iron_ore in sight; got none"),
    ]


def test_equal_steps_in_a_row_are_told_once_with_all_their_evidence():
    before = samples.see({})
    log = samples.brought(inventory_delta={"oak_log": 1}, work=60, block="oak_log", cell=(3, 66, 0))
    turn = (before, Collect(block="oak_log"), log)
    csd = described(samples.episode(turn, turn, turn, after=samples.see({"oak_log": 3})))
    step = find(csd, Axis.PROC, "1", "step")
    assert step.value == "collect oak_log, 3 times"
    assert [evidence.step for evidence in step.evidence] == [0, 1, 2]


def test_a_named_product_decides_even_where_a_failure_followed():
    made = samples.crafted_pickaxe()
    lost = samples.failed_collect()
    both = replace(made, steps=(*made.steps, *lost.steps))
    assert described(both).meta.success is False
    meta = described(both, "wooden_pickaxe").meta
    assert (meta.success, meta.product) == (True, "wooden_pickaxe")
    assert described(both, "diamond").meta.success is False


def test_an_item_not_carried_before_is_the_product_among_several_gains():
    before = samples.see({"apple": 2})
    gained = samples.brought(
        inventory_delta={"apple": 1, "oak_sapling": 1}, block="oak_leaves", cell=(1, 66, 0)
    )
    csd = described(samples.episode((before, Collect(block="oak_leaves"), gained), after=before))
    assert csd.meta.product == "oak_sapling"


def test_the_same_episode_described_twice_is_one_record():
    assert described(samples.dug_stone()).id == described(samples.dug_stone()).id


def test_a_descriptor_survives_its_file():
    csd = described(samples.dug_stone())
    assert Csd.from_json(csd.canonical()) == csd


def test_moves_alone_are_not_described():
    told = describe(samples.walked())
    assert isinstance(told, NotDescribed)
    assert "got only moves in ep_000001" in told.reason
    assert told.excerpts == ("go_to",)


def test_an_episode_without_steps_is_not_described():
    told = describe(replace(samples.walked(), steps=()))
    assert isinstance(told, NotDescribed)
    assert "at least one step" in told.reason


@pytest.mark.parametrize("grid", [(), (("a", "b"), ("a",))])
def test_a_malformed_grid_is_not_described_but_quoted(grid):
    before = samples.see({})
    told = describe(samples.episode((before, Craft(grid=grid), samples.brought("no_result")), after=before))
    assert isinstance(told, NotDescribed)
    assert told.excerpts == (str(grid),)


def test_a_craft_with_nothing_laid_is_told_as_an_attempt():
    before = samples.see({})
    csd = described(
        samples.episode((before, Craft(grid=((None, None),)), samples.brought("no_result")), after=before)
    )
    assert csd.struct == ()
    assert facts(csd, Axis.INTER)[0] == ("craft an empty grid", "tried", "no_result")


@pytest.mark.parametrize(
    ("cell", "words"),
    [((0, 64, 0), "level, 0 blocks"), ((0, 65, 3), "level, 3 blocks"), ((0, 68, 0), "above, 4 blocks"),
     ((3, 61, 0), "below, 4 blocks")],
)  # fmt: skip
def test_places_are_told_from_the_feet(cell, words):
    seen = replace(samples.see({}), position=(0.5, 64.5, 0.5))
    assert where(cell, seen) == words

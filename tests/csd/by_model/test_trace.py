from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from csd.axes import AXES
from csd.build import describe
from csd.by_model.example import example_shots
from csd.by_model.perceive import perceive
from csd.by_model.trace import STYLES, trace
from csd.descriptor import Csd
from tests.csd.sample_episodes import (
    ate_apple,
    attacked_sheep,
    crafted_axe,
    crafted_pickaxe,
    dug_stone,
    failed_collect,
    placed_table,
    smelted_iron,
    walked,
)
from tests.csd.test_build_ground import episodes

SAMPLES = [
    crafted_pickaxe(),
    crafted_axe(mirrored=True),
    smelted_iron(),
    smelted_iron(fire_burning=True),
    dug_stone(),
    placed_table(),
    attacked_sheep(),
    ate_apple(),
    failed_collect(),
]

CONCLUDED = {"plays", "made_by", "slot"}
"""Predicates whose value is a word that the writer has to find; of all others the value is told."""


def told(value, text):
    return re.search(rf"(?<![A-Za-z0-9_]){re.escape(str(value))}(?![A-Za-z0-9_])", text) is not None


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("episode", SAMPLES, ids=lambda one: one.goal)
def test_each_style_tells_every_name_and_number_of_the_descriptor(style, episode):
    text = trace(episode, style=style).replace('\\"', '"')
    made = describe(episode)
    missing = []
    for axis in AXES:
        for one in made.axis(axis):
            if one.predicate in CONCLUDED or isinstance(one.value, bool):
                continue
            value = str(one.value)
            if one.predicate == "consumes":
                value = value.rpartition(" x")[0]
            if one.predicate == "tried":
                value = "" if value == "ok" else value
            if not told(value, text) and value:
                missing.append((one.subject, one.predicate, value))
            if not told(one.subject, text):
                missing.append((one.subject, one.predicate, "subject"))
    assert missing == []


@pytest.mark.parametrize("style", STYLES)
def test_no_style_says_what_the_writer_is_to_conclude(style):
    text = trace(crafted_pickaxe(), style=style)
    for word in ("plays", "handle", "head", "supports", "serves", "consumes", "yields", "proc", "func"):
        assert not told(word, text)


@hypothesis_settings(max_examples=80)
@given(episodes, st.sampled_from(STYLES), st.sampled_from([None, "rod"]))
def test_any_episode_can_be_told_in_any_style(episode, style, product):
    text = trace(episode, style=style, product=product)
    assert text
    assert text == trace(episode, style=style, product=product)
    if isinstance(describe(episode, product), Csd):
        for turn in perceive(episode, product).turns:
            assert turn.done in text


def test_the_plain_style():
    assert trace(crafted_pickaxe(), style="plain") == "\n".join(
        [
            "Goal: try something",
            "1. craft AA of oak_planks x2: no_result",
            "  made by hand; expected a grid that gives something; got oak_planks x2; 1 ticks",
            "2. craft AAA/.B./.B. of oak_planks x3, stick x2",
            "  made at crafting_table; oak_planks -3, stick -2, wooden_pickaxe +1; 2 ticks",
            "Grid: A oak_planks, 3 cells, top row; B stick, 2 cells, lower stem; symmetry mirror",
            "- crafting_table: brown; level, 2 blocks; next to grass_block",
            "- grass_block: green; below, 0 blocks",
            "- oak_planks: carried 5, 64 a slot",
            "- stick: carried 2, 64 a slot",
            "- wooden_pickaxe: carried 0, 1 a slot",
            "In reach: crafting_table, offers grid3",
        ]
    )


def test_what_was_only_in_sight_is_told_too_but_not_all_of_it():
    names = [one.name for one in perceive(dug_stone()).things]
    assert names == sorted(names)
    assert "grass_block" in names


def test_moves_that_worked_are_not_told_and_a_walk_is_told_as_nothing_done():
    assert perceive(walked()).turns == ()
    assert trace(walked(), style="plain").startswith("Goal:")


def test_the_product_wanted_is_told_where_it_is_known():
    for style in STYLES:
        with_product = trace(crafted_pickaxe(), style=style, product="wooden_pickaxe")
        assert with_product != trace(crafted_pickaxe(), style=style)


def test_an_unknown_style_is_refused():
    with pytest.raises(ValueError, match=r"expected one of the styles plain, log.* got 'prose'"):
        trace(walked(), style="prose")


def test_there_are_several_styles_and_none_tells_like_another():
    assert len(STYLES) >= 4
    assert len({trace(dug_stone(), style=style) for style in STYLES}) == len(STYLES)


@pytest.mark.parametrize("style", STYLES)
def test_the_examples_of_the_prompt_are_told_in_each_style(style):
    made, failed = example_shots(style)
    assert "brass_rake" in made.told
    assert '"verb":"craft"' in made.written
    assert '"refused":[["teal_slate","brass_rake"]]' in failed.written

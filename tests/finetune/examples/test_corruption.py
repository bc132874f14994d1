from __future__ import annotations

import json

import numpy as np
import pytest

from csd.build import describe
from csd.by_model.compact import compact
from csd.descriptor import Csd
from csd.episode import Episode
from csd.ground import names_seen
from finetune.examples.corruption import CORRUPTIONS, Material
from tests.csd.sample_episodes import crafted_pickaxe, dug_stone, placed_table, smelted_iron


def right(episode: Episode) -> str:
    made = describe(episode)
    assert isinstance(made, Csd)
    return compact(made)


def material(episode: Episode, *examples: str) -> Material:
    return Material(
        right=right(episode),
        other=right(smelted_iron()),
        seen=names_seen(episode),
        unseen=("diamond", "iron_ore"),
        examples=examples,
    )


PICKAXE = material(crafted_pickaxe(), '{"example":1}')


def corrupted(name: str, seed: int = 0, given: Material = PICKAXE) -> str:
    wrong = CORRUPTIONS[name](given, np.random.default_rng(seed))
    assert wrong is not None
    return wrong


@pytest.mark.parametrize("name", CORRUPTIONS)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("made", [crafted_pickaxe, dug_stone, placed_table])
def test_every_corruption_changes_the_text_and_is_the_same_each_time(name, seed, made):
    given = material(made())
    first, second = (CORRUPTIONS[name](given, np.random.default_rng(seed)) for _ in range(2))
    assert first == second
    assert first is None or first != given.right


@pytest.mark.parametrize("seed", range(10))
def test_a_wrong_amount_differs_in_one_value(seed):
    before, after = json.loads(PICKAXE.right), json.loads(corrupted("wrong amount", seed))
    pairs = [
        (one, other)
        for axis in ("struct", "attr", "proc", "func", "inter")
        for predicate in before[axis]
        for one, other in zip(before[axis][predicate], after[axis][predicate], strict=True)
        if one != other
    ]
    ((one, other),) = pairs
    assert one[0] == other[0]
    assert any(mark.isdigit() for mark in str(other[1]))


def test_another_item_is_one_that_was_seen_and_an_unseen_one_was_not():
    for seed in range(10):
        assert "diamond" not in corrupted("other item", seed)
        assert "diamond" in corrupted("unseen item", seed) or "iron_ore" in corrupted("unseen item", seed)


def test_a_name_is_swapped_as_a_whole_word():
    given = Material(
        right='{"meta":{"verb":"mine","product":null,"success":true},"struct":{"near":[["oak","oak_log"]]},'
        '"attr":{},"proc":{},"func":{},"inter":{}}',
        other=PICKAXE.right,
        seen=("oak",),
        unseen=("gem",),
        examples=(),
    )
    assert '"near":[["gem","oak_log"]]' in corrupted("unseen item", 0, given)


def test_statements_of_another_episode_are_added():
    before, after = json.loads(PICKAXE.right), json.loads(corrupted("not seen"))
    assert before["meta"] == after["meta"]
    assert len(corrupted("not seen")) > len(PICKAXE.right)
    assert any(word in corrupted("not seen") for word in ("iron", "coal", "furnace", "200"))


def test_a_missing_axis_is_gone_and_a_wrong_one_holds_a_strange_predicate():
    assert len(json.loads(corrupted("missing axis"))) == 5
    moved = json.loads(corrupted("wrong axis"))
    assert sum(len(moved[axis]) for axis in list(moved)[1:]) >= 1
    assert moved != json.loads(PICKAXE.right)


@pytest.mark.parametrize("name", ["cut short", "broken", "in words", "repeated"])
@pytest.mark.parametrize("seed", range(5))
def test_broken_texts_are_no_json(name, seed):
    with pytest.raises(ValueError, match=r"."):
        json.loads(corrupted(name, seed))


def test_without_an_example_none_is_copied():
    assert corrupted("copied example") == '{"example":1}'
    bare = material(crafted_pickaxe())
    assert CORRUPTIONS["copied example"](bare, np.random.default_rng(0)) is None

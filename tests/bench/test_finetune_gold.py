"""What is alike by the rules of the game, of written episodes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from csd.axes import Axis
from csd.episode import Episode
from echo.bench.finetune_gold import Rules, Told, rules_of, told_of
from echo.mfm.codec import from_json, to_json
from echo.worlds.minecraft.facts import load_facts
from echo.worlds.minecraft.names import NameBook
from tests.finetune.examples.recorded_samples import crafted, dug, only_walked, put_down, smelted, tried

PLANK = "oak_planks"
SLAB = crafted(((PLANK,) * 3,), "oak_slab", 6)
STONE_SLAB = crafted((("stone",) * 3,), "stone_slab", 6)
DOOR = crafted(((PLANK,) * 2,) * 3, "oak_door", 3)


def told(episode: Episode, name: str = "life/ep_000001") -> Told:
    made = told_of(name, episode)
    assert made is not None
    return made


def labels(episode: Episode) -> dict[Axis, str]:
    return Rules(load_facts(), None).labels(told(episode))


def test_grids_of_one_shape_are_alike_on_structure_whatever_they_are_of():
    assert labels(SLAB)[Axis.STRUCT] == labels(STONE_SLAB)[Axis.STRUCT] != labels(DOOR)[Axis.STRUCT]


def test_what_gave_nothing_has_no_structure():
    assert Axis.STRUCT not in labels(tried(((PLANK, "stick"),)))
    assert Axis.STRUCT not in labels(dug("stone"))


def test_things_as_hard_for_the_same_tool_are_alike_on_attributes():
    wood, other = labels(put_down("oak_planks")), labels(put_down("birch_planks"))
    assert wood[Axis.ATTR] == other[Axis.ATTR]
    assert wood[Axis.ATTR] != labels(put_down("granite"))[Axis.ATTR]
    assert "pickaxe" in labels(dug("iron_ore"))[Axis.ATTR]


def test_what_was_done_and_where_is_alike_on_procedure():
    assert labels(SLAB)[Axis.PROC] == labels(STONE_SLAB)[Axis.PROC] == labels(DOOR)[Axis.PROC]
    assert labels(crafted((("oak_log",),), PLANK, 4))[Axis.PROC] != labels(SLAB)[Axis.PROC]
    assert labels(smelted("raw_iron", "iron_ingot"))[Axis.PROC] == "smelt at a furnace"


def test_what_is_for_the_same_is_alike_on_function():
    assert labels(SLAB)[Axis.FUNC] == labels(DOOR)[Axis.FUNC] == "block"
    assert labels(smelted("raw_iron", "iron_ingot"))[Axis.FUNC] == "ingredient"
    tool = crafted(((PLANK,) * 3, (None, "stick", None), (None, "stick", None)), "wooden_pickaxe", 1)
    assert labels(tool)[Axis.FUNC] == "tool pickaxe"
    assert Axis.FUNC not in labels(tried(((PLANK, "stick"),)))


def test_what_ended_alike_is_alike_on_interaction():
    assert labels(dug("stone"))[Axis.INTER] == "no_drop"
    assert labels(dug("oak_log", drops="oak_log"))[Axis.INTER] == labels(SLAB)[Axis.INTER] == "ok"


def test_an_episode_without_a_deciding_step_is_described_by_nobody():
    assert told_of("life/ep_000001", only_walked()) is None


def invented(value: Any, book: NameBook) -> Any:
    """An episode's JSON with every name as the world of that book shows it."""
    if isinstance(value, dict):
        return {book.shown(name): invented(each, book) for name, each in value.items()}
    if isinstance(value, list):
        return [invented(each, book) for each in value]
    return book.shown(value) if isinstance(value, str) else value


@pytest.mark.parametrize(("memory", "seeds"), [("echo-s7", ()), ("ada", (3, 7))])
def test_rules_are_found_under_the_names_that_a_memory_showed(memory: str, seeds: tuple[int, ...]):
    facts = load_facts()
    book = NameBook((*facts.items, *facts.blocks, *facts.mobs), 7)
    shown = from_json(Episode, invented(to_json(SLAB), book))
    assert "oak" not in json.dumps(to_json(shown)).replace("make oak_slab", "")
    found = rules_of([told(shown, f"{memory}/ep_1"), told(SLAB, "real/ep_1")], facts, seeds)
    assert found[memory] is not None
    assert found["real"] is not None
    assert found[memory].labels(told(shown)) == found["real"].labels(told(SLAB))


@pytest.mark.parametrize("name", ["life", "life-s7"])
def test_names_that_mean_nothing_have_no_rules(name: str):
    odd = crafted((("grumble",) * 3,), "grumble_slab", 6)
    assert rules_of([told(odd, f"{name}/ep_1")], load_facts()) == {name: None}

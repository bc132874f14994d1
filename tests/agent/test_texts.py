from __future__ import annotations

import pytest

from csd.encode import EncodeError, HashingEncoder
from csd.episode import Collect, Craft, Place
from echo.agent.texts import TextIndex, bearing
from tests.agent.toy_goals import lived
from tests.baselines.hand_made import ScriptedEncoder


def test_the_nearest_come_first_and_ties_in_the_order_of_coming() -> None:
    index = TextIndex(ScriptedEncoder({"a": 0.2, "b": 0.8, "c": 0.2}, ("asked",)))
    for key in ("a", "b", "c"):
        index.set(key, key)
    assert index.nearest("asked") == (("b", 0.8), ("a", 0.2), ("c", 0.2))
    assert index.nearest("asked", 2) == (("b", 0.8), ("a", 0.2))


def test_a_key_given_another_text_is_ranked_by_that_one_alone() -> None:
    index = TextIndex(ScriptedEncoder({"far": 0.1, "near": 0.9}, ("asked",)))
    index.set("key", "far")
    assert index.nearest("asked") == (("key", 0.1),)
    index.set("key", "near")
    assert index.nearest("asked") == (("key", 0.9),)


def test_each_text_is_embedded_once_and_in_words() -> None:
    encoder = ScriptedEncoder({}, ("asked",))
    index = TextIndex(encoder)
    index.set("one", "oak_log")
    index.set("two", "oak_log")
    for _ in range(3):
        index.nearest("asked")
    assert encoder.encoded == ["asked", "oak log"]


def test_an_empty_index_finds_nothing_and_an_empty_text_is_refused() -> None:
    index = TextIndex(HashingEncoder())
    assert index.nearest("anything") == ()
    index.set("key", "text")
    with pytest.raises(EncodeError, match="visible characters"):
        index.nearest(" ")


def test_what_bears_on_a_question_made_something_that_shares_words_with_it() -> None:
    planks, rods, pick_of_boards = (Craft(grid=grid) for grid in GRIDS)
    steps = lived(Collect(block="tree"), planks, rods, pick_of_boards, log=1)
    assert [step.action for step in bearing("carry a plank", steps)] == [planks]
    assert [step.action for step in bearing("rod, plank", steps)] == [rods, planks]
    assert bearing("carry a log", steps) == ()  # A log was dug, not made.
    assert bearing("carry gold", steps) == ()


GRIDS = ((("log",),), (("plank",), ("plank",)), (("board",),))


def test_of_steps_that_bear_alike_the_latest_comes_first_and_so_many_are_told() -> None:
    one, other = Craft(grid=(("log",),)), Craft(grid=((None, "log"), (None, None)))
    steps = lived(one, other, log=2)
    assert bearing("plank", steps) == (steps[1], steps[0])
    assert bearing("plank", steps, 1) == (steps[1],)


def test_parts_of_a_name_are_words_of_their_own() -> None:
    head = Craft(grid=(("stone",) * 3, (None, "rod", None), (None, "rod", None)))
    held = {"table": 1, "stone": 3, "rod": 2, "log": 1}
    table, pick, planks = lived(Place(item="table"), head, Craft(grid=(("log",),)), **held)
    assert bearing("a pick of stone and planks", [table, pick, planks]) == (pick,)
    assert bearing("stone plank", [table, planks, pick]) == (pick, planks)

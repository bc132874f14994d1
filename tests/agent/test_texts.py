from __future__ import annotations

import pytest

from csd.encode import EncodeError, HashingEncoder
from echo.agent.texts import TextIndex
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

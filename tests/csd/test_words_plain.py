from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csd.words.plain import MAX_CHARACTERS, expression, other_numbers
from csd.words.words import Words
from tests.csd.descriptors import wooden_pickaxe
from tests.csd.words_feed import FakeBank


@pytest.fixture(scope="module")
def words() -> Words:
    bank, words = FakeBank(), Words(None)
    bank.add(wooden_pickaxe())
    words.refresh(bank)
    return words


@pytest.mark.parametrize(
    "text",
    [
        '"',
        'oak"',
        "'",
        "(oak",
        "oak)",
        "{func}: oak",
        "func:oak",
        "-oak",
        "^oak",
        "oak +",
        "*",
        "**",
        "- : ()",
        "",
    ],
)
def test_signs_of_the_query_language_are_not_understood(words: Words, text: str) -> None:
    found = [hit.row for hit in words.cue(text, limit=5)]
    assert found == ([1] if "oak" in text and "func" not in text else [])


@pytest.mark.parametrize(
    "text", ["oak AND stick", "oak OR stick", "oak NOT stick", "NEAR oak stick", "NEAR(oak stick, 5)"]
)
def test_words_of_the_query_language_are_words_that_must_occur(words: Words, text: str) -> None:
    assert [hit.row for hit in words.cue("oak stick", limit=5)] == [1]
    assert words.cue(text, limit=5) == []


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=40), st.sampled_from([None, ("func",), ("struct", "inter")]))
def test_any_text_finds_something_or_nothing_or_is_refused_in_words(text: str, axes) -> None:
    bank, words = FakeBank(), Words(None)
    bank.add(wooden_pickaxe())
    words.refresh(bank)
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        with pytest.raises(ValueError, match="expected a cue"):
            words.cue(text, limit=5, axes=axes)
    else:
        assert [hit.row for hit in words.cue(text, limit=5, axes=axes)] in ([], [1])


def test_what_cannot_be_asked_is_refused_and_says_why() -> None:
    with pytest.raises(ValueError, match="without NUL characters; got one at 1"):
        expression("a\0b")
    with pytest.raises(ValueError, match=r"whole Unicode characters; got '\\ud83d' at 2"):
        expression("ab\ud83d")
    with pytest.raises(ValueError, match=f"at most {MAX_CHARACTERS} characters; got 1000000"):
        expression("x" * 1_000_000)
    with pytest.raises(ValueError, match="at most 64 words; got 65"):
        expression("a " * 65)
    with pytest.raises(ValueError, match="out of struct, attr, proc, func, inter; got fun"):
        expression("a", ("fun",))


@pytest.mark.parametrize(
    ("singular", "plural"),
    [("plank", "planks"), ("torch", "torches"), ("axe", "axes"), ("berry", "berries"), ("leaf", "leaves"),
     ("box", "boxes"), ("grass", "grasses"), ("oak_plank", "oak_planks"), ("key", "keys")],
)  # fmt: skip
def test_singular_and_plural_find_each_other(singular: str, plural: str) -> None:
    assert plural in other_numbers(singular)
    assert singular in other_numbers(plural)


def test_short_words_numbers_and_other_alphabets_have_no_plural() -> None:
    assert [other_numbers(word) for word in ("as", "x3", "64", "橡木板", "née1")] == [[]] * 5

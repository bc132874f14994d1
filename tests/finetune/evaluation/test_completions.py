from __future__ import annotations

import pytest

from csd.by_model.shape import compact_schema
from csd.chat import Message, ModelError
from finetune.evaluation.completions import TOGETHER, Book, KeptCompletion, ask_each
from tests.finetune.evaluation.evaluation_samples import Answering, subject


def asked(*texts: str) -> list[tuple[Message, ...]]:
    return [(Message(role="user", text=text),) for text in texts]


def test_answers_come_in_the_order_of_the_questions_and_are_kept_at_once():
    kept: list[KeptCompletion] = []
    model = Answering({"long question": "1", "short": "2"})
    found = ask_each(asked("long question", "short"), subject(model), Book([], kept.append), schema=None)
    assert [one.completion for one in found if one is not None] == ["1", "2"]
    assert sorted(one.completion for one in kept) == ["1", "2"]
    assert model.asked == ["short", "long question"]


def test_what_was_answered_is_not_asked_again():
    kept: list[KeptCompletion] = []
    first = Answering({"a": "1", "b": "2"})
    ask_each(asked("a"), subject(first), Book([], kept.append), schema=None)
    again = Answering({"a": "other", "b": "2"})
    found = ask_each(asked("a", "b", "a"), subject(again), Book(kept, kept.append), schema=None)
    assert [one.completion for one in found if one is not None] == ["1", "2", "1"]
    assert again.asked == ["b"]
    assert len(kept) == 2


def test_other_settings_another_model_or_a_schema_are_other_answers():
    kept: list[KeptCompletion] = []
    model = Answering({"a": "1"})
    for told, schema in (({}, None), ({"seed": 1}, None), ({}, compact_schema())):
        ask_each(asked("a"), subject(model, **told), Book(kept, kept.append), schema=schema)
    assert model.asked == ["a"] * 3
    assert model.schemas == [None, None, compact_schema()]
    assert len(dict.fromkeys(one.key for one in kept)) == 3


def test_one_refused_question_does_not_cost_the_others():
    model = Answering({"a": "1", "ccc": "3"})
    found = ask_each(asked("a", "bb", "ccc"), subject(model), Book([], lambda one: None), schema=None)
    assert [None if one is None else one.completion for one in found] == ["1", None, "3"]


def test_a_model_that_answers_nothing_ends_it_after_two_questions_more():
    model = Answering({})
    with pytest.raises(ModelError, match="in the table"):
        ask_each(asked("a", "b", "c", "d"), subject(model), Book([], lambda one: None), schema=None)
    assert model.asked == ["a", "a", "b"]


def test_answers_before_a_failure_are_kept():
    texts = [f"{number:03}" for number in range(TOGETHER + 2)]
    kept: list[KeptCompletion] = []
    model = Answering(dict.fromkeys(texts[:TOGETHER], "1"))
    with pytest.raises(ModelError):
        ask_each(asked(*texts), subject(model), Book([], kept.append), schema=None)
    assert len(kept) == TOGETHER


def test_half_a_surrogate_pair_is_kept_as_an_escape():
    kept: list[KeptCompletion] = []
    ask_each(asked("a"), subject(Answering({"a": "x\ud83c"})), Book([], kept.append), schema=None)
    assert kept[0].completion == "x\\ud83c"
    assert KeptCompletion.model_validate_json(kept[0].model_dump_json()) == kept[0]


def test_progress_is_told():
    told: list[tuple[int, int]] = []
    texts = [f"{number:03}" for number in range(TOGETHER + 2)]
    ask_each(
        asked(*texts),
        subject(Answering(dict.fromkeys(texts, "1"))),
        Book([], lambda one: None),
        schema=None,
        tell=lambda done, of: told.append((done, of)),
    )
    assert told == [(0, 18), (16, 18), (18, 18)]

from __future__ import annotations

from dataclasses import replace

import pytest

from csd.by_model.prompts import Shot
from csd.chat import Message
from finetune.examples.families import About
from finetune.examples.leakage import leaks, refuse_leaks
from finetune.examples.recorded import ExamplesError
from finetune.examples.rows import Example
from finetune.examples.splits import Split

SHOT = Shot(told="goal: make a furnace", written='{"meta":{"verb":"craft"}}')


def example(split: Split, name: str, recipe: str = "") -> Example:
    recipes = (recipe,) if recipe else ()
    return Example(
        messages=(
            Message(role="system", text="Describe."),
            Message(role="user", text=f"trace of {name}"),
            Message(role="assistant", text=f"answer to {name}"),
        ),
        episode=f"one/{name}",
        kind="write",
        told=About(task_family="craft", item_family=name, touched=(), recipes=recipes),
        group=name,
        style="plain",
        split=split,
        unseen_style=False,
        task="",
    )


def found(*examples: Example, tasks_held: bool = False) -> list[tuple[str, tuple[str, str]]]:
    data: dict[Split, list[Example]] = {"train": [], "validation": [], "test": []}
    for each in examples:
        data[each.split].append(each)
    return [(leak.what, leak.rows) for leak in leaks(data, [SHOT], tasks_held=tasks_held)]


def test_what_differs_in_everything_does_not_leak():
    assert (
        found(example("train", "a", "r1"), example("validation", "b", "r2"), example("test", "c", "r3")) == []
    )


def test_the_same_within_one_split_does_not_leak():
    assert found(example("train", "a", "r1"), example("train", "a", "r1")) == []


def test_each_thing_in_two_splits_is_named_with_its_lines():
    shared = replace(example("train", "a", "r1"), split="test")
    where = ("train.jsonl, line 2", "test.jsonl, line 1")
    assert found(example("train", "z"), example("train", "a", "r1"), shared) == [
        ("episode", where),
        ("recipe", where),
        ("trace", where),
        ("answer", where),
        ("group of item families", where),
    ]


def test_a_recipe_alone_leaks_between_training_and_validation():
    assert found(example("train", "a", "r1"), example("validation", "b", "r1")) == [
        ("recipe", ("train.jsonl, line 1", "validation.jsonl, line 1"))
    ]


def test_refusals_share_their_answer_and_that_is_no_leak():
    refusals = [
        replace(example(split, name), kind="refuse", group="nothing", messages=(
            Message(role="user", text=name), Message(role="assistant", text="nothing")))
        for split, name in (("train", "a"), ("test", "b"))
    ]  # fmt: skip
    assert found(*refusals) == []


def test_groups_may_cross_where_a_whole_task_is_held_out():
    other = replace(example("test", "b"), group="a")
    assert found(example("train", "a"), other) == [
        ("group of item families", ("train.jsonl, line 1", "test.jsonl, line 1"))
    ]
    assert found(example("train", "a"), other, tasks_held=True) == []


def test_the_prompts_example_is_found_in_every_split():
    told = replace(
        example("test", "b"),
        messages=(
            Message(role="system", text="Describe."),
            Message(role="user", text=f"say: {SHOT.told}"),
            Message(role="assistant", text=SHOT.written),
        ),
    )
    where = ("test.jsonl, line 1", "the prompt's example")
    assert found(told) == [("text", where), ("text", where)]
    where = ("train.jsonl, line 1", "the prompt's example")
    assert found(replace(told, split="train")) == [("text", where), ("text", where)]


def test_a_wrong_attempt_may_be_the_copied_example():
    base = example("test", "b")
    repair = replace(
        base,
        kind="repair",
        messages=(
            *base.messages[:2],
            Message(role="assistant", text=SHOT.written),
            Message(role="user", text="that is the example"),
            base.messages[2],
        ),
    )
    assert found(repair) == []


def test_leaks_are_an_error_that_names_the_rows():
    refuse_leaks(())
    with pytest.raises(
        ExamplesError, match=r"recipe 'r1' in train\.jsonl, line 1 and in test\.jsonl, line 1"
    ):
        refuse_leaks(
            leaks(
                {"train": [example("train", "a", "r1")], "test": [example("test", "b", "r1")]},
                [SHOT],
                tasks_held=False,
            )
        )

"""Reading what a model wrote: everything it does to JSON and to shapes, and the schema that prevents it."""

from __future__ import annotations

import json

import jsonschema
import pytest

from ical.asking import prompts
from ical.asking.drafts import MOST_ACTIONS, read_tasks, tasks_schema
from tests.ical.asking.samples import STONE_PICKAXE, task, written
from tests.ical.experience import COBBLE, STICK


def test_a_clean_answer_is_read_as_it_is():
    reading = read_tasks(written(task()), 3)
    (draft,) = reading.drafts
    assert reading.faults == reading.mended == ()
    assert draft.like == "E1"
    assert draft.actions[0].grid == tuple(map(tuple, STONE_PICKAXE))
    assert [(one.kind, one.item, one.amount) for one in draft.claims] == [("uses", STICK, 2)]


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("Here you are:\n```json\n{}\n```\nGood luck!", "a fence around it"),
        ("{} I hope that {{this}} helps.", "text after it"),
        ("<think>planks, or stone?</think>{}", "thinking before the answer"),
    ],
)
def test_what_stands_around_an_answer_is_named_and_taken(text, mended):
    reading = read_tasks(text.replace("{}", written(task())), 3)
    assert len(reading.drafts) == 1
    assert mended in reading.mended


def test_python_quotes_and_trailing_commas_are_taken():
    reading = read_tasks(str({"tasks": [task()]}).replace("}]}", "},]}"), 3)
    assert len(reading.drafts) == 1
    assert {"single quotes", "trailing comma", "Python literal"} <= set(reading.mended)


def test_a_bare_task_is_a_list_of_one():
    assert len(read_tasks(json.dumps(task()), 3).drafts) == 1


def test_names_are_read_as_worlds_spell_them():
    grid = [
        ["minecraft:Cobblestone", "Cobblestone ", "cobblestone"],
        ["", "Stick", None],
        ["air", "stick", "."],
    ]
    (draft,) = read_tasks(written(task(grid)), 3).drafts
    assert draft.actions[0].grid == tuple(map(tuple, STONE_PICKAXE))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "got an empty answer"),
        ("I would lay three stones.", "expected a JSON object; got 'I would lay"),
        (written(task())[:-40], "got the end of the text"),
        ('{"tasks":[]}', "at least one task; got an empty list"),
        ('{"tasks":"three"}', "got the keys 'tasks'"),
        ('{"plan":[1]}', "got the keys 'plan'"),
        (written("do it"), "task 1: .*got 'do it'"),
        (written(task(actions=[])), "task 1: .*at actions"),
        (written(task(actions=[{"do": "fly"}])), "task 1: .*at actions.0"),
        (written(task([[COBBLE] * 4])), "task 1: .*at actions.0.craft.grid"),
        (written(task(actions=[{"do": "smelt", "input": "two words, and more", "fuel": "coal"}])), "task 1"),
        (written(task(**{"assert": [{"kind": "hopes"}]})), "task 1: .*at assert.0.kind"),
        ('{"tasks":[{"goal":"\\ud83c","actions":[]}]}', "half a surrogate pair"),
    ],
)
def test_what_cannot_be_read_is_a_fault_and_no_empty_answer(text, fault):
    reading = read_tasks(text, 3)
    assert reading.drafts == ()
    with pytest.raises(AssertionError, match=fault):
        raise AssertionError("; ".join(reading.faults))


def test_a_task_that_cannot_be_read_costs_itself_alone():
    reading = read_tasks(written(task(actions=[]), task()), 3)
    assert len(reading.drafts) == 1
    assert reading.faults[0].startswith("task 1:")


def test_more_tasks_than_asked_are_left_out_by_name():
    reading = read_tasks(written(task(), task(), task()), 2)
    assert len(reading.drafts) == 2
    assert reading.faults == ("expected at most 2 tasks; got 3: the rest was left out",)


def test_a_model_that_repeats_the_prompt_gave_no_task():
    question = prompts.repair(["nothing"]).text
    example = json.dumps(prompts.example())
    for text in (example, f"{question}\n{example}", f"Write it like this:\n{example}\n{example}"):
        reading = read_tasks(text, 3)
        assert reading.drafts == ()
        assert "the example of the question" in reading.faults[0]


def test_an_answer_after_the_repeated_example_is_the_one_taken():
    reading = read_tasks(f"{json.dumps(prompts.example())}\n{written(task())}", 3)
    assert reading.drafts[0].goal == "a pickaxe of cobblestone"


def test_the_example_among_own_tasks_is_left_out_by_name():
    reading = read_tasks(written(prompts.example()["tasks"][0], task()), 3)
    assert len(reading.drafts) == 1
    assert reading.faults == ("task 1: expected one of your own; got the example of the question",)


def test_the_schema_takes_a_good_answer_and_bounds_all_others():
    schema = tasks_schema((COBBLE, STICK), ("E1",), 2)
    jsonschema.Draft202012Validator.check_schema(schema)
    good = jsonschema.Draft202012Validator(schema)
    assert good.is_valid(json.loads(written(task())))
    for bad in (
        written(),
        written(task(), task(), task()),
        written(task(like="E2")),
        written(task([["diamond"]])),
        written(task([[COBBLE] * 4])),
        written(task(actions=[{"do": "place", "item": COBBLE}] * (MOST_ACTIONS + 1))),
        written(task(goal="a" * 500)),
        written({**task(), "more": 1}),
    ):
        assert not good.is_valid(json.loads(bad))


def test_where_only_laying_counts_the_schema_knows_no_digging():
    dig = json.loads(written(task(actions=[{"do": "collect", "block": COBBLE}])))
    every, laying = (
        jsonschema.Draft202012Validator(tasks_schema((COBBLE, STICK), ("E1",), 2, lays=lays))
        for lays in (False, True)
    )
    assert every.is_valid(dig)
    assert not laying.is_valid(dig)

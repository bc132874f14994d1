from __future__ import annotations

import json

import pytest

from csd.axes import AXES, Axis
from csd.released import read_entry, read_released
from tests.csd.released_samples import BOWL, bowl


def test_a_file_gives_its_entries_in_order():
    text = json.dumps({"b": bowl(task_id="b"), "a": bowl(task_id="a")})
    assert [entry.task_id for entry in read_released(text)] == ["b", "a"]


def test_a_single_entry_is_a_file_of_one():
    (entry,) = read_released(json.dumps(BOWL))
    assert entry.task_id == "crafting_bowl"
    assert entry.meta.agent_pos == (10.5, 64.0, -3.5)
    assert entry.inter.hist[1] == "Collected 1 spruce_log."


def test_both_spellings_of_inter_are_read_alike():
    small = {key: value for key, value in BOWL.items() if key != "Inter"} | {"inter": BOWL["Inter"]}
    assert read_entry("crafting_bowl", small) == read_entry("crafting_bowl", BOWL)


def test_texts_and_objects_are_both_taken_for_struct_and_proc():
    entry = read_entry("x", bowl(struct={"description": "A spruce.", "reach": "near"}, proc="One step."))
    assert entry.struct == {"description": "A spruce.", "reach": "near"}
    assert entry.proc == {"description": "One step."}


def test_missing_axes_are_empty_and_not_made_up():
    entry = read_entry("x", {"meta": {"task": "Wait."}})
    assert entry.task_id == "x"
    assert [entry.axis(axis) for axis in AXES] == [()] * 5


def test_null_axes_are_empty():
    assert read_entry("x", bowl(struct=None, func=None)).axis(Axis.STRUCT) == ()


def test_statements_point_into_the_entry():
    (statement,) = read_entry("x", BOWL).axis(Axis.FUNC)
    assert (statement.subject, statement.predicate, statement.value) == ("spruce", "role", "Gives wood.")
    (evidence,) = statement.evidence
    assert (evidence.episode, evidence.kind, evidence.detail) == ("crafting_bowl", "observation", "func[0]")


def test_history_lines_are_told_one_by_one():
    facts = [(s.predicate, s.value) for s in read_entry("x", BOWL).axis(Axis.INTER)]
    assert facts[1] == ("summary", "Bowls from a spruce.")
    assert facts[2:4] == [
        ("hist", "Found spruce_log at (12, 64, -3) and navigated to it."),
        ("hist", "Collected 1 spruce_log."),
    ]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (bowl(meta={"biome": "taiga"}), r"crafting_bowl\.meta\.task: Field required"),
        (bowl(mood="merry"), r"crafting_bowl\.mood: Extra inputs are not permitted"),
        (bowl(attr={"spruce": "brown"}), r"crafting_bowl\.attr\.spruce: Input should be a valid dictionary"),
        (bowl(inter__hist="Collected 1 spruce_log."), r"crafting_bowl\.Inter\.hist: "),
        (bowl(meta__agent_pos=[1, 2]), r"crafting_bowl\.meta\.agent_pos\.2: Field required"),
        (bowl(struct=3), r"crafting_bowl\.struct: "),
    ],
)
def test_faulty_fields_are_named(entry, message):
    with pytest.raises(ValueError, match=message):
        read_entry("crafting_bowl", entry)


def test_every_faulty_field_is_named_at_once():
    with pytest.raises(ValueError, match=r"x\.mood.*x\.sound"):
        read_entry("x", {"meta": {"task": "t"}, "mood": 1, "sound": 2})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "got Expecting property name .* at line 1, column 2"),
        ("[]", "got list of length 0"),
        ("{}", "got dict of length 0"),
        ("3", "got int of length 0"),
        ('{"a": 3}', "expected an object for a; got int"),
    ],
)
def test_a_file_that_is_no_memory_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        read_released(text)

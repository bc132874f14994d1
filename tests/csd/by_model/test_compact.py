from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from csd.axes import AXES
from csd.build import describe
from csd.by_model.compact import Unshown, compact, expand, statements
from csd.by_model.shape import compact_schema, shape_faults
from csd.descriptor import Csd
from csd.ground import ground
from tests.csd.sample_episodes import (
    crafted_pickaxe,
    dug_stone,
    failed_collect,
    placed_table,
    smelted_iron,
    walked,
)
from tests.csd.test_build_ground import episodes

EMPTY = {"struct": {}, "attr": {}, "proc": {}, "func": {}, "inter": {}}


def facts(csd):
    return {
        (axis.value, one.subject, one.predicate, type(one.value), one.value)
        for axis in AXES
        for one in csd.axis(axis)
    }


def written(**axes):
    meta = {"verb": "collect", "product": None, "success": False}
    return {"meta": meta, **EMPTY, **axes}


def test_the_compact_form_is_one_line_with_axes_and_predicates_in_order():
    assert compact(describe(failed_collect())) == (
        '{"meta":{"verb":"collect","product":null,"success":false},'
        '"struct":{},"attr":{},"proc":{"step":[["1","collect iron_ore: not_seen"]]},"func":{},'
        '"inter":{"tried":[["1","not_seen"]],"failed":[["1","expected iron_ore in sight; got none"]]}}'
    )


@hypothesis_settings(max_examples=150)
@given(episode=episodes)
def test_a_descriptor_written_compact_and_looked_up_again_says_the_same(episode):
    made = describe(episode)
    if not isinstance(made, Csd):
        return
    again = expand(json.loads(compact(made)), episode, builder=made.meta.builder)
    assert again.ungrounded == ()
    assert again.csd is not None
    assert facts(again.csd) == facts(made)
    assert again.csd.meta == made.meta
    assert ground(again.csd, {episode.id: episode}) == ()


def test_the_product_the_episode_was_for_decides_as_it_does_for_the_rules():
    episode = crafted_pickaxe()
    made = describe(episode, "wooden_pickaxe")
    again = expand(json.loads(compact(made)), episode, builder="rules/1", product="wooden_pickaxe")
    assert again.csd.meta == made.meta


def test_evidence_of_what_was_laid_points_to_the_deciding_step():
    made = expand(json.loads(compact(describe(crafted_pickaxe()))), crafted_pickaxe(), builder="b")
    grid = next(one for one in made.csd.struct if one.predicate == "grid")
    assert [(one.step, one.kind) for one in grid.evidence] == [(1, "action")]
    assert made.csd.meta.builder == "b"


def test_a_statement_without_evidence_is_named_and_left_out():
    value = written(
        attr={"colour": [["oak_log", "brown"], ["oak_log", "purple"]]},
        inter={"tried": [["collect iron_ore", "not_seen"], ["7", "ok"]]},
    )
    made = expand(value, failed_collect(), builder="b")
    assert [(one.subject, one.predicate, one.value) for one in made.ungrounded] == [
        ("oak_log", "colour", "purple"),
        ("7", "tried", "ok"),
    ]
    assert "which none does" in made.ungrounded[0].reason
    assert len(facts(made.csd)) == 2


def test_true_is_not_one():
    value = written(attr={"placeable": [["crafting_table", True]]}, proc={"yields": [["oak_log", 1]]})
    made = expand(value, placed_table(), builder="b")
    assert facts(made.csd) == {("attr", "crafting_table", "placeable", bool, True)}


def test_no_descriptor_is_made_where_nothing_is_shown():
    made = expand(written(attr={"colour": [["oak_log", "purple"]]}), failed_collect(), builder="b")
    assert made.csd is None
    assert len(made.ungrounded) == 1


def test_circumstances_are_those_of_the_episode_whatever_was_written():
    value = written(attr={"dig_ticks": [["stone", 23]]})
    value["meta"] = {"verb": "attack", "product": "diamond", "success": False}
    value = {**value, "attr": json.loads(compact(describe(dug_stone())))["attr"]}
    made = expand(value, dug_stone(), builder="b")
    assert (made.csd.meta.verb, made.csd.meta.product) == ("collect", "cobblestone")
    assert [(one.axis, one.predicate, one.value) for one in made.ungrounded] == [
        ("meta", "verb", "attack"),
        ("meta", "product", "diamond"),
        ("meta", "success", False),
    ]


def test_a_tool_opens_a_block_only_by_a_refusal_before_its_yield():
    value = json.loads(compact(describe(dug_stone())))
    made = expand(value, dug_stone(), builder="b")
    opens = [one for one in made.csd.func if one.predicate == "opens"]
    assert opens
    assert {dug_stone().steps[one.step].outcome.code for one in opens[0].evidence} == {"no_drop", "ok"}


@pytest.mark.parametrize("broken", [replace(walked(), steps=())])
def test_an_episode_that_cannot_be_described_gives_none_and_says_why(broken):
    made = expand(written(attr={"colour": [["oak_log", "brown"]]}), broken, builder="b")
    assert made.csd is None
    assert "at least one step" in made.ungrounded[0].reason


def test_what_is_no_compact_descriptor_is_refused_with_its_places():
    with pytest.raises(ValueError, match=r"meta: Field required"):
        expand({"the fact": True}, failed_collect(), builder="b")


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ([], "expected an object"),
        ({"the fact": True}, "meta: Field required"),
        (written(attr={"color": [["oak_log", "brown"]]}), "attr.color: Extra inputs"),
        (written(attr={"colour": [["oak_log"]]}), "attr.colour[0][1]: Field required"),
        (written(attr={"colour": {"oak_log": "brown"}}), "attr.colour: Input should be a valid array"),
        (
            written(struct={"cells": [["oak_log", True]]}),
            "struct.cells[0][1]: Input should be a valid integer",
        ),
        (
            written(struct={"cells": [["oak_log", "3"]]}),
            "struct.cells[0][1]: Input should be a valid integer",
        ),
        (written(struct={"part": [["oak_log", "lid"]]}), "struct.part[0][1]"),
        (written(attr={"colour": []}), "attr.colour: List should have at least 1 item"),
        (written(attr={"colour": [["oak_log", "b\nc"]]}), "attr.colour[0][1]: String should match"),
        (written(attr={"colour": [["oak_log", "brown"]] * 25}), "attr.colour: List should have at most 24"),
        (written(attr={"colour": [["oak_log", float("nan")]]}), "attr.colour[0][1]"),
        (written(), "at least one axis"),
    ],
)
def test_a_fault_of_shape_is_told_by_its_place(value, place):
    assert place in shape_faults(value)[0]


def test_what_the_rules_write_has_the_shape():
    for episode in (crafted_pickaxe(), dug_stone(), smelted_iron(), placed_table(), failed_collect()):
        assert shape_faults(json.loads(compact(describe(episode)))) == ()


def test_the_schema_bounds_every_list_text_and_number():
    def unbounded(schema, place="schema"):
        kind = schema.get("type")
        if kind == "array" and "maxItems" not in schema:
            yield place
        if kind == "string" and not ({"enum", "const", "pattern"} & schema.keys()):
            yield place
        if kind == "integer" and not {"minimum", "maximum"} <= schema.keys():
            yield place
        if kind == "object" and schema.get("additionalProperties") is not False:
            yield place
        for name, inner in schema.get("properties", {}).items():
            yield from unbounded(inner, f"{place}.{name}")
        for inner in (*schema.get("prefixItems", ()), *schema.get("anyOf", ())):
            yield from unbounded(inner, f"{place}[]")
        if isinstance(schema.get("items"), dict):
            yield from unbounded(schema["items"], f"{place}[]")

    schema = compact_schema()
    assert list(unbounded(schema)) == []
    assert list(schema["properties"]) == ["meta", "struct", "attr", "proc", "func", "inter"]
    assert "$ref" not in json.dumps(schema)


def test_two_ways_to_name_a_step_are_one_statement():
    by_number = written(
        proc={"step": [["1", "collect oak_log, 2 times: not_seen"]]}, inter={"tried": [["1", "not_seen"]]}
    )
    by_words = written(inter={"tried": [["collect oak_log", "not_seen"]]})
    assert statements(by_number)[-1] == statements(by_words)[-1]
    assert statements(by_words) == (("inter", "collect oak_log", "tried", "not_seen"),)


def test_an_unshown_statement_says_its_axis():
    made = expand(written(func={"plays": [["oak_log", "tool"]]}), failed_collect(), builder="b")
    assert isinstance(made.ungrounded[0], Unshown)
    assert made.ungrounded[0].axis == "func"

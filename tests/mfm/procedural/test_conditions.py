from dataclasses import replace

import pytest
from hypothesis import given

from csd.episode import Collect, Craft, GoTo, Outcome, Step, Vitals, action_to_json
from echo.mfm.procedural.actions import (
    ActionFlaw,
    Call,
    Expectation,
    Look,
    Note,
    Watch,
    parse_action,
    parse_expectation,
)
from echo.mfm.procedural.conditions import (
    CONDITIONS,
    ConditionError,
    check_conditions,
    fill_in,
    findings,
    placeholders,
)
from echo.mfm.procedural.surprise import surprise
from tests.mfm.episodic.sample_steps import actions, seen


def told(conditions, now, start=None) -> list[str]:
    check_conditions(conditions)
    return [str(finding) for finding in findings(conditions, now, start)]


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ({"inventory": {"oak_log": 2}}, ["inventory: expected at least 2 oak_log, got 1"]),
        ({"inventory": {"oak_log": 1, "dirt": 1}}, ["inventory: expected at least 1 dirt, got 0"]),
        ({"inventory_at_most": {"oak_log": 0}}, ["inventory_at_most: expected at most 0 oak_log, got 1"]),
        ({"holds": None}, []),
        ({"holds": "axe"}, ["holds: expected axe, got an empty hand"]),
        ({"near": ["crafting_table"]}, []),
        ({"near": ["furnace"]}, ["near: expected furnace within reach, got crafting_table"]),
        ({"sees": ["oak_log", "stone"]}, ["sees: expected stone in sight, got oak_log"]),
        ({"mobs": ["sheep"]}, []),
        ({"health_at_least": 19}, []),
        ({"health_at_least": 19.5}, ["health_at_least: expected health of at least 19.5, got 19"]),
        ({"health_below": 19}, ["health_below: expected health below 19, got 19"]),
        ({"food_at_least": 20}, []),
        ({"y_below": 62}, ["y_below: expected y below 62, got 62"]),
        ({"y_above": 61.5}, []),
        ({"y_above": 62}, ["y_above: expected y above 62, got 62"]),
        ({}, []),
    ],
)
def test_each_condition_says_what_was_expected_and_what_is(conditions, said):
    assert told(conditions, seen(2, oak_log=1)) == said


def test_conditions_of_change_compare_with_the_start():
    start, now = seen(0, oak_log=1), seen(3, oak_log=2)
    assert told({"gained": {"oak_log": 1}, "moved": 3}, now, start) == []
    assert told({"gained": {"oak_log": 2}, "moved": 4}, now, start) == [
        "gained: expected +2 oak_log, got +1",
        "moved: expected blocks moved, at least 4, got 3",
    ]
    hurt = replace(now, vitals=Vitals(health=17.5))
    assert told({"damage": True}, hurt, start) == []
    assert told({"damage": False}, hurt, start) == ["damage: expected no damage, got -1.5 health"]
    assert told({"damage": True}, now) == ["damage: expected damage, got +0 health"]


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ([], "expected conditions such as"),
        ({"inventary": {}}, "expected one of inventory, .*got 'inventary'"),
        ({"inventory": {"oak_log": -1}}, "expected for inventory"),
        ({"inventory": {"oak_log": True}}, "expected for inventory"),
        ({"inventory": {"": 1}}, "expected for inventory"),
        ({"near": "crafting_table"}, "expected for near"),
        ({"y_below": float("nan")}, "expected for y_below"),
        ({"y_below": True}, "expected for y_below"),
        ({"damage": 1}, "expected for damage"),
        ({"inventory": {"oak_log": "{count}"}}, "expected for inventory"),
        ({"inventory": {"oak_log": 1.5}}, "expected for inventory"),
        ({"y_below": "{depth}"}, "expected for y_below"),
    ],
)
def test_malformed_conditions_are_refused(conditions, said: str):
    with pytest.raises(ConditionError, match=said):
        check_conditions(conditions)


def test_every_condition_is_described_checked_and_compared():
    for name in CONDITIONS:
        with pytest.raises(ConditionError, match=f"expected for {name}: "):
            check_conditions({name: object()})


def test_placeholders_are_filled_in_whole():
    asked = {"inventory": {"{log}": "{n}"}, "near": ["{log}s", "{place}"]}
    assert placeholders(asked) == ["log", "n", "place"]
    assert fill_in(asked, {"log": "x", "n": 2, "place": "y"}) == {
        "inventory": {"x": 2},
        "near": ["{log}s", "y"],
    }
    with pytest.raises(ConditionError, match=r"expected a parameter out of log, got '\{n\}'"):
        fill_in(asked, {"log": "x"})
    with pytest.raises(ConditionError, match="expected an argument that is a name, got 3"):
        fill_in({"{n}": 1}, {"n": 3})


@given(actions)
def test_every_action_of_a_world_comes_back_from_json(action):
    assert parse_action(action_to_json(action)) == action


def test_actions_of_the_harness():
    assert parse_action({"kind": "look"}) == Look()
    assert parse_action({"kind": "note", "text": "x" * 600}) == Note(
        text="x" * 473 + "... (cut at 500 characters)"
    )
    assert parse_action({"kind": "watch", "ticks": 40, "until": {"y_below": 3}}) == Watch(
        until={"y_below": 3}, ticks=40
    )
    assert parse_action({"kind": "call", "name": "a", "arguments": {"b": 1}}) == Call(
        name="a", arguments={"b": 1}
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "expected an action, such as collect"),
        ("collect", "expected an action"),
        ({"kind": ["collect"]}, "expected an action"),
        ({"kind": "fly"}, "whose kind is one of go_to, .*got {'kind': 'fly'}"),
        ({"kind": "collect"}, "in collect, at the top: expected an object with the keys block, kind"),
        ({"kind": "collect", "block": 3}, "in collect, at block: expected str, got 3"),
        ({"kind": "go_to", "target": [1, 2.5, 3]}, "in go_to, at target.1: expected int, got 2.5"),
        ({"kind": "go_to", "target": [1, 2]}, "at target: expected a list of 3"),
        ({"kind": "craft", "grid": [["a", 1]]}, "in craft, at grid.0.1: expected str, got 1"),
        ({"kind": "wait_until", "condition": "rain"}, "at condition: expected one of 'time'"),
        ({"kind": "look", "at": 1}, "expected look with nothing, got at"),
        (
            {"kind": "watch", "ticks": 0, "until": {"y_below": 3}},
            "expected watch for 1 to 24000 ticks, got 0",
        ),
        ({"kind": "watch", "ticks": 20, "until": {}}, "expected watch with a condition"),
        ({"kind": "watch", "ticks": 20, "until": {"rain": 1}}, "expected one of inventory"),
        ({"kind": "call", "name": 1, "arguments": {}}, "expected call"),
        ({"kind": "note", "text": 1}, "expected note"),
    ],
)
def test_malformed_actions_are_refused(value, said: str):
    with pytest.raises(ActionFlaw, match=said):
        parse_action(value)


def test_expectations():
    assert parse_expectation(None) == Expectation()
    assert parse_expectation({"code": "any"}).codes is None
    assert parse_expectation({"code": "no_drop", "health_lost": 5, "moved": 1}) == Expectation(
        codes=("no_drop",), health_lost=5.0, conditions={"moved": 1}
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "expected an expectation"),
        ({"code": []}, "expected code to be 'any' or out of ok"),
        ({"code": ["fine"]}, "expected code"),
        ({"code": [[1]]}, "expected code"),
        ({"health_lost": -1}, "expected health_lost"),
        ({"health_lost": True}, "expected health_lost"),
        ({"goined": 1}, "expected an expectation out of code, health_lost, inventory"),
        ({"gained": 1}, "expected for gained"),
    ],
)
def test_malformed_expectations_are_refused(value, said: str):
    with pytest.raises(ActionFlaw, match=said):
        parse_expectation(value)


CRAFT = Craft(grid=(("oak_log",),))
MADE = Outcome(code="ok", message="made", inventory_delta={"oak_log": -1, "oak_planks": 4})


def found(action, outcome, before, after, expected=None) -> str | None:
    told = surprise(Step(before=before, action=action, outcome=outcome), after, expected or Expectation())
    return None if told is None else str(told)


def test_what_comes_as_announced_is_no_surprise():
    assert found(CRAFT, MADE, seen(1, oak_log=1), seen(1, oak_planks=4)) is None


def test_another_outcome_is_a_surprise_unless_allowed():
    no_drop = Outcome(code="no_drop", message="nothing came out")
    same = seen(1)
    assert (
        found(Collect(block="x"), no_drop, same, same) == "code: expected ok, got no_drop (nothing came out)"
    )
    assert found(Collect(block="x"), no_drop, same, same, Expectation(codes=("ok", "no_drop"))) is None
    assert found(Collect(block="x"), no_drop, same, same, Expectation(codes=None)) is None


def test_a_change_that_does_not_show_is_a_surprise():
    before = seen(1, oak_log=1)
    assert found(CRAFT, MADE, before, before) == "inventory: expected -1 oak_log, as announced, got +0"
    silent = Outcome(code="ok", message="made")
    assert (
        found(CRAFT, silent, before, before)
        == "inventory: expected craft to change what is carried, got no change"
    )


def test_health_lost_is_a_surprise_beyond_one_heart():
    before, done = seen(1), Outcome(code="ok", message="there")
    walk = GoTo(target=(1, 63, -4))
    for health, said in (
        (17.0, None),
        (16.5, "health: expected at most 2 health lost, got 2.5 lost, 16.5 left"),
    ):
        assert found(walk, done, before, replace(before, vitals=Vitals(health=health))) == said


def test_a_walk_that_leads_nowhere_is_a_surprise():
    here, done = seen(1), Outcome(code="ok", message="there")
    assert found(GoTo(target=(1, 63, -4)), done, here, here) is None
    assert found(GoTo(target=(40, 63, -4)), done, here, here) == (
        "moved: expected to get near (40, 63, -4), got not moved, 39 blocks away"
    )
    assert found(GoTo(target=(10**400, 63, -4)), done, here, here).endswith("inf blocks away")


def test_what_is_expected_besides_is_compared_with_the_moment_before():
    before, after = seen(1, oak_log=1), seen(1, oak_planks=4)
    assert found(CRAFT, MADE, before, after, Expectation(conditions={"gained": {"oak_planks": 5}})) == (
        "gained: expected +5 oak_planks, got +4"
    )

import json
from collections import ChainMap
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csd.episode import Collect, Craft, GoTo, ItemStack, Observation, Outcome, Step
from echo.mfm.codec import Mismatch, from_json
from echo.mfm.episodic.checked import DEEPEST, check
from echo.mfm.episodic.records import records_line
from tests.mfm.episodic.sample_steps import collect_log, seen, steps, text


@settings(max_examples=150, deadline=None)
@given(steps)
def test_a_step_that_can_be_read_back_passes(step):
    check(Step, step)
    assert from_json(Step, json.loads(records_line(step))) == step


odd: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**400),
    st.floats(),
    text,
    st.lists(st.integers() | text, max_size=4).map(tuple),
    st.dictionaries(text, st.integers() | st.floats() | st.none(), max_size=2),
    st.sampled_from(
        [
            np.int64(3),
            np.float32(0.1),
            np.bool_(True),
            Fraction(1, 3),
            {1: 2},
            MappingProxyType({"a": 1}),
            "locked",
            "mine",
            "smelt",
            ItemStack(count=1, stack_size=64),
            {"gold": ItemStack(count=1, stack_size=64, wear=float("inf"))},
            Collect(block="oak_log"),
            GoTo(target=(1, 2, 3)),
            seen(3),
            Outcome(code="ok", message=""),
        ]
    ),
)


def _altered(draw: st.DrawFn, value: Any) -> Any:
    """Return a record, mapping or tuple with something in it, at any depth, put in the place of another."""
    if is_dataclass(value) and draw(st.integers(0, 3)):
        name = draw(st.sampled_from([each.name for each in fields(value) if each.compare]))
        return replace(value, **{name: _altered(draw, getattr(value, name))})
    if isinstance(value, dict) and value and draw(st.booleans()):
        key = draw(st.sampled_from(list(value)))
        return {**value, key: _altered(draw, value[key])}
    if isinstance(value, tuple) and value and draw(st.booleans()):
        place = draw(st.integers(0, len(value) - 1))
        return (*value[:place], _altered(draw, value[place]), *value[place + 1 :])
    return draw(odd)


@st.composite
def altered_steps(draw: st.DrawFn) -> Any:
    return _altered(draw, draw(steps))


@settings(max_examples=400, deadline=None)
@given(altered_steps())
def test_what_passes_comes_back_equal_and_what_a_reader_refuses_does_not_pass(step):
    try:
        check(Step, step)
    except Mismatch:
        return
    assert from_json(Step, json.loads(records_line(step))) == step


@dataclass(frozen=True, kw_only=True)
class Push:
    target: str
    kind: str = "push"


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnCollect(Collect):
    pass


@pytest.mark.parametrize(
    ("changes", "path", "expected"),
    [
        ({"action": Push(target="door")}, "action", "a record of one of the kinds go_to (GoTo), look_at"),
        ({"action": OwnCollect(block="a")}, "action", "a record of one of the kinds"),
        ({"action": Collect(block="a", kind="mine")}, "action.kind", "one of 'collect'"),
        ({"action": Craft(grid=(("a",), ("b", 1)))}, "action.grid.1.1", "text"),
        ({"action": GoTo(target=(1, 2))}, "action.target", "a list of 3"),
        ({"action": GoTo(target=(1, True, 3))}, "action.target.1", "a whole number"),
        ({"outcome": Outcome(code="locked", message="")}, "outcome.code", "one of 'ok', 'no_result'"),
        ({"outcome": Outcome(code=["ok"], message="")}, "outcome.code", "one of 'ok', 'no_result'"),
        ({"outcome": None}, "outcome", "Outcome(code, message, inventory_delta"),
        ({"before": replace(seen(0), yaw=float("nan"))}, "before.yaw", "a finite number"),
        ({"before": replace(seen(0), yaw=10**400)}, "before.yaw", "a number that a float can hold"),
        ({"before": replace(seen(0), yaw=Fraction(1, 3))}, "before.yaw", "a finite number that a float can"),
        ({"before": replace(seen(0), inventory={"gold": 2})}, "before.inventory.gold", "ItemStack(count, st"),
        ({"before": replace(seen(0), mobs={"a": 1.5})}, "before.mobs.a", "a whole number"),
        ({"before": replace(seen(0), mobs={3: 1})}, "before.mobs.3", "text as a key"),
        ({"before": replace(seen(0), mobs={"\ud83c\udf78": 1})}, "before.mobs.\ud83c\udf78", "two halves"),
        ({"before": replace(seen(0), blocks=None)}, "before.blocks", "a mapping"),
    ],
)
def test_what_is_wrong_is_told_with_the_way_to_it(changes, path, expected):
    with pytest.raises(Mismatch) as caught:
        check(Step, replace(collect_log(0), **changes))
    assert ".".join(reversed(caught.value.path)) == path
    assert expected in caught.value.expected


@pytest.mark.parametrize(
    "mobs", [{"a": np.int64(3)}, MappingProxyType({"a": 3}), ChainMap({"a": 3}), {}], ids=repr
)
def test_other_whole_numbers_and_mappings_pass_and_come_back_equal(mobs):
    observation = replace(seen(0), mobs=mobs)
    check(Observation, observation)
    assert from_json(Observation, json.loads(records_line(observation))).mobs == mobs


def test_a_list_passes_as_a_tuple_and_comes_back_as_one():
    action = Craft(grid=[["a", None]])
    check(Craft, action)
    assert from_json(Craft, json.loads(records_line(action))) == Craft(grid=(("a", None),))


def test_any_json_value_passes_where_any_is_allowed_and_nothing_else_does():
    check(Any, {"a": [1, None, True, 0.5, "x", {"b": (1, 2)}]})
    nested: Any = 0
    for _ in range(DEEPEST):
        nested = [nested]
    check(Any, nested)
    for wrong in (b"x", {1: 2}, [float("inf")], {"a": {1, 2}}, [nested]):
        with pytest.raises(Mismatch):
            check(Any, wrong)


def test_a_hint_that_records_do_not_have_is_refused():
    with pytest.raises(TypeError, match="expected a record field of a JSON-like type"):
        check(set[int], {1})

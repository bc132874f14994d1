from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csd.axes import AXES, Axis
from csd.descriptor import Evidence, Statement
from ical.map import map_statements, mapped, match_sides
from ical.query import Mentions, query_for, statements_of
from ical.retrieve import context_of
from ical.sides import side_of, within
from tests.ical.experience import COBBLE, iron_smelting, stone_age, wooden_pickaxe

SEEN = (Evidence(episode="ep_000001", step=0, kind="action"),)
EVEN = dict.fromkeys(AXES, 0.2)


def says(subject, predicate, value):
    return Statement(subject=subject, predicate=predicate, value=value, evidence=SEEN)


def side(*func, attr=(), context=()):
    return side_of({Axis.FUNC: tuple(func), Axis.ATTR: tuple(attr)}, EVEN, {Axis.FUNC: tuple(context)})


def heads(cut):
    return [(fact.head, fact.args) for fact in cut.facts]


def test_a_side_within_the_budget_is_not_touched():
    base, target = side(says("a", "supports", "b")), side(says("x", "supports", "y"))
    assert within(base, target, 1) == (base, target)
    assert within(base, target, 1)[0] is base


def test_what_can_match_is_kept_before_what_cannot():
    base = side(says("a", "plays", "head"), says("a", "supports", "b"))
    target = side(says("x", "supports", "y"))
    assert heads(within(base, target, 1)[0]) == [("supports", ("a", "b"))]


def test_what_contradicts_is_kept_like_what_matches():
    # 'colour red' has no counterpart over there, but speaks against a pair that is green.
    base = side(says("a", "plays", "head"), attr=[says("a", "colour", "red")])
    target = side(attr=[says("x", "colour", "green")])
    assert heads(within(base, target, 1)[0]) == [("colour red", ("a",))]


def test_what_an_experience_states_is_kept_before_its_context():
    base = side(says("c", "supports", "d"), context=[says("a", "supports", "b")])
    target = side(says("x", "supports", "y"))
    assert heads(within(base, target, 1)[0]) == [("supports", ("c", "d"))]


def test_rare_heads_are_kept_before_common_ones():
    base = side(
        says("a", "supports", "b"),
        says("d", "supports", "e"),
        says("a", "serves", "c"),
        says("f", "serves", "g"),
    )
    target = side(says("x", "supports", "y"), says("x", "supports", "z"), says("x", "serves", "w"))
    assert heads(within(base, target, 3)[0]) == [
        ("supports", ("a", "b")),
        ("serves", ("a", "c")),
        ("serves", ("f", "g")),
    ]


def test_what_names_things_of_the_other_side_is_kept_before_what_names_none():
    base = side(says("a", "supports", "b"), says("x", "supports", "b"))
    assert heads(within(base, side(says("x", "supports", "y")), 1)[0]) == [("supports", ("x", "b"))]
    assert heads(within(base, side(says("p", "supports", "q")), 1)[0]) == [("supports", ("a", "b"))]
    assert heads(within(base, side(says("p", "supports", "q")), 1, ("x",))[0]) == [("supports", ("x", "b"))]


def test_the_larger_side_is_cut_first_and_the_other_by_what_is_left_of_it():
    base = side(
        says("a", "plays", "head"),
        says("a", "supports", "b"),
        says("a", "serves", "c"),
        context=[says("d", "plays", "handle")],
    )
    target = side(says("x", "plays", "handle"), says("x", "supports", "y"))
    # The base keeps what it states itself; 'plays handle', its context, goes, and the target's with it.
    cut_base, cut_target = within(base, target, 1)
    assert heads(cut_base) == [("supports", ("a", "b"))]
    assert heads(cut_target) == [("supports", ("x", "y"))]


def test_what_is_cut_counts_as_not_matched():
    whole = side(says("a", "supports", "b"), says("b", "serves", "c"))
    base, target = within(whole, whole, 1)
    assert len(base.facts) == len(target.facts) == 1
    # Each relation is worth 0.2 * 1.25; the two share a thing, which raises either by 1/4 in the whole.
    found = match_sides(base, target, EVEN)
    assert found.score == pytest.approx(0.25 / (2 * 0.25 * 1.25))


def test_a_mapping_in_two_steps_is_the_mapping_of_the_statements():
    known = Mentions(stone_age())
    query, context = query_for(COBBLE, known), context_of(wooden_pickaxe(), known)
    base = side_of(statements_of(wooden_pickaxe()), EVEN, context)
    target = side_of(query.statements, EVEN)
    found = mapped(base, target, match_sides(base, target, EVEN), EVEN)
    assert found == map_statements(statements_of(wooden_pickaxe()), query.statements, context=context)


def test_an_axis_without_a_share_does_not_speak():
    only = side_of(statements_of(iron_smelting()), {Axis.ATTR: 1.0}, statements_of(wooden_pickaxe()))
    assert list(only.own) == [Axis.ATTR]
    assert {fact.axis for fact in only.facts} == {Axis.ATTR}


@given(st.integers(1, 60))
def test_any_budget_keeps_facts_in_their_order_and_never_more(most):
    base = side_of(statements_of(wooden_pickaxe()), EVEN)
    target = side_of(statements_of(iron_smelting()), EVEN)
    for whole, cut in zip((base, target), within(base, target, most), strict=True):
        assert len(cut.facts) == min(most, len(whole.facts))
        places = [whole.facts.index(fact) for fact in cut.facts]
        assert places == sorted(places)
        assert (cut.own, cut.value) == (whole.own, whole.value)

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csd.axes import AXES, Axis
from csd.descriptor import Evidence, Statement
from ical.facts import facts_of
from ical.inference import renamed
from ical.map import map_statements
from ical.match import LIMIT, best_match
from ical.query import Mentions, query_for, statements_of
from ical.retrieve import context_of
from tests.ical.experience import COBBLE, PLANKS, iron_smelting, ores, stone_age, wooden_pickaxe

SEEN = (Evidence(episode="ep_000001", step=0, kind="action"),)


def says(subject, predicate, value):
    return Statement(subject=subject, predicate=predicate, value=value, evidence=SEEN)


def pickaxe_to_cobblestone(axes=AXES):
    known = Mentions(stone_age())
    query = query_for(COBBLE, known, axes=axes)
    return map_statements(
        statements_of(wooden_pickaxe()),
        query.statements,
        axes=axes,
        context=context_of(wooden_pickaxe(), known, axes),
    )


def test_cobblestone_takes_the_part_of_the_planks_in_a_pickaxe():
    mapping = pickaxe_to_cobblestone()
    assert mapping.correspondences[0].base == PLANKS
    assert mapping.correspondences[0].target == COBBLE
    assert set(mapping.correspondences[0].axes) >= {Axis.ATTR, Axis.PROC, Axis.FUNC}
    assert mapping.standing_for(COBBLE).base == PLANKS
    inferred = {(one.axis, one.subject, one.predicate, one.value) for one in mapping.inferences}
    assert (Axis.FUNC, COBBLE, "plays", "head") in inferred
    assert (Axis.STRUCT, COBBLE, "part", "top row") in inferred


def test_raw_copper_takes_the_part_of_raw_iron_in_smelting():
    known = Mentions(ores())
    query = query_for("raw_copper", known)
    mapping = map_statements(
        statements_of(iron_smelting()), query.statements, context=context_of(iron_smelting(), known)
    )
    assert mapping.substitution["raw_iron"] == "raw_copper"
    assert mapping.substitution["iron_ore"] == "copper_ore"
    assert mapping.substitution["stone_pickaxe"] == "stone_pickaxe"
    told = [(one.subject, one.predicate, one.value, one.open) for one in mapping.inferences]
    assert ("raw_copper", "slot", "input", ()) in told
    assert ("1", "step", "smelt raw_copper with coal", ("coal",)) in told
    assert ("iron_ingot", "consumes", "raw_copper x1", ("iron_ingot",)) in told


def test_what_is_said_of_the_same_things_maps_onto_itself_with_full_score():
    mapping = map_statements(statements_of(wooden_pickaxe()), statements_of(wooden_pickaxe()))
    assert mapping.score == pytest.approx(1.0)
    assert all(one.base == one.target for one in mapping.correspondences)
    assert mapping.inferences == ()
    assert not mapping.partial


def test_a_connected_system_of_relations_beats_more_attributes():
    # Two stones share an attribute with 'a'; only 'd' also stands in its relations (systematicity).
    base = {
        Axis.ATTR: (says("a", "stack_size", 64), says("a", "placeable", True)),
        Axis.PROC: (says("p", "consumes", "a x1"), says("p", "after", "a")),
        Axis.FUNC: (says("a", "serves", "p"),),
    }
    target = {
        Axis.ATTR: (says("c", "stack_size", 64), says("c", "placeable", True)),
        Axis.PROC: (says("q", "consumes", "d x1"), says("q", "after", "d")),
        Axis.FUNC: (says("d", "serves", "q"),),
    }
    assert map_statements(base, target).substitution == {"a": "d", "p": "q"}


def test_an_attribute_on_which_two_things_differ_speaks_against_their_pair():
    base = {Axis.ATTR: (says("a", "placeable", True),), Axis.FUNC: (says("a", "plays", "body"),)}
    target = {
        Axis.ATTR: (says("b", "placeable", False), says("c", "placeable", True)),
        Axis.FUNC: (says("b", "plays", "body"), says("c", "plays", "body")),
    }
    assert map_statements(base, target).substitution == {"a": "c"}


def test_an_inference_that_the_target_contradicts_is_left_out():
    base = {Axis.ATTR: (says("a", "placeable", True), says("a", "edible", True), says("a", "wears", True))}
    target = {Axis.ATTR: (says("b", "placeable", True), says("b", "edible", False))}
    inferred = [(one.subject, one.predicate, one.value) for one in map_statements(base, target).inferences]
    assert inferred == [("b", "wears", True)]


def test_a_thing_takes_the_part_it_was_asked_for_or_none():
    base = {Axis.FUNC: (says("a", "plays", "body"), says("b", "plays", "body"), says("b", "plays", "fuel"))}
    target = {Axis.FUNC: (says("x", "plays", "body"), says("x", "plays", "fuel"))}
    assert map_statements(base, target).substitution == {"b": "x"}
    assert map_statements(base, target, parts={"x": ("a",)}).substitution == {"a": "x"}
    assert map_statements(base, target, parts={"x": ()}).substitution == {}


def test_a_tie_goes_to_the_first_name():
    base = {Axis.FUNC: (says("a", "plays", "body"),)}
    target = {Axis.FUNC: (says("z", "plays", "body"), says("m", "plays", "body"))}
    assert map_statements(base, target).substitution == {"a": "m"}


def test_what_nothing_matches_is_left_unexplained_and_the_mapping_is_marked_partial():
    target = {Axis.FUNC: (says("b", "plays", "body"), says("b", "plays", "fuel"))}
    mapping = map_statements({Axis.FUNC: (says("a", "plays", "body"),)}, target)
    assert mapping.unexplained == {Axis.FUNC: target[Axis.FUNC][1:]}
    assert mapping.partial


def test_nothing_in_common_gives_an_empty_mapping():
    mapping = map_statements(
        {Axis.FUNC: (says("a", "plays", "body"),)}, {Axis.FUNC: (says("b", "plays", "fuel"),)}
    )
    assert (mapping.correspondences, mapping.inferences, mapping.score) == ((), (), 0.0)


def test_support_is_shared_out_over_the_axes_and_adds_up_to_one():
    base = {Axis.ATTR: (says("a", "burns", True),), Axis.FUNC: (says("a", "plays", "fuel"),)}
    target = {Axis.ATTR: (says("b", "burns", True),), Axis.FUNC: (says("b", "plays", "fuel"),)}
    (alike,) = map_statements(base, target).correspondences
    assert alike.axes == {Axis.ATTR: 0.5, Axis.FUNC: 0.5}
    (weighted,) = map_statements(base, target, weights={Axis.ATTR: 1, Axis.FUNC: 3}).correspondences
    assert weighted.axes == {Axis.ATTR: 0.25, Axis.FUNC: 0.75}


@pytest.mark.parametrize("masked", AXES)
def test_a_masked_axis_supports_infers_and_explains_nothing(masked):
    kept = tuple(axis for axis in AXES if axis is not masked)
    mapping = pickaxe_to_cobblestone(kept)
    assert masked not in mapping.axes
    assert all(masked not in one.axes for one in mapping.correspondences)
    assert all(one.axis is not masked for one in mapping.inferences)
    assert masked not in mapping.unexplained
    query = query_for(COBBLE, stone_age(), axes=kept)
    bare = map_statements(statements_of(wooden_pickaxe(), kept), query.statements, axes=kept)
    whole = query_for(COBBLE, stone_age())
    assert bare == map_statements(statements_of(wooden_pickaxe()), whole.statements, axes=kept)


@pytest.mark.parametrize("axis", [Axis.FUNC, Axis.ATTR])
def test_one_axis_alone_finds_the_head_of_the_pickaxe(axis):
    assert pickaxe_to_cobblestone((axis,)).standing_for(COBBLE).base == PLANKS


NAMES = st.sampled_from(["ash", "bog", "cob", "dew", "elm"])
STATEMENTS = st.one_of(
    st.builds(says, NAMES, st.just("plays"), st.sampled_from(["core", "fuel"])),
    st.builds(says, NAMES, st.just("plays"), st.sampled_from(["head", "body"])),
    st.builds(says, NAMES, st.sampled_from(["supports", "serves", "opens"]), NAMES),
)


@given(st.lists(STATEMENTS, max_size=14), st.lists(STATEMENTS, max_size=14))
def test_a_mapping_is_one_to_one_and_consistent_whatever_is_said(base, target):
    mapping = map_statements({Axis.FUNC: tuple(base)}, {Axis.FUNC: tuple(target)})
    names = mapping.substitution
    assert len(names) == len(mapping.correspondences) == len(set(names.values()))
    assert 0.0 <= mapping.score <= 1.0
    # Parallel connectivity: what supports a pair is in the target under the pair's names.
    said = {(s.subject, s.predicate, s.value) for s in target}
    for one in mapping.correspondences:
        for s in one.statements:
            assert (renamed(s.subject, names), s.predicate, renamed(str(s.value), names)) in said


LOOKS = st.builds(says, NAMES, st.just("stack_size"), st.sampled_from([1, 16, 64]))


@given(
    st.lists(STATEMENTS, max_size=10),
    st.lists(STATEMENTS, max_size=10),
    st.lists(LOOKS, max_size=6),
    st.randoms(),
)
def test_the_order_of_statements_changes_neither_names_nor_score(base, target, looks, random):
    first = map_statements(
        {Axis.ATTR: tuple(looks[:3]), Axis.FUNC: tuple(base)},
        {Axis.ATTR: tuple(looks[3:]), Axis.FUNC: tuple(target)},
    )
    here, there = looks[:3], looks[3:]
    for said in (base, target, here, there):
        random.shuffle(said)
    again = map_statements(
        {Axis.ATTR: tuple(here), Axis.FUNC: tuple(base)}, {Axis.ATTR: tuple(there), Axis.FUNC: tuple(target)}
    )
    assert again.substitution == first.substitution
    assert again.score == pytest.approx(first.score)


def test_a_large_map_stays_within_its_bound():
    facts = facts_of(
        {Axis.FUNC: tuple(says(f"a{n}", "plays", f"role {m}") for n, m in product(range(12), range(12)))}
    )
    match = best_match(facts, facts, {Axis.FUNC: 1.0})
    assert 0 < len(match.hypotheses) <= LIMIT
    assert all(one == other for one, other in match.names.items())


def test_two_processes_find_the_same_mapping():
    script = (
        "import json\nfrom tests.ical.test_map import pickaxe_to_cobblestone\n"
        "m = pickaxe_to_cobblestone()\nprint(json.dumps([m.substitution, m.score, len(m.inferences)]))"
    )
    root = Path(__file__).resolve().parents[2]
    found = [
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=root,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    here = pickaxe_to_cobblestone()
    assert found[0] == found[1]
    assert json.loads(found[0]) == [here.substitution, here.score, len(here.inferences)]

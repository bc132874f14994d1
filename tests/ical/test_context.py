from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csd.axes import AXES, Axis
from csd.render import clauses
from ical.context import build_context, estimated_tokens
from ical.map import map_statements
from ical.query import Mentions, query_for, statements_of
from ical.retrieve import Exemplar, context_of
from tests.ical.experience import COBBLE, ores, stone_age, wooden_pickaxe

GOLDEN = Path(__file__).parent / "golden" / "scene.txt"
KNOWN = Mentions([*stone_age(), *ores()])
QUERY = query_for(COBBLE, KNOWN)


def exemplar(csd):
    mapping = map_statements(statements_of(csd), QUERY.statements, context=context_of(csd, KNOWN))
    return Exemplar(
        id=csd.id, csd=csd, cosines=dict.fromkeys(AXES, None), score=mapping.score, mapping=mapping
    )


EXEMPLARS = [exemplar(csd) for csd in (wooden_pickaxe(), stone_age()[2], stone_age()[-1])]


def test_the_scene_reads_as_in_the_golden_file():
    scene = build_context(EXEMPLARS[:2], QUERY, budget_tokens=2000)
    assert scene.text + "\n" == GOLDEN.read_text(encoding="utf-8")
    assert scene.used_ids == tuple(one.id for one in EXEMPLARS[:2])


def test_a_masked_axis_leaves_no_text_at_all():
    for size in range(len(AXES) + 1):
        for kept in combinations(AXES, size):
            scene = build_context(EXEMPLARS, QUERY, axes=kept, budget_tokens=5000)
            for axis in AXES:
                if axis in kept:
                    continue
                assert axis.value not in scene.text.replace("(", " ").replace(",", " ").split()
                assert f"{axis.value}:" not in scene.text
                for one in EXEMPLARS:
                    said = {clause for other in kept for clause in clauses(other, one.csd.axis(other))}
                    for clause in clauses(axis, one.csd.axis(axis)):
                        assert clause in said or f"{clause};" not in scene.text


def test_correspondences_name_only_kept_axes():
    scene = build_context(EXEMPLARS[:1], QUERY, axes=(Axis.FUNC,), budget_tokens=2000)
    assert "oak_planks -> cobblestone (func)" in scene.text


@given(st.integers(10, 900))
def test_the_budget_is_never_exceeded_and_what_is_used_is_told(budget):
    scene = build_context(EXEMPLARS, QUERY, budget_tokens=budget)
    assert scene.tokens == estimated_tokens(scene.text) <= budget
    ids = tuple(one.id for one in EXEMPLARS)
    assert scene.used_ids == ids[: len(scene.used_ids)]
    assert [one for one in ids if one in scene.text] == list(scene.used_ids)


def test_a_larger_budget_tells_more():
    sizes = [build_context(EXEMPLARS, QUERY, budget_tokens=n).tokens for n in (100, 300, 900)]
    assert sizes == sorted(set(sizes))


def test_a_budget_below_the_heading_is_refused():
    with pytest.raises(ValueError, match=r"expected a budget that holds the heading .*; got 5 tokens"):
        build_context(EXEMPLARS, QUERY, budget_tokens=5)


def test_without_exemplars_the_query_stands_alone():
    scene = build_context((), QUERY)
    assert scene.used_ids == ()
    assert scene.text.startswith("What is known of cobblestone:\nstruct: ")

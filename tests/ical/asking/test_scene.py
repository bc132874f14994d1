"""What a model is shown: labels, budget, provenance, and one mask over all of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csd.axes import AXES, Axis
from csd.episode import Craft, Smelt
from ical.asking.scene import BudgetTooSmall, actions_of, set_scene, spelled_tokens
from ical.query import Mentions, query_for
from ical.retrieve import Exemplar
from tests.ical.asking.samples import WOODEN_PICKAXE, known
from tests.ical.experience import COBBLE, iron_smelting, stone_age, wooden_pickaxe


def exemplar(csd):
    return Exemplar(id=csd.id, csd=csd, cosines=dict.fromkeys(AXES, 0.5), score=0.5, mapping=None)


def without(csd, axes):
    """Return `csd` with nothing said on the axes that are not kept."""
    return csd.model_copy(update={axis.value: () for axis in AXES if axis not in axes})


def test_experiences_go_by_labels_and_no_digest_is_told():
    scene = known()
    assert scene.labels == ("E1", "E2", "E3", "E4")
    assert scene.text.startswith("E1: craft wooden_pickaxe, worked\n")
    assert "csd_" not in scene.text


def test_each_source_names_its_descriptor_and_the_axes_told_of_it():
    scene = known()
    first = scene.sources[0]
    assert first.id == wooden_pickaxe().id
    assert first.score is None
    assert all(one.score is not None for one in scene.sources[1:])
    for source in scene.sources:
        assert source.told
        assert sum(source.shares.values()) == pytest.approx(1.0)
        assert set(source.shares) <= set(source.told)


def test_what_was_done_is_told_in_the_form_of_an_answer():
    line = known().text.split("\n")[1]
    assert json.loads(line.removeprefix("done: ")) == [{"do": "craft", "grid": WOODEN_PICKAXE}]


@settings(max_examples=20, deadline=None)
@given(st.sets(st.sampled_from(AXES), min_size=1))
def test_a_masked_axis_leaves_no_text_no_action_and_no_share(kept):
    axes = tuple(axis for axis in AXES if axis in kept)
    subject, *others = (wooden_pickaxe(), *stone_age())
    # What says nothing on the axes kept is never recalled.
    others = [one for one in others if one.id != subject.id and any(map(one.axis, axes))]
    masked = set_scene(subject, [exemplar(one) for one in others], axes=axes, budget_tokens=3_000)
    bare = set_scene(
        without(subject, axes),
        [exemplar(without(one, axes)) for one in others],
        budget_tokens=3_000,
    )
    assert masked.text == bare.text
    assert all(set(one.told) <= kept and set(one.shares) <= kept for one in masked.sources)


@pytest.mark.parametrize("budget", [60, 150, 400, 900])
def test_the_budget_is_never_exceeded(budget):
    scene = known(budget_tokens=budget)
    assert scene.tokens == spelled_tokens(scene.text) <= budget


def test_a_budget_below_the_heading_is_refused():
    with pytest.raises(BudgetTooSmall, match="expected a budget that holds what is told of wooden_pickaxe"):
        known(budget_tokens=3)


def test_of_an_item_what_is_known_stands_first_and_has_no_label():
    csds = stone_age()
    scene = set_scene(query_for(COBBLE, Mentions(csds)), [exemplar(csds[0])], budget_tokens=2_000)
    assert scene.text.startswith("What is known of cobblestone:\n")
    assert scene.labels == ("E1",)
    assert scene.source("E1").id == csds[0].id
    assert scene.source("E2") is None


def test_without_proc_the_struct_axis_tells_what_was_laid_and_without_both_nothing_does():
    smelted = iron_smelting()
    assert actions_of(smelted, (Axis.STRUCT,)) == (Smelt(input="raw_iron", fuel="coal"),)
    assert actions_of(smelted, (Axis.ATTR, Axis.FUNC)) == ()
    laid = actions_of(wooden_pickaxe(), (Axis.STRUCT,))
    assert laid == (Craft(grid=tuple(map(tuple, WOODEN_PICKAXE))),)

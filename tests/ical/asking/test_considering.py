"""From a draft to a task: needs are counted, claims checked, and what speaks against it found."""

from __future__ import annotations

import pytest

from csd.axes import Axis
from ical.asking.considering import consider
from ical.asking.drafts import read_tasks
from ical.asking.scene import EMPTY
from tests.ical.asking.samples import WOODEN_PICKAXE, here, known, task, written
from tests.ical.experience import COBBLE, PLANKS, STICK


def considered(one=None, scene=None, situation=None, **options):
    (draft,) = read_tasks(written(one or task()), 1).drafts
    return consider(draft, known() if scene is None else scene, situation or here(), **options)


def kinds(one):
    return [finding.kind for finding in one.verdict.findings]


def test_needs_station_and_assertions_follow_from_the_actions():
    made = considered().task
    assert made.needs == {COBBLE: 3, STICK: 2}
    assert made.station == "grid3"
    assert [one.text for one in made.assertions] == [
        "cobblestone x3 is carried",
        "stick x2 is carried",
        "a station within reach offers grid3",
        "cobblestone x3 is used up",
        "stick x2 is used up",
        "something comes out",
    ]


def test_each_step_is_supported_by_the_experience_it_is_like():
    scene = known()
    one = considered(task(actions=[{"do": "place", "item": STICK}, *task()["actions"]], like="E2"), scene)
    assert [entry.step for entry in one.task.support] == [0, 1]
    assert {entry.exemplar for entry in one.task.support} == {scene.source("E2").id}
    assert one.task.support[0].axes == scene.source("E2").shares


def test_a_task_with_all_at_hand_passes():
    one = considered()
    assert kinds(one) == []
    assert one.usable


def test_what_is_not_carried_can_be_mended():
    one = considered(situation=here(held={}, offers=()))
    assert kinds(one) == ["need_unmet", "need_unmet", "station_missing"]
    assert one.usable


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        (task([["diamond"]]), "unknown_name"),
        (task(like="E9"), "unsupported_step"),
        (task(like=None), "unsupported_step"),
        (task([[COBBLE], [COBBLE, COBBLE]]), "malformed"),
        (task([[None]]), "malformed"),
        (task(actions=[{"do": "place", "item": COBBLE}]), "malformed"),
        (task(WOODEN_PICKAXE), "contradicts_memory"),
        (task([["coal"]]), "contradicts_memory"),
    ],
)
def test_what_speaks_against_a_task_is_found_by_kind(changed, kind):
    situation = here(
        done=(("AAA/.B./.B.", (PLANKS, STICK)),),
        vain=(("A", ("coal",)),),
    )
    one = considered(changed, situation=situation)
    assert kind in kinds(one)
    assert not one.usable


@pytest.mark.parametrize(
    "claim",
    [
        {"kind": "uses", "item": STICK, "amount": 1},
        {"kind": "holds", "item": COBBLE, "amount": 2},
        {"kind": "station", "item": "smelt"},
        {"kind": "uses", "item": PLANKS, "amount": 3},
    ],
)
def test_an_assertion_that_its_own_actions_refute_is_struck_out_and_told(claim):
    one = considered(task(**{"assert": [claim]}))
    assert kinds(one) == ["false_claim"]
    assert one.usable
    assert len(one.task.assertions) == 6


def test_a_true_assertion_beyond_the_counted_ones_is_kept():
    one = considered(task(**{"assert": [{"kind": "gains", "item": "stone_pickaxe"}]}))
    assert one.task.assertions[-1].text == "stone_pickaxe comes out"
    assert kinds(one) == []


def test_the_words_of_the_example_are_not_taken_for_the_models_own():
    one = considered(task(goal="lay amber chips as slate chips were laid", expect="amber_trowel")).task
    assert one.goal == "AAA/.B./.B. of cobblestone, stick"
    assert one.effects is None


def test_where_nothing_is_remembered_no_support_is_asked_for():
    one = considered(task(like=None), scene=EMPTY)
    assert kinds(one) == []
    assert one.source is None
    assert one.task.support == ()


def test_digging_is_a_task_unless_only_laying_counts():
    dig = task(actions=[{"do": "collect", "block": COBBLE}], **{"assert": []})
    assert considered(dig).usable
    assert kinds(considered(dig, lays=True)) == ["malformed"]


def test_a_masked_axis_supports_nothing():
    one = considered(scene=known((Axis.STRUCT, Axis.FUNC)))
    assert set(one.task.support[0].axes) <= {Axis.STRUCT, Axis.FUNC}

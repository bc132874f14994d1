from __future__ import annotations

import json

import pytest

from csd.axes import AXES, Axis
from csd.released import read_entry
from csd.released_facts import csd_of_released
from csd.render import render_axis
from tests.csd.released_samples import BOWL, bowl


def made(**changes):
    return csd_of_released(read_entry("crafting_bowl", bowl(**changes)))


def test_the_history_becomes_making_uses_and_gains():
    csd = made()
    assert {axis: render_axis(csd, axis) for axis in AXES} == {
        Axis.STRUCT: "",
        Axis.ATTR: "spruce is dark brown",
        Axis.PROC: (
            "spruce planks is made by craft; spruce planks uses up spruce log x1; "
            "4 of spruce planks come out; "
            "bowl is made by craft; bowl uses up spruce planks x3; 4 of bowl come out; "
            "1. Found spruce log at (12, 64, -3) and navigated to it; 2. Collected 1 spruce log; "
            "3. Crafted 4 spruce planks from 1 spruce log; 4. Crafted 4 bowls from 3 spruce planks"
        ),
        Axis.FUNC: "spruce log becomes part of spruce planks; spruce planks becomes part of bowl",
        Axis.INTER: (
            "Collected 1 spruce log gave spruce log +1; "
            "Crafted 4 spruce planks from 1 spruce log gave spruce log -1, spruce planks +4; "
            "Crafted 4 bowls from 3 spruce planks gave spruce planks -3, bowl +4"
        ),
    }


def test_the_circumstances_are_the_entrys_own():
    meta = made().meta
    assert (meta.task, meta.success, meta.product, meta.verb) == ("Craft bowls.", True, "bowl", "craft")
    assert (meta.position, meta.step, meta.biome) == ((10.5, 64.0, -3.5), 120, "taiga")
    assert meta.objects == ("grass_block", "spruce")
    assert (meta.episodes, meta.world, meta.builder) == (("crafting_bowl",), "echo-released", "released/1")


def test_evidence_points_at_the_line_of_the_history():
    first = made().proc[0]
    assert [(one.episode, one.detail) for one in first.evidence] == [("crafting_bowl", "inter.hist[2]")]


def test_what_only_the_texts_claim_is_left_out():
    told = json.dumps(made(func={"spruce": "Can be eaten."}).model_dump(mode="json"))
    assert "eaten" not in told
    assert "two blocks ahead" not in told


def test_an_entry_that_contradicts_its_history_is_refused():
    lines = [
        "Collected 1 spruce_log.",
        "Crafted 8 spruce_planks from 2 spruce_log.",
        "Task completed with score: 1.",
    ]
    with pytest.raises(ValueError, match=r"crafting_bowl\.inter\.hist: .* got 2 used"):
        made(inter__hist=lines)


def test_without_a_score_someone_must_say_whether_the_goal_was_reached():
    entry = read_entry("crafting_bowl", bowl(inter__hist=BOWL["Inter"]["hist"][:-1]))
    with pytest.raises(
        ValueError, match=r"whether the goal was reached. State it with --success or --failed"
    ):
        csd_of_released(entry)
    assert csd_of_released(entry, False).meta.success is False


def test_a_score_of_zero_is_no_success():
    assert made(inter__hist=[*BOWL["Inter"]["hist"][:-1], "Task ended with score: 0."]).meta.success is False


@pytest.mark.parametrize("field", ["agent_pos", "time_step", "biome"])
def test_a_missing_circumstance_is_named_and_not_made_up(field: str):
    with pytest.raises(ValueError, match=rf"crafting_bowl\.meta to say where and when; got no {field}"):
        made(**{f"meta__{field}": None})


def test_an_entry_without_a_history_is_refused():
    with pytest.raises(ValueError, match="expected a history of what was done; got none"):
        made(inter__hist=[])

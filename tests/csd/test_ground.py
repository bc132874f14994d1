from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from csd.axes import AXES
from csd.build import describe
from csd.descriptor import Csd, Evidence, Statement
from csd.ground import SHOWN, ground, names_seen
from csd.vocabulary import PREDICATES
from tests.csd import sample_episodes as samples

EPISODES = {
    "pickaxe": samples.crafted_pickaxe(),
    "axe": samples.crafted_axe(),
    "left-handed axe": samples.crafted_axe(mirrored=True),
    "iron": samples.smelted_iron(),
    "iron in a burning fire": samples.smelted_iron(fire_burning=True),
    "stone": samples.dug_stone(),
    "table": samples.placed_table(),
    "sheep": samples.attacked_sheep(),
    "apple": samples.ate_apple(),
    "nothing": samples.failed_collect(),
}


def described(name: str) -> Csd:
    csd = describe(EPISODES[name])
    assert isinstance(csd, Csd)
    return csd


def problems(csd: Csd, name: str):
    episode = EPISODES[name]
    return ground(csd, {episode.id: episode})


def only_problem(csd: Csd, name: str):
    (problem,) = problems(csd, name)
    return problem


def with_statement(name: str, axis: str, subject: str, predicate: str, value, **evidence) -> Csd:
    """The descriptor of an episode with one statement more on `axis`."""
    csd = described(name)
    pieces = evidence.pop("pieces", None) or [
        {"episode": "ep_000001", "step": 0, "kind": "outcome", **evidence}
    ]
    added = Statement(
        subject=subject,
        predicate=predicate,
        value=value,
        evidence=tuple(Evidence(**piece) for piece in pieces),
    )
    return csd.model_copy(update={axis: (*getattr(csd, axis), added)})


@pytest.mark.parametrize("name", EPISODES)
def test_what_the_rules_write_is_borne_out(name):
    assert problems(described(name), name) == ()


def test_every_predicate_can_be_looked_up():
    assert {axis: sorted(SHOWN[axis]) for axis in AXES} == {axis: sorted(PREDICATES[axis]) for axis in AXES}


@pytest.mark.parametrize("name", EPISODES)
def test_every_statement_is_refused_once_its_value_is_spoilt(name):
    csd = described(name)
    for axis in AXES:
        for index, statement in enumerate(csd.axis(axis)):
            value = not statement.value if isinstance(statement.value, bool) else (
                statement.value + 1 if isinstance(statement.value, int) else f"{statement.value} spoilt"
            )  # fmt: skip
            spoilt = list(csd.axis(axis))
            spoilt[index] = statement.model_copy(update={"value": value})
            problem = only_problem(csd.model_copy(update={axis.value: tuple(spoilt)}), name)
            assert problem.where == f"{axis.value}[{index}]"


@pytest.mark.parametrize("name", EPISODES)
def test_every_statement_is_refused_once_its_evidence_points_beyond_the_episode(name):
    csd = described(name)
    for axis in AXES:
        for index, statement in enumerate(csd.axis(axis)):
            moved = tuple(piece.model_copy(update={"step": 99}) for piece in statement.evidence)
            spoilt = list(csd.axis(axis))
            spoilt[index] = statement.model_copy(update={"evidence": moved})
            problem = only_problem(csd.model_copy(update={axis.value: tuple(spoilt)}), name)
            assert "got step 99" in problem.reason


def test_an_amount_that_the_inventory_did_not_show_is_refused():
    csd = with_statement("axe", "proc", "wooden_axe", "consumes", "stick x8")
    problem = only_problem(csd, "axe")
    assert problem.excerpt == "(wooden_axe, consumes, stick x8)"
    assert re.search(r"shows for 'consumes'.*'oak_planks x3', 'stick x2'.*got 'stick x8'", problem.reason)


def test_a_quoted_change_that_did_not_happen_is_refused():
    csd = with_statement(
        "axe", "proc", "wooden_axe", "consumes", "stick x2", kind="inventory", detail="stick -8"
    )
    assert "got detail 'stick -8'" in only_problem(csd, "axe").reason


def test_a_name_that_was_never_seen_is_refused():
    csd = with_statement("axe", "func", "furnace", "plays", "station")
    assert "got furnace, never seen" in only_problem(csd, "axe").reason


def test_a_name_never_seen_is_refused_as_a_value_too():
    csd = with_statement("axe", "proc", "wooden_axe", "consumes", "iron_ore x1")
    assert "got iron_ore, never seen" in only_problem(csd, "axe").reason


def test_evidence_at_a_step_that_shows_something_else_is_refused():
    csd = with_statement("pickaxe", "proc", "wooden_pickaxe", "yields", 1, step=0)
    assert "(nothing of the kind); got 1" in only_problem(csd, "pickaxe").reason


def test_one_wrong_piece_among_right_ones_is_refused():
    right = {"episode": "ep_000001", "step": 1, "kind": "outcome"}
    csd = with_statement(
        "pickaxe", "proc", "wooden_pickaxe", "yields", 1, pieces=[right, {**right, "step": 0}]
    )
    assert "step 0 of ep_000001" in only_problem(csd, "pickaxe").reason


def test_evidence_from_another_episode_is_refused():
    csd = with_statement("axe", "proc", "wooden_axe", "yields", 1, episode="ep_000077")
    assert "got ep_000077" in only_problem(csd, "axe").reason


def test_a_true_is_not_a_one():
    csd = with_statement("axe", "proc", "wooden_axe", "yields", True)
    assert "got True" in only_problem(csd, "axe").reason


def test_the_final_observation_is_no_step_to_act_in():
    csd = with_statement("axe", "proc", "wooden_axe", "yields", 1, step=1, kind="observation")
    assert "steps 0 to 0" in only_problem(csd, "axe").reason


def test_a_frame_is_evidence_only_where_there_is_one():
    csd = with_statement("stone", "attr", "stone", "colour", "grey", kind="frame")
    assert "expected a frame at step 0" in only_problem(csd, "stone").reason
    episode = EPISODES["stone"]
    seen = replace(episode.steps[0].before, frame=np.zeros((2, 2, 3), dtype=np.uint8))
    framed = replace(episode, steps=(replace(episode.steps[0], before=seen), episode.steps[1]))
    assert ground(csd, {framed.id: framed}) == ()


def test_opening_takes_a_refusal_and_a_yield():
    csd = with_statement("stone", "func", "wooden_pickaxe", "opens", "stone", step=1)
    assert "only one of the two" in only_problem(csd, "stone").reason


def test_a_repeated_step_takes_as_many_pieces_of_evidence():
    csd = with_statement("apple", "proc", "1", "step", "eat apple, 3 times", kind="action")
    assert "('eat apple'); got 'eat apple, 3 times'" in only_problem(csd, "apple").reason


def test_a_role_from_a_failed_grid_is_refused():
    csd = with_statement("pickaxe", "func", "oak_planks", "plays", "body", kind="action")
    assert "'plays' of 'oak_planks'" in only_problem(csd, "pickaxe").reason


def test_a_product_that_was_not_gained_is_refused():
    csd = described("axe")
    csd = csd.model_copy(update={"meta": csd.meta.model_copy(update={"product": "diamond"})})
    problem = only_problem(csd, "axe")
    assert (problem.where, problem.excerpt) == ("meta.product", "diamond")
    assert "(wooden_axe); got 'diamond'" in problem.reason


def test_objects_out_of_sight_are_refused():
    csd = described("axe")
    csd = csd.model_copy(update={"meta": csd.meta.model_copy(update={"objects": ("furnace", "oak_log")})})
    assert "got furnace, in sight at no step" in only_problem(csd, "axe").reason


def test_a_descriptor_of_an_episode_that_is_not_there_is_refused():
    (problem,) = ground(described("axe"), {})
    assert problem.where == "meta.episodes"
    assert "none named ep_000001" in problem.reason


def test_names_are_those_of_every_record():
    assert names_seen(EPISODES["nothing"]) == ("grass_block", "oak_log", "iron_ore")
    assert "white_wool" in names_seen(EPISODES["sheep"])

from __future__ import annotations

import json

import pytest

from echo.bench.oracle import find_substitutes, main, play_oracle
from echo.bench.oracle_rules import bare_costs, every_way
from echo.experiments.tasks.loading import ladder_names, load_task, read_task, task_names
from echo.worlds.minecraft.facts import load_facts

STARTS = [
    (name, start) for name in (*task_names(), *ladder_names()) for start in range(len(load_task(name).starts))
]
FUNCTIONAL = [(name, start) for name, start in STARTS if load_task(name).family == "functional"]


@pytest.mark.parametrize(("name", "start"), STARTS)
def test_every_start_is_won_within_its_budget_without_what_is_withheld(name, start):
    task = load_task(name)
    run = play_oracle(task, start, 0)
    assert run.fault is None
    assert 0 < run.steps <= run.budget
    assert run.used
    assert not [item for item in run.used if item in task.withheld_in(task.starts[start])]


@pytest.mark.parametrize(("name", "start"), FUNCTIONAL)
def test_the_usual_items_cannot_be_had_and_several_others_serve_and_several_do_not(name, start):
    offer = find_substitutes(load_task(name), start)
    assert offer.usual == ()
    assert len(offer.serving) >= 3
    assert len(offer.failing) >= 8


@pytest.mark.parametrize("name", ["bridge-eq", "smelt-eq", "weapon-eq"])
def test_what_serves_in_one_start_is_at_hand_in_no_other(name):
    task = load_task(name)
    offers = [find_substitutes(task, start) for start in range(len(task.starts))]
    serving = [item for offer in offers for item in offer.serving]
    assert len(serving) == len(dict.fromkeys(serving))


def test_a_usual_item_at_hand_is_found_out():
    task = load_task("smelt-eq")
    # The loader refuses such a start; a copy is not checked.
    leaky = task.starts[0].model_copy(update={"inventory": {"sand": 1, "charcoal": 1}})
    assert find_substitutes(task.model_copy(update={"starts": (leaky,)}), 0).usual == ("charcoal",)


def test_a_recipe_task_has_no_substitutes():
    with pytest.raises(ValueError, match=r"expected a functional task; got 'bed' of the family 'recipe'"):
        find_substitutes(load_task("bed"), 0)


HOPELESS = """
name = "hopeless"
title = "Hopeless"
family = "recipe"
text = "carry {elytra}"
steps = 10
goal = { kind = "have", items = { elytra = 1 } }
[[starts]]
"""


def test_a_goal_out_of_reach_is_a_fault_and_no_success():
    run = play_oracle(read_task(HOPELESS, where="here"), 0, 0)
    assert run.fault is not None
    assert "elytra" in run.fault
    assert not run.within


def test_a_start_that_takes_more_steps_than_the_budget_is_not_within_it():
    poor = load_task("iron-pickaxe").model_copy(update={"steps": 5})
    run = play_oracle(poor, 0, 0)
    assert run.fault is None
    assert not run.within


def test_a_pickaxe_of_diamonds_is_no_way_to_the_first_diamond():
    price = bare_costs(load_facts(), frozenset(), ())
    assert price["iron_pickaxe"] < price["diamond"] < price["diamond_pickaxe"]


def test_withheld_items_have_no_way():
    ways = every_way(load_facts(), frozenset({"stick"}), ())
    assert "stick" not in ways
    assert "oak_planks" in ways


def test_the_command_prints_one_json_object(capsys):
    assert main(["--task", "craft-grid", "--seeds", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [run["within"] for run in told["runs"]] == [True] * 4
    assert told["substitutes"] == []


def test_the_command_lists_what_serves(capsys):
    assert main(["--task", "weapon-eq", "--seeds", "1"]) == 0
    assert "3 serve (iron_pickaxe, iron_shovel, stone_axe), 18 do not" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--task", "beds"], ["--seeds", "0"]])
def test_wrong_use_ends_with_2(arguments):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)

from __future__ import annotations

import sys
import tomllib

import pytest

from csd.resources import data_file
from echo.experiments.results import write_result
from echo.experiments.spec import UnlockSpec
from echo.experiments.tasks.costs import Costs, CostsFile, budget, main, measure
from echo.experiments.tasks.loading import load_task, task_names
from echo.experiments.tasks.results import write_run
from tests.experiments.fakes import make_run as make_unlocked
from tests.experiments.tasks.fake_runs import make_run, make_spec


def test_a_price_is_seconds_over_all_budgets():
    # Three episodes of ten steps each a run: (1.5 + 4.5) / 60.
    runs = [make_run(make_spec("echo")), make_run(make_spec("echo", run=1), seconds=4.5)]
    assert measure([*runs, make_run(make_spec("mp5"), seconds=0.3)]) == {
        "echo": pytest.approx(0.1),
        "mp5": pytest.approx(0.01),
    }


def test_a_run_costs_its_budget_at_the_price_of_its_agent():
    costs = Costs(per_step={"echo": 0.01, "echo/-func": 0.03, "mp5": 0.02})
    steps = load_task("bed").steps
    assert costs.seconds(make_spec("echo")) == pytest.approx(0.01 * steps * 3)
    assert costs.seconds(make_spec("echo/-func")) == pytest.approx(0.03 * steps * 3)
    assert costs.seconds(make_spec("mp5/-patroller")) == pytest.approx(
        0.02 * steps * 3
    )  # As without a switch.
    assert costs.seconds(make_spec("vista")) == pytest.approx(0.02 * steps * 3)  # The median.


def test_what_was_measured_in_the_same_folder_counts_first(tmp_path):
    costs = Costs.from_file(
        [make_run(make_spec("echo"), seconds=6.0), make_run(make_spec("echo", run=1), seconds=12.0)]
    )
    assert costs.seconds(make_spec("echo", run=2, episodes=30)) == pytest.approx(3.0 * 30)


def test_a_mixed_episode_costs_the_mean_of_the_twelve():
    assert budget("mixed") == pytest.approx(sum(load_task(name).steps for name in task_names()) / 12)


def test_the_file_that_comes_with_the_project_prices_agents_above_zero():
    content = tomllib.loads(data_file("runs", "costs.toml").read_text(encoding="utf-8"))
    assert content["seconds_per_step"]["echo"] > 0
    assert all(price > 0 for price in content["seconds_per_step"].values())


def costs_file() -> CostsFile:
    return CostsFile(
        per_step={"echo": 0.00123456, "mp5/-patroller": 2.0},
        unlocking={"edits": {2000: 7.25, 8000: 33.333}},
        made_by={"seconds_per_step": "python -m one DIR", "unlock_seconds": 'python -m "two"'},
    )


def test_the_file_names_the_commands_that_made_it_and_keeps_three_digits():
    assert tomllib.loads(costs_file().text) == {
        "made_by": {"seconds_per_step": "python -m one DIR", "unlock_seconds": 'python -m "two"'},
        "seconds_per_step": {"echo": 0.00123, "mp5/-patroller": 2.0},
        "unlock_seconds": {"edits": {"2000": 7.25, "8000": 33.3}},
    }


def test_the_file_that_comes_with_the_project_is_as_it_would_be_written():
    assert data_file("runs", "costs.toml").read_text(encoding="utf-8") == CostsFile.read().text


def test_a_kind_that_the_folders_say_nothing_of_stays_as_it_was(tmp_path):
    write_run(tmp_path / "tasks", make_run(make_spec("echo")))
    unlocked = make_unlocked(UnlockSpec(agent="none", seed=0, steps=50), 7)
    write_result(tmp_path / "unlock", unlocked)
    before = costs_file()
    tasks = before.measured([tmp_path / "tasks"], "command A")
    assert (tasks.per_step, tasks.unlocking) == ({"echo": pytest.approx(0.05)}, before.unlocking)
    assert tasks.made_by == {**before.made_by, "seconds_per_step": "command A"}
    unlock = before.measured([tmp_path / "unlock"], "command B")
    assert (unlock.per_step, unlock.unlocking) == (before.per_step, {"none": {50: 1.0}})
    assert unlock.made_by == {**before.made_by, "unlock_seconds": "command B"}


def test_the_command_measures_a_folder(tmp_path, monkeypatch, capsys):
    write_run(tmp_path, make_run(make_spec("echo")))
    monkeypatch.setattr(sys, "argv", ["costs", str(tmp_path)])
    assert main() == 0
    printed = tomllib.loads(capsys.readouterr().out)
    assert printed["seconds_per_step"] == {"echo": 0.05}
    assert (
        printed["made_by"]["seconds_per_step"] == f"python -m echo.experiments.tasks.costs {tmp_path} --write"
    )


def test_the_command_says_why_it_cannot(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["costs", str(tmp_path)])
    assert main() == 1
    assert "error: expected a results folder" in capsys.readouterr().err

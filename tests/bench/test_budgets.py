from __future__ import annotations

import json

import pytest

from echo.bench import budgets
from echo.experiments.tasks.loading import load_task


@pytest.fixture(autouse=True)
def few_episodes(monkeypatch):
    monkeypatch.setattr(budgets, "EPISODES", 10)


def lines(capsys, *arguments: str) -> tuple[int, list[dict[str, object]]]:
    code = budgets.main(["--agent", "direct", "--runs", "1", "--json", *arguments])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_task_is_measured_at_each_budget_asked_for(capsys):
    code, told = lines(capsys, "--tasks", "craft-grid", "--budgets", "1,40")
    assert [(one["task"], one["budget"]) for one in told] == [("craft-grid", 1), ("craft-grid", 40)]
    # One step is enough for nobody without a memory to find a grid and lay it.
    assert told[0] == {"task": "craft-grid", "budget": 1, "at10": 0.0, "at30": 0.0, "steps": 1.0}
    assert told[1]["at10"] > 0.0
    # Neither is the task's own budget, on which alone the answer rests.
    assert load_task("craft-grid").steps not in (1, 40)
    assert code == 0


def test_without_budgets_the_tasks_own_is_measured_and_judged(capsys):
    code, (told,) = lines(capsys, "--tasks", "weapon-eq")
    assert told["budget"] == load_task("weapon-eq").steps
    assert code == (0 if budgets.LOW <= told["at30"] <= budgets.HIGH else 1)


def test_shares_are_told_in_words_without_json(capsys):
    budgets.main(["--agent", "direct", "--runs", "1", "--tasks", "craft-grid", "--budgets", "1"])
    assert capsys.readouterr().out == "craft-grid       1  @10 0.00  @30 0.00    1.0 steps\n"

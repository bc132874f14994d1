"""What a model decided and cost: sums over runs, and the report that shows them."""

from __future__ import annotations

import json

import pytest

from echo.experiments.model_bill import bill_of, cost_cells
from echo.experiments.reasoner import Answer, Reasoning
from echo.experiments.results import write_result
from echo.experiments.spec import UnlockSpec
from tests.cli.bank_samples import call
from tests.experiments.fakes import make_run

MODEL = "openai:small"


def answer(**changes) -> Answer:
    told = {
        "purpose": "induce", "prompt_digest": "0" * 64, "text": "{}", "prompt_tokens": 1000,
        "completion_tokens": 30, "money": 0.25, "seed": 0, "seconds": 1.5, "cut": False,
        "held_to_schema": False, "cached": False, "usable": True, "findings": (), "mended": (),
    }  # fmt: skip
    return Answer(**{**told, **changes})


def reasoning(*answers: Answer) -> Reasoning:
    return Reasoning(
        decisions=10, ideas=4, fallbacks=3, resting=2, spent=1, tried=4, worked=2, new=1, rounds=5,
        unusable=3, answers=answers,
    )  # fmt: skip


def test_sums_run_over_all_lives_and_are_none_without_a_model():
    bill = bill_of([reasoning(answer()), reasoning(answer(), answer(cached=True, money=9.0))])
    assert bill is not None
    assert (bill.decisions, bill.ideas, bill.fallbacks, bill.resting, bill.spent) == (20, 8, 6, 4, 2)
    assert cost_cells(bill) == ("3 (1 cached)", "2,000", "60", "0.5", "3.0")
    assert bill_of([]) is None


@pytest.mark.parametrize(
    ("answers", "read", "money"),
    [
        ([answer(prompt_tokens=None), answer()], "at least 1,000", "0.5"),
        ([answer(money=None), answer()], "2,000", "at least 0.25"),
        ([answer(money=None), answer(money=None)], "2,000", "not known"),
    ],
)
def test_a_sum_that_lacks_some_says_so(answers, read, money):
    bill = bill_of([reasoning(*answers)])
    assert bill is not None
    assert (cost_cells(bill)[1], cost_cells(bill)[3]) == (read, money)


def test_the_report_of_an_unlocking_run_by_a_model_shows_model_decisions_and_bill(tmp_path):
    for seed in (0, 1):
        run = make_run(UnlockSpec(agent="echo", steps=400, seed=seed, reasoner=MODEL), 20, 40)
        write_result(tmp_path, run.model_copy(update={"reasoning": reasoning(answer(), answer())}))
    done = call("report", tmp_path)
    assert done.exit_code == 0, done.output
    shown = " ".join(done.stdout.split())
    assert f"model {MODEL}" in shown
    assert "8 of 20 decisions its own (6 answers of no use, 4 nothing to ask, 2 no question left)" in shown
    assert "4 answers, 4,000 tokens read, 120 written, 6.0 s, money 1" in shown
    numbers = json.loads((tmp_path / "report" / "report.json").read_text())["models"]["echo"]
    assert (numbers["decisions"], numbers["cost"]["prompt_tokens"], numbers["cost"]["seconds"]) == (
        20,
        4000,
        6,
    )
    page = (tmp_path / "report" / "report.html").read_text()
    assert f"Reasoner: {MODEL};" in page
    assert "<td>4,000</td><td>120</td><td>1</td><td>6.0</td>" in page


def test_the_report_of_a_run_by_rule_tells_no_bill(tmp_path):
    write_result(tmp_path, make_run(UnlockSpec(agent="echo", steps=400), 20, 40))
    done = call("report", tmp_path)
    assert "model" not in done.stdout
    assert json.loads((tmp_path / "report" / "report.json").read_text())["models"] == {}
    page = (tmp_path / "report" / "report.html").read_text()
    assert "no language model" in page
    assert "its bill" not in page

"""A whole short unlocking run led by the small packaged model, held to the schema; nothing is faked.

From the run to its result, its memory folder and its report, as `run unlock --reasoner hf:smollm2` goes.
"""

from __future__ import annotations

import json
from functools import partial

import pytest

from echo.agent.model_policy import ModelOptions, ModelPolicy
from echo.experiments import reasoner, thinking
from echo.experiments.results import read_result
from echo.experiments.spec import UnlockSpec
from echo.experiments.trial import play_minecraft, run_trial
from ical.asking.drafts import read_tasks
from ical.asking.round import Bounds
from tests.cli.bank_samples import call

pytest.importorskip("llguidance", reason="the finetune extra is not installed")

MODEL = "hf:smollm2"

STEPS = 45
"""Counted actions; the first decision comes after some 35."""

FEW = ModelOptions(
    bounds=Bounds(tasks=1, repairs=1, verifies=False, lays=True),
    budget_tokens=250,
    questions=2,
    recovers=False,
)
"""At most four answers, which take some ten seconds each on two cores."""


@pytest.fixture
def _few_and_short_answers(monkeypatch):
    monkeypatch.setattr(thinking, "ModelPolicy", partial(ModelPolicy, options=FEW))
    monkeypatch.setattr(reasoner, "MOST_TOKENS", 160)
    reasoner.model_for.cache_clear()
    yield
    reasoner.model_for.cache_clear()


@pytest.mark.finetune
@pytest.mark.slow
@pytest.mark.usefixtures("_few_and_short_answers")
def test_a_small_model_leads_a_run_from_start_to_report(tmp_path):
    spec = UnlockSpec(agent="echo", steps=STEPS, encoder="hashing", reasoner=reasoner.resolved(MODEL))
    player = partial(play_minecraft, reasoner=MODEL)
    result = run_trial(spec, tmp_path, player, "echo-memory run unlock", lambda *_: None)

    told = result.reasoning
    assert told is not None
    assert result.actions == STEPS
    assert len(result.unlocks) >= 5
    assert told.decisions == told.ideas + told.fallbacks + told.resting + told.spent > 0
    assert 1 <= told.rounds <= 2
    assert told.rounds <= len(told.answers) <= 4
    assert told.ideas or told.fallbacks
    for one in told.answers:
        assert len(one.prompt_digest) == 64
        assert one.held_to_schema
        assert one.prompt_tokens is not None
        assert one.prompt_tokens > 100
        assert one.completion_tokens
        assert one.seconds
        assert (one.seed, one.money) == (0, 0.0)
        # Held to the schema, what was not cut can be read; whether it will do is another matter.
        assert one.cut or read_tasks(one.text, 1).drafts
        assert one.usable or one.findings

    assert read_result(tmp_path / "runs" / f"{spec.name}.json") == result
    kept = (tmp_path / "memories" / spec.name / thinking.COMPLETIONS).read_text().splitlines()
    assert tuple(map(reasoner.Answer.model_validate_json, kept)) == told.answers

    done = call("report", tmp_path)
    assert done.exit_code == 0, done.output
    shown = " ".join(done.stdout.split())
    assert f"model {spec.reasoner}" in shown
    assert f"{told.ideas} of {told.decisions} decisions its own" in shown
    bill = json.loads((tmp_path / "report" / "report.json").read_text())["models"]["echo"]["cost"]
    assert bill["answered"] == len(told.answers)
    assert bill["prompt_tokens"] == sum(one.prompt_tokens or 0 for one in told.answers)
    assert bill["completion_tokens"] == sum(one.completion_tokens or 0 for one in told.answers)
    assert bill["seconds"] == pytest.approx(sum(one.seconds or 0.0 for one in told.answers))

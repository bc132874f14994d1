"""Who decides in a run: names without paths, records of answers, and specs of the rule as they were."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from csd.chat import ModelError, Reply, ScriptedModel
from echo.agent.model_use import ModelUse
from echo.experiments.reasoner import Answer, Reasoning, resolved
from echo.experiments.reasoner_names import slug
from echo.experiments.results import read_result
from echo.experiments.spec import UnlockSpec, UsageError
from echo.experiments.tasks.competitors import Competitor
from echo.experiments.tasks.loading import tasks_digest
from echo.experiments.tasks.records import RunSpec, TaskRun
from echo.experiments.tasks.trial import play_run
from echo.experiments.thinking import COMPLETIONS, reasoner_model
from echo.experiments.trial import play_minecraft, run_trial
from ical.asking.calls import Asker

LOGS = {
    "tasks": [
        {
            "like": "E1",
            "goal": "more planks",
            "actions": [{"do": "craft", "grid": [["oak_log"]]}],
            "assert": [],
        }
    ]
}


def script(folder: Path, *lines: dict[str, str]) -> str:
    """Return a reasoner that answers from a file; without lines it proposes to lay a log, time and again."""
    told = lines or (
        {"when": "These tasks are proposed", "reply": '{"verdicts":[{"task":1,"passes":true,"why":"new"}]}'},
        {"when": "That will not do", "reply": "I am sorry."},
        {"when": "Name what must be held", "reply": '{"subgoals":[{"item":"stick","amount":1}]}'},
        {"when": "known names", "reply": json.dumps(LOGS)},
    )
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in told))
    return f"scripted:{path}"


def unlocked(folder: Path, reasoner: str, **changes):
    settings = {"agent": "echo", "steps": 60, "encoder": "hashing", "reasoner": resolved(reasoner)}
    spec = UnlockSpec(**{**settings, **changes})
    player = partial(play_minecraft, reasoner=reasoner)
    return run_trial(spec, folder, player, "echo-memory run unlock", lambda *_: None)


def test_the_rule_leaves_specs_and_results_as_they_were_before_there_were_models(tmp_path):
    spec = UnlockSpec(agent="echo", steps=5, encoder="hashing", record="none")
    assert "reasoner" not in spec.model_dump(mode="json")
    assert "reasoner" not in spec.circumstances
    assert spec.name == "echo-s00"
    run_trial(spec, tmp_path, play_minecraft, "x", lambda *_: None)
    assert "reasoning" not in json.loads((tmp_path / "runs" / "echo-s00.json").read_text())


def test_a_model_is_part_of_spec_name_and_digest():
    rule, model = (UnlockSpec(agent="echo", reasoner=one) for one in ("rule", "openai:gpt-4o"))
    assert model.name == "echo-by-openai-gpt-4o-1cffe3-s00"
    assert model.digest != rule.digest
    assert model.circumstances["reasoner"] == "openai:gpt-4o"
    assert UnlockSpec.model_validate_json(model.model_dump_json()) == model


def test_the_name_of_a_script_holds_its_content_and_no_path(tmp_path):
    name = resolved(script(tmp_path))
    assert name.startswith("scripted:answers.jsonl@")
    assert str(tmp_path) not in name
    assert resolved(script(tmp_path, {"reply": "other"})) != name


def test_names_that_begin_alike_have_slugs_of_their_own():
    one, other = slug("openai:" + "a" * 60 + "1"), slug("openai:" + "a" * 60 + "2")
    assert one != other
    assert len(one) == len("by-") + 40 + len("-123456")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("openia:gpt", "Did you mean openai?"),
        ("openai:", "expected rule, openai:MODEL"),
        ("gpt-4o", "got 'gpt-4o' for --reasoner"),
        ("scripted:/nowhere/answers.jsonl", "at /nowhere/answers.jsonl for --reasoner"),
    ],
)
def test_a_reasoner_that_is_none_is_refused_with_what_to_write(asked, told):
    with pytest.raises(UsageError) as caught:
        resolved(asked)
    assert told in str(caught.value)


@pytest.mark.finetune
def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"config\.json.*--reasoner"):
        resolved(f"hf:{tmp_path}")


@pytest.mark.finetune
def test_a_packaged_model_that_is_not_installed_is_wrong_use(monkeypatch):
    monkeypatch.setattr("finetune.packaged.PACKAGE", "no_such_package_here")
    with pytest.raises(UsageError, match=r"Install it: .*--reasoner"):
        resolved("hf:smollm2")


def test_a_reasoner_other_than_that_of_the_spec_is_refused(tmp_path):
    with pytest.raises(UsageError, match="expected the reasoner openai:other of the spec"):
        reasoner_model("openai:other", script(tmp_path))


def test_a_run_keeps_what_the_model_decided_and_answered(tmp_path):
    result = unlocked(tmp_path, script(tmp_path))
    told = result.reasoning
    assert told.decisions == told.ideas + told.fallbacks + told.resting + told.spent > 0
    assert (told.tried, told.worked, told.new) == (1, 1, 1)
    assert [one.detail for one in result.unlocks if one.source == "transfer"] == ["model: more planks"]
    assert [one.purpose for one in told.answers[:2]] == ["induce", "verify"]
    assert told.fallbacks > 0
    assert told.unusable == told.rounds - 1
    assert read_result(next((tmp_path / "runs").glob("*.json"))) == result


def test_the_memory_folder_keeps_every_completion_as_it_comes(tmp_path):
    result = unlocked(tmp_path, script(tmp_path))
    lines = (tmp_path / "memories" / result.spec.name / COMPLETIONS).read_text().splitlines()
    assert tuple(map(Answer.model_validate_json, lines)) == result.reasoning.answers


def test_equal_specs_give_equal_results_also_with_a_model(tmp_path):
    asked = script(tmp_path)
    runs = [
        unlocked(tmp_path / name, asked, record=record) for name, record in (("a", "none"), ("b", "none"))
    ]
    assert runs[0].result_digest == runs[1].result_digest


def test_a_model_that_stops_answering_leaves_the_run_without_a_result(tmp_path):
    asked = script(tmp_path, {"reply": "no"}, {"reply": "no"})
    with pytest.raises(ModelError, match="used up"):
        unlocked(tmp_path, asked)
    assert not list((tmp_path / "runs").glob("*.json"))
    (memory,) = (tmp_path / "memories").iterdir()
    assert len((memory / COMPLETIONS).read_text().splitlines()) == 2


@pytest.mark.parametrize("agent", ["none", "name-similarity"])
def test_agents_without_axes_are_shown_what_they_keep(tmp_path, agent):
    result = unlocked(tmp_path, script(tmp_path), agent=agent)
    assert result.reasoning.rounds > 1
    assert result.reasoning.answers


def run_spec(asked: str, agent: str = "echo", switch: str | None = None) -> RunSpec:
    return RunSpec(
        kind="tasks",
        competitor=Competitor(agent=agent, switch=switch),
        task="craft-table",
        run=0,
        seed=9000,
        episodes=2,
        reasoner=resolved(asked),
        task_digest=tasks_digest(("craft-table",)),
    )


@pytest.mark.parametrize(("agent", "switch"), [("echo", None), ("echo", "-ical"), ("voyager", None)])
def test_a_run_of_tasks_keeps_an_account_of_each_episode(tmp_path, agent, switch):
    asked = script(tmp_path)
    spec = run_spec(asked, agent, switch)
    run = play_run(spec, "x", lambda *_: None, reasoner=asked)
    assert len(run.reasoning) == 2
    assert ".by-scripted-answers-jsonl-" in spec.name
    for account, episode in zip(run.reasoning, run.episodes, strict=True):
        spent = account.ideas + account.fallbacks + account.resting + account.spent
        assert account.decisions == spent
        assert (episode.tokens > 0) == bool(account.answers)
    assert TaskRun.model_validate_json(run.model_dump_json()) == run


def test_an_answer_with_half_a_character_can_still_be_written():
    use = ModelUse()
    asker = Asker(ScriptedModel([]))
    asker.judged("induce", (), Reply(text="\ud83c"), usable=False, findings=["got '\ud83c'"])
    use.calls = asker.calls
    told = Reasoning.of(use)
    assert told.answers[0].text == "\\ud83c"
    assert Reasoning.model_validate_json(told.model_dump_json()) == told


def test_what_an_answer_cost_enters_no_digest():
    def happened(seconds: float) -> object:
        asker = Asker(ScriptedModel([]))
        asker.judged("induce", (), Reply(text="no", seconds=seconds, money=seconds), usable=False)
        return Reasoning.of(ModelUse(calls=asker.calls)).happened

    assert happened(1.0) == happened(2.0)

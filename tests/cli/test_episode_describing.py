from __future__ import annotations

import hashlib
import json

import pytest

from csd.build import describe
from csd.by_model.compact import compact
from csd.by_model.prompts import VERSION
from csd.chat import ScriptedModel
from echo.cli.episode_describing import Builder, by_model
from echo.mfm.episodic.reader import read_episode
from echo.mfm.episodic.recorder import Recorder
from tests.cli.bank_samples import call
from tests.mfm.episodic.sample_steps import collect_log, seen

HASHING = ("--encoder", "hashing-256")


@pytest.fixture
def memory(tmp_path):
    with Recorder.open(tmp_path, source="test") as recorder:
        recorder.initial(seen(0))
        recorder.write(goal="wood", steps=[collect_log(0)], after=seen(1, oak_log=1))
    return tmp_path


def right(memory):
    return compact(describe(read_episode(memory, "ep_000001")))


def test_a_model_describes_the_episodes_and_what_gives_nothing_is_told(memory):
    attempts = memory / "bank.sqlite.attempts.jsonl"
    model = ScriptedModel(["no idea", right(memory)])
    found, left = by_model(memory, model, Builder(name="scripted:x", explain=False, attempts=attempts))
    assert [one.meta.builder for one in found] == [f"scripted {VERSION}"]
    assert [one.split(":")[0] for one in left] == ["ep_000000"]
    lines = [json.loads(line) for line in attempts.read_text().splitlines()]
    assert [(one["number"], one["completion"], one["csd"]) for one in lines] == [
        (1, "no idea", None),
        (2, right(memory), found[0].id),
    ]


@pytest.mark.parametrize(
    ("name", "explain", "messages"),
    [
        ("openai:small", None, 6),
        ("hf:smollm2", None, 6),
        ("hf:smollm2+tuned", None, 2),
        ("hf:smollm2+tuned", True, 6),
        ("hf:merged", False, 2),
    ],
)
def test_a_model_is_told_what_descriptors_are_unless_it_was_tuned(memory, name, explain, messages):
    model = ScriptedModel([right(memory)])
    by_model(memory, model, Builder(name=name, explain=explain))
    assert len(model.asked[0]) == messages


def test_a_model_cannot_describe_what_is_described_already(tmp_path):
    file = tmp_path / "one.json"
    file.write_text("{}")
    done = call("csd", "add", file, "--bank", tmp_path / "b.sqlite", "--builder", "scripted:x", *HASHING)
    assert done.exit_code == 2
    assert "expected a memory folder, whose episodes scripted:x can describe" in done.stderr


@pytest.mark.parametrize("option", ["--frames", "--explain", "--no-explain"])
def test_rules_need_no_explanation(memory, option):
    done = call("csd", "add", memory, "--bank", memory, option, *HASHING)
    assert done.exit_code == 2
    assert "only a model" in done.stderr


def test_descriptors_of_a_model_go_into_the_bank_under_its_name(memory):
    script = memory / "answers.jsonl"
    script.write_text(json.dumps({"reply": right(memory)}) + "\n")
    done = call("csd", "add", memory, "--bank", memory, "--builder", f"scripted:{script}", "--json", *HASHING)
    assert done.exit_code == 0, done.output
    (added,) = json.loads(done.stdout)["added"]
    assert "left out 1 of 2 episodes, such as ep_000000" in done.stderr
    (line,) = (memory / "bank.sqlite.attempts.jsonl").read_text().splitlines()
    assert json.loads(line)["csd"] == added
    digest = hashlib.sha256(script.read_bytes()).hexdigest()
    builder = f"scripted:answers.jsonl@{digest[:12]} {VERSION}"
    assert json.loads(line)["builder"] == builder
    told = json.loads(call("csd", "show", added, "--bank", memory, "--json").stdout)
    assert builder in json.dumps(told)
    assert str(memory) not in json.dumps(told)


def test_a_model_that_describes_nothing_adds_nothing_and_says_why(memory):
    script = memory / "answers.jsonl"
    script.write_text('{"reply": "no idea", "when": "Goal"}\n')
    done = call("csd", "add", memory, "--bank", memory, "--builder", f"scripted:{script}", *HASHING)
    assert done.exit_code == 1
    assert "described no episode; nothing was added" in done.stderr
    assert not (memory / "bank.sqlite").exists()
    assert len((memory / "bank.sqlite.attempts.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("builder", "code", "said"),
    [
        ("rule", 2, "Without a model it is 'rules'"),
        ("opneai:small", 2, "Did you mean 'openai'?"),
        ("scripted:nowhere.jsonl", 1, "nowhere.jsonl"),
    ],
)
def test_a_builder_that_is_none_is_refused(memory, builder, code, said):
    done = call("csd", "add", memory, "--bank", memory, "--builder", builder, *HASHING)
    assert done.exit_code == code
    assert said in done.stderr


def test_a_bank_of_another_encoder_is_told_before_the_model_is_asked(memory):
    call("csd", "add", memory, "--bank", memory, *HASHING)
    script = memory / "answers.jsonl"
    script.write_text("")
    done = call(
        "csd", "add", memory, "--bank", memory, "--builder", f"scripted:{script}", "--encoder", "minilm-int8"
    )
    assert done.exit_code == 1
    assert "expected a bank filled by minilm-int8" in done.stderr
    assert not (memory / "bank.sqlite.attempts.jsonl").exists()

"""``echo-memory ical``: one round on a memory outside any world, by rule and by a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from csd.bank import Bank
from csd.encode import HashingEncoder
from csd.store.schema import BANK_FILE
from tests.cli.bank_samples import call
from tests.ical.asking.samples import task, verdicts, written
from tests.ical.experience import ores, stone_age


@pytest.fixture(scope="module")
def memory(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("memory")
    with Bank.open(folder / BANK_FILE, HashingEncoder()) as bank:
        bank.add_many((*stone_age(), *ores()))
        bank.log_failure("A/A of coal", {"station": None}, step=9, used=())
    return folder


def script(folder: Path, *replies: str) -> str:
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps({"reply": reply}) + "\n" for reply in replies))
    return f"scripted:{path}"


def test_by_rule_it_tells_what_was_selected_recalled_and_induced(memory):
    done = call("ical", "--memory", memory, "--for", "cobblestone")
    assert done.exit_code == 0, done.stderr
    assert "reasoner  rule\n" in done.stdout
    assert "selected  all that is known of cobblestone\n" in done.stdout
    assert "task 1" in done.stdout
    assert "support" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_json_holds_tasks_with_assertions_support_and_verdicts(memory):
    told = json.loads(call("ical", "--memory", memory, "--for", "cobblestone", "--json").stdout)
    assert told["item"] == "cobblestone"
    assert told["calls"] == []
    first = told["tasks"][0]
    assert first["usable"]
    assert first["assertions"][0]["kind"] == "holds"
    assert first["support"][-1]["exemplar"].startswith("csd_")
    assert sum(first["support"][-1]["axes"].values()) == pytest.approx(1.0)
    assert [one["kind"] for one in first["findings"]] == ["need_unmet"] * len(first["findings"])


def test_by_a_model_prompts_and_verdicts_are_shown(memory, tmp_path):
    asked = script(tmp_path, "hm", written(task(), task([["coal"], ["coal"]])), verdicts(True))
    done = call("ical", "--memory", memory, "--task", "pickaxe", "--reasoner", asked, "--show-prompts")
    assert done.exit_code == 0, done.stderr
    for told in (
        "1. induce",
        "2. repair",
        "3. verify",
        "E1: craft",
        "wrong  expected a JSON object; got 'hm'",
        "by itself  passes: so",
        "rejected: expected something not tried in vain; got A/A of coal",
    ):
        assert told in done.stdout
    assert "asked  3 questions" in done.stdout


def test_the_scene_says_where_each_experience_comes_from(memory, tmp_path):
    asked = script(tmp_path, written(task()), verdicts(True))
    told = json.loads(
        call("ical", "--memory", memory, "--reasoner", asked, "--axes", "-proc", "--json").stdout
    )
    assert told["scene"]["sources"][0]["id"] == told["selected"]
    assert all("proc" not in one["told"] for one in told["scene"]["sources"])
    assert all("proc" not in one["shares"] for one in told["scene"]["sources"])
    assert all("\nproc: " not in message["text"] for one in told["calls"] for message in one["messages"])
    assert told["reasoner"].startswith("scripted:answers.jsonl@")


def test_nothing_usable_is_exit_code_one_with_the_reason(memory, tmp_path):
    done = call("ical", "--memory", memory, "--reasoner", script(tmp_path, "no", "no"))
    assert done.exit_code == 1
    assert "no task  expected a JSON object" in done.stdout


def test_a_model_that_does_not_answer_is_an_error(memory, tmp_path):
    done = call("ical", "--memory", memory, "--reasoner", script(tmp_path))
    assert done.exit_code == 1
    assert "--reasoner scripted:" in done.stderr


def test_what_nobody_knows_is_exit_code_one(memory):
    done = call("ical", "--memory", memory, "--for", "airship")
    assert done.exit_code == 1
    assert "nothing is known of airship" in done.stdout


def test_an_empty_memory_has_nothing_to_carry_over(tmp_path):
    with Bank.open(tmp_path / BANK_FILE, HashingEncoder()):
        pass
    done = call("ical", "--memory", tmp_path)
    assert done.exit_code == 1
    assert "nothing that worked is remembered" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--task", "a", "--for", "b"), "expected --task or --for; got both"),
        (("--task", " "), "expected words after --task or --for"),
        (("--axes", "colour"), "(--axes)"),
        (("--reasoner", "gpt"), "expected rule, openai:MODEL"),
    ],
)
def test_wrong_use_is_exit_code_two(memory, words, told):
    done = call("ical", "--memory", memory, *words)
    assert done.exit_code == 2
    assert told in done.stderr


def test_a_text_that_no_task_has_in_its_name_finds_the_nearest(memory):
    told = json.loads(call("ical", "--memory", memory, "--task", "melt some iron", "--json").stdout)
    assert told["selected"] is not None
    assert "aim: melt some iron" in told["situation"]

"""`echo-memory finetune evaluate` with scripted models: what it prints, writes, keeps and refuses."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from csd.ground import names_seen
from echo.cli.finetune_asking import TELL_SECONDS, AskingProgress
from echo.worlds.minecraft.facts import load_facts
from finetune.evaluation.questions import read_questions
from finetune.evaluation.records import Evaluation
from tests.cli.bank_samples import call, told
from tests.finetune.evaluation.evaluation_samples import BOWL, data_folder, gold, read_episode
from tests.finetune.examples.recorded_samples import memory

ISSUE = ("valid_json", "schema_valid", "grounded", "f1", "exact", "copied_prompt", "seconds_per_csd")
AXES = ["struct", "attr", "proc", "func", "inter"]
HASHING = ("--encoder", "hashing-256")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data_folder(tmp_path_factory.mktemp("data") / "data")


def scripted(path: Path, lines: list[dict[str, str]]) -> str:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return f"scripted:{path}"


def knowing(data: Path, path: Path) -> str:
    """A model that knows the right answer to every question."""
    # The longest first: what a refusal tells is the beginning of what another row tells.
    asked = sorted(read_questions(data, read_episode).questions, key=lambda one: -len(one.messages[-1].text))
    return scripted(path, [{"when": each.messages[-1].text, "reply": each.gold or ""} for each in asked])


def knowing_nothing(path: Path) -> str:
    return scripted(path, [{"when": letter, "reply": "I am not sure."} for letter in "aeiou"])


def asking(data: Path, tmp_path: Path, *words: str) -> tuple[str | Path, ...]:
    return (
        "finetune", "evaluate", "--model", knowing(data, tmp_path / "after.jsonl"),
        "--before", knowing_nothing(tmp_path / "before.jsonl"), "--data", data, "--out", tmp_path / "out",
        *HASHING, *words,
    )  # fmt: skip


def test_before_after_and_out_of_template_are_told_as_one_object(data: Path, tmp_path: Path):
    found = told(*asking(data, tmp_path))
    for column in ("before", "after", "constrained", "out_of_template"):
        assert [name for name in ISSUE if name not in found[column]] == []
        assert list(found[column]["f1"]) == AXES
    assert found["before"]["valid_json"] == found["before"]["mean_f1"] == 0
    assert found["after"]["schema_valid"] == found["after"]["exact"] == found["after"]["mean_f1"] == 1
    assert found["after"]["grounded"] == found["out_of_template"]["exact"] == 1
    assert found["texts"] is None
    assert found["out_of_template"]["rows"] == 4


def test_what_it_was_made_with_is_told(data: Path, tmp_path: Path):
    made = told(*asking(data, tmp_path, "--seed", "5", "--batch", "3", "--before-rows", "2"))["made"]
    assert made["data"] == read_questions(data, read_episode).digest
    assert made["card"] == json.loads((data / "card.json").read_text())["digest"]
    assert made["settings"] == {
        "most_tokens": 1024, "batch": 3, "temperature": 0.0, "seed": 5, "dtype": "auto", "device": "cpu"
    }  # fmt: skip
    assert made["told"]["model"]["file"] != made["told"]["before"]["file"]
    assert made["before_rows"] == 2
    assert "python" in made["versions"]


def test_a_card_of_other_rows_is_not_taken_for_theirs(data: Path, tmp_path: Path):
    other = tmp_path / "data"
    other.mkdir()
    for name in ("episodes.jsonl", "card.json"):
        (other / name).write_bytes((data / name).read_bytes())
    (other / "test.jsonl").write_bytes((data / "test.jsonl").read_bytes() + b"\n")
    assert read_questions(data, read_episode).card is not None
    assert read_questions(other, read_episode).card is None


def test_the_folder_gets_figures_page_picture_and_samples(data: Path, tmp_path: Path):
    found = told(*asking(data, tmp_path))
    out = tmp_path / "out"
    assert json.loads((out / "evaluation.json").read_text()) == found
    evaluation = Evaluation.model_validate_json((out / "evaluation.json").read_bytes())
    assert (out / "evaluation.md").read_text().startswith("# Evaluation of a model")
    assert (out / "f1.png").read_bytes().startswith(b"\x89PNG")
    first = next(each for each in evaluation.samples if "after" in each.answers)
    assert first.answers["after"] == first.right
    assert first.answers["before"] == "I am not sure."
    families = {(each.family, "out_of_template" in each.answers) for each in evaluation.samples}
    assert len(families) > 4


def test_how_well_descriptors_are_found_is_told_of_both_models(tmp_path: Path):
    facts = load_facts()
    known = {*facts.items, *facts.blocks, *facts.mobs}
    real = [each for each in memory() if known.issuperset(names_seen(each.episode))]
    data = data_folder(tmp_path / "data", real)
    helps = told(*asking(data, tmp_path, "--before-rows", "6"))["helps"]
    assert list(helps) == ["constrained", "before_explained"]
    assert helps["before_explained"]["written"] == 0
    assert helps["constrained"]["written"] == helps["constrained"]["episodes"] > 6
    for each in helps["constrained"]["axes"].values():
        assert each is None or each["model"] == each["rules"]


def test_without_rules_for_the_names_it_is_left_out_and_said(data: Path, tmp_path: Path):
    done = call(*asking(data, tmp_path, "--column", "after"))
    assert "episodes whose names no rules explain: all; say --invented-names" in done.stderr
    assert json.loads((tmp_path / "out" / "evaluation.json").read_text())["helps"] == {}


def test_an_answer_that_is_kept_is_not_asked_for_again(data: Path, tmp_path: Path):
    words = asking(data, tmp_path)
    first = told(*words)
    kept = tmp_path / "out" / "completions.jsonl"
    lines = kept.read_bytes().splitlines(keepends=True)
    # As a kill leaves it: half of the answers, the last of them torn.
    kept.write_bytes(b"".join(lines[: len(lines) // 2]) + lines[-1][:40])
    done = call(*words)
    assert done.exit_code == 0
    assert "1 lines cannot be read; those are asked again" in done.stderr
    again = [line for line in kept.read_bytes().splitlines(keepends=True) if line in lines]
    assert sorted(again) == sorted(lines)
    again_found = json.loads((tmp_path / "out" / "evaluation.json").read_text())
    assert {**again_found, "made": None} == {**first, "made": None}
    done = call(*words)
    assert kept.read_bytes().splitlines(keepends=True)[-1] in lines
    assert "kept from before" in done.stderr


def test_a_log_is_told_how_far_it_is(data: Path, tmp_path: Path):
    first, last = call(*asking(data, tmp_path, "--column", "after", "--rows", "3")).stderr.splitlines()
    assert first.startswith("after: 3/3, ")
    assert last.startswith("after, found by their likes: ")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_lines_of_a_log_tell_what_is_left():
    text, clock = io.StringIO(), Clock()
    with AskingProgress(Console(file=text, width=80, highlight=False), clock=clock) as tell:
        for done in range(4, 10):
            tell("after", done, 9)
            clock.now += TELL_SECONDS / 2
        tell("again", 0, 2)
        clock.now += 8.0
        tell("again", 2, 2)
        tell("again", 0, 1)
        clock.now += 4.0
        tell("again", 1, 1)
    assert text.getvalue().splitlines() == [
        "after: 6/9, 15 s, about 22 s left",
        "after: 8/9, 30 s, about 8 s left",
        "after: 9/9, 38 s",
        "again: 2/2, 8 s",
        "again: 1/1, 4 s",
    ]


def test_texts_of_a_user_are_evaluated_beside_or_alone(data: Path, tmp_path: Path):
    texts = tmp_path / "mine.jsonl"
    texts.write_text(
        json.dumps({"text": "goal: a bowl", "gold": json.loads(gold())}) + "\n" + json.dumps({"text": "aha"})
    )
    model = scripted(
        tmp_path / "m.jsonl", [{"when": "a bowl", "reply": gold(BOWL)}, {"when": "aha", "reply": "{}"}]
    )
    found = told(
        "finetune", "evaluate", "--model", model, "--texts", texts, "--out", tmp_path / "out", *HASHING
    )
    assert found["texts"]["rows"] == 2
    assert found["texts"]["schema_valid"] == 0.5
    assert found["texts"]["exact"] == 1
    assert found["texts"]["grounded"] is None
    assert found["after"] is None
    assert found["helps"] == {}
    assert found["made"]["texts"] is not None


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--data", "DATA", "--column", "befor"), 2, "Did you mean 'before'"),
        ((), 2, "expected --data, --texts or both"),
        (("--data", "none"), 1, "test.jsonl"),
        (("--texts", "none.jsonl"), 1, "none.jsonl"),
        (("--data", "DATA", "--column", "before"), 1, "expected questions for a column out of before"),
        (("--data", "DATA", "--before", "scripted:none.jsonl"), 1, "expected a file of answers"),
        (("--data", "DATA", "--before", "gpt-5"), 2, "expected a model as openai:MODEL"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(data: Path, tmp_path: Path, words, code: int, said: str):
    model = knowing(data, tmp_path / "m.jsonl")
    given = [str(data) if word == "DATA" else word for word in words]
    done = call("finetune", "evaluate", "--model", model, "--out", tmp_path / "out", *given)
    assert done.exit_code == code
    assert said in " ".join(done.stderr.split())
    assert not (tmp_path / "out" / "evaluation.json").exists()


def test_a_folder_with_other_completions_is_refused(data: Path, tmp_path: Path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "completions.jsonl").write_text('{"mine": 1}\n')
    done = call(*asking(data, tmp_path))
    assert done.exit_code == 1
    assert "Name another --out." in done.stderr
    assert "pydantic" not in done.stderr
    assert (tmp_path / "out" / "completions.jsonl").read_text() == '{"mine": 1}\n'


def test_answers_nested_too_deep_are_asked_for_again(data: Path, tmp_path: Path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "completions.jsonl").write_text("[" * 100_000 + "\n")
    done = call(*asking(data, tmp_path, "--column", "after", "--rows", "3"))
    assert done.exit_code == 0
    assert "1 lines cannot be read; those are asked again" in done.stderr


@pytest.mark.parametrize("place", ["data", "letters", "file"])
def test_a_folder_of_something_else_is_refused_and_left_as_it_is(data: Path, tmp_path: Path, place: str):
    out = {"data": data, "letters": tmp_path / "letters", "file": tmp_path / "file"}[place]
    (tmp_path / "file").write_text("mine")
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("mine")
    held = sorted(out.rglob("*"))
    model = knowing(data, tmp_path / "m.jsonl")
    done = call("finetune", "evaluate", "--model", model, "--data", data, "--out", out)
    assert done.exit_code == 1
    said = " ".join(done.stderr.split())
    wanted = {"data": "which holds card.json", "letters": "which holds dear.txt", "file": "got the file"}
    assert wanted[place] in said
    assert sorted(out.rglob("*")) == held

from __future__ import annotations

import json
from pathlib import Path

import pytest

from echo.mfm.episodic.recorder import Recorder
from finetune.examples.recorded import Recorded
from tests.cli.bank_samples import call, told
from tests.finetune.examples.recorded_samples import dug, memory

FEW = ("--train", "30", "--validation", "6", "--test", "8", "--out-of-template", "4")


def recorded(folder: Path, *episodes: Recorded) -> Path:
    with Recorder.open(folder, source="test-world", frames="none", durability="batch") as recorder:
        for each in episodes:
            recorder.write(goal=each.episode.goal, steps=each.episode.steps, after=each.episode.after)
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("made") / "ada", *memory())


def test_data_are_made_and_the_card_is_printed(home: Path, tmp_path: Path):
    card = told("finetune", "examples", "--memory", home, "--out", tmp_path / "data", *FEW)
    assert {split: each["rows"] for split, each in card["splits"].items()} == {
        "train": 30, "validation": 6, "test": 12
    }  # fmt: skip
    assert card["memories"][0]["name"] == "ada"
    assert card == json.loads((tmp_path / "data/card.json").read_text())
    row = json.loads((tmp_path / "data/train.jsonl").read_text().splitlines()[0])
    assert row["episode"].startswith("ada/ep_")


def test_the_table_tells_rows_and_what_is_missing(home: Path, tmp_path: Path):
    done = call("finetune", "examples", "--memory", home, "--out", tmp_path / "data", "--train", "5000")
    assert done.exit_code == 0
    assert "of 5,000 rows; the episodes give no more that differ" in done.stderr
    assert "left out" in done.stderr
    assert done.stdout.splitlines()[0].split() == ["train", "validation", "test"]


def test_memories_of_one_name_are_told_apart(home: Path, tmp_path: Path):
    other = recorded(tmp_path / "b" / "ada", *memory()[:40])
    card = told("finetune", "examples", "--memory", home, "--memory", other, "--out", tmp_path / "data", *FEW)
    assert [each["name"] for each in card["memories"]] == [f"{home.parent.name}/ada", "b/ada"]


def test_an_episode_that_cannot_be_read_is_named_and_left_out(tmp_path: Path):
    folder = recorded(tmp_path / "ada", *memory())
    (folder / "episodes/ep_000003/steps.json").write_text("{")
    done = call("finetune", "examples", "--memory", folder, "--out", tmp_path / "data", *FEW)
    assert done.exit_code == 0
    assert "left out ada/ep_000003: expected" in done.stderr
    left = json.loads((tmp_path / "data/card.json").read_text())["left_out"]["unreadable"]
    assert left["count"] == 1


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--unseen-style", "verse"), 2, "an unseen style out of"),
        (("--repairs", "0.9", "--refusals", "0.2"), 2, "together below 1"),
        (("--repairs", "nan"), 2, "--repairs"),
        (("--refusals", "nan"), 2, "--refusals"),
        (("--test-share", "nan"), 2, "got nan for the test"),
        (("--validation-share", "nan"), 2, "nan for validation"),
        (("--hold-out", "slabs"), 2, "Did you mean slab"),
        (("--most-tokens", "9"), 2, "expected a tokenizer to hold rows to 9 tokens"),
        (("--base", "nowhere"), 1, "expected a base model"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_written(
    home: Path, tmp_path: Path, words, code, said
):
    done = call("finetune", "examples", "--memory", home, "--out", tmp_path / "data", *words)
    assert done.exit_code == code
    assert said in done.stderr
    assert not (tmp_path / "data").exists()


def test_a_folder_that_holds_data_is_left_as_it_is(home: Path, tmp_path: Path):
    (tmp_path / "train.jsonl").write_text("mine")
    done = call("finetune", "examples", "--memory", home, "--out", tmp_path)
    assert (done.exit_code, (tmp_path / "train.jsonl").read_text()) == (1, "mine")
    assert "which holds train.jsonl" in done.stderr


def test_memories_that_are_none_empty_or_given_twice_are_refused(home: Path, tmp_path: Path):
    out = ("--out", tmp_path / "data")
    assert call("finetune", "examples", "--memory", tmp_path, *out).exit_code == 1
    twice = call("finetune", "examples", "--memory", home, "--memory", home, *out)
    assert twice.exit_code == 2
    assert "twice. Leave one out." in twice.stderr
    empty = recorded(tmp_path / "empty")
    assert "got 0, of which 0 show nothing" in call("finetune", "examples", "--memory", empty, *out).stderr


def test_one_family_only_is_refused(tmp_path: Path):
    only = [Recorded(memory="a", episode=dug("iron_ore", number)) for number in range(4)]
    done = call(
        "finetune", "examples", "--memory", recorded(tmp_path / "a", *only), "--out", tmp_path / "data"
    )
    assert done.exit_code == 1
    assert "got 1 (ore)" in done.stderr

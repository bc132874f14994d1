from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from csd.by_model.prompts import Shot
from csd.episode import Episode
from echo.mfm.codec import from_json, to_json
from finetune.examples.build import build
from finetune.examples.card import Card, lengths
from finetune.examples.export import Origin, export
from finetune.examples.recorded import ExamplesError, LeftOut, Recorded
from finetune.examples.rows import TokenCount
from finetune.examples.settings import Settings
from tests.finetune.examples.recorded_samples import memory

SHOTS = {"plain": (Shot(told="none of these", written='{"meta":"example"}'),)}
FEW = Settings(train=30, validation=6, test=8, out_of_template=4, repair_share=0.3, refuse_share=0.1)


def words(messages: Any) -> int:
    return sum(len(message.text.split()) for message in messages)


def exported(
    folder: Path,
    settings: Settings = FEW,
    recorded: list[Recorded] | None = None,
    count: TokenCount | None = words,
) -> Card:
    recorded = memory() if recorded is None else recorded
    origin = Origin(
        recorded=recorded,
        episode_json=to_json,
        unreadable=[LeftOut(name="one/ep_000999", reason="unreadable", detail="no JSON")],
        versions={"python": "3"},
        commit="abc",
        tokenizer="words",
        prompt="describe/1",
    )
    return export(build(recorded, settings, shots=SHOTS, count=count), folder, origin, count)


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def with_frames(recorded: list[Recorded]) -> list[Recorded]:
    """Every second episode with a picture of its own before each step."""

    def painted(episode: Episode, number: int) -> Episode:
        frame = np.full((4, 6, 3), number, dtype=np.uint8)
        steps = tuple(replace(step, before=replace(step.before, frame=frame)) for step in episode.steps)
        return replace(episode, steps=steps)

    return [
        replace(each, episode=painted(each.episode, number)) if number % 2 else each
        for number, each in enumerate(recorded)
    ]


def test_rows_have_the_columns_that_trainers_and_evaluation_read(tmp_path: Path):
    exported(tmp_path / "data")
    for split, wanted in (("train", 30), ("validation", 6), ("test", 12)):
        found = rows(tmp_path / "data" / f"{split}.jsonl")
        assert len(found) == wanted
        for row in found:
            assert list(row) == [
                "messages", "episode", "kind", "family", "item_family", "style", "split", "task"
            ]  # fmt: skip
            assert [list(message) for message in row["messages"]] == [["role", "content"]] * len(
                row["messages"]
            )
            assert row["messages"][-1]["role"] == "assistant"
    assert [row["split"] for row in rows(tmp_path / "data/test.jsonl")] == ["test"] * 8 + [
        "out_of_template"
    ] * 4


def test_equal_episodes_and_seeds_give_equal_bytes(tmp_path: Path):
    first, second = exported(tmp_path / "a"), exported(tmp_path / "b")
    assert first == second
    for path in sorted((tmp_path / "a").rglob("*")):
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
    assert exported(tmp_path / "c", replace(FEW, seed=3)).digest != first.digest


def test_the_card_counts_what_is_in_the_files(tmp_path: Path):
    card = exported(tmp_path / "data")
    assert Card.model_validate_json((tmp_path / "data/card.json").read_text()) == card
    train = rows(tmp_path / "data/train.jsonl")
    told = card.splits["train"]
    assert (told.rows, told.kind) == (30, {"write": 18, "repair": 9, "refuse": 3})
    assert told.episodes == len({row["episode"] for row in train})
    assert told.characters.total == sum(len(part["content"]) for row in train for part in row["messages"])
    assert told.tokens is not None
    assert told.tokens.most == max(
        sum(len(part["content"].split()) for part in row["messages"]) for row in train
    )
    assert card.splits["test"].out_of_template == 4
    assert card.left_out["unreadable"].such_as == ("one/ep_000999: no JSON",)
    assert (card.memories[0].name, card.memories[0].episodes) == ("one", len(memory()))


def test_the_card_can_be_read_as_a_page(tmp_path: Path):
    exported(tmp_path / "data")
    page = (tmp_path / "data/card.md").read_text()
    assert "| rows | 30 | 6 | 12 |" in page
    assert "- 1: unreadable, such as one/ep_000999: no JSON" in page
    assert page.endswith("commit abc.\n")


def test_episodes_of_validation_and_test_lie_beside_the_rows_and_read_back(tmp_path: Path):
    exported(tmp_path / "data")
    held = {row["episode"]: row["record"] for row in rows(tmp_path / "data/episodes.jsonl")}
    asked = [
        row
        for split in ("validation", "test")
        for row in rows(tmp_path / "data" / f"{split}.jsonl")
        if row["kind"] != "refuse"
    ]
    assert {row["episode"] for row in asked} == set(held)
    known = {each.name: each.episode for each in memory()}
    for name, record in held.items():
        assert from_json(Episode, record) == known[name]


def test_the_other_layout_has_the_answer_apart(tmp_path: Path):
    exported(tmp_path / "data", replace(FEW, layout="prompt-completion"))
    for row in rows(tmp_path / "data/train.jsonl"):
        assert list(row)[:2] == ["prompt", "completion"]
        assert row["prompt"][-1]["role"] == "user"
        assert [part["role"] for part in row["completion"]] == ["assistant"]


def test_marked_messages_say_that_only_the_last_one_is_learned(tmp_path: Path):
    exported(tmp_path / "data", replace(FEW, layout="messages-marked"))
    for row in rows(tmp_path / "data/train.jsonl"):
        marks = [message["train"] for message in row["messages"]]
        assert marks == [False] * (len(marks) - 1) + [True]


def test_pictures_lie_beside_and_rows_name_them(tmp_path: Path):
    card = exported(tmp_path / "data", replace(FEW, pictures=True), with_frames(memory()))
    files = {f"images/{each.name}" for each in (tmp_path / "data/images").iterdir()}
    named = []
    for row in rows(tmp_path / "data/train.jsonl"):
        parts = [part for message in row["messages"] for part in message["content"]]
        assert sum(part["type"] == "image" for part in parts) == len(row["images"])
        named += row["images"]
    assert named
    assert set(named) <= files
    assert card.pictures == len(files)
    assert card.splits["train"].pictured == sum(
        bool(row["images"]) for row in rows(tmp_path / "data/train.jsonl")
    )


def test_pictures_that_nobody_recorded_are_refused(tmp_path: Path):
    with pytest.raises(ExamplesError, match="expected recorded pictures"):
        exported(tmp_path / "data", replace(FEW, pictures=True))


@pytest.mark.parametrize("pictures", [False, True])
@pytest.mark.parametrize("layout", ["messages", "messages-marked", "prompt-completion"])
def test_datasets_reads_every_file_with_equal_columns(tmp_path: Path, pictures, layout):
    datasets = pytest.importorskip("datasets")
    recorded = with_frames(memory()) if pictures else memory()
    exported(tmp_path / "data", replace(FEW, pictures=pictures, layout=layout), recorded)
    files = {split: str(tmp_path / "data" / f"{split}.jsonl") for split in ("train", "validation", "test")}
    loaded = datasets.load_dataset("json", data_files=files, cache_dir=str(tmp_path / "cache"))
    assert {name: len(part) for name, part in loaded.items()} == {"train": 30, "validation": 6, "test": 12}
    features = [part.features for part in loaded.values()]
    assert features[0] == features[1] == features[2]
    whole = "completion" if layout == "prompt-completion" else "messages"
    content = loaded["train"][0][whole][-1]["content"]
    assert (content[-1]["text"] if pictures else content).startswith('{"meta"')


def test_lengths_of_none_are_nought_and_of_many_are_ranked():
    assert lengths([]).most == 0
    found = lengths(range(1, 101))
    assert (found.least, found.median, found.ninety_fifth, found.most, found.total) == (1, 51, 96, 100, 5050)

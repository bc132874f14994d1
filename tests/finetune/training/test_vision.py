import json

import pytest

pytest.importorskip("peft", reason="the finetune extra is not installed")

import torch

from finetune.adapter import load
from finetune.base import find_base
from finetune.training.encoding import IGNORED
from finetune.training.errors import TrainingError
from finetune.training.material import prepare
from tests.finetune.training.runs import run, settings, weights
from tests.finetune.training.tiny_vision import picture_data, picture_row, vision_base

pytestmark = pytest.mark.finetune


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return vision_base(tmp_path_factory.mktemp("vision"))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return picture_data(tmp_path_factory.mktemp("pictures") / "data")


@pytest.fixture(scope="module")
def material(base, data):
    return prepare(settings(base), find_base(str(base)), data)


def test_only_the_answer_is_learned_and_never_a_picture(material):
    batch = material.collate(material.train.lines)
    tokenizer = material.texts.tokenizer
    picture = tokenizer.convert_tokens_to_ids("<image>")
    learned = [
        tokenizer.decode(row[labels != IGNORED])
        for row, labels in zip(batch["input_ids"], batch["labels"], strict=True)
    ]
    assert learned == [
        "red<|end|>",
        "blue<|end|>",
        "green<|end|>",
        "white<|end|>",
        "red and blue<|end|>",
        "nothing<|end|>",
    ]
    shown = (batch["input_ids"] == picture).sum(1).tolist()
    assert shown == [4, 4, 4, 4, 8, 0]
    assert not bool((batch["labels"] == picture).any())
    assert batch["pixel_values"].shape[0] == 6


def test_lengths_count_the_tokens_of_pictures(material):
    # <|user|>, "what?", <|end|>, a new line, <|assistant|>, the answer, <|end|>, a new line.
    assert [line.length for line in material.train.lines] == [
        4 + 9 + 3 + 2,
        4 + 9 + 4 + 2,
        4 + 9 + 5 + 2,
        4 + 9 + 5 + 2,
        8 + 9 + 12 + 2,
        0 + 9 + 7 + 2,
    ]


def test_a_picture_token_in_an_answer_is_not_learned(base, data, tmp_path):
    row = picture_row(("red",), "as <image>")
    row["images"] = ["images/red.png", "images/red.png"]
    row["messages"][1]["content"] = [{"type": "text", "text": "as "}, {"type": "image"}]
    for name in ("train.jsonl", "validation.jsonl"):
        (tmp_path / name).write_text(json.dumps(row) + "\n")
    (tmp_path / "images").symlink_to(data / "images")
    told = prepare(settings(base), find_base(str(base)), tmp_path)
    with pytest.raises(
        TrainingError, match=r"tokens of train\.jsonl line 1 .* to end with those of its answer"
    ):
        told.collate(told.train.lines)


def test_a_vision_model_is_trained_and_loaded_again(base, data, tmp_path):
    record = run(settings(base), data, tmp_path / "out")
    assert record.ended.best_loss < record.ended.first_loss
    moved = weights(tmp_path / "out" / "adapter")
    assert any("vision_tower" in name for name in moved)
    assert any("language_model" in name for name in moved)
    loaded = load(str(base), tmp_path / "out" / "adapter")
    assert loaded.processor is not None
    told = loaded.processor(text=["a"], return_tensors="pt")
    assert bool(torch.isfinite(loaded.model(**told).logits).all())


def test_batches_with_pictures_go_through_in_parts(base, data, tmp_path):
    alike = {"steps": 2, "evaluate_every": 2}
    run(settings(base, **alike), data, tmp_path / "whole")
    run(settings(base, **alike, batches={"tokens_at_once": 40}), data, tmp_path / "parts")
    whole, parts = weights(tmp_path / "whole" / "adapter"), weights(tmp_path / "parts" / "adapter")
    # Each step moves a weight by up to 0.01; where its gradient is next to nothing, rounding has a say.
    far = [name for name in whole if (whole[name] - parts[name]).abs().mean() > 1e-4]
    assert far == []


def test_pictures_that_do_not_fit_their_messages_are_named(base, data, tmp_path):
    row = picture_row(("red",), "red") | {"images": []}
    for name in ("train.jsonl", "validation.jsonl"):
        (tmp_path / name).write_text(json.dumps(row) + "\n")
    with pytest.raises(
        TrainingError, match=r"train\.jsonl line 1 \(red\) shows in its messages, 1; it names 0"
    ):
        prepare(settings(base), find_base(str(base)), tmp_path)


def test_a_picture_that_is_not_there_is_an_error(base, tmp_path):
    for name in ("train.jsonl", "validation.jsonl"):
        (tmp_path / name).write_text(json.dumps(picture_row(("red",), "red")) + "\n")
    with pytest.raises(FileNotFoundError, match=r"red\.png"):
        prepare(settings(base), find_base(str(base)), tmp_path)


def test_a_row_with_pictures_that_is_too_long_is_named(base, data):
    told = settings(base, batches={"most_tokens": 25})
    with pytest.raises(
        TrainingError, match=r"at most 25 tokens a row; train\.jsonl line 5 \(red-blue\) has 31"
    ):
        prepare(told, find_base(str(base)), data)


def test_packing_is_refused_for_pictures(base, data):
    with pytest.raises(TrainingError, match="without packing"):
        prepare(settings(base, batches={"packing": True}), find_base(str(base)), data)

"""Models by name."""

from __future__ import annotations

import hashlib
import shlex
import sys
from pathlib import Path

import pytest

from csd.chat import Batched, Message, ModelError, answers
from echo.models.named import ModelSettings, base_and_adapter, model_named
from tests.models.fake_server import said, serving

ASKED = (Message(role="user", text="Hello?"),)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("gpt-5", r"expected a model as openai:MODEL .*; got 'gpt-5'\.$"),
        ("opena:gpt-5", r"got 'opena:gpt-5'\. Did you mean 'openai'\?"),
        ("HF:smollm2", r"Did you mean 'hf'\?"),
        ("openai:", r"expected openai:MODEL .*; got 'openai:', which names no model"),
        ("scripted: ", r"expected scripted:FILE .*which names no model"),
        ("hf:+adapter", r"expected PATH or PATH\+ADAPTER after 'hf:'; got '\+adapter'"),
        ("hf:base+", r"expected PATH or PATH\+ADAPTER"),
        ("scripted:none.jsonl", r"expected a file of answers at none\.jsonl"),
    ],
)
def test_a_name_that_names_no_model_is_an_error(text, match):
    with pytest.raises(ModelError, match=match):
        model_named(text)


def test_a_scripted_model_answers(tmp_path):
    path = tmp_path / "replies.jsonl"
    path.write_text('"Hello."\n')
    model = model_named(f"scripted:{path}")
    digest = hashlib.sha256(b'"Hello."\n').hexdigest()
    assert (model.name, model(ASKED).text) == (f"scripted:replies.jsonl@{digest[:12]}", "Hello.")


def test_a_program_answers_and_its_answers_are_kept(tmp_path):
    name = f"command:{shlex.join([sys.executable, '-c', 'import time; print(time.time_ns())'])}"
    model = model_named(name, settings=ModelSettings(cache=tmp_path))
    assert model.name == name
    assert model(ASKED).text == model(ASKED).text


def test_a_server_is_asked_several_questions_at_once_and_what_it_answered_is_kept(tmp_path):
    pytest.importorskip("openai", reason="the openai extra is not installed")
    conversations = [[Message(role="user", text=str(number))] for number in range(6)]

    def slowly(body):
        import time

        time.sleep(0.05)
        return said(body["messages"][0]["content"])

    with serving(slowly) as server:
        settings = ModelSettings(base_url=server.address, concurrency=3, cache=tmp_path)
        model = model_named("openai:small", settings=settings)
        assert model.name == "openai:small"
        assert isinstance(model, Batched)
        for _ in range(2):
            assert [each.text for each in answers(model, conversations)] == list("012345")
    assert (len(server.asked), server.busiest) == (6, 3)


def test_a_folder_with_a_plus_in_its_name_is_not_split(tmp_path):
    folder = tmp_path / "c++"
    folder.mkdir()
    assert base_and_adapter(str(folder)) == (str(folder), None)
    assert base_and_adapter(f"{folder}+{tmp_path}") == (str(folder), tmp_path)
    assert base_and_adapter("smollm2") == ("smollm2", None)
    assert base_and_adapter("smollm2+~/a") == ("smollm2", Path("~/a").expanduser())


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"most_tokens": 0}, "most_tokens to be a number from 1; got 0"),
        ({"batch": 0}, "batch"),
        ({"concurrency": -1}, "concurrency"),
        ({"temperature": -0.1}, "temperature to be a number from 0; got -0.1"),
        ({"temperature": float("nan")}, "temperature"),
        ({"seed": -1}, "seed"),
        ({"retries": -1}, "retries"),
        ({"timeout": 0}, "timeout to be seconds above 0"),
        ({"timeout": float("inf")}, "timeout"),
        ({"prompt_price": -1.0}, "prompt_price"),
    ],
)
def test_settings_out_of_range_are_refused(wrong, match):
    with pytest.raises(ValueError, match=match):
        ModelSettings(**wrong)

"""Decoding held to a schema: a random model writes nothing else, in every row of a batch."""

from __future__ import annotations

import json
import string

import jsonschema
import pytest

from csd.by_model.shape import compact_schema
from csd.chat import Message, ModelError
from echo.models.local import LocalModel
from echo.models.settings import ModelSettings
from tests.finetune.training.tiny_models import text_base

pytest.importorskip("llguidance", reason="the finetune extra is not installed")
pytestmark = pytest.mark.finetune

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z]{1,8}$"},
        "age": {"type": "integer", "minimum": 0, "maximum": 120},
        "tags": {"type": "array", "items": {"enum": ["old", "young"]}, "maxItems": 3},
    },
    "required": ["name", "age", "tags"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(text_base(tmp_path_factory.mktemp("base"), tied=False))


def asked(*texts: str) -> list[list[Message]]:
    return [[Message(role="user", text=text)] for text in texts]


@pytest.mark.parametrize("temperature", [0.0, 2.0])
def test_each_row_of_a_batch_is_json_of_the_schema_without_white_space(folder, temperature):
    settings = ModelSettings(temperature=temperature, most_tokens=200, batch=4)
    model = LocalModel.from_folder(folder, None, settings)
    for reply in model.answer_each(asked(*string.ascii_lowercase[:10]), schema=PERSON):
        value = json.loads(reply.text)
        jsonschema.validate(value, PERSON)
        assert reply.text == json.dumps(value, separators=(",", ":"))
        assert (reply.held_to_schema, reply.cut) == (True, False)


def test_a_row_that_ended_waits_while_others_go_on(folder):
    open_end = {"type": "string", "pattern": "^(x|y{60})$"}
    model = LocalModel.from_folder(folder, None, ModelSettings(temperature=3.0, most_tokens=80, batch=8))
    replies = model.answer_each(asked(*map(str, range(8))), schema=open_end)
    assert {reply.text for reply in replies} == {'"x"', f'"{"y" * 60}"'}
    # Two quotes, the letters, and the end token.
    assert {reply.completion_tokens for reply in replies} == {4, 63}


def test_a_cut_answer_is_the_beginning_of_json(folder):
    reply = LocalModel.from_folder(folder, None, ModelSettings(most_tokens=5))(asked("a")[0], schema=PERSON)
    assert (reply.text, reply.cut, reply.held_to_schema) == ('{"nam', True, True)


def test_a_schema_can_be_followed_by_another_and_by_none(folder):
    model = LocalModel.from_folder(folder, None, ModelSettings(most_tokens=30))
    assert model(asked("a")[0], schema={"const": "first"}).text == '"first"'
    assert model(asked("a")[0], schema={"enum": ["second"]}).text == '"second"'
    assert not model(asked("a")[0]).held_to_schema
    assert model(asked("a")[0], schema={"const": "first"}).text == '"first"'


def test_the_schema_of_descriptors_can_be_held_to(folder):
    """A model of bytes runs into its window: what it wrote by then must be a beginning the grammar allows."""
    reply = LocalModel.from_folder(folder, None, ModelSettings(most_tokens=60))(
        asked("a")[0], schema=compact_schema()
    )
    assert reply.text.startswith('{"meta":{"verb":"')
    assert reply.held_to_schema


@pytest.mark.parametrize(
    "schema", [{"type": "objekt"}, {"$ref": "#/$defs/none"}, {"type": "string", "pattern": "("}]
)
def test_a_schema_that_cannot_be_held_to_is_an_error(folder, schema):
    model = LocalModel.from_folder(folder, None, ModelSettings())
    with pytest.raises(ModelError, match="expected a JSON Schema that decoding can be held to; got: "):
        model(asked("a")[0], schema=schema)

"""Answers of a server to be JSON of a schema: asked for where that is taken, and said truthfully."""

from __future__ import annotations

import json

import pytest

from csd.chat import Message
from echo.models.openai_server import ServerModel
from echo.models.settings import ModelSettings
from tests.models.fake_server import refused, said, serving

pytest.importorskip("openai", reason="the openai extra is not installed")

ASKED = (Message(role="user", text="How many?"),)
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def model(server) -> ServerModel:
    return ServerModel("small", ModelSettings(retries=0, base_url=server.address))


def holding(body):
    """A server that holds to any schema: for its probe, the one text allowed."""
    wanted = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    fruit = wanted.get("properties", {}).get("fruit")
    return said(json.dumps({"fruit": fruit["enum"][0]}) if fruit else '{"n": 3}')


def test_the_schema_goes_as_the_format_of_the_response():
    with serving(holding) as server:
        reply = model(server)(ASKED, schema=SCHEMA)
    assert server.asked[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
    }
    assert reply.text == '{"n": 3}'
    assert reply.held_to_schema


def test_whether_a_server_holds_to_schemas_is_asked_once():
    with serving(holding) as server:
        asked = model(server)
        assert all(asked(ASKED, schema=SCHEMA).held_to_schema for _ in range(3))
    assert len(server.asked) == 4


def test_a_server_that_takes_a_schema_and_heeds_it_not_is_found_out():
    with serving(said('{"n": 3}'), said("It rains in April."), said('{"n": 4}')) as server:
        asked = model(server)
        replies = [asked(ASKED, schema=SCHEMA) for _ in range(2)]
    assert [reply.text for reply in replies] == ['{"n": 3}', '{"n": 4}']
    assert [reply.held_to_schema for reply in replies] == [False, False]


def test_prose_is_not_held_whatever_the_server_promised():
    with serving(said("Three.")) as server:
        assert not model(server)(ASKED, schema=SCHEMA).held_to_schema


def test_a_cut_answer_of_a_server_that_holds_is_a_beginning():
    def cuts(body):
        whole = holding(body)
        return whole if b"quince" in whole.body else said('{"n', reason="length")

    with serving(cuts) as server:
        reply = model(server)(ASKED, schema=SCHEMA)
    assert (reply.cut, reply.held_to_schema) == (True, True)


def test_a_server_that_refuses_schemas_is_asked_without_and_that_is_remembered():
    def refuses(body):
        return refused("response_format is not supported") if "response_format" in body else said("Three.")

    with serving(refuses) as server:
        asked = model(server)
        replies = [asked(ASKED, schema=SCHEMA) for _ in range(2)]
    assert [reply.text for reply in replies] == ["Three.", "Three."]
    assert not any(reply.held_to_schema for reply in replies)
    assert ["response_format" in each for each in server.asked] == [True, True, False, False]


def test_a_schema_that_a_server_takes_loosely_alone_is_not_held():
    def loosely(body):
        strict = body["response_format"]["json_schema"]["strict"]
        return refused("strict wants additionalProperties: false") if strict else said('{"n": 3}')

    with serving(loosely) as server:
        assert not model(server)(ASKED, schema=SCHEMA).held_to_schema


def test_a_question_without_a_schema_goes_without_and_is_not_held():
    with serving(said('{"n": 3}')) as server:
        assert not model(server)(ASKED).held_to_schema
    assert "response_format" not in server.asked[0]

"""A program that answers."""

from __future__ import annotations

import shlex
import sys

import pytest

from csd.chat import Message, ModelError
from echo.models.program import ProgramModel
from echo.models.settings import ModelSettings

ASKED = (Message(role="user", text="Hello é?", images=(b"abc",)),)


def program(code: str, **settings) -> ProgramModel:
    return ProgramModel(shlex.join([sys.executable, "-c", code]), ModelSettings(**settings))


def test_the_question_is_json_on_its_input_and_the_answer_all_of_its_output():
    echo = "import sys, json; told = json.load(sys.stdin); del told['model']; print(json.dumps(told))"
    reply = program(echo, seed=5, most_tokens=9)(ASKED, schema={"type": "object"})
    assert reply.text == (
        '{"most_tokens": 9, "temperature": 0.0, "seed": 5, "messages": [{"role": "user", '
        '"content": "Hello \\u00e9?", "images": ["data:image/png;base64,YWJj"]}], '
        '"schema": {"type": "object"}}'
    )
    assert (reply.prompt_tokens, reply.completion_tokens, reply.money) == (None, None, None)
    assert not reply.held_to_schema


@pytest.mark.parametrize(
    ("code", "match"),
    [
        ("import sys; sys.exit('out of memory')", r"to end with 0; got 1: out of memory"),
        (
            "import sys; print('thinking', file=sys.stderr)",
            r"write an answer; got nothing. It said: thinking",
        ),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", r"expected UTF-8 from command"),
    ],
)
def test_what_is_no_answer_is_an_error(code, match):
    with pytest.raises(ModelError, match=match):
        program(code)(ASKED)


def test_a_program_that_hangs_is_ended():
    with pytest.raises(ModelError, match=r"to answer within 0\.2 s; it did not"):
        program("import time; time.sleep(60)", timeout=0.2)(ASKED)


def test_a_program_that_is_not_there_is_named():
    with pytest.raises(ModelError, match=r"program to start as command:no_such_program --fast"):
        ProgramModel("no_such_program --fast", ModelSettings())(ASKED)


@pytest.mark.parametrize("command", ["'open quote", "  "])
def test_what_is_no_command_is_refused(command):
    with pytest.raises(ModelError, match=r"expected a (command|program)"):
        ProgramModel(command, ModelSettings())

from __future__ import annotations

import sys

import pytest

from csd.chat import Message, ModelError
from echo.mfm.turns.command_model import CommandModel, reply_of

ECHO = (
    "import json, sys; asked = json.load(sys.stdin)['messages']; print(asked[0]['text'], asked[0]['images'])"
)


def test_the_command_reads_the_conversation_with_its_pictures():
    model = CommandModel(command=f'{sys.executable} -c "{ECHO}"')
    reply = model([Message(role="user", text="é", images=(b"PNG",))])
    assert reply.text == "é ['UE5H']\n"
    assert (reply.prompt_tokens, reply.money) == (None, None)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("no-such-program", "expected to start no-such-program"),
        ("", "expected a command, got an empty text"),
        ('"', "expected a command"),
        (f"{sys.executable} -c 'import sys; sys.exit(3)'", "expected exit code 0"),
        (f"{sys.executable} -c 'import time; time.sleep(9)'", "within 0.3 s"),
        (f"""{sys.executable} -c 'import sys; sys.stdout.buffer.write(b"\\xff")'""", "expected UTF-8"),
    ],
)
def test_a_command_that_gives_no_reply_is_a_model_error_that_says_why(command: str, told: str):
    with pytest.raises(ModelError, match=told):
        CommandModel(command=command, seconds=0.3)([Message(role="user", text="")])


@pytest.mark.parametrize(
    "wrong",
    ['{"text": "", "prompt_tokens": "3"}', '{"text": "", "money": true}', '{"text": "", "money": 1e999}'],
)
def test_a_number_that_is_none_is_named_and_not_taken_for_zero(wrong: str):
    with pytest.raises(ModelError, match=r"expected a .*number.* or null"):
        reply_of(wrong)

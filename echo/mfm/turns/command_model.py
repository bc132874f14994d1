"""A command-line program as a model: the conversation on its standard input, the reply on its output."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from csd.chat import JsonSchema, Message, ModelError, Reply
from echo.mfm.program import ProgramFailed, ask_program

SECONDS = 300.0
MOST_MONEY = 1e9
"""Of one reply; more is a mistake."""


@dataclass(frozen=True, kw_only=True)
class CommandModel:
    """A `Model` that runs a command for each question.

    The command reads one JSON object, `{"messages": [{"role", "text", "images": [PNG in base64]}]}`, with
    `"schema"` where the answer should be JSON of it. It
    writes the reply as it is, or an object with `text` and, where it knows them, `prompt_tokens`,
    `completion_tokens`, `money` and `seed`.
    """

    command: str
    """Program and arguments as in a shell."""
    seconds: float = SECONDS
    """How long one reply may take."""

    @property
    def name(self) -> str:
        """The command itself."""
        return self.command

    def __call__(self, messages: Sequence[Message], /, *, schema: JsonSchema | None = None) -> Reply:
        """Ask the command, with `schema` in the object where one is given.

        Raises:
            ModelError: if it cannot be started, takes too long, fails, or writes no UTF-8.
        """
        told = [
            {
                "role": each.role,
                "text": each.text,
                "images": [base64.b64encode(image).decode("ascii") for image in each.images],
            }
            for each in messages
        ]
        asked = {"messages": told} if schema is None else {"messages": told, "schema": schema}
        try:
            written = ask_program(self.command, json.dumps(asked), seconds=self.seconds)
        except ProgramFailed as error:
            raise ModelError(str(error)) from error
        return reply_of(written)


def reply_of(written: str) -> Reply:
    """Return the reply that a command wrote.

    Raises:
        ModelError: if it is an object with a text, and one of its numbers is none.

    >>> reply_of('{"text": "ok", "prompt_tokens": 3}').prompt_tokens
    3
    >>> reply_of('{"end": true}').text
    '{"end": true}'
    """
    try:
        held = json.loads(written)
    except (ValueError, RecursionError):
        return Reply(text=written)
    if not isinstance(held, dict) or not isinstance(held.get("text"), str):
        return Reply(text=written)
    return Reply(
        text=held["text"],
        prompt_tokens=_whole(held, "prompt_tokens"),
        completion_tokens=_whole(held, "completion_tokens"),
        money=_number(held, "money"),
        seed=_whole(held, "seed"),
    )


def _whole(held: Mapping[str, Any], name: str) -> int | None:
    value = held.get(name)
    if value is not None and type(value) is not int:
        raise ModelError(f"expected a whole number or null for {name} in the reply, got {value!r:.60}")
    return value


def _number(held: Mapping[str, Any], name: str) -> float | None:
    value = held.get(name)
    if value is not None and (type(value) not in (int, float) or not abs(value) <= MOST_MONEY):
        raise ModelError(
            f"expected a number up to {MOST_MONEY:g} or null for {name} in the reply, got {value!r:.60}"
        )
    return value

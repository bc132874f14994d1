"""Answers from a file: for tests, examples and runs that show the path without a model."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from csd.chat import JsonSchema, Message, ModelError, Reply
from csd.descriptor import Record
from echo.models.lasting import lasting
from echo.models.text import whole_text


class ScriptedReply(Record):
    """One line of a file of answers."""

    reply: str
    when: Annotated[str, Field(min_length=1)] | None = None
    """The last message must hold this text; the line then answers every such question. None answers one
    question, in the order of the file."""


class ScriptedFile:
    """A model that answers from a file of JSON lines: a `ScriptedReply` each, or the bare text as a string.

    The first line whose `when` is in the last message answers; else the next line without one.
    """

    def __init__(self, path: Path) -> None:
        """Read all answers.

        Raises:
            ModelError: if the file is not there or a line of it is not an answer.
        """
        content = _content(path)
        self.name = f"scripted:{lasting(path, hashlib.sha256(content.encode()).hexdigest())}"
        self._path = path
        lines = list(_lines(content, path))
        self._whenever = [line for line in lines if line.when is not None]
        self._in_order = [line.reply for line in lines if line.when is None]
        self._used = 0
        self._turn = threading.Lock()

    def __call__(self, messages: Sequence[Message], /, *, schema: JsonSchema | None = None) -> Reply:
        """Return the answer to the last message, whatever the schema; tokens are counted as words.

        Raises:
            ModelError: if no line answers.
        """
        text = whole_text(self._answer(messages[-1].text if messages else ""))
        return Reply(
            text=text,
            prompt_tokens=sum(len(each.text.split()) for each in messages),
            completion_tokens=len(text.split()),
            money=0.0,
            seed=0,
        )

    def _answer(self, question: str) -> str:
        for line in self._whenever:
            if line.when is not None and line.when in question:
                return line.reply
        with self._turn:
            if self._used == len(self._in_order):
                raise ModelError(
                    f"expected an answer in {self._path} to the message that begins "
                    f"{question[:60]!r}; the {self._used} answers without 'when' are used up and no 'when' "
                    f"is in it. Add a line to the file."
                )
            self._used += 1
            return self._in_order[self._used - 1]


def _content(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"expected a file of answers at {path}; got: {error}") from error


def _lines(text: str, path: Path) -> Iterator[ScriptedReply]:
    # Not splitlines(), which also ends a line at characters that JSON strings may hold.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield _line(line, f"{path}, line {number}")


def _line(line: str, place: str) -> ScriptedReply:
    try:
        told = json.loads(line)
        return ScriptedReply.model_validate({"reply": told} if isinstance(told, str) else told)
    except (ValueError, ValidationError) as error:
        raise ModelError(
            f'expected a JSON string or {{"reply": ..., "when": ...}} in {place}; got {line[:80]!r}: {error}'
        ) from error

"""What a server's bytes say: a whole answer, or why there is none. No empty text passes for an answer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from csd.chat import ModelError
from echo.models.text import whole_text

_SHOWN = 200
"""Characters of what a server sent that an error repeats."""

_BETTER_LATER = (408, 409, 429)


class BrokenAnswerError(ModelError):
    """An answer that may be whole the next time."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a server answered."""

    text: str
    cut: bool
    """Whether it ended at the limit of tokens."""
    prompt_tokens: int | None
    completion_tokens: int | None


class _Part(BaseModel):
    type: str = "text"
    text: str | None = None


class _Said(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Said
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)


class _Completion(BaseModel):
    """The parts of a chat completion that are used; servers send more."""

    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: Any = None


def read_answer(data: bytes, *, kind: str, place: str) -> Answer:
    """Return the answer in the body of a server's response.

    Args:
        data: the body.
        kind: its Content-Type.
        place: who sent it, for errors.

    Raises:
        BrokenAnswerError: if it is no chat completion, or holds an error of the server that may pass.
        ModelError: if the model refused, wrote nothing, or its answer was filtered.
    """
    try:
        # Not pydantic's own reader of JSON, which refuses half of a UTF-16 pair.
        told = _Completion.model_validate(json.loads(data))
    except (ValueError, RecursionError) as error:
        reason = _first_fault(error) if isinstance(error, ValidationError) else str(error)
        raise BrokenAnswerError(
            f"expected a chat completion as JSON from {place}; got {kind or 'no Content-Type'}, "
            f"{len(data):,} bytes that begin {_shown(data)!r} ({reason}). Is this the address of a model "
            f"server? It mostly ends with /v1."
        ) from error
    if told.error:
        raise _server_error(told.error, place)
    if not told.choices:
        raise BrokenAnswerError(f"expected an answer from {place}; got none in {_shown(data)!r}.")
    usage = told.usage or _Usage()
    return Answer(
        text=_text(told.choices[0], place),
        cut=told.choices[0].finish_reason == "length",
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
    )


def _text(choice: _Choice, place: str) -> str:
    said, reason = choice.message, choice.finish_reason
    if said.refusal:
        raise ModelError(f"expected an answer from {place}; the model refused: {said.refusal[:_SHOWN]!r}")
    if reason == "content_filter":
        raise ModelError(f"expected an answer from {place}; its content filter withheld it. Ask otherwise.")
    content = said.content
    text = "".join(part.text or "" for part in content) if isinstance(content, list) else content
    if text is None or not text.strip():
        hint = (
            "The limit of tokens was reached before it wrote anything: allow more (most_tokens)."
            if reason == "length"
            else "Ask again or otherwise."
        )
        what = "no text" if text is None else "an empty text"
        raise ModelError(f"expected an answer from {place}; got {what}, ended by {reason!r}. {hint}")
    return whole_text(text)


def _server_error(error: Any, place: str) -> ModelError:
    """Return what a response that is an error, though its status says otherwise, comes to."""
    code = error.get("code") if isinstance(error, dict) else None
    message = error.get("message", error) if isinstance(error, dict) else error
    passing = isinstance(code, int) and (code in _BETTER_LATER or code >= 500)
    kind = BrokenAnswerError if passing else ModelError
    return kind(f"expected an answer from {place}; got an error: {str(message)[:_SHOWN]}")


def _first_fault(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(each) for each in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]


def _shown(data: bytes) -> str:
    return data[:_SHOWN].decode("utf-8", "replace")

"""What is needed of a language model: messages in, a reply out. Knows no model library.

Whoever asks a model takes a `Model`; those that run one are in `echo.models`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

JsonSchema = Mapping[str, Any]
"""A JSON Schema, draft 2020-12."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    text: str
    images: tuple[bytes, ...] = ()
    """PNG files that go with the text, in order."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a model answered, and what that cost. Unknown numbers are None, not 0."""

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    money: float | None = None
    """In the currency of whoever pays."""
    seed: int | None = None
    seconds: float | None = None
    """Wall time of the answer; of a batch, its share."""
    cut: bool = False
    """Whether it ended at the limit of tokens rather than where the model would have stopped."""
    held_to_schema: bool = False
    """Whether decoding could give nothing but JSON of the schema asked for (a cut reply is its beginning)."""
    cached: bool = False
    """Whether it was answered before and cost nothing now."""


class Model(Protocol):
    """A language model, or whatever answers like one."""

    @property
    def name(self) -> str:
        """What results call it."""
        ...

    def __call__(self, messages: Sequence[Message], /, *, schema: JsonSchema | None = None) -> Reply:
        """Answer the conversation.

        Args:
            messages: the conversation so far; the last one is the user's.
            schema: what the answer should be JSON of. A model that cannot be held to it answers freely and
                says so in `Reply.held_to_schema`: whoever asks reads the text with care either way.

        Raises:
            ModelError: if it cannot.
        """
        ...


@runtime_checkable
class Batched(Protocol):
    """A model that answers many conversations faster together than one by one."""

    def answer_each(
        self, conversations: Sequence[Sequence[Message]], /, *, schema: JsonSchema | None = None
    ) -> Sequence[Reply]:
        """Answer each conversation, in their order.

        Raises:
            ModelError: if it cannot.
        """
        ...


def answers(
    model: Model, conversations: Sequence[Sequence[Message]], *, schema: JsonSchema | None = None
) -> list[Reply]:
    """Return what `model` answers to each conversation, in their order, together where it can.

    Raises:
        ModelError: if it cannot answer one.
    """
    if isinstance(model, Batched):
        return list(model.answer_each(conversations, schema=schema))
    return [model(each, schema=schema) for each in conversations]


class ModelError(RuntimeError):
    """A model did not answer; the text says why."""


class ScriptedModel:
    """Answers from a list, for tests and examples."""

    name = "scripted"

    def __init__(self, replies: Sequence[str]) -> None:
        """Answer with `replies`, one after the other."""
        self._replies = list(replies)
        self.asked: list[tuple[Message, ...]] = []

    def __call__(self, messages: Sequence[Message], /, *, schema: JsonSchema | None = None) -> Reply:
        """Return the next reply, whatever the schema; its tokens are counted as words.

        Raises:
            ModelError: if none is left.
        """
        self.asked.append(tuple(messages))
        if not self._replies:
            raise ModelError(
                f"expected at most {len(self.asked) - 1} questions, got one more. Script further."
            )
        text = self._replies.pop(0)
        return Reply(
            text=text,
            prompt_tokens=sum(len(each.text.split()) for each in messages),
            completion_tokens=len(text.split()),
            money=0.0,
            seed=0,
        )


def prompt_digest(messages: Sequence[Message]) -> str:
    """Return the SHA-256, in hex, of what a model is asked: roles, texts and pictures in order."""
    told = [[each.role, each.text, [_digest(image) for image in each.images]] for each in messages]
    return _digest(json.dumps(told, separators=(",", ":")).encode("ascii"))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

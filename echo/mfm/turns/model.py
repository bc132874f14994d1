"""What a turn harness needs of a language model: messages in, a reply out. Knows no model library."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


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


class Model(Protocol):
    """A language model, or whatever answers like one."""

    @property
    def name(self) -> str:
        """What results call it."""
        ...

    def __call__(self, messages: Sequence[Message], /) -> Reply:
        """Answer the conversation.

        Raises:
            ModelError: if it cannot.
        """
        ...


class ModelError(RuntimeError):
    """A model did not answer; the text says why."""


class ScriptedModel:
    """Answers from a list, for tests and examples."""

    name = "scripted"

    def __init__(self, replies: Sequence[str]) -> None:
        """Answer with `replies`, one after the other."""
        self._replies = list(replies)
        self.asked: list[tuple[Message, ...]] = []

    def __call__(self, messages: Sequence[Message], /) -> Reply:
        """Return the next reply; its tokens are counted as words.

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

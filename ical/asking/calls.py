"""Asking a model and keeping everything it answered, with what was asked and what that cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from csd.chat import JsonSchema, Message, Model, Reply, prompt_digest

Purpose = Literal["induce", "repair", "verify", "recover", "subgoals"]
"""What a question was for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One question and its answer."""

    purpose: Purpose
    messages: tuple[Message, ...]
    """What was asked."""
    reply: Reply
    usable: bool
    """Whether something was made of the answer."""
    findings: tuple[str, ...] = ()
    """What was wrong with it, in words."""
    mended: tuple[str, ...] = ()
    """What was not JSON by the letter."""

    @property
    def prompt_digest(self) -> str:
        """SHA-256, in hex, of all messages asked."""
        return prompt_digest(self.messages)


class Asker:
    """A model, and all calls to it."""

    def __init__(self, model: Model, keep: Callable[[Call], None] | None = None) -> None:
        """Ask `model`; `keep` is handed each call as soon as its answer was judged."""
        self._model, self._keep = model, keep
        self.calls: list[Call] = []

    @property
    def name(self) -> str:
        """The model's."""
        return self._model.name

    def ask(self, messages: Sequence[Message], schema: JsonSchema) -> Reply:
        """Return the model's answer; `judged` must be told of it.

        Raises:
            ModelError: if the model does not answer.
        """
        return self._model(messages, schema=schema)

    def judged(
        self,
        purpose: Purpose,
        messages: Sequence[Message],
        reply: Reply,
        *,
        usable: bool,
        findings: Sequence[str] = (),
        mended: Sequence[str] = (),
    ) -> None:
        """Keep a call with what was found in its answer."""
        call = Call(
            purpose=purpose,
            messages=tuple(messages),
            reply=reply,
            usable=usable,
            findings=tuple(findings),
            mended=tuple(mended),
        )
        self.calls.append(call)
        if self._keep is not None:
            self._keep(call)

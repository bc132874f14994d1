"""A language model behind a server that speaks OpenAI's protocol."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from csd.chat import JsonSchema, Message, ModelError, Reply
from echo.models.pictures import data_url
from echo.models.server_answer import Answer
from echo.models.server_wire import RefusedError, Wire
from echo.models.settings import ModelSettings
from echo.models.text import whole_text

_PROBE = {
    "type": "object",
    "properties": {"fruit": {"type": "string", "enum": ["quince"]}},
    "required": ["fruit"],
    "additionalProperties": False,
}
"""Whoever is not held to it would hardly answer a question about the weather so."""
_PROBE_MESSAGES = (Message(role="user", text="Say in one sentence what the weather is like in April."),)
_PROBE_TOKENS = 32


@dataclass(frozen=True, kw_only=True)
class _Form:
    """How a question is put: servers differ in what they take."""

    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    left_out: tuple[str, ...] = ()
    """Settings not sent."""
    schema: Literal["strict", "loose", "none"] = "none"

    def after(self, named: str) -> _Form | None:
        """Return what to try after a server refused and `named` something; None if nothing is left."""
        if self.limit in named and self.limit == "max_tokens":
            return replace(self, limit="max_completion_tokens")
        for setting in ("temperature", "seed"):
            if setting in named and setting not in self.left_out:
                return replace(self, left_out=(*self.left_out, setting))
        if self.schema == "none":
            return None
        return replace(self, schema="loose" if self.schema == "strict" else "none")


class ServerModel:
    """Answers from a server. Threads may share it.

    A schema goes as `response_format`; where the server refuses that, the question goes without, and the
    reply says so. Some servers take a schema and heed it not: the first question with one is followed by a
    short one (not part of any reply's cost) that shows whether this server holds its answers to schemas.
    """

    def __init__(self, model: str, settings: ModelSettings) -> None:
        """Ask the server for `model`.

        Raises:
            ModelError: as `echo.models.server_wire.Wire`.
        """
        self.name = f"openai:{model}"
        self._model, self._settings = model, settings
        self._wire = Wire(settings)
        self._form = _Form()
        self._taken: dict[str, Literal["strict", "loose", "none"]] = {}
        self._holds: bool | None = None
        self._probing = threading.Lock()

    def told(self) -> dict[str, object]:
        """Return what beside the conversation decides an answer."""
        one = self._settings
        return {
            "model": self._model,
            "server": self._wire.address,
            "most_tokens": one.most_tokens,
            "temperature": one.temperature,
            "seed": one.seed,
        }

    def __call__(self, messages: Sequence[Message], /, *, schema: JsonSchema | None = None) -> Reply:
        """Answer one conversation.

        Raises:
            ModelError: if the server cannot be reached, takes too long, refuses, or sends no answer.
        """
        began = time.perf_counter()
        answer, form = self._ask(messages, schema, self._settings.most_tokens)
        seconds = time.perf_counter() - began
        return Reply(
            text=answer.text,
            prompt_tokens=answer.prompt_tokens,
            completion_tokens=answer.completion_tokens,
            money=self._money(answer),
            seed=None if "seed" in form.left_out else self._settings.seed,
            seconds=seconds,
            cut=answer.cut,
            held_to_schema=form.schema == "strict" and (answer.cut or _is_json(answer.text)) and self._held(),
        )

    def _ask(self, messages: Sequence[Message], schema: JsonSchema | None, most: int) -> tuple[Answer, _Form]:
        """Return the answer and the form in which the server took the question."""
        key = "" if schema is None else json.dumps(schema, separators=(",", ":"))
        first: Literal["strict", "loose", "none"] = (
            "none" if schema is None else self._taken.get(key, "strict")
        )
        form = replace(self._form, schema=first)
        while True:
            try:
                answer = self._wire.send(self._body(messages, schema, most, form))
            except RefusedError as error:
                other = form.after(error.named)
                if other is None:
                    raise
                form = other
            else:
                self._form = replace(form, schema="none")
                self._taken[key] = form.schema
                return answer, form

    def _body(
        self, messages: Sequence[Message], schema: JsonSchema | None, most: int, form: _Form
    ) -> dict[str, Any]:
        settings = {"temperature": self._settings.temperature, "seed": self._settings.seed}
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [_message(each) for each in messages],
            form.limit: most,
            **{name: value for name, value in settings.items() if name not in form.left_out},
        }
        if form.schema != "none":
            told = {"name": "answer", "schema": schema, "strict": form.schema == "strict"}
            body["response_format"] = {"type": "json_schema", "json_schema": told}
        return body

    def _held(self) -> bool:
        """Return whether the server holds answers to a schema that it takes; asks it the first time."""
        with self._probing:
            if self._holds is None:
                try:
                    answer, form = self._ask(_PROBE_MESSAGES, _PROBE, _PROBE_TOKENS)
                except ModelError:
                    return False
                self._holds = form.schema == "strict" and _is_json(answer.text, {"fruit": "quince"})
            return self._holds

    def _money(self, answer: Answer) -> float | None:
        prices = (self._settings.prompt_price, self._settings.completion_price)
        counts = (answer.prompt_tokens, answer.completion_tokens)
        costs = [
            price * count / 1e6
            for price, count in zip(prices, counts, strict=True)
            if price is not None and count is not None
        ]
        return sum(costs) if len(costs) == len(prices) else None


def _message(message: Message) -> dict[str, Any]:
    text = whole_text(message.text)
    if not message.images:
        return {"role": message.role, "content": text}
    images = [{"type": "image_url", "image_url": {"url": data_url(image)}} for image in message.images]
    return {"role": message.role, "content": [{"type": "text", "text": text}, *images]}


def _is_json(text: str, expected: object = None) -> bool:
    """Return whether `text` is JSON, and of `expected` where that is given."""
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return expected is None or value == expected

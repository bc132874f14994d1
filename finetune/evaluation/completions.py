"""Asking models, and keeping every answer so that none is asked for twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from csd.chat import JsonSchema, Message, Model, ModelError, Reply, answers, prompt_digest
from csd.descriptor import Record

COMPLETIONS = "completions.jsonl"

TOGETHER = 16
"""Questions that are asked at once unless a subject says otherwise; what was answered is kept before the next
ones are asked."""


class KeptCompletion(Record):
    """One line: what a model answered. Unknown numbers are null, not 0."""

    format: Literal[1] = 1
    subject: str
    """`Subject.digest`."""
    model: str
    """What the model calls itself."""
    schema_digest: str | None
    """SHA-256 of the schema asked for; null where the model wrote freely."""
    prompt: str
    """SHA-256 of the conversation, see `csd.chat.prompt_digest`."""
    completion: str
    """What the model wrote, whole; half a surrogate pair is written as an escape."""
    prompt_tokens: int | None
    completion_tokens: int | None
    money: float | None
    seed: int | None
    seconds: float | None
    """Wall time when it was asked; of a batch, its share."""
    cut: bool
    held_to_schema: bool
    cached: bool
    """Whether a cache answered, so that money and seconds are not the model's."""

    @property
    def key(self) -> tuple[str, str | None, str]:
        """What decides the answer."""
        return self.subject, self.schema_digest, self.prompt


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A model under evaluation."""

    model: Model
    told: Mapping[str, Any]
    """JSON values that together with conversation and schema decide an answer: digests of its weights, number
    type, temperature, seed, limit of tokens."""
    together: int = TOGETHER
    """Questions asked at once."""

    @property
    def digest(self) -> str:
        """SHA-256, in hex, of `told`."""
        text = json.dumps(dict(self.told), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()


class Book:
    """Answers by what decided them."""

    def __init__(self, kept: Iterable[KeptCompletion], keep: Callable[[KeptCompletion], None]) -> None:
        """Begin with the answers in `kept`; each new one goes to `keep` at once."""
        self._known = {one.key: one for one in kept}
        self._keep = keep

    def find(self, key: tuple[str, str | None, str]) -> KeptCompletion | None:
        """Return the answer that `key` decided, None where there is none."""
        return self._known.get(key)

    def add(self, one: KeptCompletion) -> None:
        """Keep an answer."""
        self._keep(one)
        self._known[one.key] = one


def ask_each(
    conversations: Sequence[Sequence[Message]],
    subject: Subject,
    book: Book,
    *,
    schema: JsonSchema | None,
    tell: Callable[[int, int], None] = lambda done, of: None,
) -> list[KeptCompletion | None]:
    """Return the answer to each conversation, in their order: from the book, else asked and entered there.

    Args:
        conversations: what to ask; those of like length are asked together.
        subject: who is asked.
        book: knows and takes the answers.
        schema: what the answers are held to, or None to let the model write freely.
        tell: told how many are answered, of how many.

    Returns:
        None where the model refuses a conversation (such as one too long for it) but not others beside it.

    Raises:
        ModelError: if it answers none of those asked at once.
    """
    keys = [(subject.digest, _schema_digest(schema), prompt_digest(each)) for each in conversations]
    places = {key: place for place, key in enumerate(keys) if book.find(key) is None}
    waiting = sorted(places.values(), key=lambda place: (_length(conversations[place]), place))
    done = len(conversations) - len(waiting)
    tell(done, len(conversations))
    for start in range(0, len(waiting), subject.together):
        part = waiting[start : start + subject.together]
        replies = _replies([conversations[place] for place in part], subject.model, schema)
        for place, reply in zip(part, replies, strict=True):
            if reply is not None:
                book.add(_kept(keys[place], subject.model.name, reply))
        done += len(part)
        tell(done, len(conversations))
    return [book.find(key) for key in keys]


def _replies(
    conversations: Sequence[Sequence[Message]], model: Model, schema: JsonSchema | None
) -> list[Reply | None]:
    """Ask all together; where that fails, one by one, so that one bad question does not cost the rest."""
    try:
        return list(answers(model, conversations, schema=schema))
    except ModelError as error:
        if len(conversations) == 1:
            raise
        first = error
    found: list[Reply | None] = []
    for messages in conversations:
        try:
            found.append(model(messages, schema=schema))
        except ModelError:
            found.append(None)
            # A server that is gone would else be waited for once a question.
            if len(found) > 1 and not any(found):
                raise first from None
    return found


def _kept(key: tuple[str, str | None, str], name: str, reply: Reply) -> KeptCompletion:
    subject, schema, prompt = key
    return KeptCompletion(
        subject=subject,
        model=name,
        schema_digest=schema,
        prompt=prompt,
        completion=reply.text.encode("utf-8", "backslashreplace").decode(),
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        money=reply.money,
        seed=reply.seed,
        seconds=reply.seconds,
        cut=reply.cut,
        held_to_schema=reply.held_to_schema,
        cached=reply.cached,
    )


def _schema_digest(schema: JsonSchema | None) -> str | None:
    if schema is None:
        return None
    # In the order of the schema's keys, not sorted: decoding follows that order.
    return hashlib.sha256(json.dumps(schema, separators=(",", ":")).encode("ascii")).hexdigest()


def _length(messages: Sequence[Message]) -> int:
    return sum(len(each.text) for each in messages)

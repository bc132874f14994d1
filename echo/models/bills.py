"""What asking a model came to: questions, tokens, money, seconds."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, fields

from csd.chat import JsonSchema, Message, Model, ModelError, Reply, answers


@dataclass(frozen=True, kw_only=True)
class Bill:
    """Sums over questions; what is not known is counted, never taken as 0."""

    answered: int = 0
    """Questions that got an answer, from disk or anew."""
    cached: int = 0
    """Of those, the ones answered from disk: their tokens and money are not in the sums."""
    failed: int = 0
    """Questions without an answer; what they cost is not known."""
    cut: int = 0
    """Answers that ended at the limit of tokens."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    uncounted: int = 0
    """New answers that do not say their tokens."""
    money: float = 0.0
    """In the currency of whoever pays."""
    unpriced: int = 0
    """New answers whose price is not known: `money` is then a lower bound."""
    seconds: float = 0.0
    """Waited for the answers, one after the other; less by the clock where several were asked at once."""

    @classmethod
    def of(cls, reply: Reply) -> Bill:
        """Return the bill of one answer."""
        if reply.cached:
            return cls(answered=1, cached=1, cut=int(reply.cut))
        return cls(
            answered=1,
            cut=int(reply.cut),
            prompt_tokens=reply.prompt_tokens or 0,
            completion_tokens=reply.completion_tokens or 0,
            uncounted=int(reply.prompt_tokens is None or reply.completion_tokens is None),
            money=reply.money or 0.0,
            unpriced=int(reply.money is None),
            seconds=reply.seconds or 0.0,
        )

    def __add__(self, other: Bill) -> Bill:
        return Bill(
            **{each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(Bill)}
        )


class Billed:
    """A model that keeps its bill. Threads may share it."""

    def __init__(self, model: Model) -> None:
        """Ask `model`."""
        self._model, self._bill, self._turn = model, Bill(), threading.Lock()

    @property
    def name(self) -> str:
        """What results call it."""
        return self._model.name

    @property
    def bill(self) -> Bill:
        """What was asked so far came to."""
        return self._bill

    def __call__(self, messages: Sequence[Message], /, *, schema: JsonSchema | None = None) -> Reply:
        """Answer one conversation.

        Raises:
            ModelError: if the model cannot.
        """
        return self.answer_each([messages], schema=schema)[0]

    def answer_each(
        self, conversations: Sequence[Sequence[Message]], /, *, schema: JsonSchema | None = None
    ) -> list[Reply]:
        """Answer each conversation, in their order.

        Raises:
            ModelError: if the model cannot answer one; all of them count as failed then.
        """
        try:
            replies = answers(self._model, conversations, schema=schema)
        except ModelError:
            self._enter(Bill(failed=len(conversations)))
            raise
        for reply in replies:
            self._enter(Bill.of(reply))
        return replies

    def _enter(self, bill: Bill) -> None:
        with self._turn:
            self._bill = self._bill + bill

"""Asking a server several questions at once."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from csd.chat import JsonSchema, Message, Model, Reply


class Together:
    """A model of which several questions are asked at once, though never more than a limit."""

    def __init__(self, model: Model, most: int) -> None:
        """Ask `model`, which threads may share, at most `most` questions at once."""
        self._model, self._most = model, most

    @property
    def name(self) -> str:
        """What results call it."""
        return self._model.name

    def __call__(self, messages: Sequence[Message], /, *, schema: JsonSchema | None = None) -> Reply:
        """Answer one conversation.

        Raises:
            ModelError: if the model cannot.
        """
        return self._model(messages, schema=schema)

    def answer_each(
        self, conversations: Sequence[Sequence[Message]], /, *, schema: JsonSchema | None = None
    ) -> list[Reply]:
        """Answer each conversation, in their order.

        Raises:
            ModelError: of the first one in order that fails; questions that were not sent yet are not.
        """
        with ThreadPoolExecutor(max_workers=self._most) as pool:
            asked = [pool.submit(self._model, each, schema=schema) for each in conversations]
            try:
                return [each.result() for each in asked]
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

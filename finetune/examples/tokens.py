"""Counting tokens as the base model's tokenizer does."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from csd.chat import Message
from finetune.base import find_base, load_tokenizer


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """A tokenizer to count with."""

    name: str
    """Its class and a digest of its words and chat template; no path, so that equal ones are told alike."""
    count: Callable[[Sequence[Message]], int]
    """Tokens of a conversation as the chat template renders it; pictures count as nothing."""


def counter(base: str) -> Tokens:
    """Load the tokenizer of a base model; see `finetune.base.find_base`.

    Raises:
        BaseError: if there is none that can be trained.
    """
    tokenizer = load_tokenizer(find_base(base))

    def count(messages: Sequence[Message]) -> int:
        told = [{"role": message.role, "content": message.text} for message in messages]
        return len(tokenizer.apply_chat_template(told, tokenize=True, return_dict=False))

    return Tokens(name=f"{type(tokenizer).__name__} {_digest(tokenizer)}", count=count)


def _digest(tokenizer: Any) -> str:
    words = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    return hashlib.sha256(repr((words, tokenizer.chat_template)).encode()).hexdigest()[:16]

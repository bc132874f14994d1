"""How long an answer may become."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from finetune.base import find_base, load_tokenizer

MOST_TOKENS = 1024
"""Tokens of an answer where no right answer, or no tokenizer, says how many are enough."""

ROOM = 8
"""An answer may be longer than the longest right one by one part in so many: an untaught model would else
write on to the end of its window."""


def token_count(base: str) -> Callable[[str], int]:
    """Return what counts the tokens of a text as the base model called `base` does.

    Raises:
        BaseError: as `finetune.base.find_base` and `load_tokenizer`.
    """
    tokenizer = load_tokenizer(find_base(base))
    return lambda text: len(tokenizer(text, add_special_tokens=False)["input_ids"])


def answer_limit(right: Sequence[str], counts: Sequence[Callable[[str], int]]) -> int:
    """Return how many tokens an answer may have: a little more than the longest right one.

    Args:
        right: right answers.
        counts: count tokens, one for each model that is asked.

    >>> answer_limit(["a b c d e f g h", "a"], [lambda text: len(text.split())])
    10
    """
    longest = max((count(text) for count in counts for text in right), default=0)
    # One more, for the token that ends it.
    return longest + longest // ROOM + 1 if longest else MOST_TOKENS

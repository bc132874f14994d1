"""Decoding that can give nothing but JSON of a schema: tokens that would leave it get no chance.

JSON comes without white space. Bound the schema (lengths of lists and texts, no free dictionaries): a weak
model fills an open list to the limit of tokens.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from csd.chat import JsonSchema, ModelError

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase

_COMPACT = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"}

INSTALL = "pip install 'echo-memory[finetune]'"


class Grammars:
    """Compiles schemas for the tokens of one tokenizer; those asked for before are at hand."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, tokens: int) -> None:
        """Prepare; takes a second for a large vocabulary.

        Args:
            tokenizer: whose tokens the model writes.
            tokens: chances a step of the model gives, that is rows of its embedding.

        Raises:
            ModelError: if llguidance is missing or the tokenizer is not one of the fast ones.
        """
        try:
            import llguidance
            import llguidance.hf
        except ImportError as error:
            raise ModelError(
                f"expected llguidance, which holds answers to a schema; got none: {INSTALL}"
            ) from error
        try:
            self._tokens = llguidance.hf.from_tokenizer(tokenizer, n_vocab=tokens)
        except ValueError as error:
            raise ModelError(f"expected a tokenizer that llguidance knows; got: {error}") from error
        self._matcher = llguidance.LLMatcher
        self._compiled: dict[str, Any] = {}

    def start(self, schema: JsonSchema) -> Any:
        """Return a new `LLMatcher` for an answer of `schema`.

        Raises:
            ModelError: if the schema says what the grammar cannot hold to.
        """
        key = json.dumps(schema, separators=(",", ":"))
        if key not in self._compiled:
            self._compiled[key] = self._compile(key)
        return self._compiled[key].deep_copy()

    def _compile(self, schema: str) -> Any:
        try:
            grammar = self._matcher.grammar_from_json_schema(schema, overrides=_COMPACT)
        except ValueError as error:
            raise _refused(str(error)) from error
        matcher = self._matcher(self._tokens, grammar, log_level=0)
        if matcher.is_error():
            raise _refused(matcher.get_error())
        return matcher


class HoldToSchema:
    """A logits processor: each row of a batch goes on with nothing but what its matcher allows."""

    def __init__(self, matchers: list[Any], *, prompt: int, stops: tuple[int, ...]) -> None:
        """Hold row i to `matchers[i]` from column `prompt` on; a row has ended at a token of `stops`."""
        self._matchers, self._prompt, self._stops = matchers, prompt, stops
        self._ended = [False] * len(matchers)

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Return `scores`, (rows, tokens), with -inf for tokens that are not allowed."""
        import torch

        if input_ids.shape[1] > self._prompt:
            for row, token in enumerate(input_ids[:, -1].tolist()):
                self._take(row, token)
        masks = [self._allowed(row, scores.shape[1]) for row in range(len(self._matchers))]
        allowed = torch.from_numpy(np.stack(masks)).to(scores.device)
        return scores.masked_fill(~allowed, float("-inf"))

    def _take(self, row: int, token: int) -> None:
        if self._ended[row]:
            return
        if token in self._stops:
            self._ended[row] = True
        elif not self._matchers[row].consume_token(token):
            raise ModelError(
                f"expected a token of the grammar; got {token}: {self._matchers[row].get_error()}"
            )

    def _allowed(self, row: int, tokens: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return which tokens may come next, (tokens,) bool; all, where the row has ended."""
        if self._ended[row]:
            return np.ones(tokens, dtype=np.bool_)
        bits = np.frombuffer(self._matchers[row].compute_bitmask(), dtype=np.uint8)
        if self._matchers[row].is_error():
            raise ModelError(f"expected the grammar to go on; got: {self._matchers[row].get_error()}")
        allowed = np.zeros(tokens, dtype=np.bool_)
        unpacked = np.unpackbits(bits, bitorder="little")[:tokens]
        allowed[: len(unpacked)] = unpacked
        return allowed


def _refused(reason: str) -> ModelError:
    return ModelError(f"expected a JSON Schema that decoding can be held to; got: {reason}")

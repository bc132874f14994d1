"""Grammars of JSON schemas in the tokens of a model, for decoding that can give nothing else.

JSON comes without white space. Bound the schema (lengths of lists and texts, no free dictionaries): a weak
model fills an open list to the limit of tokens.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from csd.chat import JsonSchema, ModelError

if TYPE_CHECKING:
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


def _refused(reason: str) -> ModelError:
    return ModelError(f"expected a JSON Schema that decoding can be held to; got: {reason}")

"""What is done to the chances of the next token: hold them to a schema, draw with the question's own seed.

Logits processors of transformers: called after each step of the model, for all rows of a batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from csd.chat import ModelError

if TYPE_CHECKING:
    import torch


class HoldToSchema:
    """Lets each row of a batch go on with nothing but what its matcher of `echo.models.grammar` allows."""

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


class DrawTokens:
    """Makes the likeliest token a draw from the model's chances, by the seed of the row alone.

    An answer then depends on its own question and seed, not on what else is in the batch.

    Adds Gumbel noise: the greatest of logit / temperature + noise is distributed as a draw from the softmax.
    Source: Gumbel, Statistical Theory of Extreme Values, 1954; Maddison et al., A* Sampling, 2014.
    """

    def __init__(self, temperature: float, generators: list[np.random.Generator]) -> None:
        """Draw for row i with `generators[i]`; `temperature` is above 0."""
        self._temperature, self._generators = temperature, generators

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Return `scores`, (rows, tokens), over the temperature and with noise."""
        import torch

        noise = np.stack([each.gumbel(size=scores.shape[1]) for each in self._generators])
        return scores.double() / self._temperature + torch.from_numpy(noise).to(scores.device)

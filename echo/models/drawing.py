"""Drawing tokens so that an answer depends on its own question and seed, not on what is in the batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch


class DrawTokens:
    """A logits processor after which the likeliest token is a draw from the model's chances.

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

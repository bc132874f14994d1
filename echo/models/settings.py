"""How models are asked: what decides an answer, and what it may take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """Settings of a model; each kind of model uses those that concern it.

    Raises:
        ValueError: if a number is out of its range.
    """

    most_tokens: int = 1024
    """Tokens of an answer at most, from 1; a longer one is cut and says so."""
    temperature: float = 0.0
    """0 takes the likeliest token each time; more draws, from the model's own chances at 1."""
    seed: int = 0
    """Of the draws, from 0. Equal questions get equal answers: to draw again, ask with another seed."""
    base_url: str | None = None
    """Address of a server, up to and with ``/v1``; None is OPENAI_BASE_URL's, if set, else OpenAI's."""
    timeout: float = 120.0
    """Seconds in which an answer must be there."""
    retries: int = 4
    """Times that a question is sent again after an answer that may be better next time; from 0."""
    concurrency: int = 4
    """Questions that a server gets at once, from 1."""
    cache: Path | None = None
    """Folder in which answers are kept and found again; None keeps none."""
    prompt_price: float | None = None
    """Money for a million tokens of questions, where known."""
    completion_price: float | None = None
    """Money for a million tokens of answers, where known."""
    batch: int = 8
    """Conversations that a model on this machine answers together, from 1."""
    dtype: str = "auto"
    """Number type of the weights, out of `finetune.base.DTYPES`; ``auto`` is the one they are stored in."""
    device: str = "cpu"
    """Where a model on this machine computes: ``cpu``, ``cuda``, ``cuda:1``; ``auto`` finds a GPU."""

    def __post_init__(self) -> None:
        for name in ("most_tokens", "concurrency", "batch"):
            _refuse_below(name, getattr(self, name), 1)
        for name in ("temperature", "seed", "retries", "prompt_price", "completion_price"):
            value = getattr(self, name)
            if value is not None:
                _refuse_below(name, value, 0)
        if not (math.isfinite(self.timeout) and self.timeout > 0):
            raise ValueError(f"expected timeout to be seconds above 0; got {self.timeout}.")


def _refuse_below(name: str, value: float, least: int) -> None:
    if not (math.isfinite(value) and value >= least):
        raise ValueError(f"expected {name} to be a number from {least}; got {value}.")

"""How models are asked: what decides an answer, and what it may take."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from csd.chat import ModelError

CACHE, PRICES, TIMEOUT = "ECHO_MODEL_CACHE", "ECHO_MODEL_PRICES", "ECHO_MODEL_TIMEOUT"
RETRIES, AT_ONCE = "ECHO_MODEL_RETRIES", "ECHO_MODEL_AT_ONCE"
"""Variables of the environment by which all commands ask; see `from_environment`."""


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


def from_environment(environment: Mapping[str, str] | None = None, **own: Any) -> ModelSettings:
    """Return settings as the environment has them, for whoever asks a model on behalf of a command.

    ECHO_MODEL_CACHE is a folder, ECHO_MODEL_PRICES money for a million tokens of questions and of answers
    ("0.15,0.60"), ECHO_MODEL_TIMEOUT seconds, ECHO_MODEL_RETRIES and ECHO_MODEL_AT_ONCE counts. One that is
    not set or empty leaves the default. None of them is part of what is asked, so none changes an answer.

    Args:
        environment: variables and their values; None takes those of this process.
        own: further settings, as of `ModelSettings`.

    Raises:
        ModelError: if a value cannot be read or is out of its range; names the variable.
    """
    told = os.environ if environment is None else environment
    readers: Mapping[str, Callable[[str], dict[str, Any]]] = {
        CACHE: lambda text: {"cache": Path(text).expanduser()},
        PRICES: _prices,
        TIMEOUT: lambda text: {"timeout": float(text)},
        RETRIES: lambda text: {"retries": int(text)},
        AT_ONCE: lambda text: {"concurrency": int(text)},
    }
    examples = {PRICES: "0.15,0.60", TIMEOUT: "120", RETRIES: "4", AT_ONCE: "4"}
    settings = dict(own)
    for name, read in readers.items():
        text = told.get(name, "").strip()
        if not text:
            continue
        try:
            found = read(text)
            ModelSettings(**found)
        except ValueError as error:
            raise ModelError(
                f"expected {name} to be as in {name}={examples.get(name, 'FOLDER')}; got {text!r} in the "
                f"environment ({error}). Mend it, or unset it."
            ) from error
        settings |= found
    return ModelSettings(**settings)


def _prices(text: str) -> dict[str, float]:
    prompt, comma, completion = text.partition(",")
    if not comma:
        raise ValueError("two prices, of questions and of answers")
    return {"prompt_price": float(prompt), "completion_price": float(completion)}


def _refuse_below(name: str, value: float, least: int) -> None:
    if not (math.isfinite(value) and value >= least):
        raise ValueError(f"expected {name} to be a number from {least}; got {value}.")

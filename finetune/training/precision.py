"""In which number type a base is trained fastest on this machine, found by trying a step."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from csd.descriptor import Record
from finetune.training.errors import TrainingError

NUMBERS = ("float32", "bfloat16")

TRIES = 3
"""Pairs of steps timed, one with each number type, after a pair that warms up: the one with the median ratio
counts. What else the machine does then falls on both steps of a pair, or on few pairs."""

FASTER = 0.9
"""bfloat16 must take no more than this share of the time of float32, which is the more exact."""


class Probe(Record):
    """What a trial of number types came to."""

    chosen: str
    seconds: dict[str, float | None]
    """Number type -> seconds of a step; None where its loss was no finite number."""


def choose(seconds: dict[str, float | None]) -> Probe:
    """Return which number type to train in, by the seconds of a step in each of `NUMBERS`.

    Raises:
        TrainingError: if no number type gave a finite loss.

    >>> choose({"float32": 2.0, "bfloat16": 1.9}).chosen
    'float32'
    """
    exact, fast = (seconds[number] for number in NUMBERS)
    if exact is None and fast is None:
        raise TrainingError(
            "expected a finite loss of the untrained model; got none. Its weights are broken."
        )
    slow = fast is None or (exact is not None and fast > FASTER * exact)
    return Probe(chosen="float32" if slow else "bfloat16", seconds=seconds)


def probe(model: Any, loss_of: Callable[[Any], Any], *, whole: bool = False) -> Probe:
    """Try steps of `model` in each number type; its frozen weights are not what they were afterwards.

    Args:
        model: an adapter over a frozen base, to be thrown away.
        loss_of: the loss of a model on a batch, to be differentiated.
        whole: whether the adapter is in the number type of the base.

    Raises:
        TrainingError: as `choose`.
    """
    pairs = [_pair(model, loss_of, whole) for _ in range(1 + TRIES)][1:]
    exact, fast = NUMBERS
    broken = [pair for pair in pairs if None in pair.values()]
    ordered = sorted(pairs, key=lambda pair: (pair[fast] or 0.0) / (pair[exact] or math.inf))
    return choose(broken[0] if broken else ordered[TRIES // 2])


def _pair(model: Any, loss_of: Callable[[Any], Any], whole: bool) -> dict[str, float | None]:
    """Return number type -> seconds of a step in it, or None."""
    import torch

    seconds: dict[str, float | None] = {}
    for number in NUMBERS:
        for weight in model.parameters():
            if whole or not weight.requires_grad:
                weight.data = weight.data.to(getattr(torch, number))
        seconds[number] = _time(model, loss_of)
    return seconds


def _time(model: Any, loss_of: Callable[[Any], Any]) -> float | None:
    """Return the seconds of a step, or None if its loss is no finite number."""
    began = time.perf_counter()
    loss = loss_of(model)
    loss.backward()
    spent = time.perf_counter() - began
    model.zero_grad(set_to_none=True)
    return round(spent, 4) if math.isfinite(float(loss.detach())) else None

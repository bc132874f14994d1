"""The loss on answers, for which only the tokens that are learned are projected to the vocabulary."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from finetune.training.collating import PLACES
from finetune.training.encoding import IGNORED

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class Loss:
    """The loss on a batch."""

    total: Tensor
    """Sum of the negative logarithms (natural) of the probabilities of the tokens learned; float32 scalar."""
    tokens: int
    """How many those are."""


def completion_loss(model: Any, batch: Mapping[str, Any], takes: frozenset[str]) -> Loss:
    """Return the loss of `model` on the tokens of `batch` that have labels.

    The logits of all tokens are most of the memory and a third of the work of a small model; only the columns
    in which some line has a label are computed.

    Args:
        model: a causal language model, wrapped or not.
        batch: as a collator makes it: tensors of shape (lines, longest), pictures besides.
        takes: names of what the model's forward takes: `taken`.
    """
    import torch

    # The token in a column is told by the one before it.
    targets = batch["labels"][:, 1:]
    wanted = targets != IGNORED
    columns = wanted.any(0).nonzero().flatten()
    told = {name: value for name, value in batch.items() if name in takes and name != "labels"}
    # With a cache there would be no telling packed rows apart.
    told["use_cache"] = False
    if "logits_to_keep" in takes:
        logits = model(**told, logits_to_keep=columns).logits
    else:
        logits = model(**told).logits[:, columns]
    picked = wanted[:, columns]
    total = torch.nn.functional.cross_entropy(
        logits[picked].float(), targets[:, columns][picked], reduction="sum"
    )
    return Loss(total=total, tokens=int(picked.sum()))


def taken(model: Any) -> frozenset[str]:
    """Return the names of what the forward of a base model takes, but for what only we know."""
    return frozenset(inspect.signature(model.forward).parameters) - {PLACES}

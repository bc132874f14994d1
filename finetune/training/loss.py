"""The loss on answers, for which only what is learned is projected to the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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


def completion_loss(model: Any, batch: Mapping[str, Any]) -> Loss:
    """Return the loss of `model` on the tokens of `batch` that have labels.

    The logits of all tokens are most of the memory and a fifth of the work of a small model; only those of
    the tokens before a label are computed.

    Args:
        model: a causal language model with a head over the vocabulary, wrapped or not.
        batch: as a collator makes it: tensors of shape (lines, longest), pictures besides.
    """
    import torch

    # A token is told by the one before it.
    targets = batch["labels"][:, 1:]
    wanted = targets != IGNORED
    told = {name: value for name, value in batch.items() if name not in ("labels", PLACES)}
    with _only(_head(model), wanted):
        # With a cache, transformers would not tell packed rows apart.
        logits = model(**told, use_cache=False).logits
    total = torch.nn.functional.cross_entropy(logits.float(), targets[wanted], reduction="sum")
    return Loss(total=total, tokens=int(wanted.sum()))


@contextmanager
def _only(head: Any, wanted: Tensor) -> Iterator[None]:
    """Have the head see the wanted hidden states alone: (tokens, width) of (lines, longest, width)."""

    def pick(module: Any, told: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return (told[0][:, :-1][wanted],)

    hook = head.register_forward_pre_hook(pick)
    try:
        yield
    finally:
        hook.remove()


def _head(model: Any) -> Any:
    """Return the layer over the vocabulary; DistributedDataParallel keeps the model in `module`."""
    return getattr(model, "module", model).get_output_embeddings()

"""Whether a model keeps packed rows apart, found by asking it."""

from __future__ import annotations

from typing import Any

from finetune.training.batches import packed
from finetune.training.collating import Line, PackedCollator
from finetune.training.encoding import Encoded
from finetune.training.errors import TrainingError

LENGTH = 8
"""Tokens of a row tried."""

TOLERANCE = 1e-3
"""Logits may differ by so much, of their greatest: what a row sees of another one changes them by far "
"more."""


def refuse_leaks(model: Any, pad: int) -> None:
    """Raise if a row packed after another one sees it.

    Models tell packed rows apart by their positions, but not all do: those with a state (Mamba), and some
    ways of computing attention, run on from row to row.

    Raises:
        TrainingError: if the logits of a row change with what stands before it.
    """
    import torch

    rows = int(model.get_input_embeddings().weight.shape[0])
    after = [token % rows for token in range(1, LENGTH + 1)]
    logits = []
    training = model.training
    model.eval()
    for first in (1, 2):
        before = [token * first % rows for token in range(3, LENGTH + 3)]
        parts = tuple(
            Encoded(name="", tokens=tuple(tokens), start=1, end=LENGTH) for tokens in (before, after)
        )
        batch = PackedCollator(pad=pad)([Line(place=0, parts=parts)])
        with torch.no_grad():
            told = model(
                input_ids=batch["input_ids"].to(model.device),
                position_ids=batch["position_ids"].to(model.device),
                use_cache=False,
            )
        logits.append(told.logits[0, LENGTH:].float())
    model.train(training)
    changed = float((logits[0] - logits[1]).abs().max() / logits[0].abs().max().clamp(min=1e-9))
    if changed > TOLERANCE:
        raise TrainingError(
            f"expected a model that keeps packed rows apart; in this one a row changes by {changed:.1%} with "
            f"the one before it. Set `packing` to false."
        )


def packed_lines(rows: list[Encoded], most_tokens: int) -> list[Line]:
    """Return `rows` packed into lines of up to `most_tokens` tokens."""
    packs = packed([len(row.tokens) for row in rows], most_tokens)
    return [Line(place=at, parts=tuple(rows[i] for i in pack)) for at, pack in enumerate(packs)]

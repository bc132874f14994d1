"""Rows of tokens as the tensors of a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from finetune.training.batches import cut
from finetune.training.encoding import IGNORED, Encoded

PLACES = "rows"
"""Key of a batch's rows by their places in the data; for errors, no model sees it."""


PARTS = "parts"
"""Key of the parts of a batch, each as a collator makes it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A line of a batch: one row, or several that are packed."""

    place: int
    """In the data."""
    parts: tuple[Encoded, ...]

    @property
    def length(self) -> int:
        """In tokens."""
        return sum(len(part.tokens) for part in self.parts)

    @property
    def name(self) -> str:
        """For errors."""
        return ", ".join(part.name for part in self.parts)


@dataclass(frozen=True, kw_only=True)
class PaddedCollator:
    """One row a line, padded on the right, without a mask.

    A causal model never looks ahead, so what stands after a row changes nothing in it; and without a mask
    attention skips half of its work (on a CPU a sixth of the step).
    """

    pad: int

    def __call__(self, lines: Sequence[Line]) -> Mapping[str, Any]:
        """Return int64 tensors of shape (lines, longest): tokens and labels."""
        import torch

        longest = max(line.length for line in lines)
        tokens = torch.full((len(lines), longest), self.pad)
        labels = torch.full((len(lines), longest), IGNORED)
        for at, line in enumerate(lines):
            (row,) = line.parts
            tokens[at, : line.length] = torch.tensor(row.tokens)
            labels[at, : line.length] = torch.tensor(row.labels)
        return {
            "input_ids": tokens,
            "labels": labels,
            PLACES: torch.tensor([line.place for line in lines]),
        }


@dataclass(frozen=True, kw_only=True)
class PackedCollator:
    """Several rows a line, of which none sees another.

    Positions begin at 0 with each row and there is no mask: by that, transformers tells them apart. Padding,
    on the right, is one more such row.
    """

    pad: int

    def __call__(self, lines: Sequence[Line]) -> Mapping[str, Any]:
        """Return int64 tensors of shape (lines, longest): tokens, positions and labels."""
        import torch

        longest = max(line.length for line in lines)
        tokens = torch.full((len(lines), longest), self.pad)
        labels = torch.full((len(lines), longest), IGNORED)
        positions = torch.zeros((len(lines), longest), dtype=torch.int64)
        for at, line in enumerate(lines):
            first = 0
            for row in line.parts:
                after = first + len(row.tokens)
                tokens[at, first:after] = torch.tensor(row.tokens)
                labels[at, first:after] = torch.tensor(row.labels)
                positions[at, first:after] = torch.arange(len(row.tokens))
                first = after
            positions[at, first:] = torch.arange(longest - first)
        return {
            "input_ids": tokens,
            "position_ids": positions,
            "labels": labels,
            PLACES: torch.tensor([line.place for line in lines]),
        }


@dataclass(frozen=True, kw_only=True)
class PartsCollator:
    """A batch in parts, each of which goes through the model at once."""

    collate: Callable[[Any], Mapping[str, Any]]
    """Makes a part."""
    most_tokens: int
    """In a part, padding included."""

    def __call__(self, lines: Sequence[Any]) -> Mapping[str, Any]:
        """Return the parts of `lines`, which have a ``length`` in tokens; at least one part."""
        parts = cut([line.length for line in lines], self.most_tokens)
        return {PARTS: [self.collate([lines[place] for place in part]) for part in parts]}

"""What is asked of the searchable vectors, checked once and put as one long query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from csd.axes import AXES, Axis
from csd.score import Vector, check_count, shares, unit_rows
from csd.vectors.faiss_codes import Floats


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What is asked of every segment."""

    asked: Mapping[Axis, Vector]
    """The asked axes of weight above 0."""
    share: Mapping[Axis, float]
    k: int
    exact: bool
    combined: Floats
    """(1, 5 d): each asked vector times its share, zero elsewhere."""
    bits: int
    """Bit a is set where axis `AXES[a]` is asked."""


def question(
    queries: Mapping[Axis, Vector],
    weights: Mapping[Axis, float] | None,
    *,
    k: int,
    exact: bool,
    dimension: int,
) -> Question:
    """Return the checked question.

    Raises:
        ValueError: on a `k` that is no whole number >= 0, a name that is no axis, a bad weight,
            or a query vector that is not a finite unit vector of length `dimension`.
    """
    check_count(k)
    for axis in (*queries, *(weights or {})):
        if axis not in AXES:
            raise ValueError(f"expected an axis out of {', '.join(AXES)}; got {axis!r}.")
    vectors = {
        axis: unit_rows(np.atleast_2d(queries[axis]), dimension, f"the {axis.value} query")
        for axis in AXES
        if axis in queries
    }
    for axis, rows in vectors.items():
        if len(rows) != 1:
            raise ValueError(
                f"expected one vector of length {dimension} on axis {axis.value}; got {len(rows)}."
            )
    share = shares(weights, vectors)
    combined = np.zeros((1, len(AXES) * dimension), dtype=np.float32)
    for axis, weight in share.items():
        start = AXES.index(axis) * dimension
        combined[0, start : start + dimension] = np.float32(weight) * vectors[axis][0]
    return Question(
        asked={axis: vectors[axis][0] for axis in share},
        share=share,
        k=k,
        exact=exact,
        combined=combined,
        bits=sum(1 << AXES.index(axis) for axis in share),
    )

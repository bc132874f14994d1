"""The one convention for similarity: cosines in [-1, 1], weighted sums of them, and a total order.

Everything that compares, fuses or ranks vectors does it through this file, so that no other place can
flip a sign or turn a distance into a similarity.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES, Axis

Vector = NDArray[np.float32]
"""One unit-length embedding, (d,) float32."""

UNIT_TOLERANCE = 1e-3
"""How far a squared length may be from 1; float32 sums of 384 squares stay within 1e-6."""

STORED_TOLERANCE = 3e-3
"""The same for stored vectors: rounding to float16 adds up to 1e-3 on either side."""


_LARGEST = sys.float_info.max


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """A recalled descriptor and what its score is made of."""

    id: str
    cosines: Mapping[Axis, float | None]
    """Every axis in canonical order -> cosine in [-1, 1]; None where query or descriptor has no vector."""
    score: float
    """Weighted sum of the cosines, in [-1, 1]."""


def order(match: Match) -> tuple[float, str]:
    """Return the sort key of a match: best score first, ties by id."""
    return (-match.score, match.id)


def check_count(k: int) -> None:
    """Refuse what does not say how many are asked for.

    Raises:
        ValueError: on anything but a whole number >= 0.
    """
    try:
        good = operator.index(k) >= 0
    except TypeError:
        good = False
    if not good:
        raise ValueError(f"expected a whole number k >= 0; got {k!r}.")


def cosines(rows: NDArray[np.float32], query: Vector) -> NDArray[np.float64]:
    """Return the cosine of each row with `query`.

    Computed in float64 and row by row, so a row's cosine does not depend on where it stands: equal
    vectors get equal cosines and ties are true ties (a BLAS product does not promise that).

    Args:
        rows: (n, d) float32, rows unit length.
        query: (d,) float32, unit length.

    Returns:
        (n,) float64 in [-1, 1].
    """
    products = rows.astype(np.float64) * query.astype(np.float64)
    clipped: NDArray[np.float64] = np.clip(products.sum(axis=1), -1.0, 1.0)
    return clipped


def shares(weights: Mapping[Axis, float] | None, asked: Mapping[Axis, object]) -> dict[Axis, float]:
    """Return the share of each asked axis in the score; shares add up to 1, zero shares are left out.

    Args:
        weights: axis -> weight >= 0, in any scale; a missing axis weighs 0. None weighs all alike.
        asked: the axes for which the query has a vector (values are not looked at).

    Returns:
        Axes in canonical order; empty when no asked axis has weight.

    Raises:
        ValueError: on a weight that is negative, infinite or not a number, or weights without a finite sum.
    """
    for axis, weight in (weights or {}).items():
        if not 0.0 <= weight <= _LARGEST:
            raise ValueError(
                f"expected a finite weight >= 0 on axis {axis}; got {weight!r}. "
                f"Use 0 or leave the axis out to mask it."
            )
    kept = {axis: 1.0 if weights is None else float(weights.get(axis, 0.0)) for axis in AXES if axis in asked}
    try:
        total = math.fsum(kept.values())
    except OverflowError as error:
        raise ValueError(
            f"expected weights with a finite sum; got {list(kept.values())}. Only their proportions count: "
            f"divide them all by the largest."
        ) from error
    return {axis: weight / total for axis, weight in kept.items() if weight > 0.0}


def fuse(found: Mapping[Axis, float | None], share: Mapping[Axis, float]) -> float:
    """Return the weighted sum of cosines over the axes that both sides have.

    An axis that the descriptor lacks adds nothing: saying nothing on an asked axis is no agreement,
    and it is not made up for by the other axes.

    >>> fuse({Axis.STRUCT: 1.0, Axis.FUNC: None}, {Axis.STRUCT: 0.5, Axis.FUNC: 0.5})
    0.5
    """
    terms = ((found.get(axis), weight) for axis, weight in share.items())
    return math.fsum(weight * cosine for cosine, weight in terms if cosine is not None)


def unit_rows(
    vectors: NDArray[np.floating], dimension: int, source: str, tolerance: float = UNIT_TOLERANCE
) -> NDArray[np.float32]:
    """Return `vectors` as contiguous float32 after checking that they are finite unit rows.

    Args:
        vectors: (n, d) floating.
        dimension: the expected d.
        source: who made them, for the message.
        tolerance: how far a squared length may be from 1.

    Raises:
        ValueError: on another shape, a value that is not real and finite, or a row that is not of
            unit length.
    """
    if np.iscomplexobj(vectors):
        raise ValueError(f"expected real vectors from {source}; got complex ones.")
    rows = np.ascontiguousarray(vectors, dtype=np.float32)
    if rows.ndim != 2 or rows.shape[1] != dimension:
        raise ValueError(f"expected vectors of shape (n, {dimension}) from {source}; got {rows.shape}.")
    # In float32, four times as fast: the sum's error of 1e-6 is far below the tolerance.
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("nd,nd->n", rows, rows)
    # NaN and infinity fail this comparison too.
    bad = np.flatnonzero(~(np.abs(squares - 1.0) < tolerance))
    if bad.size:
        raise ValueError(
            f"expected finite rows of unit length from {source}; got squared length "
            f"{squares[bad[0]]} in row {bad[0]}. Normalise the vector, and leave out an axis with no text."
        )
    return rows

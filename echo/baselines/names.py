"""Likeness by name alone: how close the sentence embeddings of two items' names are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from csd.descriptor import Csd
from csd.encode import Encoder
from ical.profile import Likeness

CHANNEL = "name"

Floats = NDArray[np.float64]


class NameLikeness:
    """One channel: the cosine of the names written as words. Remembers nothing of any descriptor.

    Source: holistic sentence similarity in the place of the five axes; differs from a ranking of whole
    descriptions in that it feeds the same induction as they do.
    """

    def __init__(self, encoder: Encoder) -> None:
        """Compare by the vectors of `encoder`; each name is encoded once."""
        self._encoder = encoder
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._known: tuple[str, ...] = ()
        self._similarity: Floats = np.zeros((0, 0))

    def remember(self, csd: Csd) -> None:
        """Take nothing in: a name says all there is."""

    def likeness(self, items: Sequence[str]) -> Likeness:
        """Return the likeness of `items` by name, which rests on one observation for every pair."""
        if tuple(items) != self._known:
            self._known = tuple(items)
            self._similarity = self._compare(self._known)
        return Likeness(
            channels=(CHANNEL,),
            similarity=self._similarity[None],
            evidence=np.ones((1, len(items), len(items))),
        )

    def kind(self, item: str) -> object:
        """Return None: a name does not say how a thing came about."""
        return None

    def _compare(self, items: tuple[str, ...]) -> Floats:
        fresh = [item for item in items if item not in self._vectors]
        encoded = self._encoder.encode([item.replace("_", " ") for item in fresh])
        self._vectors.update(zip(fresh, encoded, strict=True))
        if not items:
            return np.zeros((0, 0))
        rows = np.stack([self._vectors[item] for item in items]).astype(np.float64)
        cosines = np.clip(rows @ rows.T, 0.0, 1.0)
        np.fill_diagonal(cosines, 1.0)
        return shrunk_to_covariance(cosines)


def shrunk_to_covariance(matrix: Floats) -> Floats:
    """Return a likeness shrunk towards "like nothing else" just far enough to be positive semi-definite.

    Cutting negative cosines off can leave negative eigenvalues, with which no covariance can be made. All
    pairs shrink by one factor, so that which of two pairs is more alike does not change (shrinkage of a
    covariance towards the identity; Ledoit & Wolf, 2004).

    Args:
        matrix: (n, n) float64 in [0, 1], symmetric, diagonal 1.

    >>> shrunk_to_covariance(np.array([[1.0, 0.5], [0.5, 1.0]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    lacking = -min(float(np.linalg.eigvalsh(matrix)[0]), 0.0)
    return (matrix + lacking * np.eye(len(matrix))) / (1.0 + lacking)

"""A second encoder whose vectors must not mix with those of the first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from csd.encode import HashingEncoder


class ReversedEncoder:
    """Hashing vectors read backwards: as good as the first, and of the same length."""

    name = "reversed-256"
    dimension = 256

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, 256) float32 unit rows."""
        return np.ascontiguousarray(HashingEncoder().encode(texts)[:, ::-1])


class FixedEncoder:
    """Gives every text the same vector, whatever that is."""

    def __init__(self, vector: Sequence[float], name: str = "fixed") -> None:
        self.name = name
        self.dimension = len(vector)
        self._vector = np.array(vector, dtype=np.float32)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector once for each text."""
        return np.tile(self._vector, (len(texts), 1))

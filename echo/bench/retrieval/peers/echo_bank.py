"""The memory bank itself, given vectors instead of texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES
from csd.bank import Bank
from csd.encode import EncodeError
from csd.store.where import Where
from echo.bench.retrieval.cue import bank_in
from echo.bench.retrieval.question import Batch, Hit, Question


class GivenVectors:
    """Stands for the encoder of a bank that is given every vector."""

    name = "given"

    def __init__(self, dimension: int) -> None:
        """Vectors have length `dimension`."""
        self.dimension = dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Refuse any text.

        Raises:
            EncodeError: always, unless there is nothing to encode.
        """
        if texts:
            raise EncodeError(f"expected vectors to be given; got {len(texts)} texts to embed.")
        return np.zeros((0, self.dimension), dtype=np.float32)


class EchoBank:
    """A bank in a folder."""

    def __init__(self, folder: Path, dimension: int) -> None:
        """Open or make the bank."""
        self._bank = Bank.open(bank_in(folder), GivenVectors(dimension))

    def add(self, batch: Batch) -> None:
        """Add a batch in one transaction, durably."""
        self._bank.add_many(batch.csds, vectors=batch.vectors)

    def finish(self) -> None:
        """Compact, which publishes what was added."""
        self._bank.compact()

    def search(self, question: Question, k: int) -> list[Hit]:
        """Recall, filtering first."""
        asked = {axis: vector for axis, vector in zip(AXES, question.vectors, strict=True) if vector.any()}
        weights = dict(zip(AXES, question.weights.tolist(), strict=True))
        where = None
        if question.where is not None:
            where = Where(success=True, before_step=question.where.before_step)
        matches = self._bank.recall(asked, k=k, weights=weights, where=where)
        return [Hit(id=m.id, cosines=tuple(m.cosines[axis] or 0.0 for axis in AXES)) for m in matches]

    def delete(self, id: str) -> None:
        """Forget a descriptor."""
        self._bank.remove(id)

    def close(self) -> None:
        """Close the bank."""
        self._bank.close()

"""FAISS' exact flat index over the five axes side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from csd.axes import AXES
from echo.bench.retrieval.peers.rows_file import RowsFile
from echo.bench.retrieval.question import Batch, Hit, Question, hits


class FaissFlat:
    """IndexFlatIP of float32, filled from the file at open."""

    def __init__(self, folder: Path, dimension: int) -> None:
        """Open the file and index all vectors."""
        import faiss

        self._faiss: Any = faiss
        self._rows = RowsFile(folder, dimension)
        self._index: Any = faiss.IndexFlatIP(len(AXES) * dimension)
        held = self._rows.load()
        self._index.add(held.reshape(len(held), self._index.d))

    def add(self, batch: Batch) -> None:
        """Write a batch, then index it."""
        self._rows.add(batch)
        self._index.add(batch.vectors.reshape(len(batch), -1))

    def finish(self) -> None:
        """A flat index is always built."""

    def search(self, question: Question, k: int) -> list[Hit]:
        """Return the best, among selected places where a filter is asked or rows were deleted."""
        n, chosen, selected = len(self._rows), None, None
        if question.where is not None:
            selected = self._rows.passing(question.where)
        elif not self._rows.alive[:n].all():
            selected = np.flatnonzero(self._rows.alive[:n])
        if selected is not None:
            chosen = self._faiss.SearchParameters(sel=self._faiss.IDSelectorBatch(selected))
        _, places = self._index.search(question.joined[None], k, params=chosen)
        found = places[0][places[0] >= 0]
        return hits(
            [self._rows.ids[place] for place in found], self._index.reconstruct_batch(found), question
        )

    def delete(self, id: str) -> None:
        """Delete the row; the index keeps its vector, which is selected away until the next open."""
        self._rows.delete(id)

    def close(self) -> None:
        """Close the file."""
        self._rows.close()

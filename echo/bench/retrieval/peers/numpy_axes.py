"""Brute force with numpy: one matrix an axis, so that axes that are not asked cost nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from csd.axes import AXES
from echo.bench.retrieval.peers.rows_file import RowsFile
from echo.bench.retrieval.question import Batch, Floats, Hit, Question, hits


class NumpyAxes:
    """Five float32 matrices in memory, filled from the file at open."""

    def __init__(self, folder: Path, dimension: int) -> None:
        """Open the file and read all vectors."""
        self._rows = RowsFile(folder, dimension)
        held = self._rows.load()
        spare = np.empty((len(AXES), len(held) + 1024, dimension), dtype=np.float32)
        spare[:, : len(held)] = held.transpose(1, 0, 2)
        self._axes: Floats = spare

    def add(self, batch: Batch) -> None:
        """Write a batch, then append it to the matrices."""
        start, needed = len(self._rows), len(self._rows) + len(batch)
        self._rows.add(batch)
        if needed > self._axes.shape[1]:
            wider = np.empty((len(AXES), max(needed, 2 * start), self._axes.shape[2]), dtype=np.float32)
            wider[:, :start] = self._axes[:, :start]
            self._axes = wider
        self._axes[:, start:needed] = batch.vectors.transpose(1, 0, 2)

    def finish(self) -> None:
        """Nothing is built."""

    def search(self, question: Question, k: int) -> list[Hit]:
        """Return the best by all products."""
        if question.where is None:
            places = np.flatnonzero(self._rows.alive[: len(self._rows)])
            whole = places.size == len(self._rows)
        else:
            places, whole = self._rows.passing(question.where), False
        scores = np.zeros(places.size, dtype=np.float32)
        for axis in np.flatnonzero(question.weights):
            rows = self._axes[axis, : len(self._rows)]
            scores += (rows if whole else rows[places]) @ (question.weights[axis] * question.vectors[axis])
        best = np.argpartition(-scores, k)[:k] if scores.size > k else np.arange(scores.size)
        found = places[best[np.argsort(-scores[best])]]
        return hits(
            [self._rows.ids[place] for place in found], self._axes[:, found].transpose(1, 0, 2), question
        )

    def delete(self, id: str) -> None:
        """Delete the row and leave a gap in the matrices."""
        self._rows.delete(id)

    def close(self) -> None:
        """Close the file."""
        self._rows.close()

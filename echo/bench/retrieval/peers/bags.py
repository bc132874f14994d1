"""Word counts of every axis compared one by one in Python.

Source: the released code's retrieval (raw counts, cosine per axis, sum over axes).
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np

from csd.axes import AXES
from csd.descriptor import Csd
from csd.render import render_axis
from echo.bench.retrieval.peers.rows_file import RowsFile
from echo.bench.retrieval.question import Batch, Hit, Question

_WORD = re.compile(r"\w+")

Bag = tuple[Counter[str], float]


class Bags:
    """Five bags of words a record in memory, counted from the file at open."""

    def __init__(self, folder: Path, dimension: int) -> None:
        """Open the file and count all words."""
        self._rows = RowsFile(folder, dimension)
        self._bags = [_bags_of(Csd.from_json(record)) for record in self._rows.records()]

    def add(self, batch: Batch) -> None:
        """Write a batch, then count its words."""
        self._rows.add(batch)
        self._bags += [_bags_of(csd) for csd in batch.csds]

    def finish(self) -> None:
        """Nothing is built."""

    def search(self, question: Question, k: int) -> list[Hit]:
        """Return the best by weighted cosines of word counts."""
        places = (
            np.flatnonzero(self._rows.alive[: len(self._rows)])
            if question.where is None
            else self._rows.passing(question.where)
        ).tolist()
        weights = question.weights.tolist()
        asked = [
            _bag(text) if weight else _bag("") for text, weight in zip(question.texts, weights, strict=True)
        ]
        scored = []
        for place in places:
            cosines = tuple(_cosine(a, b) for a, b in zip(asked, self._bags[place], strict=True))
            scored.append((sum(w * c for w, c in zip(weights, cosines, strict=True)), place, cosines))
        return [
            Hit(id=self._rows.ids[place], cosines=cosines) for _, place, cosines in heapq.nlargest(k, scored)
        ]

    def delete(self, id: str) -> None:
        """Delete the row."""
        self._rows.delete(id)

    def close(self) -> None:
        """Close the file."""
        self._rows.close()


def _bags_of(csd: Csd) -> tuple[Bag, ...]:
    return tuple(_bag(render_axis(csd, axis)) for axis in AXES)


def _bag(text: str) -> Bag:
    words = Counter(_WORD.findall(text.lower()))
    return words, math.sqrt(sum(count * count for count in words.values()))


def _cosine(one: Bag, other: Bag) -> float:
    if not one[1] or not other[1]:
        return 0.0
    return sum(count * other[0][word] for word, count in one[0].items()) / (one[1] * other[1])

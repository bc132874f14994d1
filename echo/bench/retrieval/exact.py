"""Exact answers by float32 brute force, and the recall of what an engine returned, ties counted as right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES
from csd.descriptor import id_of
from echo.bench.retrieval.question import Data, Floats, Question

TIE = 1e-5
"""Scores this close to the last right one are as good: the rounding of float32 sums and of float16 storage.
Neighbouring scores differ by about a hundred times that."""
BLOCK = 5_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What may be returned for one question."""

    ids: frozenset[str]
    """The k best and all that tie with the last of them."""
    wanted: int
    """How many are to be returned: k, or as many as take part."""

    def recall(self, found: Sequence[str]) -> float:
        """Return the share of the wanted records among the first found, each counted once."""
        if not self.wanted:
            return float(not found)
        return len(self.ids.intersection(found[: self.wanted])) / self.wanted


def exact_answers(
    data: Data, questions: Sequence[Question], k: int, progress: Callable[[str], None]
) -> list[Answer]:
    """Score every record for every question and return what may be returned for each.

    A record takes part if it has content on an asked axis of weight above 0.
    """
    best = [_Best(k) for _ in questions]
    # The three kinds of question share their vectors: each distinct matrix is multiplied once.
    shared: dict[int, int] = {}
    stacked: list[Floats] = []
    for question in questions:
        if shared.setdefault(id(question.vectors), len(stacked)) == len(stacked):
            stacked.append(question.vectors)
    asked = np.stack(stacked, axis=1)
    for start in range(0, data.size, BLOCK):
        stop = min(start + BLOCK, data.size)
        vectors, facets = data.vectors(start, stop), data.facets(start, stop)
        present = cast("NDArray[np.bool_]", vectors.any(axis=2))
        products = np.stack([asked[axis] @ vectors[:, axis].T for axis in range(len(AXES))])
        for question, kept in zip(questions, best, strict=True):
            scores = question.weights @ products[:, shared[id(question.vectors)]]
            takes_part = present[:, question.weights > 0].any(axis=1)
            if question.where is not None:
                takes_part &= question.where.passes(facets)
            kept.offer(np.where(takes_part, scores, -np.inf), start)
        progress(f"exact answers {stop:,}/{data.size:,}")
    return [kept.answer(data) for kept in best]


class _Best:
    """The best rows so far of one question."""

    def __init__(self, k: int) -> None:
        self._k = k
        self._bound = -np.inf
        self._scores: NDArray[np.float64] = np.zeros(0)
        self._rows: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    def offer(self, scores: NDArray[np.floating], start: int) -> None:
        good = np.flatnonzero((scores >= self._bound) & (scores > -np.inf))
        if not good.size:
            return
        all_scores = np.concatenate([self._scores, scores[good]])
        all_rows = np.concatenate([self._rows, good + start])
        if all_scores.size >= self._k:
            self._bound = np.partition(all_scores, -self._k)[-self._k] - TIE
        kept = all_scores >= self._bound
        self._scores, self._rows = all_scores[kept], all_rows[kept]

    def answer(self, data: Data) -> Answer:
        rows = self._rows.tolist()
        ids = frozenset(id_of(data.records(row, row + 1)[0]) for row in rows)
        return Answer(ids=ids, wanted=min(self._k, len(rows)))

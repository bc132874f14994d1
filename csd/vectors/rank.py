"""The last step of a search: exact scores of the few rows that may be among the best, and their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from csd.axes import AXES, Axis
from csd.score import Match, cosines, fuse
from csd.vectors.faiss_codes import Slots
from csd.vectors.question import Question
from csd.vectors.segment import Segment

_CHUNK = 2_048
"""Rows scored at a time, to bound memory where thousands of vectors are equal."""

_Ranked = tuple[float, int, dict[Axis, float | None]]
"""Negated score, key, cosines: in the order of matches."""


def best_of(kept: Sequence[tuple[Segment, Slots]], asked: Question, k: int) -> list[Match]:
    """Return the `k` best of the rows `kept`, scored in float64, best first and ties by key."""
    ranked: list[_Ranked] = []
    for segment, slots in _chunks(kept):
        ranked.extend(_exact(segment, slots, asked))
        if len(ranked) > 4 * _CHUNK:
            ranked = _first(ranked, k)
    return [Match(id=f"csd_{key:016x}", cosines=each, score=-score) for score, key, each in _first(ranked, k)]


def _chunks(kept: Sequence[tuple[Segment, Slots]]) -> Iterator[tuple[Segment, Slots]]:
    for segment, slots in kept:
        for start in range(0, slots.size, _CHUNK):
            yield segment, slots[start : start + _CHUNK]


def _first(ranked: list[_Ranked], k: int) -> list[_Ranked]:
    return sorted(ranked, key=lambda one: one[:2])[:k]


def _exact(segment: Segment, slots: Slots, asked: Question) -> Iterator[_Ranked]:
    halves = segment.halves(slots).astype(np.float32)
    present, keys = segment.present[slots].tolist(), segment.keys[slots].tolist()
    found = {
        axis: cosines(halves[:, AXES.index(axis)], vector).tolist() for axis, vector in asked.asked.items()
    }
    for place, (bits, key) in enumerate(zip(present, keys, strict=True)):
        each: dict[Axis, float | None] = {
            axis: found[axis][place] if axis in found and bits >> column & 1 else None
            for column, axis in enumerate(AXES)
        }
        yield -fuse(each, asked.share), key, each

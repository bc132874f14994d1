"""Weighted search over segments: rough scores, then the exact ones of all that may be among the best.

Rough scores are float32 inner products of the concatenated vectors. What is returned is computed again,
axis by axis in float64, for every row whose rough score could belong to the best, so that scores, order
and ties never depend on how a row was found.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from csd.score import Match
from csd.vectors.candidates import ROUGH, Found, Scratch, Work, by_estimates, exactly
from csd.vectors.faiss_codes import scan_above
from csd.vectors.question import Question
from csd.vectors.rank import best_of
from csd.vectors.segment import Segment
from csd.vectors.sizes import Sizes, Way


def search(
    segments: Sequence[Segment],
    asked: Question,
    rows: NDArray[np.int64] | None,
    sizes: Sizes,
    scratch: Scratch,
) -> list[Match]:
    """Return the best `asked.k` rows of all segments, ties by key.

    Args:
        segments: with no row in two of them.
        asked: the question.
        rows: who takes part, ascending; None for all that are not retired.
        sizes: the numbers that decide how.
        scratch: memory that is used again for every question.
    """
    selections = [
        segment.current(asked.bits) if rows is None else segment.chosen(rows, asked.bits)
        for segment in segments
    ]
    k = min(asked.k, sum(selection.count for selection in selections))
    if k == 0 or not asked.share:
        return []
    work = Work(segments=segments, selections=selections, asked=asked, k=k, sizes=sizes, scratch=scratch)
    ways = _ways(work)
    found = [_chosen(work, place) for place, way in enumerate(ways) if way is Way.CHOSEN]
    left: list[int] = []
    for coarse in (Way.CODES, Way.BYTES):
        left += [place for place, way in enumerate(ways) if way is coarse]
        candidates = by_estimates(work, coarse, left)
        if candidates is not None:
            found += candidates
            left = []
    left += [place for place, way in enumerate(ways) if way is Way.SCAN]
    found += [exactly(work, place) for place in left]
    return _best(work, found)


def _ways(work: Work) -> list[Way | None]:
    coarse = [] if work.asked.exact else [Way.BYTES, Way.CODES]
    return [
        None
        if selection.count == 0
        else work.sizes.way(
            work.k,
            rows=len(segment),
            taking_part=selection.count,
            coarse=coarse if segment.codes is not None else [],
        )
        for segment, selection in zip(work.segments, work.selections, strict=True)
    ]


def _chosen(work: Work, place: int) -> Found:
    slots = np.flatnonzero(work.selections[place].mask)
    scores = work.rough(np.full(slots.size, place), slots)
    return Found(place=place, scores=scores, slots=slots, cut=False)


def _best(work: Work, found: Sequence[Found]) -> list[Match]:
    """Return the exact matches of all rows whose rough scores could belong to them."""
    rough = np.concatenate([part.scores for part in found])
    bound = float(np.partition(rough, -work.k)[-work.k]) - work.margin()
    kept = []
    for part in found:
        segment, selection = work.segments[part.place], work.selections[part.place]
        if part.cut and part.scores[-1] >= bound:
            _, slots = scan_above(segment.flat, work.asked.combined, bound - ROUGH, selection.bitmap)
            kept.append((segment, slots))
        else:
            kept.append((segment, part.slots[part.scores >= bound]))
    return best_of(kept, work.asked, work.k)

"""Candidates from scans of product codes or bytes: as many as are needed, told from the errors seen."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csd.vectors.faiss_codes import (
    Bytes,
    Floats,
    Slots,
    new_flat,
    row_bytes,
    scan,
    scan_chosen,
    scan_codes,
    scan_in_two,
)
from csd.vectors.question import Question
from csd.vectors.segment import Segment, Selection, everyone, gather, selected
from csd.vectors.sizes import Sizes, Way

ROUGH = 1e-5
"""Bound on the float32 error of a rough score."""

SPARE = 54
"""A scan returns so many more than asked for: ties at the end then seldom need a second scan."""


Scratch = tuple[Any, Bytes]
"""A small flat index, and rows to fill it with."""


def new_scratch(dimension: int) -> Scratch:
    """Return memory for scoring chosen rows: 128 rows at a time stay in the processor's cache."""
    return new_flat(dimension), np.empty((128, row_bytes(dimension)), dtype=np.uint8)


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Rows of one segment with their rough scores."""

    place: int
    """Which segment."""
    scores: Floats
    """(m,)"""
    slots: Slots
    """(m,)"""
    cut: bool
    """Whether rows that score below the last were left out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Candidates:
    """What the coarse scans of several segments gave, best estimate first."""

    estimates: Floats
    """(m,)"""
    places: NDArray[np.int64]
    """(m,) which segment."""
    slots: Slots
    """(m,)"""
    complete: bool
    """Whether these are all that take part."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """One search under way."""

    segments: Sequence[Segment]
    selections: Sequence[Selection]
    """Who takes part, segment by segment."""
    asked: Question
    k: int
    """How many are sought, not more than take part."""
    sizes: Sizes
    scratch: Scratch

    def margin(self) -> float:
        """Return how far below another a rough score may be though the exact ones are the other way round.

        Cosines are clipped to [-1, 1], rough scores are not: rows and queries a little longer than 1 may
        differ by that much, at either end.
        """
        vectors = self.asked.asked.values()
        length = max(float(np.linalg.norm(vector.astype(np.float64))) for vector in vectors)
        over = max(segment.longest for segment in self.segments) * length - 1.0
        return 2.0 * (ROUGH + max(0.0, over))

    def scan_us(self, place: int) -> float:
        """Return the microseconds of an exact scan of the segment at `place`."""
        return self.sizes.scan(rows=len(self.segments[place]), taking_part=self.selections[place].count)

    def scan(self, rows: Any, query: Floats, k: int, selection: Selection, us: float) -> tuple[Floats, Slots]:
        """Return the `k` best of the `selection` by a scan of a segment's `rows` that takes about `us`."""
        if us >= self.sizes.split_always_us or (us >= self.sizes.split_us and _idle()):
            return scan_in_two(rows, query, k, selection.mask)
        return scan(rows, query, k, selection.bitmap)

    def rough(self, places: NDArray[np.int64], slots: Slots) -> Floats:
        """Return the scores of chosen rows, (m,), through a small index of copies."""
        rough = np.empty(slots.size, dtype=np.float32)
        few, copies = self.scratch
        for start in range(0, slots.size, len(copies)):
            part = slice(start, min(start + len(copies), slots.size))
            few.reset()
            few.add_sa_codes(gather(self.segments, places[part], slots[part], copies))
            scores, order = scan(few, self.asked.combined, part.stop - start, None)
            rough[start + order] = scores
        return rough


def by_estimates(work: Work, way: Way, places: Sequence[int]) -> list[Found] | None:
    """Return the best candidates of coarse scans with rough scores; None where they do not do.

    They do not where finding enough of them costs more than the next finer way, for all of `places`: bytes
    instead of codes, scanning everything instead of bytes.
    """
    first = work.sizes.wanted(way, work.k)
    most = max((len(work.segments[place]) for place in places), default=0)
    taking_part = sum(work.selections[place].count for place in places)
    fetched = work.sizes.first_fetch(way, work.k, rows=most, taking_part=taking_part)
    while places:
        candidates = _candidates(work, way, places, fetched)
        found, needed = _narrowed(work, way, candidates, first, _affordable(work, way, places))
        if found is not None:
            return found
        # Once all of them were fetched, asking for more would go on for ever.
        if fetched >= most or needed > _affordable(work, way, places, again=needed):
            return None
        fetched = max(2 * fetched, needed + needed // 4)
    return []


def _affordable(work: Work, way: Way, places: Sequence[int], *, again: int = 0) -> float:
    """Return how many candidates can be scored before the next finer way would be cheaper.

    With `again`, so many are fetched anew for that.
    """
    left, sizes = 0.0, work.sizes
    for place in places:
        rows, count = len(work.segments[place]), work.selections[place].count
        finer = sizes.scan(rows=rows, taking_part=count)
        if way is Way.CODES:
            finer = min(finer, sizes.byte_scan(rows=rows, taking_part=count))
        left += finer
        if again:
            left -= sizes.estimates(way, again, rows=rows, taking_part=count)
    each = sizes.candidate_us(way)
    return left / each if each else np.inf


def _candidates(work: Work, way: Way, places: Sequence[int], wanted: int) -> _Candidates:
    """Return the `wanted` rows that take part with the best estimates; fewer where fewer do."""
    parts = [_fetch(work, way, place, wanted) for place in places]
    estimates = np.concatenate([part.scores for part in parts])
    order = np.argsort(-estimates, kind="stable")[:wanted]
    total = sum(work.selections[place].count for place in places)
    # A segment that gave fewer than it has hides rows that estimate below its last.
    floor = max(
        (
            float(part.scores[-1]) if part.scores.size else np.inf
            for part in parts
            if part.slots.size < min(wanted, work.selections[part.place].count)
        ),
        default=-np.inf,
    )
    order = order[estimates[order] >= floor]
    sizes = [part.slots.size for part in parts]
    return _Candidates(
        estimates=estimates[order],
        places=np.repeat(np.array(places), sizes)[order],
        slots=np.concatenate([part.slots for part in parts])[order],
        complete=order.size == total,
    )


def _narrowed(
    work: Work, way: Way, candidates: _Candidates, first: int, affordable: float
) -> tuple[list[Found] | None, int]:
    """Return the candidates that are needed, best estimates first, with rough scores, or how many are.

    The errors of the estimates seen so far tell from which estimate on none can be among the best.
    Where equal vectors go on up to there, one more is taken: ties could not be told apart otherwise.

    Args:
        work: the search.
        way: how they were found.
        candidates: what was fetched.
        first: how many are scored to begin with.
        affordable: no more are scored.
    """
    rough, total = np.zeros(0, dtype=np.float32), candidates.slots.size
    stop = min(max(first, work.k), total)
    while stop > rough.size:
        part = slice(rough.size, stop)
        rough = np.concatenate([rough, work.rough(candidates.places[part], candidates.slots[part])])
        if stop < work.k:
            break
        kth = np.partition(rough, -work.k)[-work.k]
        # Of the lower half only: what is very near is estimated too low by a third of its score, which
        # would make the errors further down look ten times as large as they are.
        errors = (rough - candidates.estimates[:stop])[stop // 2 :]
        least = kth - errors.mean() - work.sizes.spread * errors.std()
        if rough.min() >= kth - work.margin():
            least = min(least, candidates.estimates[-1])
        # Estimates fall, so they are sought from the end.
        needed = total - int(np.searchsorted(candidates.estimates[::-1], least))
        if needed == total and not candidates.complete:
            return None, _beyond(candidates.estimates, float(least))
        if needed > max(affordable, stop):
            return None, needed
        if needed > stop + work.sizes.many:
            return _many(work, way, candidates, needed), needed
        stop = max(stop, needed)
    if rough.size < total or candidates.complete:
        places, slots = candidates.places[:stop], candidates.slots[:stop]
        return [
            Found(place=int(place), scores=rough[places == place], slots=slots[places == place], cut=False)
            for place in np.flatnonzero(np.bincount(places))
        ], stop
    return None, 2 * max(total, work.k)


def _many(work: Work, way: Way, candidates: _Candidates, needed: int) -> list[Found]:
    """Return the best of the first `needed` candidates by scans that skip all others."""
    places, slots = candidates.places[:needed], candidates.slots[:needed]
    chosen: list[int] = np.flatnonzero(np.bincount(places)).tolist()
    selections = list(work.selections)
    for place in chosen:
        mask = np.zeros(len(work.segments[place]), dtype=np.bool_)
        mask[slots[places == place]] = True
        selections[place] = selected(mask)
    narrowed = replace(work, selections=selections)
    found = by_estimates(narrowed, Way.BYTES, chosen) if way is Way.CODES else None
    return [exactly(narrowed, place) for place in chosen] if found is None else found


def exactly(work: Work, place: int) -> Found:
    """Return the best rows of one segment by a scan of all that take part."""
    segment, selection = work.segments[place], work.selections[place]
    k, us = min(selection.count, work.k + SPARE), work.scan_us(place)
    scores, slots = work.scan(segment.flat, work.asked.combined, k, selection, us)
    return Found(place=place, scores=scores, slots=slots, cut=k < selection.count)


def _fetch(work: Work, way: Way, place: int, wanted: int) -> Found:
    """Return up to `wanted` rows of a segment that take part, best estimates first."""
    segment, selection = work.segments[place], work.selections[place]
    rows, count = len(segment), selection.count
    needed, size = min(wanted, count), work.sizes.fetched(way, wanted, rows=rows, taking_part=count)
    picked = work.sizes.picks(way, rows=rows, taking_part=count)
    while True:
        if way is Way.BYTES:
            scores, slots = _scan_bytes(work, place, size)
        elif picked and selection.bitmap is not None:
            copy = segment.codes_for_chosen()
            scores, slots = scan_chosen(copy, work.asked.combined, size, selection.bitmap)
        else:
            scores, slots = scan_codes(segment.codes, work.asked.combined, size)
        if selection.bitmap is not None and not picked:
            kept = selection.mask[slots]
            scores, slots = scores[kept], slots[kept]
        if slots.size >= needed or size >= min(rows, work.sizes.fetch_limit):
            return Found(place=place, scores=scores, slots=slots, cut=True)
        size = min(4 * size, rows)


def _scan_bytes(work: Work, place: int, size: int) -> tuple[Floats, Slots]:
    segment, selection = work.segments[place], work.selections[place]
    assert segment.byte_rows is not None
    rows, count = len(segment), selection.count
    query, unit = segment.byte_rows.asked(work.asked.combined)
    us = work.sizes.byte_scan(rows=rows, taking_part=count)
    if not work.sizes.picks(Way.BYTES, rows=rows, taking_part=count):
        selection = everyone(rows)
    scores, slots = work.scan(segment.byte_rows.index, query, size, selection, us)
    return scores * unit, slots


def _idle() -> bool:
    """Return whether a processor had nothing to do beside this thread in the last minute."""
    try:
        return os.getloadavg()[0] < (os.cpu_count() or 1) - 0.5
    except OSError:
        return False


def _beyond(estimates: Floats, least: float) -> int:
    """Return about how many rows estimate above `least`, from `estimates`, descending, that all do.

    The logarithm of the number of rows falls about linearly with the estimate.
    """
    total = estimates.size
    step = float(estimates[total // 4] - estimates[-1])
    if total < 8 or step <= 0.0:
        return 2 * total
    return int(total * 4.0 ** min(10.0, (float(estimates[-1]) - least) / step)) + total // 4

"""Exact nearest-neighbour search over five axes: a cache of the vectors that a bank holds.

One FAISS index an axis; a descriptor stands at the same slot in all five, so that slots, never FAISS's
own shifting positions, say which vectors belong together. Removal leaves a tombstone; row numbers come
from the bank and are never used twice, so a slot cannot come to mean another descriptor.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES, Axis
from csd.score import Match, Vector, cosines, fuse, order, shares, unit_rows

_ROUGH = 1e-5
"""Bound on the float32 error of a rough score; rows this close to the k-th are scored exactly too."""

_COMPACT_AT = 256
"""Tombstones below this number are never worth a rebuild."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One descriptor as the index sees it."""

    row: int
    """The bank's row number, never used twice."""
    id: str
    vectors: Mapping[Axis, Vector]
    """Only the axes that have a vector."""


class VectorIndex:
    """Five flat inner-product indexes over the same slots."""

    def __init__(self, dimension: int) -> None:
        """Start empty, for vectors of length `dimension`."""
        import faiss

        self._faiss: Any = faiss
        self._dimension = dimension
        self._clear()

    def __len__(self) -> int:
        """Return how many descriptors can be found."""
        return len(self._slots)

    def __contains__(self, row: int) -> bool:
        """Return whether the descriptor in `row` can be found."""
        return row in self._slots

    def add(self, entries: Sequence[Entry]) -> None:
        """Add descriptors; a row that is there already is left alone.

        Raises:
            ValueError: on a vector of another length, not finite or not of unit length; nothing is
                added then.
        """
        fresh = list({entry.row: entry for entry in entries if entry.row not in self._slots}.values())
        if not fresh:
            return
        start, count = len(self._ids), len(fresh)
        present = np.array([[axis in entry.vectors for axis in AXES] for entry in fresh])
        blocks = [self._block(fresh, axis) for axis in AXES]
        for axis, block in zip(AXES, blocks, strict=True):
            self._flat[axis].add(block)
        self._reserve(start + count)
        self._present[start : start + count] = present
        self._alive[start : start + count] = True
        self._ids.extend(entry.id for entry in fresh)
        self._slots.update((entry.row, start + place) for place, entry in enumerate(fresh))

    def remove(self, row: int) -> None:
        """Make the descriptor in `row` unfindable; one that is not there is left so."""
        slot = self._slots.pop(row, None)
        if slot is None:
            return
        self._alive[slot] = False
        dead = len(self._ids) - len(self._slots)
        if dead >= _COMPACT_AT and dead > len(self._slots):
            self._compact()

    def search(
        self,
        queries: Mapping[Axis, Vector],
        *,
        k: int,
        weights: Mapping[Axis, float] | None = None,
        rows: Sequence[int] | None = None,
    ) -> list[Match]:
        """Return the `k` best descriptors, exactly.

        A descriptor takes part if it has a vector on at least one asked axis of weight above 0.

        Args:
            queries: axis -> (d,) float32 unit vector; an axis left out is not asked.
            k: how many at most.
            weights: axis -> weight >= 0; None weighs all asked axes alike; a missing axis weighs 0.
            rows: row numbers to choose from, applied before the choice of the best; None for all.

        Returns:
            Best score first, ties by id; fewer than `k` where fewer take part.

        Raises:
            ValueError: on a negative `k`, a bad weight, or a query vector that is not a finite unit
                vector of the index's length.
        """
        if k < 0:
            raise ValueError(f"expected k >= 0; got {k}.")
        asked = {axis: self._query(axis, queries[axis]) for axis in AXES if axis in queries}
        share = shares(weights, asked)
        slots = self._candidates(share, rows)
        if k == 0 or slots.size == 0:
            return []
        rough = np.zeros(slots.size, dtype=np.float32)
        for axis, weight in share.items():
            # Slots without this axis hold a zero vector and so add nothing.
            rough += np.float32(weight) * self._products(axis, asked[axis], slots)
        if slots.size > k:
            bound = np.partition(rough, slots.size - k)[slots.size - k]
            slots = slots[rough >= bound - 2 * _ROUGH]
        return sorted(self._exact(slots, asked, share), key=order)[:k]

    def digest(self) -> str:
        """Return a digest of what can be found: ids and vectors, whatever the order of insertion."""
        total = hashlib.sha256()
        for name, slot in sorted((self._ids[slot], slot) for slot in self._slots.values()):
            total.update(name.encode() + b"\0")
            for place, axis in enumerate(AXES):
                if self._present[slot, place]:
                    total.update(axis.value.encode() + self._flat[axis].reconstruct(slot).tobytes())
        return total.hexdigest()

    def _clear(self) -> None:
        self._flat: dict[Axis, Any] = {axis: self._faiss.IndexFlatIP(self._dimension) for axis in AXES}
        self._ids: list[str] = []
        self._slots: dict[int, int] = {}
        self._present = np.zeros((0, len(AXES)), dtype=np.bool_)
        self._alive = np.zeros(0, dtype=np.bool_)

    def _reserve(self, needed: int) -> None:
        if needed <= self._alive.size:
            return
        extra = max(needed, 2 * self._alive.size) - self._alive.size
        self._alive = np.concatenate([self._alive, np.zeros(extra, dtype=np.bool_)])
        self._present = np.concatenate([self._present, np.zeros((extra, len(AXES)), dtype=np.bool_)])

    def _block(self, entries: Sequence[Entry], axis: Axis) -> NDArray[np.float32]:
        block = np.zeros((len(entries), self._dimension), dtype=np.float32)
        places = [place for place, entry in enumerate(entries) if axis in entry.vectors]
        if places:
            given = np.stack([entries[place].vectors[axis] for place in places])
            block[places] = unit_rows(given, self._dimension, f"the {axis.value} axis")
        return block

    def _query(self, axis: Axis, vector: Vector) -> Vector:
        checked: Vector = unit_rows(np.atleast_2d(vector), self._dimension, f"the {axis.value} query")[0]
        return checked

    def _candidates(self, share: Mapping[Axis, float], rows: Sequence[int] | None) -> NDArray[np.int64]:
        columns = [place for place, axis in enumerate(AXES) if axis in share]
        used = len(self._ids)
        takes_part = self._alive[:used] & self._present[:used, columns].any(axis=1)
        if rows is not None:
            chosen = np.zeros(used, dtype=np.bool_)
            chosen[[self._slots[row] for row in rows if row in self._slots]] = True
            takes_part &= chosen
        return np.flatnonzero(takes_part)

    def _products(self, axis: Axis, query: Vector, slots: NDArray[np.int64]) -> NDArray[np.float32]:
        # compute_distance_subset takes any set of slots, so filters and tombstones cost nothing extra;
        # at 2,000 slots it is four times as fast as a full search that sorts.
        products = np.empty(slots.size, dtype=np.float32)
        pointer, threads = self._faiss.swig_ptr, self._faiss.omp_get_max_threads()
        # One query has no work for a second thread, but waiting for one on a busy machine was
        # measured to turn 0.1 ms into 4 ms.
        self._faiss.omp_set_num_threads(1)
        try:
            self._flat[axis].compute_distance_subset(
                1, pointer(query), slots.size, pointer(products), pointer(slots)
            )
        finally:
            self._faiss.omp_set_num_threads(threads)
        return products

    def _exact(
        self, slots: NDArray[np.int64], asked: Mapping[Axis, Vector], share: Mapping[Axis, float]
    ) -> list[Match]:
        found: dict[Axis, NDArray[np.float64]] = {
            axis: cosines(self._flat[axis].reconstruct_batch(slots), asked[axis]) for axis in share
        }
        matches = []
        for place, slot in enumerate(slots):
            each = {
                axis: float(found[axis][place]) if axis in found and self._present[slot, column] else None
                for column, axis in enumerate(AXES)
            }
            matches.append(Match(id=self._ids[slot], cosines=each, score=fuse(each, share)))
        return matches

    def _compact(self) -> None:
        kept = sorted(self._slots.items(), key=lambda item: item[1])
        slots = np.array([slot for _, slot in kept], dtype=np.int64)
        blocks = {axis: self._flat[axis].reconstruct_batch(slots) for axis in AXES}
        ids, present = [self._ids[slot] for slot in slots], self._present[slots]
        self._clear()
        for axis in AXES:
            self._flat[axis].add(blocks[axis])
        self._ids, self._present = ids, present
        self._alive = np.ones(slots.size, dtype=np.bool_)
        self._slots = {row: place for place, (row, _) in enumerate(kept)}

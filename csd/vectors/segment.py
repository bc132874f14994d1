"""A run of descriptors that are searched together: their vectors, and which of them may be found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES
from csd.store.feed import Block
from csd.vectors.byte_rows import ByteRows
from csd.vectors.faiss_codes import Bytes, Slots, for_chosen, new_flat, pack, raw_rows

RETIRED, DEAD = 1, 2
"""Bits of a row's standing: superseded, and removed."""

_MASKS_KEPT = 8
"""So many sets of asked axes are remembered with who takes part in them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """Which rows of a segment may be found by one question."""

    mask: NDArray[np.bool_]
    """(n,)"""
    count: int
    """How many are set."""
    bitmap: Bytes | None
    """The mask as FAISS takes it; None where all are set."""


class Segment:
    """Rows in ascending order with the float16 vectors that belong to them, slot by slot.

    The vectors of a published segment are mapped from its file and never change; its standing does.
    """

    def __init__(
        self,
        dimension: int,
        *,
        flat: Any = None,
        codes: Any = None,
        byte_rows: ByteRows | None = None,
        name: str | None = None,
    ) -> None:
        """Start without rows, or over `flat` that is filled; `describe` then says what is in it.

        Args:
            dimension: length of a vector.
            flat: FAISS index of float16 rows; None for a new, empty one.
            codes: FAISS index of product codes over the same slots; None for none.
            byte_rows: the same slots as bytes; a segment has them where it has codes.
            name: of the published files; None for a segment in memory.
        """
        self.dimension = dimension
        self.flat = new_flat(dimension) if flat is None else flat
        self.codes = codes
        self.byte_rows = byte_rows
        self.name = name
        self.rows = np.zeros(0, dtype=np.int64)
        self.keys = np.zeros(0, dtype=np.uint64)
        self.present = np.zeros(0, dtype=np.uint8)
        self.standing = np.zeros(0, dtype=np.uint8)
        self.longest = 1.0
        """No vector is longer than that; float16 rounding makes unit vectors up to 1.0005 long."""
        self._masks: dict[int, Selection] = {}
        self._for_chosen: tuple[Any, Any] = (None, None)
        """The codes, and the copy of them for filters; made when first needed."""

    def __len__(self) -> int:
        """Return how many rows it has, dead ones too."""
        return int(self.rows.size)

    def describe(
        self,
        rows: NDArray[np.int64],
        keys: NDArray[np.uint64],
        present: NDArray[np.uint8],
        standing: NDArray[np.uint8],
        longest: float,
    ) -> None:
        """Say what the slots hold: (n,) each, in ascending order of rows."""
        self.rows, self.keys, self.present, self.standing = rows, keys, present, standing
        self.longest = longest
        self._masks.clear()

    def append(self, block: Block) -> None:
        """Add descriptors whose rows are all greater than those held.

        Raises:
            ValueError: on vectors of another shape, or rows that do not ascend.
        """
        count, shape = block.rows.size, (block.rows.size, len(AXES), self.dimension)
        if block.halves.shape != shape or block.halves.dtype != np.float16:
            raise ValueError(
                f"expected float16 vectors of shape {shape} for the rows {block.rows[:1]}...; got "
                f"{block.halves.dtype} of shape {block.halves.shape}. Embed the bank anew."
            )
        rows = np.concatenate([self.rows, block.rows.astype(np.int64)])
        if np.any(np.diff(rows[max(0, len(self) - 1) :]) <= 0):
            raise ValueError(
                f"expected rows in ascending order above {self.rows[-1:]}; got {block.rows}. "
                f"Build the index anew."
            )
        halves = np.ascontiguousarray(block.halves)
        self.flat.add_sa_codes(halves.reshape(count, -1).view(np.uint8))
        self.describe(
            rows,
            np.concatenate([self.keys, block.keys.astype(np.uint64)]),
            np.concatenate([self.present, block.present.astype(np.uint8)]),
            np.concatenate([self.standing, np.where(block.retired, RETIRED, 0).astype(np.uint8)]),
            max(self.longest, longest_of(halves)),
        )

    def codes_for_chosen(self) -> Any:
        """Return the codes as `scan_chosen` takes them."""
        if self._for_chosen[0] is not self.codes:
            self._for_chosen = (self.codes, for_chosen(self.codes))
        return self._for_chosen[1]

    def mark(self, row: int, bit: int) -> bool:
        """Set `bit` in the standing of `row`; return whether the segment holds that row."""
        slot = int(np.searchsorted(self.rows, row))
        if slot == len(self) or self.rows[slot] != row:
            return False
        if not self.standing[slot] & bit:
            self.standing[slot] |= bit
            self._masks.clear()
        return True

    def held(self) -> NDArray[np.bool_]:
        """Return which slots are not dead, (n,)."""
        held: NDArray[np.bool_] = (self.standing & DEAD) == 0
        return held

    def current(self, bits: int) -> Selection:
        """Return who may be found without a filter: not dead, not retired, a vector on an axis of `bits`."""
        if bits not in self._masks:
            if len(self._masks) >= _MASKS_KEPT:
                self._masks.clear()
            self._masks[bits] = selected((self.standing == 0) & ((self.present & bits) != 0))
        return self._masks[bits]

    def chosen(self, rows: NDArray[np.int64], bits: int) -> Selection:
        """Return who may be found among `rows`, ascending, retired ones too."""
        mask = np.zeros(len(self), dtype=np.bool_)
        if len(self):
            first, last = self.rows[0], self.rows[-1]
            part = rows[np.searchsorted(rows, first) : np.searchsorted(rows, last, side="right")]
            if last - first + 1 == len(self):
                slots = part - first
            else:
                slots = np.searchsorted(self.rows, part)
                slots = slots[self.rows[slots] == part]
            there = ((self.standing[slots] & DEAD) == 0) & ((self.present[slots] & bits) != 0)
            mask[slots[there]] = True
        return selected(mask)

    def raw(self) -> Bytes:
        """Return a view of the vectors, (n, 10 d) bytes, good until the next `append`."""
        return raw_rows(self.flat, self.dimension)

    def block(self, slots: Slots) -> Block:
        """Return what is in `slots` as a feed gives it."""
        return Block(
            rows=self.rows[slots],
            keys=self.keys[slots],
            present=self.present[slots],
            retired=(self.standing[slots] & RETIRED) != 0,
            halves=self.halves(slots),
        )

    def halves(self, slots: Slots) -> NDArray[np.float16]:
        """Return the vectors in `slots`, (m, 5, d) float16."""
        taken = np.take(self.raw(), slots, axis=0)
        return taken.view(np.float16).reshape(slots.size, len(AXES), self.dimension)


def gather(segments: Sequence[Segment], places: NDArray[np.int64], slots: Slots, out: Bytes) -> Bytes:
    """Copy the vectors in `slots` of the segments at `places`, (m,) each, to the start of `out`.

    Args:
        segments: where from.
        places: (m,) which segment.
        slots: (m,) which of its slots.
        out: (m or more, 10 d) bytes. New memory each time was measured to
            cost ten times the copying.

    Returns:
        (m, 10 d) bytes, a view of `out`.
    """
    copies = out[: slots.size]
    if len(segments) == 1:
        return np.take(segments[0].raw(), slots, axis=0, out=copies, mode="clip")
    # Not np.unique: it imports numpy.ma, which takes 15 ms of the first question.
    for place in np.flatnonzero(np.bincount(places)).tolist():
        here = np.flatnonzero(places == place)
        copies[here] = np.take(segments[place].raw(), slots[here], axis=0)
    return copies


def longest_of(halves: NDArray[np.float16]) -> float:
    """Return the greatest length of a vector in (n, 5, d) `halves`, at least 1."""
    if not halves.size:
        return 1.0
    values = halves.astype(np.float32)
    return max(1.0, float(np.sqrt(np.einsum("nad,nad->na", values, values).max())))


def everyone(rows: int) -> Selection:
    """Return the selection of all `rows` of a segment."""
    return Selection(mask=np.ones(rows, dtype=np.bool_), count=rows, bitmap=None)


def selected(mask: NDArray[np.bool_]) -> Selection:
    """Return the selection of the rows that are set in `mask`, (n,)."""
    count = int(np.count_nonzero(mask))
    return Selection(mask=mask, count=count, bitmap=None if count == mask.size else pack(mask))

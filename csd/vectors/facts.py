"""What `stats` shows of the searchable vectors, and the digest that tells whether two hold the same."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from csd.vectors.faiss_codes import row_bytes
from csd.vectors.segment import DEAD, RETIRED, Segment, gather
from csd.vectors.snapshot import State

_CHUNK = 4_096
"""Rows digested at a time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SegmentFacts:
    """One segment as `stats` shows it."""

    name: str | None
    """None for one that is in memory alone."""
    rows: int
    dead: int
    coded: bool
    """Whether it has product codes and bytes; without, it is scanned exactly."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """The searchable vectors as `stats` shows them."""

    rows: int
    """Descriptors held."""
    retired: int
    dead: int
    """Removed ones whose vectors are still in a segment."""
    segments: tuple[SegmentFacts, ...]
    generation: int | None
    """Of the snapshot in use; None without one."""
    unpublished: int
    """Rows that no snapshot holds."""
    file_bytes: int
    damage: str | None
    """Why the snapshot in the folder was set aside."""


def facts_of(segments: Sequence[Segment], state: State | None, damage: str | None) -> Facts:
    """Return the facts of `segments`, none of them empty, that rest on the published `state`."""
    files = [] if state is None else list(state.segments)
    written = [part for one in files for part in one.names().values()]
    return Facts(
        rows=sum(int(np.count_nonzero(segment.held())) for segment in segments),
        retired=sum(int(np.count_nonzero(segment.standing == RETIRED)) for segment in segments),
        dead=sum(int(np.count_nonzero(segment.standing & DEAD)) for segment in segments),
        segments=tuple(
            SegmentFacts(
                name=segment.name,
                rows=len(segment),
                dead=int(np.count_nonzero(segment.standing & DEAD)),
                coded=segment.codes is not None,
            )
            for segment in segments
        ),
        generation=None if state is None else state.generation,
        unpublished=sum(len(segment) for segment in segments if segment.name is None),
        file_bytes=sum(part.size for part in written),
        damage=damage,
    )


def digest_of(segments: Sequence[Segment], dimension: int) -> str:
    """Return a digest of what `segments` hold, in order of keys: the same however it is divided."""
    places = np.repeat(np.arange(len(segments)), [len(segment) for segment in segments])
    slots = np.concatenate([np.arange(len(segment)) for segment in segments])
    keys = np.concatenate([segment.keys for segment in segments])
    present = np.concatenate([segment.present for segment in segments])
    standing = np.concatenate([segment.standing for segment in segments])
    held = np.flatnonzero((standing & DEAD) == 0)
    order = held[np.argsort(keys[held], kind="stable")]
    total = hashlib.sha256()
    copies = np.empty((_CHUNK, row_bytes(dimension)), dtype=np.uint8)
    for start in range(0, order.size, _CHUNK):
        part = order[start : start + _CHUNK]
        for array in (keys, present, standing):
            total.update(array[part].tobytes())
        total.update(gather(segments, places[part], slots[part], copies).data)
    return total.hexdigest()

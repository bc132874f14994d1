"""Which segments become one, and how one is made of several without holding all of them in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from csd.vectors import byte_rows
from csd.vectors.faiss_codes import (
    Bytes,
    Slots,
    add_codes,
    codes_to_bytes,
    flat_header,
    new_codes,
    one_thread,
    open_flat,
)
from csd.vectors.files import write_new
from csd.vectors.segment import DEAD, Segment
from csd.vectors.sizes import Sizes
from csd.vectors.snapshot import ByteFile, SegmentFiles, about_bytes

_CHUNK = 4_096
"""Rows copied at a time: 16 MB at five axes of 384."""


def plan(segments: Sequence[Segment], sizes: Sizes, *, everything: bool) -> list[list[int]]:
    """Return which neighbours are written as one new segment; a segment of its own in a group of one.

    From the newest back: a group takes in its older neighbour while that is small, or has at most
    `merge_factor` times the group's rows, and the result stays within `segment_rows`. So sizes fall
    from old to new, and a row is copied about as often as the bank doubles.

    Args:
        segments: ascending by rows.
        sizes: the numbers that decide.
        everything: whether to merge as far as `segment_rows` allows.

    Returns:
        Groups of places, ascending; groups of one may be left as they are (see `needs_writing`).
    """
    alive = [int(np.count_nonzero(segment.held())) for segment in segments]
    groups: list[list[int]] = []
    for place in reversed(range(len(segments))):
        if groups:
            group = sum(alive[member] for member in groups[-1])
            small = alive[place] < sizes.small_rows or alive[place] <= sizes.merge_factor * group
            if (everything or small) and alive[place] + group <= sizes.segment_rows:
                groups[-1].insert(0, place)
                continue
        groups.append([place])
    return groups[::-1]


def needs_writing(segment: Segment, sizes: Sizes, *, everything: bool) -> bool:
    """Return whether a segment that is merged with no other is written anew."""
    dead = int(np.count_nonzero(segment.standing & DEAD))
    wants_codes = segment.codes is None and len(segment) - dead >= sizes.code_rows
    return wants_codes or dead > (0 if everything else sizes.dead_share * len(segment))


def in_memory(members: Sequence[Segment], sizes: Sizes) -> Segment | None:
    """Return what is alive in `members` as one segment in memory; None where nothing is."""
    segment = _described(members)
    if segment is None:
        return None
    for part in _parts(members):
        segment.flat.add_sa_codes(part)
    segment.codes = _codes(segment, members, sizes)
    if segment.codes is not None:
        scale = byte_rows.scale_of(_parts(members), segment.longest)
        segment.byte_rows = byte_rows.in_memory(segment.dimension, _parts(members), scale)
    return segment


def in_files(
    members: Sequence[Segment], sizes: Sizes, folder: Path, name: str
) -> tuple[Segment, SegmentFiles] | None:
    """Write what is alive in `members` as the segment `name`; None where nothing is.

    Raises:
        OSError: if it cannot be written.
    """
    segment = _described(members)
    if segment is None:
        return None
    path = folder / f"{name}.flat"

    def content() -> Iterator[bytes | memoryview]:
        yield flat_header(segment.dimension, len(segment))
        for part in _parts(members):
            yield part.data

    flat = write_new(path, content())
    segment.flat, segment.name = open_flat(path), name
    about = write_new(folder / f"{name}.about", [about_bytes(segment)])
    segment.codes = _codes(segment, members, sizes)
    codes = None
    if segment.codes is not None:
        codes = write_new(folder / f"{name}.codes", [codes_to_bytes(segment.codes).data])
    files = SegmentFiles(
        name=name,
        rows=len(segment),
        longest=segment.longest,
        flat=flat,
        about=about,
        codes=codes,
        byte_rows=None if codes is None else _byte_rows(segment, members, folder / f"{name}.bytes"),
    )
    return segment, files


def _byte_rows(segment: Segment, members: Sequence[Segment], path: Path) -> ByteFile:
    """Write the bytes of what is alive in `members`: made anew, as their scales differ."""
    scale = byte_rows.scale_of(_parts(members), segment.longest)

    def content() -> Iterator[bytes | memoryview]:
        yield byte_rows.header(segment.dimension, len(segment))
        for part in byte_rows.encoded(_parts(members), scale):
            yield part.data

    written = write_new(path, content())
    segment.byte_rows = byte_rows.opened(path, scale)
    return ByteFile(written=written, scale=scale)


def spilled(segment: Segment, path: Path) -> None:
    """Move the vectors of a segment in memory to the file `path`, which has no name afterwards.

    Raises:
        OSError: if it cannot be written; the segment is as it was then.
    """
    write_new(path, [flat_header(segment.dimension, len(segment)), segment.raw().data])
    try:
        segment.flat = open_flat(path)
    finally:
        path.unlink()


def _described(members: Sequence[Segment]) -> Segment | None:
    held = [member.held() for member in members]
    if not any(mask.any() for mask in held):
        return None
    segment = Segment(members[0].dimension)
    pairs = list(zip(members, held, strict=True))
    segment.describe(
        np.concatenate([member.rows[mask] for member, mask in pairs]),
        np.concatenate([member.keys[mask] for member, mask in pairs]),
        np.concatenate([member.present[mask] for member, mask in pairs]),
        np.concatenate([member.standing[mask] for member, mask in pairs]),
        max(member.longest for member in members),
    )
    return segment


def _parts(members: Sequence[Segment]) -> Iterator[Bytes]:
    for member in members:
        raw, held = member.raw(), member.held()
        for start in range(0, len(member), _CHUNK):
            part, mask = raw[start : start + _CHUNK], held[start : start + _CHUNK]
            # Where nothing is held any more there is no part: an empty one has no largest number.
            if mask.any():
                yield part if mask.all() else part[mask]


def _codes(segment: Segment, members: Sequence[Segment], sizes: Sizes) -> Any:
    if len(segment) < sizes.code_rows:
        return None
    codes = new_codes(segment.dimension)
    # A second thread would double the speed of a quiet machine; on a busy one it was measured to make
    # this twenty times slower.
    with one_thread():
        for member in members:
            held = member.held()
            if member.codes is not None:
                add_codes(codes, member.codes, held)
            else:
                # Never added to merged codes: FAISS 1.15 then mixes new codes with what was left in the
                # unused end of the last block. Merging was checked to be right at all sizes.
                add_codes(codes, _encoded(member, np.flatnonzero(held)), np.ones(held.sum(), dtype=np.bool_))
    return codes


def _encoded(member: Segment, slots: Slots) -> Any:
    codes = new_codes(member.dimension)
    for start in range(0, slots.size, _CHUNK):
        part = member.halves(slots[start : start + _CHUNK])
        codes.add(part.reshape(len(part), -1).astype(np.float32))
    return codes

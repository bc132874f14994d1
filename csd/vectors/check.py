"""What the doctor asks of the published vectors: that they are whole, and those that the bank holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from csd.axes import AXES
from csd.store.feed import Block, Feed
from csd.vectors.files import Written, is_whole
from csd.vectors.segment import RETIRED, Segment
from csd.vectors.snapshot import Damaged, State, read_state


def file_findings(folder: Path, dimension: int, feed: Feed) -> list[str]:
    """Return what is wrong with the files in `folder` as such; nothing where nothing is published."""
    try:
        state = read_state(folder)
    except Damaged as error:
        return [str(error)]
    if state is None:
        return []
    if state.dimension != dimension:
        return [f"expected vectors of length {dimension} in {folder}; got {state.dimension}."]
    findings = [finding for name, written in _files(state) for finding in _file(folder / name, written)]
    if not findings and not feed.passed(state.feed_mark()):
        findings = [
            f"expected a snapshot of this bank's history in {folder}; got one of change "
            f"{state.mark.sequence} of another history: it is out of step."
        ]
    return findings


def row_findings(segments: Sequence[Segment], feed: Feed) -> list[str]:
    """Return every row in which `segments`, which follow `feed`, differ from what the bank holds."""
    findings: list[str] = []
    unseen = [segment.held() for segment in segments]
    for block in feed.blocks():
        missing = np.ones(block.rows.size, dtype=np.bool_)
        for segment, left in zip(segments, unseen, strict=True):
            slots = np.minimum(np.searchsorted(segment.rows, block.rows), len(segment) - 1)
            here = (segment.rows[slots] == block.rows) & left[slots]
            left[slots[here]] = False
            missing &= ~here
            findings += _differing(segment, slots[here], block, np.flatnonzero(here))
        findings += [
            f"{_id(block.keys[place])}, row {block.rows[place]}: missing from the searchable vectors."
            for place in np.flatnonzero(missing)
        ]
    for segment, left in zip(segments, unseen, strict=True):
        findings += [
            f"{_id(segment.keys[slot])}, row {segment.rows[slot]}: can be found, but is not in the bank."
            for slot in np.flatnonzero(left)
        ]
    return findings


def _differing(
    segment: Segment, slots: np.ndarray[tuple[int], np.dtype[np.int64]], block: Block, places: np.ndarray
) -> list[str]:
    findings = []
    same = {
        "id": segment.keys[slots] == block.keys[places],
        "set of axes": segment.present[slots] == block.present[places],
        "standing": ((segment.standing[slots] & RETIRED) != 0) == block.retired[places],
    }
    # Compared as bits: a NaN that both hold is no difference, and a zero of another sign is one.
    stored, held = segment.halves(slots).view(np.uint16), block.halves[places].view(np.uint16)
    for column, axis in enumerate(AXES):
        same[f"vector on axis {axis.value}"] = (stored[:, column] == held[:, column]).all(axis=1)
    for what, equal in same.items():
        findings += [
            f"{_id(block.keys[places[one]])}, row {block.rows[places[one]]}: another {what} than in the bank."
            for one in np.flatnonzero(~equal)
        ]
    return findings


def _files(state: State) -> list[tuple[str, Written]]:
    files = [(state.standing_name(), state.standing)]
    for segment in state.segments:
        files += segment.names().items()
    return files


def _file(path: Path, written: Written) -> list[str]:
    try:
        whole = is_whole(path, written)
    except OSError as error:
        return [f"expected the published file {path}; got {error}."]
    return (
        []
        if whole
        else [f"expected the content that was published in {path}; got another one: torn or altered."]
    )


def _id(key: np.uint64) -> str:
    return f"csd_{int(key):016x}"

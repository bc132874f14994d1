"""The published form of the searchable vectors: what its files are and how they are read.

    state.json           names everything below, with sizes and digests; replaced in one step
    NNNNNNNN-P.flat      float16 vectors of one segment, in FAISS's format; mapped, not read
    NNNNNNNN-P.about     its rows, keys and which axes are present
    NNNNNNNN-P.codes     its product codes, where it has them
    NNNNNNNN-P.bytes     the vectors as bytes, where it has codes, in FAISS's format; mapped, not read
    NNNNNNNN.standing    which rows of all segments are retired or dead
    publishing.lock      held by the process that publishes

NNNNNNNN is the generation; no name is ever used twice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from csd.store.feed import Mark
from csd.vectors.byte_rows import header as byte_header
from csd.vectors.byte_rows import opened
from csd.vectors.faiss_codes import flat_header, open_codes, open_flat, row_bytes
from csd.vectors.files import Written, read_whole, starts_well
from csd.vectors.segment import Segment

STATE = "state.json"
LOCK = "publishing.lock"
KINDS = (".flat", ".about", ".codes", ".bytes", ".standing", ".part", ".spill")
"""How the names of our files end, the state and the lock apart."""

FORMAT = 2


class Damaged(Exception):
    """A snapshot that cannot be used: what is wrong, and with which file."""


class Vanished(Exception):
    """A file that the state names is gone: torn, or replaced by a newer snapshot in this moment."""


class ByteFile(BaseModel):
    """The file of rows as bytes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    written: Written
    scale: float = Field(gt=0.0)
    """A byte is 128 more than the number times that, rounded."""


class SegmentFiles(BaseModel):
    """The files of one segment."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[0-9]{8}-[0-9]+$")
    rows: int = Field(ge=1)
    longest: float = Field(ge=1.0, lt=1.1)
    """Length of the longest vector."""
    flat: Written
    about: Written
    codes: Written | None
    byte_rows: ByteFile | None
    """There where codes are."""

    def names(self) -> dict[str, Written]:
        """Return the names of its files with what they must be."""
        names = {f"{self.name}.flat": self.flat, f"{self.name}.about": self.about}
        if self.codes is not None:
            names[f"{self.name}.codes"] = self.codes
        if self.byte_rows is not None:
            names[f"{self.name}.bytes"] = self.byte_rows.written
        return names


class MarkRecord(BaseModel):
    """A mark in the history of the bank."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    epoch: str
    sequence: int = Field(ge=0)
    chain: str


class State(BaseModel):
    """What is published."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[2] = 2
    generation: int = Field(ge=1)
    dimension: int = Field(ge=1)
    mark: MarkRecord
    """The bank's mark up to which this is made."""
    last_row: int = Field(ge=0)
    """No row up to this one is missing, unless it was removed."""
    segments: tuple[SegmentFiles, ...]
    """In ascending order of rows."""
    standing: Written

    def feed_mark(self) -> Mark:
        """Return the mark as a feed gives it."""
        return Mark(epoch=self.mark.epoch, sequence=self.mark.sequence, chain=self.mark.chain)

    def ahead_of(self, mark: Mark) -> bool:
        """Return whether this was made later in the history that `mark` belongs to."""
        return self.mark.epoch == mark.epoch and self.mark.sequence > mark.sequence

    def standing_name(self) -> str:
        """Return the name of the file that says which rows are retired or dead."""
        return f"{self.generation:08d}.standing"

    def names(self) -> set[str]:
        """Return the names of all files that it needs."""
        names = {self.standing_name()}
        for files in self.segments:
            names |= files.names().keys()
        return names


Signature = tuple[int, int, int]
"""Tells one state file from its successors: inode, time of change, size."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """A published state and its segments, opened."""

    state: State
    segments: tuple[Segment, ...]


def signature(folder: Path) -> Signature | None:
    """Return which state file stands in `folder`; None for none."""
    try:
        status = os.stat(f"{folder}/{STATE}")  # noqa: PTH116 - three times as fast, at every question
    except OSError:
        return None
    return (status.st_ino, status.st_mtime_ns, status.st_size)


def read_state(folder: Path) -> State | None:
    """Return the published state; None for none, or for one of an older format, which is made anew.

    Raises:
        Damaged: if the state file cannot be read, is torn, or is of another format.
    """
    path = folder / STATE
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Damaged(f"expected a readable state at {path}; got {error}.") from error
    try:
        return State.model_validate_json(content)
    except ValidationError as error:
        if _older(content):
            return None
        first = error.errors(include_url=False)[0]
        raise Damaged(
            f"expected a state of format {FORMAT} at {path}; got {first['msg']} "
            f"at {'.'.join(map(str, first['loc'])) or 'the start'}."
        ) from error


def _older(content: bytes) -> bool:
    try:
        number = json.loads(content)["format"]
    except (ValueError, LookupError, TypeError):
        return False
    return isinstance(number, int) and 0 < number < FORMAT


def open_snapshot(folder: Path, state: State, known: Mapping[SegmentFiles, Segment]) -> Snapshot:
    """Open the segments of `state`; those in `known` are taken over with their mappings.

    Raises:
        Vanished: if a file is not there.
        Damaged: if a file is not the one that was published. The vectors themselves are checked by
            size and header alone: reading all of them would take longer than what they are for.
    """
    try:
        standing = _read(folder / state.standing_name(), state.standing)
        segments = []
        for files in state.segments:
            segment = _open(folder, files, state.dimension, known.get(files))
            segment.standing = np.frombuffer(standing, np.uint8, count=len(segment), offset=0).copy()
            standing = standing[len(segment) :]
            segments.append(segment)
    except (OSError, RuntimeError) as error:
        # FAISS does not say that a file is not there: it may have gone since it was checked.
        gone = [name for name in sorted(state.names()) if not (folder / name).exists()]
        if gone:
            raise Vanished(f"expected the file {folder / gone[0]} that the state names; got none.") from error
        raise Damaged(f"expected readable files in {folder}; got {error}.") from error
    return Snapshot(state=state, segments=tuple(segments))


def about_bytes(segment: Segment) -> bytes:
    """Return the file of what the slots of `segment` hold: all rows, all keys, all bits of axes."""
    return segment.rows.tobytes() + segment.keys.tobytes() + segment.present.tobytes()


def _open(folder: Path, files: SegmentFiles, dimension: int, known: Segment | None) -> Segment:
    if known is None:
        path = folder / f"{files.name}.flat"
        _check_rows(path, files.flat, flat_header(dimension, files.rows), files.rows * row_bytes(dimension))
        segment = Segment(dimension, flat=open_flat(path), name=files.name)
        if files.codes is not None:
            segment.codes = _codes(folder / f"{files.name}.codes", files)
        if files.byte_rows is not None:
            path = folder / f"{files.name}.bytes"
            header, size = byte_header(dimension, files.rows), files.rows * row_bytes(dimension) // 2
            _check_rows(path, files.byte_rows.written, header, size)
            segment.byte_rows = opened(path, files.byte_rows.scale)
    else:
        segment = Segment(
            dimension, flat=known.flat, codes=known.codes, byte_rows=known.byte_rows, name=files.name
        )
    if known is not None:
        segment.describe(known.rows, known.keys, known.present, known.standing, known.longest)
        return segment
    about = _read(folder / f"{files.name}.about", files.about)
    if len(about) != 17 * files.rows:
        raise Damaged(f"expected {files.rows} rows in {files.name}.about; got {len(about)} bytes.")
    segment.describe(
        np.frombuffer(about, np.int64, files.rows),
        np.frombuffer(about, np.uint64, files.rows, 8 * files.rows),
        np.frombuffer(about, np.uint8, files.rows, 16 * files.rows),
        np.zeros(files.rows, dtype=np.uint8),
        files.longest,
    )
    return segment


def _check_rows(path: Path, written: Written, header: bytes, size: int) -> None:
    if not starts_well(path, written):
        raise Damaged(f"expected {written.size} bytes that were published in {path}; got others.")
    with path.open("rb") as file:
        right = file.read(len(header)) == header
    if not right or written.size != len(header) + size:
        raise Damaged(f"expected {size} bytes of rows in {path}; got others.")


def _codes(path: Path, files: SegmentFiles) -> Any:
    assert files.codes is not None
    if not starts_well(path, files.codes):
        raise Damaged(f"expected {files.codes.size} bytes that were published in {path}; got others.")
    codes = open_codes(path)
    if codes.ntotal != files.rows:
        raise Damaged(f"expected {files.rows} rows in {path}; got {codes.ntotal}.")
    return codes


def _read(path: Path, written: Written) -> bytes:
    content = read_whole(path, written)
    if content is None:
        raise Damaged(f"expected the content that was published in {path}; got another one.")
    return content

"""Rows of a bank file: what is written of a descriptor, and how it is read back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from csd.axes import AXES, Axis
from csd.descriptor import Csd, id_of
from csd.encode import Encoder
from csd.protocol import Filing, Vectors
from csd.score import STORED_TOLERANCE, Vector, unit_rows
from csd.store.changes import axes_in, read_halves, record_changes, vector_row
from csd.store.errors import BankError
from csd.store.where import microseconds

MAX_RECORD_BYTES = 4 * 1024 * 1024
"""Longest canonical JSON of a descriptor; a rule-built one has a few kilobytes."""

_CHUNK = 64
"""Descriptors whose vectors are rounded together: they stay in the processor's cache, which was measured to
take half the time of new memory for thousands."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A descriptor ready to be written: all checks are done, so that the write lock is held briefly."""

    id: str
    csd: Csd
    record: str
    present: int
    """Bit a is set where axis `AXES[a]` has content."""


def draft(csd: Csd, where: str) -> Draft:
    """Return `csd` ready to be written to the bank called `where`.

    Raises:
        BankError: on a record that is too long, or holds text that is not whole Unicode.
    """
    record = csd.canonical()
    if len(record) > MAX_RECORD_BYTES:
        raise BankError(
            f"expected a descriptor of at most {MAX_RECORD_BYTES} bytes; got {len(record)} bytes "
            f"(task {csd.meta.task[:60]!r}). Describe a shorter episode."
        )
    # Few records hold any backslash, and one letter is sought twenty times as fast as three.
    if "\\" in record and "\\ud" in record:
        # Half a surrogate pair can be written as JSON, but no parser would read it again.
        try:
            csd.model_dump_json().encode()
        except ValueError as error:
            raise BankError(
                f"expected whole Unicode text in a descriptor for {where}; got {error}. "
                f"Nothing was changed: correct the text."
            ) from error
    said = (csd.struct, csd.attr, csd.proc, csd.func, csd.inter)
    present = sum([1 << place for place, statements in enumerate(said) if statements])
    return Draft(id=id_of(record), csd=csd, record=record, present=present)


def given_halves(drafts: Sequence[Draft], vectors: Vectors, encoder: Encoder) -> list[bytes]:
    """Return what is stored of vectors, one blob a draft.

    Args:
        drafts: the descriptors.
        vectors: the vectors of each; see `Vectors`.
        encoder: what they were made with, by name and length.

    Raises:
        ValueError: on a vector too many or too few, or one that is no finite unit vector of that length.
    """
    if len(vectors) != len(drafts):
        raise ValueError(f"expected vectors for {len(drafts)} descriptors; got {len(vectors)}.")
    blobs: list[bytes] = []
    for first in range(0, len(drafts), _CHUNK):
        some, given = drafts[first : first + _CHUNK], vectors[first : first + _CHUNK]
        rows = (
            _rows_of_array(some, given)
            if isinstance(given, np.ndarray)
            else _rows_of_mappings(some, given, encoder.dimension)
        )
        halves = unit_rows(rows, encoder.dimension, encoder.name).astype("<f2").tobytes()
        start = 0
        for one in some:
            end = start + 2 * encoder.dimension * one.present.bit_count()
            blobs.append(halves[start:end])
            start = end
    return blobs


def _rows_of_array(drafts: Sequence[Draft], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    if vectors.ndim != 3 or vectors.shape[1] != len(AXES):
        raise ValueError(f"expected vectors of shape (n, {len(AXES)}, d); got {vectors.shape}.")
    present = np.array([one.present for one in drafts], dtype=np.uint8)
    due = (present[:, None] >> np.arange(len(AXES), dtype=np.uint8) & 1).astype(np.bool_)
    given = np.asarray(vectors.any(axis=2))
    wrong = np.flatnonzero((due != given).any(axis=1))
    if wrong.size:
        first = wrong[0]
        raise ValueError(_unlike(drafts[first], [AXES[place] for place in np.flatnonzero(given[first])]))
    return vectors.reshape(-1, vectors.shape[2]) if due.all() else vectors[due]


def _rows_of_mappings(
    drafts: Sequence[Draft], vectors: Sequence[Mapping[Axis, Vector]], dimension: int
) -> NDArray[np.float32]:
    parts: list[Vector] = []
    for one, given in zip(drafts, vectors, strict=True):
        axes = [AXES[place] for place in axes_in(one.present)]
        if len(given) != len(axes) or any(axis not in given for axis in axes):
            raise ValueError(_unlike(one, list(given)))
        parts.extend(given[axis] for axis in axes)
    try:
        return np.stack(parts) if parts else np.zeros((0, dimension), dtype=np.float32)
    except ValueError as error:
        raise ValueError(f"expected vectors of length {dimension}; got {error}.") from error


def _unlike(one: Draft, given: Sequence[str]) -> str:
    due = ", ".join(AXES[place] for place in axes_in(one.present))
    return (
        f"expected vectors of {one.id} on exactly {due}; got {', '.join(given) or 'none'}. "
        f"An axis has a vector where it has content, and nowhere else."
    )


def insert(
    run: sqlite3.Connection,
    drafts: Sequence[Draft],
    halves: Sequence[bytes],
    filing: Filing | None,
    valid_from: int | None = None,
) -> None:
    """Write descriptors with what hangs on them, inside the caller's transaction.

    What is there already (another process was faster) is left alone, and gains `filing` if one is given.

    Args:
        run: the connection.
        drafts: the descriptors; equal ones are written once.
        halves: the blob of vectors of each.
        filing: who remembers them; None files new ones under no one.
        valid_from: world step from which they hold; None for the step of each.
    """
    names = json.dumps([one.id for one in drafts])
    held = dict(
        run.execute(
            "SELECT id, row FROM csd WHERE id IN (SELECT value FROM json_each(?))", (names,)
        ).fetchall()
    )
    fresh = {one.id: (one, blob) for one, blob in zip(drafts, halves, strict=True) if one.id not in held}
    said = filing or Filing()
    recorded = microseconds(said.moment())
    newest = run.execute("SELECT seq FROM sqlite_sequence WHERE name = 'csd'").fetchone()
    rows = list(enumerate(fresh.values(), start=newest[0] + 1 if newest else 1))
    run.executemany(
        "INSERT INTO csd VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL, ?)",
        (
            (row, one.id, *facets(one.csd), recorded, _start(one.csd, valid_from), one.record)
            for row, (one, _) in rows
        ),
    )
    run.executemany(
        "INSERT INTO vector VALUES (?, ?, ?, ?)",
        (vector_row(row, one.present, blob) for row, (one, blob) in rows),
    )
    run.executemany(
        "INSERT OR IGNORE INTO episode VALUES (?, ?)",
        ((row, episode) for row, (one, _) in rows for episode in one.csd.meta.episodes),
    )
    _file(run, [row for row, _ in rows], said, recorded)
    if filing is not None:
        _file(run, list(held.values()), filing, recorded)
    record_changes(run, "add", [(row, one.id) for row, (one, _) in rows])


def _file(run: sqlite3.Connection, rows: Sequence[int], said: Filing, recorded: int) -> None:
    run.executemany(
        "INSERT OR IGNORE INTO filing VALUES (?, ?, ?, ?)",
        ((row, said.agent, said.life, recorded) for row in rows),
    )
    run.executemany(
        "INSERT OR IGNORE INTO tag VALUES (?, ?, ?, ?)",
        ((row, said.agent, said.life, tag) for row in rows for tag in said.tags),
    )


def facets(csd: Csd) -> tuple[object, ...]:
    """Return what stands of `csd` in the columns from `success` to `z` of its row, to be searched by."""
    meta = csd.meta
    return (
        meta.success,
        meta.task,
        meta.verb,
        meta.product,
        meta.world,
        meta.biome,
        meta.step,
        meta.position[0],
        meta.position[2],
    )


def _start(csd: Csd, valid_from: int | None) -> int:
    return csd.meta.step if valid_from is None else valid_from


@lru_cache(maxsize=1024)
def _read(record: str) -> Csd:
    """Return the descriptor in a record; those read of late are remembered, for mapping reads them often."""
    return Csd.from_json(record)


def parse(id: str, record: str, where: str) -> Csd:
    """Return the descriptor that a bank's `record` of `id` holds.

    Args:
        id: the descriptor's id, which is a digest of its record.
        record: the canonical JSON that `insert` wrote.
        where: the bank's name in messages.

    Raises:
        BankError: on a record that is not what `id` was made from, or no descriptor of this release.
    """
    # The text as it stands is what was digested, so a damaged record is found without reading it.
    found = id_of(record)
    if found != id:
        raise BankError(
            f"expected the record of descriptor {id} in {where} as it was written; got {len(record)} "
            f"characters whose content has the id {found}. The record was damaged or altered: restore the "
            f"file from a copy, or remove the descriptor and describe its episode again."
        )
    try:
        return _read(record)
    except ValidationError as error:
        raise BankError(
            f"expected the record of descriptor {id} in {where} to be a descriptor; got {error}. "
            f"Use the echo-memory release that wrote it, or describe its episode again."
        ) from error


def draft_held(id: str, record: str, where: str) -> Draft:
    """Return the descriptor that a bank's `record` of `id` holds, as `insert` got it; see `parse`."""
    csd = parse(id, record, where)
    said = (csd.struct, csd.attr, csd.proc, csd.func, csd.inter)
    present = sum([1 << place for place, statements in enumerate(said) if statements])
    return Draft(id=id, csd=csd, record=record, present=present)


def read_vectors(
    blob: bytes, present: int, dimension: int, id: str, where: str, checksum: int | None = None
) -> dict[Axis, Vector]:
    """Return the vectors of a row: axis in canonical order -> (d,) float32; see `read_halves`.

    Raises:
        BankError: on a blob that is damaged.
    """
    halves = read_halves(blob, present, dimension, id, where, checksum)
    try:
        rows = unit_rows(halves, dimension, f"descriptor {id} in {where}", STORED_TOLERANCE)
    except ValueError as error:
        raise BankError(
            f"{error} The file is damaged: restore it from a copy, or embed its records anew: "
            f"echo-memory reembed {where}."
        ) from error
    return {AXES[place]: row for place, row in zip(axes_in(present), rows, strict=True)}

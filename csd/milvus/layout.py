"""What a Milvus collection holds for each descriptor, and how it is written and read back.

An axis without content has a zero vector, which every search leaves out by a flag: a vector field that may
be null is newer than many clusters, and the local edition lets null match with a cosine of 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from csd.axes import AXES, Axis
from csd.descriptor import canonical_json
from csd.milvus.condition import FOREVER, mark, token
from csd.protocol import Filing, Version
from csd.score import Vector
from csd.store.changes import axes_in, read_halves
from csd.store.errors import BankError
from csd.store.rows import Draft
from csd.store.where import microseconds, time_of

Row = dict[str, Any]
"""One entity: field -> value."""

VERSION = ("id", "valid_from", "superseded_step", "superseded_by", "recorded", "superseded_at")
"""The fields that a `Version` is read from."""

FIELDS = (
    *VERSION,
    *(axis.value for axis in AXES),
    *(f"has_{axis}" for axis in AXES),
    *("success", "task", "verb", "product", "world", "biome", "step", "x", "z"),
    *("record", "filed", "filings", "derived_from"),
)
"""Every field of a collection."""

PIECE_CHARACTERS = 60_000
"""A record is kept in pieces: a VARCHAR ends at 65,535 bytes."""

MARKS = 4096
"""Most elements of an ARRAY."""

_FILINGS_BYTES = 65_535


def new_row(one: Draft, halves: bytes, dimension: int, at: int, valid_from: int | None) -> Row:
    """Return the entity of a new descriptor, filed under no one yet.

    Args:
        one: the descriptor.
        halves: its vectors, (axes with content, d) float16.
        dimension: d.
        at: when it is filed first, microseconds since 1970 UTC.
        valid_from: world step from which it holds; None for its own step.

    Raises:
        BankError: on a step beyond 64 bits.
    """
    meta = one.csd.meta
    start = meta.step if valid_from is None else valid_from
    if not all(-FOREVER <= step < FOREVER for step in (meta.step, start)):
        raise BankError(f"expected steps within 64 bits in {one.id}; got {meta.step} and {start}.")
    places = axes_in(one.present)
    block = np.zeros((len(AXES), dimension), dtype=np.float32)
    block[places] = read_halves(halves, one.present, dimension, one.id, "a new descriptor")
    row: Row = {axis.value: block[place] for place, axis in enumerate(AXES)}
    row.update({f"has_{axis}": place in places for place, axis in enumerate(AXES)})
    row.update({name: token(getattr(meta, name)) for name in ("task", "verb", "product", "world", "biome")})
    row.update(
        id=one.id,
        success=meta.success,
        step=meta.step,
        x=meta.position[0],
        z=meta.position[2],
        recorded=at,
        valid_from=start,
        superseded_step=FOREVER,
        superseded_by="",
        superseded_at=0,
        record=[one.record[i : i + PIECE_CHARACTERS] for i in range(0, len(one.record), PIECE_CHARACTERS)],
        filed=[],
        filings="[]",
        derived_from=[],
    )
    return row


def file_under(row: Row, said: Filing, at: int) -> bool:
    """File the descriptor of `row` as `said`, at microseconds `at`; return whether that changed anything.

    Raises:
        BankError: on more filings and tags than an entity can hold.
    """
    before = filings_of(row)
    known = {(one.agent, one.life): one for one in before}
    first = known.get((said.agent, said.life))
    tags = tuple(sorted({*said.tags, *(first.tags if first else ())}))
    if first is not None and first.tags == tags:
        return False
    recorded = time_of(at) if first is None else first.recorded
    known[said.agent, said.life] = Filing(agent=said.agent, life=said.life, tags=tags, recorded=recorded)
    every = [known[who] for who in sorted(known)]
    row["filings"] = canonical_json(
        [[one.agent, one.life, microseconds(one.moment()), list(one.tags)] for one in every]
    )
    row["filed"] = sorted(set(_marks(every)))
    if len(row["filings"]) > _FILINGS_BYTES or len(row["filed"]) > MARKS:
        raise BankError(
            f"expected filings of {row['id']} that fit {_FILINGS_BYTES} bytes and {MARKS} marks in Milvus; "
            f"got {len(row['filings'])} bytes and {len(row['filed'])}. Use fewer or shorter tags."
        )
    return True


def filings_of(row: Mapping[str, Any]) -> list[Filing]:
    """Return who remembers the descriptor of `row`, by agent and life."""
    return [
        Filing(agent=agent, life=life, tags=tuple(tags), recorded=time_of(at))
        for agent, life, at, tags in json.loads(row["filings"])
    ]


def record_of(row: Mapping[str, Any]) -> str:
    """Return the canonical JSON that `row` holds."""
    return "".join(row["record"])


def vectors_of(row: Mapping[str, Any], axes: Iterable[Axis] = AXES) -> dict[Axis, Vector]:
    """Return the vectors of `row` on those of `axes` that have content, in the order given."""
    return {axis: np.array(row[axis.value], dtype=np.float32) for axis in axes if row[f"has_{axis}"]}


def version_of(row: Mapping[str, Any]) -> Version:
    """Return the state of a belief that `row` holds."""
    current = row["superseded_step"] == FOREVER
    return Version(
        id=row["id"],
        valid_from=row["valid_from"],
        superseded_step=None if current else row["superseded_step"],
        superseded_by=row["superseded_by"] or None,
        recorded=time_of(row["recorded"]),
        superseded_at=None if current else time_of(row["superseded_at"]),
    )


def size_of(row: Mapping[str, Any]) -> int:
    """Return about how many bytes `row` takes in a request."""
    vectors = 4 * sum(len(row[axis.value]) for axis in AXES)
    return 1024 + vectors + sum(map(len, row["record"])) + len(row["filings"]) + 64 * len(row["filed"])


def _marks(filings: Sequence[Filing]) -> Iterable[str]:
    for one in filings:
        for agent in (one.agent, None):
            for life in (one.life, None):
                yield mark(agent, life)
                yield from (mark(agent, life, tag) for tag in one.tags)

"""Rows of a bank file: writing a descriptor, reading vectors back, and choosing rows by circumstance."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import ValidationError

from csd.axes import AXES, Axis
from csd.descriptor import Csd, id_of
from csd.graph import edges_of
from csd.index import Entry
from csd.score import Vector, unit_rows
from csd.tables import BankError


@dataclass(frozen=True, kw_only=True, slots=True)
class Where:
    """Which descriptors to choose from, decided before the best are chosen; None asks nothing."""

    success: bool | None = None
    verbs: tuple[str, ...] | None = None
    products: tuple[str, ...] | None = None
    world: str | None = None
    before_step: int | None = None
    """Only experience that began before this world step."""

    def sql(self) -> tuple[str, list[object]]:
        """Return the query for the rows that pass, and its values."""
        tests: list[tuple[str, Sequence[object]]] = []
        if self.success is not None:
            tests.append(("success = ?", (self.success,)))
        for column, chosen in (("verb", self.verbs), ("product", self.products)):
            if chosen is not None:
                tests.append((f"{column} IN ({', '.join('?' * len(chosen))})", chosen))
        if self.world is not None:
            tests.append(("world = ?", (self.world,)))
        if self.before_step is not None:
            tests.append(("step < ?", (self.before_step,)))
        condition = " AND ".join(test for test, _ in tests) or "TRUE"
        return f"SELECT row FROM csd WHERE {condition}", [value for _, values in tests for value in values]


ENTRIES = (
    "SELECT csd.row, id, axis, vector FROM csd JOIN vector USING (row) WHERE csd.row {} ORDER BY csd.row"
)
"""The vectors of the rows that pass a test on their number, as `entries` reads them."""


def insert(run: sqlite3.Connection, id: str, csd: Csd, record: str, vectors: Mapping[Axis, Vector]) -> None:
    """Write one descriptor with its vectors, edges and episodes, inside the caller's transaction.

    An id that is there already (another process was faster) is left alone.
    """
    meta = csd.meta
    row = run.execute(
        "INSERT INTO csd (id, record, success, verb, product, world, biome, step) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING row",
        (id, record, meta.success, meta.verb, meta.product, meta.world, meta.biome, meta.step),
    ).fetchone()
    if row is None:
        return
    run.executemany(
        "INSERT INTO vector VALUES (?, ?, ?)",
        [(*row, axis.value, vector.astype("<f4").tobytes()) for axis, vector in vectors.items()],
    )
    run.executemany(
        "INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?)",
        [
            (*row, edge.axis.value, edge.place, edge.source, edge.predicate, edge.target)
            for edge in edges_of(csd)
        ],
    )
    run.executemany("INSERT OR IGNORE INTO episode VALUES (?, ?)", [(*row, name) for name in meta.episodes])
    run.execute("INSERT INTO change (kind, row, id) VALUES ('add', ?, ?)", (*row, id))


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
        return Csd.from_json(record)
    except ValidationError as error:
        raise BankError(
            f"expected the record of descriptor {id} in {where} to be a descriptor; got {error}. "
            f"Use the echo-memory release that wrote it, or describe its episode again."
        ) from error


def entries(found: Iterable[tuple[int, str, str, bytes]], dimension: int, where: str) -> list[Entry]:
    """Return what the query `ENTRIES` found as entries of an index.

    Args:
        found: (row, id, axis, vector blob), the rows of one descriptor together.
        dimension: the bank's vector length.
        where: the bank's name in messages.

    Raises:
        BankError: on a blob that is no finite unit vector of that length.
    """
    blobs: dict[tuple[int, str], dict[str, bytes]] = {}
    for row, id, axis, blob in found:
        blobs.setdefault((row, id), {})[axis] = blob
    return [
        Entry(
            row=row,
            id=id,
            vectors={
                axis: _vector(parts[axis], dimension, f"the {axis.value} vector of {id} in {where}")
                for axis in AXES
                if axis in parts
            },
        )
        for (row, id), parts in blobs.items()
    ]


def _vector(blob: bytes, dimension: int, source: str) -> Vector:
    try:
        if len(blob) != 4 * dimension:
            raise ValueError(f"expected {4 * dimension} bytes in {source}; got {len(blob)}.")
        checked: Vector = unit_rows(np.frombuffer(blob, dtype="<f4")[None], dimension, source)[0]
    except ValueError as error:
        raise BankError(
            f"{error} The file is damaged: restore it from a copy, or embed its records anew with "
            f"csd.reembed.reembed(path, encoder)."
        ) from error
    return checked

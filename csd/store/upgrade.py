"""Bringing a bank file of an older format up to date, inside one transaction."""

from __future__ import annotations

import json
import sqlite3
import time
from typing import Any

import numpy as np

from csd.axes import AXES
from csd.store.changes import record_changes, vector_row
from csd.store.errors import BankError
from csd.store.schema import SCHEMA

UPGRADABLE = (1,)
"""Older formats that are understood."""

_KEPT = ("meta", "episode", "link", "credit", "failure")
"""Tables of format 1 whose rows are the same in format 2."""


def upgrade(connection: sqlite3.Connection, where: str) -> None:
    """Bring the tables of format 1 to format 2, inside the caller's transaction.

    Vectors are rounded to float16; when each record was filed is not known, so it is now. Edges are left
    out: they are made from the records.

    Raises:
        BankError: on a record or vector that cannot be read; nothing is changed then.
    """
    records = connection.execute("SELECT row, id, record FROM csd ORDER BY row").fetchall()
    kept = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in _KEPT}
    vectors = _vectors(connection, where)
    newest = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'csd'").fetchone()
    for name in ("vector", "edge", "episode", "link", "credit", "failure", "change", "csd", "meta"):
        connection.execute(f"DROP TABLE {name}")
    for statement in SCHEMA.split(";"):
        connection.execute(statement)
    now = time.time_ns() // 1000
    connection.executemany(
        "INSERT INTO csd VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL, ?)",
        [(row, id, *_facets(id, record, now, where), record) for row, id, record in records],
    )
    connection.executemany(
        "INSERT INTO vector VALUES (?, ?, ?, ?)",
        [vector_row(row, *found) for row, found in vectors.items()],
    )
    connection.executemany("INSERT INTO filing VALUES (?, '', '', ?)", [(row, now) for row, _, _ in records])
    for name, rows in kept.items():
        marks = ", ".join("?" * len(rows[0])) if rows else ""
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    if newest:
        # Rows are never used twice, not even those of descriptors removed long ago.
        connection.execute("DELETE FROM sqlite_sequence WHERE name = 'csd'")
        connection.execute("INSERT INTO sqlite_sequence VALUES ('csd', ?)", newest)
    record_changes(connection, "add", [(row, id) for row, id, _ in records])


def _vectors(connection: sqlite3.Connection, where: str) -> dict[int, tuple[int, bytes]]:
    found: dict[int, dict[str, bytes]] = {}
    for row, axis, blob in connection.execute("SELECT row, axis, vector FROM vector"):
        if len(blob) % 4:
            raise BankError(
                f"expected whole float32 vectors in {where}; got {len(blob)} bytes in row {row}. "
                f"Restore the file from a copy."
            )
        found.setdefault(row, {})[axis] = np.frombuffer(blob, dtype="<f4").astype("<f2").tobytes()
    return {
        row: (
            sum(1 << place for place, axis in enumerate(AXES) if axis in parts),
            b"".join(parts[axis] for axis in AXES if axis in parts),
        )
        for row, parts in found.items()
    }


def _facets(id: str, record: str, now: int, where: str) -> tuple[object, ...]:
    try:
        meta: dict[str, Any] = json.loads(record)["meta"]
        x, _, z = meta["position"]
        names = ("success", "task", "verb", "product", "world", "biome", "step")
        return (*(meta[name] for name in names), x, z, now, meta["step"])
    except (ValueError, KeyError, TypeError) as error:
        raise BankError(
            f"expected the record of descriptor {id} in {where} to be a descriptor; got {error!r}. "
            f"Restore the file from a copy; it was left as it is."
        ) from error

"""Write a whole bank to an archive, as it stands at one moment; `csd.upkeep.intake` reads it back."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from csd.axes import AXES
from csd.descriptor import canonical_json, id_of
from csd.store.changes import axes_in
from csd.store.errors import BankError
from csd.store.file import identity_of, moment
from csd.store.links import LinkKind
from csd.store.rows import read_vectors
from csd.store.where import time_of
from csd.upkeep.archive import ArchiveWriter

Progress = Callable[[int, int], None]
"""Called with how many descriptors are done, and how many there are."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Exported:
    """What an archive holds."""

    descriptors: int
    links: int
    """Without those that say what supersedes what: they stand with the descriptors."""
    credit: int
    """Pairs of descriptor and axis."""
    failures: int


def export_bank(
    connection: sqlite3.Connection, where: str, target: Path, *, progress: Progress | None = None
) -> Exported:
    """Write everything that an open bank holds to an archive at `target`, whole or not at all.

    Others may go on writing to the bank meanwhile; what they write is not in it. Equal banks, filled in
    the same order, give equal bytes.

    Args:
        connection: an open bank file.
        where: its name in messages.
        target: the archive, compressed if its name ends in .gz; an older archive there is replaced.
        progress: told after each descriptor.

    Raises:
        BankError: if `target` is a file of another kind or cannot be written, or the bank holds
            something that could not be read again.
    """
    with ArchiveWriter(target) as archive, moment(connection, where):
        counts = _counts(connection)
        identity = identity_of(connection)
        made_with = {
            "name": identity.encoder,
            "dimension": identity.dimension,
            "rendering": identity.rendering,
        }
        header = {"archive": "echo-memory bank", "format": 1, "tool": _version()}
        sizes = {name: getattr(counts, name) for name in Exported.__dataclass_fields__}
        archive.write(canonical_json({**header, "encoder": made_with, "counts": sizes}))
        for done, line in enumerate(_descriptors(connection, identity.dimension, where), start=1):
            archive.write(line)
            if progress is not None:
                progress(done, counts.descriptors)
        for line in _ties(connection, where):
            archive.write(line)
    return counts


def _counts(connection: sqlite3.Connection) -> Exported:
    def count(sql: str) -> int:
        found: int = connection.execute(f"SELECT count(*) FROM {sql}").fetchone()[0]
        return found

    return Exported(
        descriptors=count("csd"),
        links=count(f"link WHERE kind != '{LinkKind.SUPERSEDES}'"),
        credit=count("credit"),
        failures=count("failure"),
    )


def _version() -> str:
    try:
        return version("echo-memory")
    except PackageNotFoundError:
        return "unknown"


def _descriptors(connection: sqlite3.Connection, dimension: int, where: str) -> Iterator[str]:
    for row, id, record, recorded, valid_from, step, by, at, present, halves, checksum in connection.execute(
        "SELECT row, id, record, recorded, valid_from, superseded_step, superseded_by, superseded_at, "
        "present, halves, checksum FROM csd LEFT JOIN vector USING (row) ORDER BY row"
    ):
        axes = _axes_said(id, record, where)
        if present is None or axes_in(present) != axes:
            raise _damaged(id, "vectors on the axes that have content", "other ones, or none", where)
        if (step is None) != (at is None) or (by is not None and at is None):
            raise _damaged(id, "what it says on being superseded", "a part of it", where)
        read_vectors(halves, present, dimension, id, where, checksum)
        width = 2 * dimension
        vectors = {
            AXES[axis].value: base64.b64encode(halves[place * width : (place + 1) * width]).decode()
            for place, axis in enumerate(axes)
        }
        superseded = None if at is None else {"at": _iso(at, id, where), "by": by, "step": step}
        head = {"csd": id, "filings": _filings(connection, row, id, where)}
        tail = {
            "recorded": _iso(recorded, id, where),
            "superseded": superseded,
            "valid_from": valid_from,
            "vectors": vectors,
        }
        # The record goes in as it is: reading and writing it again would take most of the time.
        yield f'{canonical_json(head)[:-1]},"record":{record},{canonical_json(tail)[1:]}'


def _axes_said(id: str, record: str, where: str) -> list[int]:
    """Return the places in `AXES` of what a record speaks about, once it is sure to be read back equal."""
    try:
        said = json.loads(record)
        if id_of(record) == id and canonical_json(said) == record:
            return [place for place, axis in enumerate(AXES) if said[axis.value]]
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise _damaged(id, "its record as it was written", "another content", where)


def _filings(connection: sqlite3.Connection, row: int, id: str, where: str) -> list[dict[str, Any]]:
    tags: dict[tuple[str, str], list[str]] = {}
    for agent, life, tag in connection.execute(
        "SELECT agent, life, tag FROM tag WHERE row = ? ORDER BY agent, life, tag", (row,)
    ):
        tags.setdefault((agent, life), []).append(tag)
    filed = connection.execute(
        "SELECT agent, life, recorded FROM filing WHERE row = ? ORDER BY agent, life", (row,)
    ).fetchall()
    if any(who not in {(agent, life) for agent, life, _ in filed} for who in tags):
        raise _damaged(id, "tags of filings", "tags without one", where)
    return [
        {
            "agent": agent,
            "life": life,
            "recorded": _iso(recorded, id, where),
            "tags": tags.get((agent, life), []),
        }
        for agent, life, recorded in filed
    ]


def _ties(connection: sqlite3.Connection, where: str) -> Iterator[str]:
    for source, kind, target in connection.execute(
        "SELECT a.id, kind, b.id FROM link JOIN csd a ON a.row = source JOIN csd b ON b.row = target "
        "WHERE kind != ? ORDER BY source, kind, target",
        (LinkKind.SUPERSEDES,),
    ):
        yield canonical_json({"link": [source, kind, target]})
    for id, axis, successes, failures in connection.execute(
        "SELECT id, axis, successes, failures FROM credit JOIN csd USING (row) ORDER BY row, axis"
    ):
        yield canonical_json({"credit": id, "axis": axis, "successes": successes, "failures": failures})
    for number, key, conditions, step, used in connection.execute(
        "SELECT number, key, conditions, step, used FROM failure ORDER BY number"
    ):
        try:
            said = {"conditions": json.loads(conditions), "used": json.loads(used)}
        except ValueError as error:
            raise _damaged(f"failure {number}", "JSON", str(error), where) from error
        yield canonical_json({"failure": number, "key": key, "step": step, **said})


def _iso(stored: int, id: str, where: str) -> str:
    try:
        return time_of(stored).isoformat()
    except OverflowError as error:
        raise _damaged(id, "times of this era", f"{stored} microseconds since 1970", where) from error


def _damaged(id: str, expected: str, got: str, where: str) -> BankError:
    return BankError(
        f"expected {expected} of {id} in {where}; got {got}. The bank is damaged: "
        f"run echo-memory doctor --repair on it and export it then."
    )

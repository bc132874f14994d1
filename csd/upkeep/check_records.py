"""Faults of single descriptors: damaged records, and columns, episodes, vectors that do not follow them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from csd.descriptor import id_of
from csd.embed import embed_descriptors, identity_for
from csd.store.changes import axes_in, record_changes, vector_row
from csd.store.errors import BankError
from csd.store.rows import Draft, draft_held, facets, given_halves, read_vectors
from csd.upkeep.findings import Check, Finding, Patient

_COLUMNS = ("success", "task", "verb", "product", "world", "biome", "step", "x", "z")
_HANGING = ("vector", "episode", "filing", "tag", "credit")
_CHUNK = 64
_VECTOR_KINDS = ("missing vector", "damaged vector", "vector axes", "wrong dimension")


def find_records(patient: Patient) -> Iterator[Finding]:
    """Yield descriptors that are damaged, or whose columns, episodes or vectors do not follow from them."""
    run = patient.connection
    for row, id, record, present, halves, checksum, *held in run.execute(
        f"SELECT row, id, record, present, halves, checksum, {', '.join(_COLUMNS)} "
        "FROM csd LEFT JOIN vector USING (row) ORDER BY row"
    ):
        try:
            draft = draft_held(id, record, patient.where)
        except BankError as error:
            yield _unreadable(row, id, record, error)
            continue
        if tuple(held) != facets(draft.csd):
            wrong = [name for name, a, b in zip(_COLUMNS, held, facets(draft.csd), strict=True) if a != b]
            yield Finding(
                kind="columns",
                where=id,
                what=f"expected the columns {', '.join(wrong)} to say what the record says; got others",
                repair="write them anew from the record",
                row=row,
            )
        episodes = [one for (one,) in run.execute("SELECT episode FROM episode WHERE row = ?", (row,))]
        if sorted(episodes) != sorted(set(draft.csd.meta.episodes)):
            yield Finding(
                kind="episode rows",
                where=id,
                what=f"expected the episodes {', '.join(draft.csd.meta.episodes)}; got {episodes}",
                repair="write them anew from the record",
                row=row,
            )
        yield from _vector_faults(patient, row, draft, (present, halves, checksum))


def mend_records(patient: Patient, findings: list[Finding]) -> list[str]:
    """Put damaged records aside; derive anew what follows from a record."""
    done, without = [], []
    for finding in findings:
        match finding.kind:
            case "damaged record":
                _take_out(patient, finding.row, finding.where)
                done.append(f"put the damaged record {finding.where} aside, with all that hung on it")
            case "columns":
                names = ", ".join(f"{name} = ?" for name in _COLUMNS)
                values = facets(_held(patient, finding).csd)
                patient.connection.execute(f"UPDATE csd SET {names} WHERE row = ?", (*values, finding.row))
                done.append(f"wrote the columns of {finding.where} anew from its record")
            case "episode rows":
                episodes = _held(patient, finding).csd.meta.episodes
                patient.connection.execute("DELETE FROM episode WHERE row = ?", (finding.row,))
                patient.connection.executemany(
                    "INSERT OR IGNORE INTO episode VALUES (?, ?)", [(finding.row, one) for one in episodes]
                )
                done.append(f"wrote the episodes of {finding.where} anew from its record")
            case _ if finding.mendable:
                without.append(finding)
    return [*done, *_embed(patient, without)]


def _unreadable(row: int, id: str, record: str, error: BankError) -> Finding:
    if id_of(record) == id:
        return Finding(
            kind="unknown record",
            where=id,
            what=str(error),
            repair="left: it is as it was written, by another release. Use that one",
            mendable=False,
            row=row,
        )
    return Finding(
        kind="damaged record",
        where=id,
        what=str(error),
        repair="put it aside with all that hangs on it, and remove it from the bank",
        row=row,
    )


def _vector_faults(
    patient: Patient, row: int, draft: Draft, stored: tuple[int | None, bytes, int]
) -> Iterator[Finding]:
    (present, halves, checksum), dimension = stored, patient.identity.dimension
    axes = axes_in(draft.present)
    kind, got = "", ""
    if present is None:
        kind, got = "missing vector", "none"
    elif present != draft.present:
        kind, got = "vector axes", f"vectors on {len(axes_in(present))} other axes"
    elif len(halves) != 2 * dimension * len(axes):
        whole = len(halves) % (2 * len(axes)) == 0 and len(halves) > 0
        kind = "wrong dimension" if whole else "damaged vector"
        got = f"{len(halves)} bytes" + (
            f", vectors of {len(halves) // 2 // len(axes)} numbers" if whole else ""
        )
    else:
        try:
            read_vectors(halves, present, dimension, draft.id, patient.where, checksum)
        except BankError as error:
            kind, got = "damaged vector", str(error)
    if kind:
        can = patient.encoder is not None and identity_for(patient.encoder) == patient.identity
        yield Finding(
            kind=kind,
            where=draft.id,
            what=f"expected unit vectors of {dimension} numbers on {len(axes)} axes; got {got}",
            repair="embed its texts anew"
            if can
            else f"left: it takes the encoder {patient.identity.encoder!r} to make it anew",
            mendable=can,
            row=row,
        )


def _held(patient: Patient, finding: Finding) -> Draft:
    (record,) = patient.connection.execute("SELECT record FROM csd WHERE row = ?", (finding.row,)).fetchone()
    return draft_held(finding.where, record, patient.where)


def _embed(patient: Patient, findings: list[Finding]) -> list[str]:
    if patient.encoder is None:
        return []
    for start in range(0, len(findings), _CHUNK):
        chunk = findings[start : start + _CHUNK]
        drafts = [_held(patient, finding) for finding in chunk]
        vectors = embed_descriptors([one.csd for one in drafts], patient.encoder)
        for finding, draft, blob in zip(
            chunk, drafts, given_halves(drafts, vectors, patient.encoder), strict=True
        ):
            patient.aside.keep_rows(
                finding.kind,
                patient.connection.execute("SELECT * FROM vector WHERE row = ?", (finding.row,)),
            )
            patient.connection.execute(
                "INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?)",
                vector_row(finding.row, draft.present, blob),
            )
        patient.stale = True
    return [f"embedded the texts of {finding.where} anew" for finding in findings]


def _take_out(patient: Patient, row: int, id: str) -> None:
    run = patient.connection
    patient.aside.keep_rows("damaged record", run.execute("SELECT * FROM csd WHERE row = ?", (row,)))
    for table in _HANGING:
        patient.aside.keep_rows(
            f"{table} of {id}", run.execute(f"SELECT * FROM {table} WHERE row = ?", (row,))
        )
    patient.aside.keep_rows(f"link of {id}", _links(run, row))
    patient.aside.keep_rows(
        f"superseded by {id}",
        run.execute("SELECT id, superseded_by FROM csd WHERE superseded_by = ?", (id,)),
    )
    run.execute("DELETE FROM csd WHERE row = ?", (row,))
    run.execute("UPDATE csd SET superseded_by = NULL WHERE superseded_by = ?", (id,))
    record_changes(run, "remove", [(row, id)])


def _links(run: sqlite3.Connection, row: int) -> sqlite3.Cursor:
    return run.execute(
        "SELECT a.id AS source, kind, b.id AS target FROM link LEFT JOIN csd a ON a.row = source "
        "LEFT JOIN csd b ON b.row = target WHERE source = ? OR target = ?",
        (row, row),
    )


RECORD_CHECKS = (Check(find=find_records, mend=mend_records),)

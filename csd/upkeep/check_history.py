"""Faults of a bank's history, which caches follow: a broken chain, or one that tells of another bank."""

from __future__ import annotations

from collections.abc import Iterator

from csd.store.changes import START, link_of, record_changes
from csd.upkeep.findings import Check, Finding, Patient

_BLOCK = 10_000
_REPAIR = "tell it anew from what is held; caches are made again"


def find_history(patient: Patient) -> Iterator[Finding]:
    """Yield where the history is not what led to what the bank holds."""
    run = patient.connection
    chain = START
    first = None
    for sequence, kind, row, id, salt, told in run.execute(
        "SELECT sequence, kind, row, id, salt, chain FROM change ORDER BY sequence"
    ):
        # What was before the first change that is kept is forgotten, its digest is not.
        known = first is not None or sequence == 1
        first = sequence if first is None else first
        if known and link_of(chain, kind, row, id, salt) != told:
            yield _finding(f"change {sequence}", "the digest of all changes up to it", "another one")
            break
        chain = told
    for id, kind, row in run.execute(
        "SELECT told.id, told.kind, told.row FROM "
        "(SELECT row, id, kind, max(sequence) FROM change GROUP BY row) told LEFT JOIN csd USING (row) "
        "WHERE (told.kind = 'remove') != (csd.row IS NULL) OR (csd.row IS NOT NULL AND "
        "(csd.id != told.id OR (told.kind = 'retire') != (superseded_at IS NOT NULL))) ORDER BY told.row"
    ):
        yield _finding(id, f"what is left by its last change, {kind!r} in row {row}", "something else")
    if first in (None, 1):
        for (id,) in run.execute("SELECT id FROM csd WHERE row NOT IN (SELECT row FROM change) ORDER BY row"):
            yield _finding(id, "a change that added it", "none")


def mend_history(patient: Patient, findings: list[Finding]) -> list[str]:
    """Tell the history anew, as if all that is held had been added in this moment."""
    if not findings:
        return []
    run = patient.connection
    run.execute("DELETE FROM change")
    last = 0
    while held := run.execute(
        "SELECT row, id, superseded_at FROM csd WHERE row > ? ORDER BY row LIMIT ?", (last, _BLOCK)
    ).fetchall():
        record_changes(run, "add", [(row, id) for row, id, _ in held])
        record_changes(run, "retire", [(row, id) for row, id, at in held if at is not None])
        last = held[-1][0]
    patient.stale = True
    return ["told the history anew from what is held"]


def _finding(where: str, expected: str, got: str) -> Finding:
    return Finding(kind="history", where=where, what=f"expected {expected}; got {got}", repair=_REPAIR)


HISTORY_CHECKS = (Check(find=find_history, mend=mend_history),)

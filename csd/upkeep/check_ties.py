"""Faults of what hangs on descriptors: links, corrections, filings, credit and failures."""

from __future__ import annotations

import json
from collections.abc import Iterator

from csd.axes import AXES
from csd.store.links import LinkKind
from csd.store.where import time_of
from csd.upkeep.findings import Check, Finding, Patient
from csd.upkeep.states import circles, missing_supersedes, settle_supersedes, wrong_supersedes

_KINDS = ", ".join(f"'{kind}'" for kind in LinkKind)
_BAD_LINK = f"(kind NOT IN ({_KINDS}) OR source = target)"
_BAD_CREDIT = (
    f"(axis NOT IN ({', '.join(repr(axis.value) for axis in AXES)}) "
    "OR NOT (successes BETWEEN 0 AND 1e300) OR NOT (failures BETWEEN 0 AND 1e300))"
)
_HALF = (
    "((superseded_step IS NULL) != (superseded_at IS NULL) "
    "OR (superseded_by IS NOT NULL AND superseded_at IS NULL))"
)
_LOST = "superseded_by IS NOT NULL AND superseded_by NOT IN (SELECT id FROM csd)"
_STATE = "id, valid_from, superseded_step, superseded_by, superseded_at"


def find_links(patient: Patient) -> Iterator[Finding]:
    """Yield links of no known kind, and credit that cannot be."""
    for source, kind, target in patient.connection.execute(
        f"SELECT source, kind, target FROM link WHERE {_BAD_LINK} ORDER BY source, kind, target"
    ):
        yield Finding(
            kind="unknown link",
            where=f"link {source} {kind} {target}",
            what=f"expected a link out of {_KINDS} of two descriptors; got {kind!r} of {source} and {target}",
            repair="put it aside",
        )
    for row, axis, good, bad in patient.connection.execute(
        f"SELECT row, axis, successes, failures FROM credit WHERE {_BAD_CREDIT} ORDER BY row, axis"
    ):
        yield Finding(
            kind="impossible credit",
            where=f"credit, row {row}",
            what=f"expected finite shares >= 0 on an axis; got {good} and {bad} on {axis!r}",
            repair="put it aside",
        )


def mend_links(patient: Patient, findings: list[Finding]) -> list[str]:
    """Put aside what cannot be."""
    done = []
    for table, condition in (("link", _BAD_LINK), ("credit", _BAD_CREDIT)):
        rows = patient.connection.execute(f"SELECT * FROM {table} WHERE {condition}")
        patient.aside.keep_rows(f"impossible {table}", rows)
        gone = patient.connection.execute(f"DELETE FROM {table} WHERE {condition}").rowcount
        if gone:
            done.append(f"put aside {gone} rows of the table {table} that cannot be")
    return done if findings else []


def find_states(patient: Patient) -> Iterator[Finding]:
    """Yield corrections that are half there, lead nowhere, or go in a circle."""
    run = patient.connection
    for id, later in run.execute(f"SELECT id, superseded_by FROM csd WHERE {_LOST} ORDER BY id"):
        yield Finding(
            kind="lost correction",
            where=id,
            what=f"expected what superseded it, {later}; got no such descriptor",
            repair="leave it superseded, by one that was removed",
        )
    for id, later in run.execute(f"SELECT id, superseded_by FROM csd WHERE {_HALF} ORDER BY id"):
        yield Finding(
            kind="half superseded",
            where=id,
            what="expected step and time of being superseded, or neither; got a part of them",
            repair=f"complete it from {later}, where that is held; make it current otherwise",
        )
    for ring in circles(run):
        yield Finding(
            kind="circle",
            where=ring[0],
            what=f"expected corrections with a newest one; got a circle of {', '.join(ring)}",
            repair="open it where it was closed last; that one stays superseded",
        )
    for new, old in missing_supersedes(run):
        yield Finding(
            kind="missing link",
            where=old,
            what=f"expected a link that {new} supersedes it; got none",
            repair="write the link",
        )
    for new, old in wrong_supersedes(run):
        yield Finding(
            kind="wrong link",
            where=old,
            what=f"expected it to say that {new} superseded it, as a link does; got something else",
            repair="put the link aside",
        )


def mend_states(patient: Patient, findings: list[Finding]) -> list[str]:
    """Complete, open or cut, in the order of `find_states`; what was said before is put aside."""
    run, done = patient.connection, []
    for finding in findings:
        if finding.kind not in ("missing link", "wrong link"):
            rows = run.execute(f"SELECT {_STATE} FROM csd WHERE id = ?", (finding.where,))
            patient.aside.keep_rows(finding.kind, rows)
            done.append(f"mended the state of {finding.where} ({finding.kind}); what it said is put aside")
    run.execute(f"UPDATE csd SET superseded_by = NULL WHERE {_LOST}")
    # As `supersede` does it: a correction takes over at the step from which it holds, when it is recorded.
    run.execute(
        "UPDATE csd SET superseded_step = coalesce(csd.superseded_step, new.valid_from), "
        "superseded_at = coalesce(csd.superseded_at, new.recorded) FROM csd new "
        f"WHERE new.id = csd.superseded_by AND {_HALF.replace('superseded_', 'csd.superseded_')}"
    )
    run.execute(
        f"UPDATE csd SET superseded_step = NULL, superseded_at = NULL, superseded_by = NULL WHERE {_HALF}"
    )
    for ring in circles(run):
        run.execute(
            "UPDATE csd SET superseded_by = NULL WHERE id = (SELECT id FROM csd WHERE id IN "
            "(SELECT value FROM json_each(?)) ORDER BY superseded_at DESC, id LIMIT 1)",
            (json.dumps(ring),),
        )
    for new, old in wrong_supersedes(run):
        patient.aside.keep("wrong link", source=new, kind=LinkKind.SUPERSEDES.value, target=old)
    settle_supersedes(run)
    links = sum(finding.kind in ("missing link", "wrong link") for finding in findings)
    return [*done, f"made {links} links say what the descriptors say"] if links else done


def find_filings(patient: Patient) -> Iterator[Finding]:
    """Yield descriptors and tags that no one filed, times that cannot be, and steps in disorder."""
    run = patient.connection
    for row, id in run.execute(
        "SELECT row, id FROM csd WHERE row NOT IN (SELECT row FROM filing) "
        "OR row IN (SELECT row FROM tag t WHERE NOT EXISTS (SELECT 1 FROM filing f "
        "WHERE f.row = t.row AND f.agent = t.agent AND f.life = t.life)) ORDER BY row"
    ):
        yield Finding(
            kind="missing filing",
            where=id,
            what="expected a filing of the descriptor, and of each of its tags; got none",
            repair="file it, under no one if it has no tags, at the time it was first recorded",
            row=row,
        )
    for id, valid_from, step in run.execute(
        "SELECT id, valid_from, superseded_step FROM csd WHERE superseded_step < valid_from ORDER BY id"
    ):
        yield Finding(
            kind="state in disorder",
            where=id,
            what=f"expected it to be superseded at step {valid_from} or later; got step {step}",
            repair="left: which of the two steps is wrong is not known. It is found with no Where(as_of=...)",
            mendable=False,
        )
    for id, time in run.execute(
        "SELECT id, recorded FROM csd UNION ALL SELECT id, superseded_at FROM csd "
        "WHERE superseded_at IS NOT NULL "
        "UNION ALL SELECT id, filing.recorded FROM filing JOIN csd USING (row)"
    ):
        try:
            time_of(time)
        except OverflowError:
            yield Finding(
                kind="impossible time",
                where=id,
                what=f"expected a time in the years 1 to 9999; got {time} microseconds since 1970",
                repair="left: the right time is not known. Remove it (echo-memory csd rm), or restore a copy",
                mendable=False,
            )


def mend_filings(patient: Patient, findings: list[Finding]) -> list[str]:
    """File what no one filed."""
    rows = [(finding.row,) for finding in findings if finding.kind == "missing filing"]
    patient.connection.executemany(
        "INSERT OR IGNORE INTO filing SELECT DISTINCT row, agent, life, recorded "
        "FROM tag JOIN csd USING (row) WHERE row = ?",
        rows,
    )
    patient.connection.executemany(
        "INSERT INTO filing SELECT row, '', '', recorded FROM csd "
        "WHERE row = ? AND row NOT IN (SELECT row FROM filing)",
        rows,
    )
    return [f"filed {finding.where}" for finding in findings if finding.kind == "missing filing"]


def find_failures(patient: Patient) -> Iterator[Finding]:
    """Yield logged failures that cannot be read."""
    for number, conditions, used in patient.connection.execute(
        "SELECT number, conditions, used FROM failure ORDER BY number"
    ):
        try:
            said, names = json.loads(conditions), json.loads(used)
            whole = isinstance(said, dict) and isinstance(names, list)
            if whole and all(isinstance(name, str) for name in names):
                continue
            got = f"{conditions[:60]!r} and {used[:60]!r}"
        except (ValueError, RecursionError) as error:
            got = str(error)
        yield Finding(
            kind="unreadable failure",
            where=f"failure {number}",
            what=f"expected conditions and a list of ids in JSON; got {got}",
            repair="put it aside",
            row=number,
        )


def mend_failures(patient: Patient, findings: list[Finding]) -> list[str]:
    """Put aside failures that cannot be read."""
    for finding in findings:
        rows = patient.connection.execute("SELECT * FROM failure WHERE number = ?", (finding.row,))
        patient.aside.keep_rows(finding.kind, rows)
        patient.connection.execute("DELETE FROM failure WHERE number = ?", (finding.row,))
    return [f"put the unreadable {finding.where} aside" for finding in findings]


TIE_CHECKS = (
    Check(find=find_links, mend=mend_links),
    Check(find=find_states, mend=mend_states),
    Check(find=find_filings, mend=mend_filings),
    Check(find=find_failures, mend=mend_failures),
)

"""Faults of a bank file as such: damaged pages, missing tables, rows of descriptors that are not there."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

from csd.render import FORMAT
from csd.store.file import connect
from csd.upkeep.findings import Check, Finding, Patient

_CHILDREN = ("vector", "episode", "filing", "tag", "credit")
_UNMADE = ("csd", "meta")
"""Tables without which a file is no bank."""
_RESTORE = "left: restore the file from a copy, or build the bank again from the episodes"


def find_pages(patient: Patient) -> Iterator[Finding]:
    """Yield what SQLite itself finds wrong."""
    for (line,) in patient.connection.execute("PRAGMA integrity_check(100)"):
        if line != "ok":
            yield Finding(
                kind="file",
                where=patient.where,
                what=f"expected an undamaged SQLite file; got {line}",
                repair="build the file's indexes anew; if that is not enough, restore it from a copy",
            )


def mend_pages(patient: Patient, findings: list[Finding]) -> list[str]:
    """Build all indexes anew: the tables they were made from may be whole."""
    patient.connection.execute("REINDEX")
    return ["built the indexes of the file anew"] if findings else []


def find_tables(patient: Patient) -> Iterator[Finding]:
    """Yield tables and indexes that are missing or not as this release makes them."""
    held = _schema(patient.connection)
    with closing(connect(None, patient.identity)) as model:
        wanted = _schema(model)
    for name, (kind, sql) in wanted.items():
        if name not in held:
            made = name not in _UNMADE
            yield Finding(
                kind=f"missing {kind}",
                where=name,
                what=f"expected the {kind} {name} in {patient.where}; got none",
                repair="make it anew" + (", empty" if kind == "table" else "") if made else _RESTORE,
                mendable=made,
            )
        elif held[name] != (kind, sql):
            yield Finding(
                kind=f"altered {kind}",
                where=name,
                what=f"expected the {kind} {name} as this release makes it; got {held[name][1]!r}",
                repair="left: another program changed the file. Restore it from a copy",
                mendable=False,
            )


def mend_tables(patient: Patient, findings: list[Finding]) -> list[str]:
    """Make missing tables and indexes, the tables empty."""
    with closing(connect(None, patient.identity)) as model:
        wanted = _schema(model)
    missing = [finding.where for finding in findings if finding.mendable]
    for name in sorted(missing, key=lambda name: wanted[name][0] != "table"):
        patient.connection.execute(wanted[name][1])
    return [f"made the missing {wanted[name][0]} {name} anew" for name in missing]


def find_meta(patient: Patient) -> Iterator[Finding]:
    """Yield what is missing or out of date in what the bank says of itself."""
    if patient.connection.execute("SELECT 1 FROM meta WHERE key = 'epoch'").fetchone() is None:
        yield Finding(
            kind="epoch",
            where="meta",
            what=f"expected the name of the set of vectors in {patient.where}; got none",
            repair="give it a new one",
        )
    if patient.identity.rendering != FORMAT:
        yield Finding(
            kind="wording",
            where="meta",
            what=f"expected vectors of wording {FORMAT}; got those of wording {patient.identity.rendering}",
            repair=f"left: embed the records anew with echo-memory reembed {patient.where}",
            mendable=False,
        )
    for seq, newest in _row_counters(patient.connection):
        if seq < newest:
            yield Finding(
                kind="row counter",
                where="csd",
                what=f"expected row numbers to go on after {newest}; got {seq}: the next one would be in use",
                repair="set it to the greatest row there ever was",
            )


def mend_meta(patient: Patient, findings: list[Finding]) -> list[str]:
    """Give a new epoch and set the row counter."""
    done = []
    for finding in findings:
        if finding.kind == "epoch":
            patient.stale = True
            done.append("gave the bank a new epoch")
        elif finding.kind == "row counter":
            [(_, newest)] = _row_counters(patient.connection)
            patient.connection.execute("DELETE FROM sqlite_sequence WHERE name = 'csd'")
            patient.connection.execute("INSERT INTO sqlite_sequence VALUES ('csd', ?)", (newest,))
            done.append(f"set the counter of rows to {newest}")
    return done


def find_orphans(patient: Patient) -> Iterator[Finding]:
    """Yield rows that hang on descriptors which are not there."""
    for table in _CHILDREN:
        for (row,) in patient.connection.execute(
            f"SELECT row FROM {table} WHERE row NOT IN (SELECT row FROM csd) ORDER BY row"
        ):
            yield Finding(
                kind=f"{table} of no descriptor",
                where=f"{table}, row {row}",
                what=f"expected a descriptor in row {row} of {patient.where}; got none",
                repair="put it aside",
            )
    for source, kind, target in patient.connection.execute(
        "SELECT source, kind, target FROM link WHERE source NOT IN (SELECT row FROM csd) "
        "OR target NOT IN (SELECT row FROM csd)"
    ):
        yield Finding(
            kind="dangling link",
            where=f"link {source} {kind} {target}",
            what=f"expected descriptors in rows {source} and {target} of {patient.where}; got one at most",
            repair="put it aside",
        )


def mend_orphans(patient: Patient, findings: list[Finding]) -> list[str]:
    """Take out what hangs on nothing."""
    conditions = dict.fromkeys(_CHILDREN, "row NOT IN (SELECT row FROM csd)")
    conditions["link"] = "source NOT IN (SELECT row FROM csd) OR target NOT IN (SELECT row FROM csd)"
    done = []
    for table, condition in conditions.items():
        patient.aside.keep_rows(
            f"{table} of no descriptor",
            patient.connection.execute(f"SELECT * FROM {table} WHERE {condition}"),
        )
        gone = patient.connection.execute(f"DELETE FROM {table} WHERE {condition}").rowcount
        if gone:
            done.append(f"put aside {gone} rows of the table {table} that belonged to no descriptor")
    return done if findings else []


FILE_CHECKS = (
    Check(find=find_pages, mend=mend_pages),
    Check(find=find_tables, mend=mend_tables),
    Check(find=find_meta, mend=mend_meta),
    Check(find=find_orphans, mend=mend_orphans),
)
"""In this order: rows can be looked at only where there are tables."""


def _schema(connection: sqlite3.Connection) -> dict[str, tuple[str, str]]:
    return {
        name: (kind, sql)
        for kind, name, sql in connection.execute(
            "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
            "ORDER BY rowid"
        )
    }


def _row_counters(connection: sqlite3.Connection) -> list[tuple[int, int]]:
    return connection.execute(
        "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'csd'), 0), "
        "max(coalesce((SELECT max(row) FROM csd), 0), coalesce((SELECT max(row) FROM change), 0))"
    ).fetchall()

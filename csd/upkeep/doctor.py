"""Find and name everything that is inconsistent in a bank, and mend what can be without inventing data.

What is derived is derived anew: columns and episodes from the record, vectors from its text, the history
from what is held, caches from all of it. What cannot be right is taken out of the bank and kept, word for
word, in a file beside it. The rest is left, with the reason.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from csd.caches import embeddings_file
from csd.encode import Encoder
from csd.encode_store import EmbeddingStore
from csd.store.errors import BankError
from csd.store.file import Identity, connect, identity_of, moment, set_identity, transaction
from csd.upkeep.aside import Aside
from csd.upkeep.cache_files import drop_caches
from csd.upkeep.check_beside import find_caches, find_episodes, find_left, mend_caches, mend_left, thrown_away
from csd.upkeep.check_file import FILE_CHECKS
from csd.upkeep.check_history import HISTORY_CHECKS
from csd.upkeep.check_records import RECORD_CHECKS
from csd.upkeep.check_ties import TIE_CHECKS
from csd.upkeep.findings import EpisodeCheck, Finding, Patient, Repaired, Report

_CHECKS = (*FILE_CHECKS, *RECORD_CHECKS, *TIE_CHECKS, *HISTORY_CHECKS)
"""In the order of mending: each may rely on what those before it look after."""


def examine(
    path: str | Path, *, episodes: EpisodeCheck | None = None, encoder: Encoder | None = None
) -> Report:
    """Return everything that is inconsistent in the bank at `path`; nothing of it is changed.

    Args:
        path: the bank; one of an older format is brought up to date first, as by every opening.
        episodes: looks at the files of one episode; None leaves episodes alone.
        encoder: what a repair would be given; it tells what could be mended.

    Raises:
        BankError: if there is no file, or it is no bank of this release.
    """
    path = Path(path)
    found: list[Finding] = []
    with _opened(path, encoder, None, found) as patient:
        if patient is not None:
            try:
                with moment(patient.connection, patient.where):
                    found += _examined(patient, episodes)
            except BankError as error:
                if not _damaged(error):
                    raise
                found.append(_beyond(path, str(error)))
    return Report(findings=tuple(found))


def repair(
    path: str | Path,
    *,
    episodes: EpisodeCheck | None = None,
    encoder: Encoder | None = None,
    now: datetime | None = None,
) -> Repaired:
    """Mend what can be mended in the bank at `path`, in one transaction, and say what was done and left.

    Banks that are open on the file must be opened again where vectors or the history were made anew.

    Args:
        path: the bank.
        episodes: as for `examine`.
        encoder: the bank's encoder, which makes missing vectors; None leaves them.
        now: names the file of what is taken out; None for the time it is.

    Raises:
        BankError: if there is no file, it is no bank of this release, or it cannot be written to; nothing
            was changed then.
    """
    path = Path(path)
    before = examine(path, episodes=episodes, encoder=encoder)
    done: list[str] = []
    kept: Path | None = None
    if any(finding.mendable for finding in before.findings):
        with _opened(path, encoder, now, []) as patient:
            if patient is not None:
                done = _mended(patient)
                kept = patient.aside.path
    left = examine(path, episodes=episodes, encoder=encoder) if done else before
    return Repaired(found=before.findings, done=tuple(done), left=left.findings, aside=kept)


def _examined(patient: Patient, episodes: EpisodeCheck | None) -> Iterator[Finding]:
    for check in _CHECKS:
        yield from _safely(patient, check.find(patient))
    yield from _safely(patient, find_caches(patient))
    yield from find_left(patient)
    if episodes is not None:
        yield from _safely(patient, find_episodes(patient, episodes))


def _safely(patient: Patient, findings: Iterator[Finding]) -> Iterator[Finding]:
    """Yield `findings`, and one more where the file cannot be read on."""
    try:
        yield from findings
    except sqlite3.Error as error:
        yield Finding(
            kind="unreadable",
            where=patient.where,
            what=f"expected a file that can be read to its end; got {error}",
            repair="left: restore the file from a copy, unless something above mends it",
            mendable=False,
        )


def _mended(patient: Patient) -> list[str]:
    done: list[str] = []
    try:
        with transaction(patient.connection, patient.where):
            for check in _CHECKS:
                done += check.mend(patient, list(check.find(patient)))
            if patient.stale:
                set_identity(patient.connection, patient.identity)
                done += map(thrown_away, drop_caches(patient.path))
            # Before the commit: what is no longer in the bank must be here.
            patient.aside.save()
    except BankError as error:
        if not _damaged(error):
            raise
        # Pages that cannot be read: nothing was changed, and the examination says so.
        done = []
    done += mend_caches(list(find_caches(patient)))
    return done + mend_left(list(find_left(patient)))


@contextmanager
def _opened(
    path: Path, encoder: Encoder | None, now: datetime | None, found: list[Finding]
) -> Iterator[Patient | None]:
    """Give the open bank; None where its file is too damaged for that, which goes to `found`."""
    try:
        connection = connect(path, None)
    except BankError as error:
        if not _damaged(error):
            raise
        found.append(_beyond(path, str(error)))
        yield None
        return
    with closing(connection):
        identity = _identity(connection, path, found)
        if identity is None:
            yield None
        elif encoder is None:
            yield Patient(connection=connection, path=path, identity=identity, aside=Aside(path, now))
        else:
            with closing(EmbeddingStore(encoder, embeddings_file(path))) as store:
                yield Patient(
                    connection=connection,
                    path=path,
                    identity=identity,
                    encoder=store,
                    aside=Aside(path, now),
                )


def _identity(connection: sqlite3.Connection, path: Path, found: list[Finding]) -> Identity | None:
    try:
        identity = identity_of(connection)
        if identity.dimension > 0:
            return identity
        got = f"vectors of {identity.dimension} numbers"
    except (KeyError, ValueError) as error:
        got = f"{error.__cause__ or error!r}"
    except sqlite3.DatabaseError as error:
        found.append(_beyond(path, str(error)))
        return None
    found.append(
        Finding(
            kind="identity",
            where=str(path),
            what=f"expected what the vectors were made with, in the table meta; got {got}",
            repair=f"left: embed the records anew with echo-memory reembed {path}, and examine it then",
            mendable=False,
        )
    )
    return None


def _damaged(error: BankError) -> bool:
    """Return whether the file is damaged, rather than locked, full or not writable."""
    cause = error.__cause__
    return isinstance(cause, sqlite3.DatabaseError) and not isinstance(cause, sqlite3.OperationalError)


def _beyond(path: Path, got: str) -> Finding:
    return Finding(
        kind="file",
        where=str(path),
        what=f"expected an SQLite file that can be opened; got {got}",
        repair="left: restore the file from a copy, or build the bank again from the episodes",
        mendable=False,
    )

"""Faults beside a bank file: caches out of step or torn, drafts left by a kill, episodes that are gone."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from csd.caches import VECTORS, WORDS, cache_folder, embeddings_file
from csd.encode_store import SET_ASIDE, check_store
from csd.store.changes import BankFeed
from csd.store.errors import BankError
from csd.store.file import moment
from csd.upkeep.archive import DRAFT
from csd.upkeep.cache_files import drop_cache
from csd.upkeep.findings import EpisodeCheck, Finding, Patient
from csd.vectors.index import VectorIndex
from csd.words.words import Words

LEFT_SECONDS = 3600.0
"""How long nothing in a draft must have changed before it counts as left: an import may work on it."""


def find_caches(patient: Patient) -> Iterator[Finding]:
    """Yield where a cache says something else than the bank, or cannot be read."""
    folder = cache_folder(patient.path)
    with moment(patient.connection, patient.where):
        feed = BankFeed(patient.connection, patient.identity.dimension, patient.where)
        for name in (VECTORS, WORDS):
            if (folder / name).exists():
                for said in _compare(name, folder / name, feed):
                    yield _cache(folder / name, said)
    for said in check_store(embeddings_file(patient.path)):
        yield _cache(embeddings_file(patient.path), said)


def mend_caches(findings: list[Finding]) -> list[str]:
    """Throw away what is wrong."""
    places = dict.fromkeys(Path(finding.where) for finding in findings)
    return [thrown_away(place) for place in places if drop_cache(place)]


def thrown_away(place: Path) -> str:
    """Return the line that says so."""
    return f"threw away the cache {place}; it is made anew from the bank"


def find_left(patient: Patient) -> Iterator[Finding]:
    """Yield drafts that a kill left beside the bank, and caches that were set aside."""
    folder = cache_folder(patient.path)
    drafts = [
        one
        for one in sorted(patient.path.parent.glob(".*"))
        if one.name.startswith(f".{patient.path.name}.") or one.name.endswith(DRAFT)
    ]
    inside = sorted(folder.rglob("*")) if folder.is_dir() else []
    drafts += [one for one in inside if one.suffix in (".new", ".part", ".spill")]
    left = [one for one in drafts if _age(one) > LEFT_SECONDS]
    left += [one for one in inside if one.name.split("-")[0].endswith(SET_ASIDE)]
    for one in left:
        yield Finding(
            kind="left file",
            where=str(one),
            what="expected no unfinished or set aside file; got one that nothing uses",
            repair="remove it",
        )


def mend_left(findings: list[Finding]) -> list[str]:
    """Remove what was left."""
    for finding in findings:
        drop_cache(Path(finding.where))
    return [f"removed {finding.where}, which a kill had left" for finding in findings]


def find_episodes(patient: Patient, check: EpisodeCheck) -> Iterator[Finding]:
    """Yield described episodes whose files are missing or were altered."""
    for (episode,) in patient.connection.execute("SELECT DISTINCT episode FROM episode ORDER BY episode"):
        wrong = check(episode)
        if wrong is not None:
            yield Finding(
                kind="episode",
                where=episode,
                what=wrong,
                repair="left: the bank does not hold what was recorded. Restore the episode from a copy; "
                "what it shows can still be recalled, but not be traced back",
                mendable=False,
            )


def _cache(place: Path, said: str) -> Finding:
    return Finding(
        kind="cache", where=str(place), what=said, repair="throw it away; it is made anew from the bank"
    )


def _compare(name: str, place: Path, feed: BankFeed) -> list[str]:
    try:
        if name == VECTORS:
            return VectorIndex(feed.dimension, place).check(feed)
        with closing(Words(place)) as words:
            return words.check(feed)
    except (BankError, ValueError, sqlite3.Error, OSError) as error:
        return [f"expected a cache that can be compared with the bank; got {error}"]


def _age(place: Path) -> float:
    """Return the seconds since anything in `place` was last written."""
    newest = 0.0
    for one in (place, *(sorted(place.rglob("*")) if place.is_dir() else ())):
        with suppress(FileNotFoundError):
            newest = max(newest, one.stat().st_mtime)
    return time.time() - newest

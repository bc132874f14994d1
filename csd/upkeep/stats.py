"""What a bank holds and what it takes, counted."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from csd.axes import AXES
from csd.caches import cache_folder
from csd.store.file import identity_of, moment


@dataclass(frozen=True, kw_only=True, slots=True)
class Stats:
    """Counts of a bank at one moment; all of it can be written as JSON."""

    descriptors: int
    current: int
    superseded: int
    by_success: Mapping[str, int]
    """'succeeded' and 'failed' -> descriptors; so below: all held ones, superseded ones too."""
    by_verb: Mapping[str, int]
    by_world: Mapping[str, int]
    by_axis: Mapping[str, int]
    """Axis in canonical order -> descriptors that say something on it."""
    by_agent: Mapping[str, int]
    """Agent -> descriptors it filed; '' for those filed under no one."""
    tags: Mapping[str, int]
    """Tag -> descriptors."""
    episodes: int
    """How many different episodes are described."""
    links: Mapping[str, int]
    credit: Mapping[str, tuple[float, float]]
    """Axis in canonical order -> (successes, failures), summed."""
    failures: int
    changes: int
    """Changes of which the history is kept."""
    encoder: str
    dimension: int
    rendering: int
    bytes: Mapping[str, int]
    """File of the bank, its log, and each cache -> bytes on disk; empty in memory."""
    index: Mapping[str, object]
    """What the index of vectors says of itself."""


def stats_of(
    connection: sqlite3.Connection, where: str, path: Path | None, index: Mapping[str, object]
) -> Stats:
    """Return the counts of an open bank.

    Args:
        connection: the open bank file.
        where: its name in messages.
        path: the file; None in memory.
        index: what its index of vectors says of itself, as JSON values.

    Raises:
        BankError: if the file cannot be read.
    """
    with moment(connection, where):
        identity = identity_of(connection)
        one = _Counter(connection)
        present = one.table("SELECT present, count(*) FROM vector GROUP BY present")
        success = one.table("SELECT success, count(*) FROM csd GROUP BY success")
        held, superseded = one.number("csd"), one.number("csd WHERE superseded_step IS NOT NULL")
        return Stats(
            descriptors=held,
            current=held - superseded,
            superseded=superseded,
            by_success={"succeeded": success.get(1, 0), "failed": success.get(0, 0)},
            by_verb=one.named("SELECT verb, count(*) FROM csd GROUP BY verb ORDER BY verb"),
            by_world=one.named("SELECT world, count(*) FROM csd GROUP BY world ORDER BY world"),
            by_axis={
                axis.value: sum(count for bits, count in present.items() if bits >> place & 1)
                for place, axis in enumerate(AXES)
            },
            by_agent=one.named("SELECT agent, count(DISTINCT row) FROM filing GROUP BY agent ORDER BY agent"),
            tags=one.named("SELECT tag, count(DISTINCT row) FROM tag GROUP BY tag ORDER BY tag"),
            episodes=one.number("(SELECT DISTINCT episode FROM episode)"),
            links=one.named("SELECT kind, count(*) FROM link GROUP BY kind ORDER BY kind"),
            credit=one.credit(),
            failures=one.number("failure"),
            changes=one.number("change"),
            encoder=identity.encoder,
            dimension=identity.dimension,
            rendering=identity.rendering,
            bytes={} if path is None else _sizes(path),
            index=index,
        )


class _Counter:
    """Counts over an open bank."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._run = connection

    def number(self, source: str) -> int:
        found: int = self._run.execute(f"SELECT count(*) FROM {source}").fetchone()[0]
        return found

    def table(self, sql: str) -> dict[int, int]:
        return dict(self._run.execute(sql))

    def named(self, sql: str) -> dict[str, int]:
        return dict(self._run.execute(sql))

    def credit(self) -> dict[str, tuple[float, float]]:
        found = {
            axis: (good, bad)
            for axis, good, bad in self._run.execute(
                "SELECT axis, total(successes), total(failures) FROM credit GROUP BY axis"
            )
        }
        return {axis.value: found.get(axis.value, (0.0, 0.0)) for axis in AXES}


def _sizes(path: Path) -> dict[str, int]:
    folder = cache_folder(path)
    places = {"file": [path], "log": [path.with_name(path.name + side) for side in ("-wal", "-shm")]}
    if folder.is_dir():
        for place in sorted(folder.iterdir()):
            name = place.name.split("-")[0].removesuffix(".db")
            inside = sorted(place.rglob("*")) if place.is_dir() else [place]
            places.setdefault(name, []).extend(inside)
    return {name: sum(_size(one) for one in files) for name, files in places.items()}


def _size(file: Path) -> int:
    try:
        return file.stat().st_size if file.is_file() else 0
    except FileNotFoundError:
        # Another process may replace a cache at any time.
        return 0

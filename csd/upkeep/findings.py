"""What `doctor` finds in a bank, what it finds it with, and how each kind of fault is mended."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from csd.encode import Encoder
from csd.store.file import Identity
from csd.upkeep.aside import Aside


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One inconsistency."""

    kind: str
    """Short name of the kind of fault, such as 'missing vector'."""
    where: str
    """The descriptor, table or file."""
    what: str
    """Expected and got, in plain words."""
    repair: str
    """What `repair` does about it; for one that it leaves: why, and what to do."""
    mendable: bool = True
    """Whether `repair` does anything about it."""
    row: int = field(default=0, compare=False)
    """Row of the descriptor in the file, 0 for none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """What an examination found."""

    findings: tuple[Finding, ...]
    """In the order in which they would be mended; empty for a sound bank."""

    @property
    def sound(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


@dataclass(frozen=True, kw_only=True, slots=True)
class Repaired:
    """What a repair did and what it left."""

    found: tuple[Finding, ...]
    """Before anything was done."""
    done: tuple[str, ...]
    """What was done, one line each."""
    left: tuple[Finding, ...]
    """What is still found afterwards."""
    aside: Path | None
    """Where everything that was taken out of the bank is kept; None where nothing was."""


class EpisodeCheck(Protocol):
    """Looks at the files of one episode."""

    def __call__(self, episode: str, /) -> str | None:
        """Return what is wrong with episode `episode`, None where it is whole."""
        ...


@dataclass(kw_only=True, slots=True)
class Patient:
    """An open bank under examination or repair."""

    connection: sqlite3.Connection
    path: Path
    identity: Identity
    encoder: Encoder | None = None
    """Makes missing vectors; None, or one that is not the bank's, makes none."""
    aside: Aside
    """Takes what is taken out of the bank."""
    stale: bool = False
    """Whether caches can no longer follow what was changed."""

    @property
    def where(self) -> str:
        """The bank's name in messages."""
        return str(self.path)


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One family of faults: how they are found, and how they are mended."""

    find: Callable[[Patient], Iterator[Finding]]
    mend: Callable[[Patient, list[Finding]], list[str]]
    """Mends what `find` found just now, in the transaction of the caller; returns what was done."""

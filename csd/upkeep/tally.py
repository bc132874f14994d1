"""What an import met and did, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields

_TOLD = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """How many of each kind were met, and what was found of them in the bank."""

    seen: Counter[str] = field(default_factory=Counter)
    new: Counter[str] = field(default_factory=Counter)
    same: Counter[str] = field(default_factory=Counter)
    conflicting: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)
    """The first conflicts in words."""

    def tell(self, conflict: str) -> None:
        """Remember a conflict in words, if there are not many yet."""
        if len(self.told) < _TOLD:
            self.told.append(conflict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """How much of one kind an archive brought."""

    new: int = 0
    same: int = 0
    """Held already, and no different."""
    conflicting: int = 0
    """Held already, and different."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    """What an archive brought, or with a dry run would bring."""

    descriptors: Tally
    filings: Tally
    links: Tally
    credit: Tally
    failures: Tally
    conflicts: tuple[str, ...]
    """The first hundred, one line each."""
    dry_run: bool


def imported(found: Found, *, dry_run: bool) -> Imported:
    """Return the counts of an import as its caller sees them."""
    kinds = [field.name for field in fields(Imported) if field.name not in ("conflicts", "dry_run")]
    tallies = {
        kind: Tally(new=found.new[kind], same=found.same[kind], conflicting=found.conflicting[kind])
        for kind in kinds
    }
    return Imported(**tallies, conflicts=tuple(found.told), dry_run=dry_run)

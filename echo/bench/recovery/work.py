"""The work that a bank is killed at: drawn by seed, done on a bank, and told to the model."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.protocol import Filing
from csd.store.file import connect
from csd.upkeep.exchange import export_bank
from csd.upkeep.intake import import_archive
from csd.upkeep.reembed import reembed
from csd.vectors.sizes import Sizes
from echo.bench.recovery.holding import (
    LIFE,
    Holding,
    descriptor,
    encoder_called,
    id_called,
    other_encoder,
    tag_of,
)

KINDS = (
    "add",
    "add_many",
    "credit",
    "link",
    "remove",
    "supersede",
    "publish",
    "compact",
    "reembed",
    "import",
)
"""Every kind of work, each as often as the others."""

SIZES = Sizes(
    segment_rows=256, code_rows=64, candidates=8, candidates_per_match=1, publish_rows=16, small_rows=48,
    scan_us=2.0,
)  # fmt: skip
"""So small that a few hundred descriptors make several segments, product codes and mergers."""

SPAN = 36
"""A batch takes every third number from this many, since those share a tag."""

AGENT = "ada"


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """One piece of work."""

    kind: str
    numbers: tuple[int, ...] = ()
    """The descriptors that it is done with."""


@dataclass(kw_only=True)
class Workplace:
    """A bank under work; the bank is closed and opened anew by some of it."""

    path: Path
    encoder: str
    archive: Path
    """Where `export` leaves what `import` takes in."""
    bank: Bank

    @classmethod
    def open(cls, path: Path, encoder: str) -> Workplace:
        """Open, and make if need be, the bank at `path`."""
        return cls(path=path, encoder=encoder, archive=archive_beside(path), bank=bank_at(path, encoder))

    def do(self, work: Work) -> None:
        """Do one piece of work; when this returns it is acknowledged."""
        numbers = work.numbers
        csds = [descriptor(number) for number in numbers]
        ids = [id_called(number) for number in numbers]
        match work.kind:
            case "add":
                self.bank.add(csds[0], filing=filing_of(numbers[0]))
            case "add_many":
                self.bank.add_many(csds, filing=filing_of(numbers[0]))
            case "credit":
                self.bank.credit(ids[0], dict.fromkeys(AXES, 1.0), success=True)
            case "link":
                self.bank.link(ids[0], "contradicts", ids[1])
            case "remove":
                self.bank.remove(ids[0])
            case "supersede":
                self.bank.supersede(ids[0], csds[1], filing=filing_of(numbers[1]))
            case "import":
                import_archive(archive_beside(self.path), self.path)
            case _:
                self._keep_house(work.kind)

    def _keep_house(self, kind: str) -> None:
        """Do what changes no record."""
        if kind == "compact":
            self.bank.compact()
        elif kind == "publish":
            self.bank.recall({Axis.ATTR: "block drops"}, k=1)
            self.bank.cue("block")
            self.reopen()
        else:
            self.bank.close()
            self.encoder = other_encoder(self.encoder)
            reembed(self.path, encoder_called(self.encoder))
            self.bank = bank_at(self.path, self.encoder)

    def reopen(self) -> None:
        """Close the bank, which waits for a publication under way, and open it."""
        self.bank.close()
        self.bank = bank_at(self.path, self.encoder)


def bank_at(path: Path, encoder: str) -> Bank:
    """Open the bank at `path` with small sizes."""
    return Bank.open(path, encoder_called(encoder), sizes=SIZES)


def archive_beside(path: Path) -> Path:
    """Return where the archive is that the next import takes in."""
    return path.with_suffix(".jsonl")


def filing_of(number: int, agent: str = AGENT) -> Filing:
    """Return how `descriptor(number)` is filed."""
    return Filing(agent=agent, life=LIFE, tags=(tag_of(number),))


def drawn(kind: str, holding: Holding, fresh: int, rng: np.random.Generator) -> Work:
    """Return work of a kind that can be done on what is held.

    Args:
        kind: one of `KINDS`.
        holding: what the bank will hold by then.
        fresh: the descriptors from this number on were never used.
        rng: draws.
    """
    current = holding.current()
    if kind in ("remove", "supersede", "credit", "link") and len(current) < 2:
        kind = "add_many"
    some = [int(number) for number in rng.permutation(current)[:2]]
    match kind:
        case "add":
            return Work(kind=kind, numbers=(fresh,))
        case "add_many" | "import":
            return Work(kind=kind, numbers=tuple(range(fresh, fresh + SPAN, 3)))
        case "remove" | "credit":
            return Work(kind=kind, numbers=(some[0],))
        case "link":
            return Work(kind=kind, numbers=(some[0], some[1]))
        case "supersede":
            return Work(kind=kind, numbers=(some[0], fresh))
    return Work(kind=kind)


def told(work: Work, holding: Holding) -> Holding:
    """Return what must be held once `work` is done on what `holding` says."""
    after, numbers = holding.copy(), work.numbers
    match work.kind:
        case "add" | "add_many" | "import":
            after.add(numbers, AGENT)
        case "remove":
            after.remove(numbers[0])
        case "credit":
            after.credit(numbers[0])
        case "link":
            after.links.add((id_called(numbers[0]), "contradicts", id_called(numbers[1])))
        case "supersede":
            after.supersede(numbers[0], numbers[1], AGENT)
        case "reembed":
            after.encoder = other_encoder(holding.encoder)
    return after


def make_archive(work: Work, path: Path, encoder: str) -> None:
    """Write the archive that `work`, an import, is to take in."""
    beside = path.with_suffix(".donor")
    _remove_bank(beside)
    with bank_at(beside, encoder) as donor:
        for number in work.numbers:
            donor.add(descriptor(number), filing=filing_of(number))
    with closing(connect(beside, None)) as connection:
        export_bank(connection, str(beside), archive_beside(path))
    _remove_bank(beside)


def _remove_bank(path: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)

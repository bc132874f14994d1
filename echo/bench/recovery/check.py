"""What a bank is looked at for after a death: what it holds, what it finds, whether it is sound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.score import Match, Vector, cosines, fuse, order, shares
from csd.store.where import Where
from csd.upkeep.doctor import examine
from echo.bench.recovery.holding import (
    Facts,
    Holding,
    asked_by,
    descriptor,
    facts_in,
    halves_of,
    id_called,
)
from echo.bench.recovery.work import bank_at

QUERIES = 4
K = 7


@dataclass(kw_only=True)
class Verdict:
    """What was found wrong; all empty in a bank that lost nothing."""

    done: bool = False
    """Whether the work that was under way is there."""
    lost: list[str] = field(default_factory=list)
    """Acknowledged changes that are not there, or were undone."""
    half: list[str] = field(default_factory=list)
    """Parts of the work under way, or of a record."""
    wrong: list[str] = field(default_factory=list)
    """Answers that are not those of brute force over the records."""
    broken: list[str] = field(default_factory=list)
    """What keeps the bank from being used, or that `doctor` finds beyond caches to catch up."""

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.lost or self.half or self.wrong or self.broken)


def look_at(path: Path, before: Holding, after: Holding, seed: int) -> Verdict:
    """Compare the bank at `path` with what it must hold, in this process.

    Args:
        path: the bank file.
        before: what it must hold at least: all that was acknowledged.
        after: the same with the work that was under way, of which all must be there or nothing.
        seed: draws the queries.
    """
    verdict = Verdict()
    try:
        compare(facts_in(path), before.facts(), after.facts(), verdict)
        holding = after if verdict.done else before
        if not verdict.lost and not verdict.half:
            with bank_at(path, holding.encoder) as bank:
                verdict.wrong.extend(wrong_answers(bank, holding, np.random.default_rng(seed)))
                verdict.wrong.extend(wrong_words(bank, before, after, holding))
            verdict.broken.extend(unsound(path))
    except Exception as error:
        verdict.broken.append(f"{type(error).__name__}: {error}"[:600])
    return verdict


def compare(found: Facts, before: Facts, after: Facts, verdict: Verdict) -> None:
    """Say what is lost and what is half there, and whether the work under way is done."""
    verdict.done = found == after
    if found in (before, after):
        return
    for table, rows in found.items():
        lost = (before[table] & after[table]) - rows
        strange = rows - (before[table] | after[table])
        if lost:
            verdict.lost.append(f"{table}: {len(lost)} rows are gone, such as {min(lost, key=str)}")
        if strange:
            verdict.lost.append(
                f"{table}: {len(strange)} rows should not be, such as {min(strange, key=str)}"
            )
    if not verdict.lost:
        torn = [table for table, rows in found.items() if rows not in (before[table], after[table])]
        mixed = torn or sorted(table for table in found if before[table] != after[table])
        verdict.half.append(f"work is half done in {', '.join(mixed)}")


def wrong_answers(bank: Bank, holding: Holding, rng: np.random.Generator) -> list[str]:
    """Return in words each answer that is not the one of brute force."""
    wrong = []
    for _ in range(QUERIES):
        number = int(rng.integers(1_000))
        asked = asked_by(number, holding.encoder)
        weights = {axis: float(rng.integers(1, 4)) for axis in AXES} if rng.random() < 0.5 else None
        where = Where(success=True) if rng.random() < 0.5 else None
        right = brute_force(holding, asked, weights, where)
        exact = bank.recall(asked, k=K, weights=weights, where=where, exact=True)
        if exact != right[:K]:
            wrong.append(f"exact search for {number} gave {_short(exact)}; expected {_short(right[:K])}")
        quick = bank.recall(asked, k=K, weights=weights, where=where)
        known = {match.id: match for match in right}
        ids = [match.id for match in quick]
        if (
            any(known.get(match.id) != match for match in quick)
            or quick != sorted(quick, key=order)
            or len(set(ids)) != len(ids)
            or len(ids) != min(K, len(right))
        ):
            wrong.append(f"search for {number} gave {_short(quick)}; expected out of {_short(right[:K])}")
    return wrong


def brute_force(
    holding: Holding, asked: Mapping[Axis, Vector], weights: Mapping[Axis, float] | None, where: Where | None
) -> list[Match]:
    """Return all matches, best first, from vectors made anew out of what must be held."""
    share = shares(weights, asked)
    matches = []
    for number in holding.current():
        if where is not None and where.success not in (None, descriptor(number).meta.success):
            continue
        halves = halves_of(number, holding.encoder)
        each = {
            axis: float(cosines(halves[axis][None].astype(np.float32), asked[axis])[0])
            if axis in share and axis in halves
            else None
            for axis in AXES
        }
        if any(cosine is not None for cosine in each.values()):
            matches.append(Match(id=id_called(number), cosines=each, score=fuse(each, share)))
    return sorted(matches, key=order)


def wrong_words(bank: Bank, before: Holding, after: Holding, holding: Holding) -> list[str]:
    """Return in words where the graph of names differs from what is held, about what was just worked on."""
    touched = sorted(
        {one.number for one in before.beliefs.values()} ^ {one.number for one in after.beliefs.values()}
    )
    wrong = []
    for number in [*touched, *holding.current()[-3:]]:
        id = id_called(number)
        named = descriptor(number).attr or descriptor(number).func
        expected = [id] if id in holding.beliefs and named else []
        found = bank.mentioning(f"thing:block_{number}")
        # A small number's name is also what its kin drop.
        if (found != expected) if number >= 7 else (id in found) != bool(expected):
            wrong.append(f"block_{number} leads to {found}; expected {expected}")
    return wrong


def unsound(path: Path) -> list[str]:
    """Return what `doctor` finds, besides caches that have to catch up."""
    return [f"doctor: {one.kind} {one.where}: {one.what}" for one in examine(path).findings]


def _short(matches: list[Match]) -> str:
    return "[" + ", ".join(f"{match.id[4:10]} {match.score:.4f}" for match in matches) + "]"

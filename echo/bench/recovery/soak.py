"""Several processes write to one bank and read from it at once, for a while; then all is counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import numpy as np

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.encode import HashingEncoder
from csd.score import Match, Vector, cosines, fuse, order, shares
from csd.store.errors import BankError
from csd.store.where import Where
from echo.bench.recovery.apart import Failed, Process, Stuck, apart, start
from echo.bench.recovery.check import Verdict, compare, unsound, wrong_answers
from echo.bench.recovery.holding import Holding, asked_by, descriptor, facts_in, halves_of, id_called
from echo.bench.recovery.work import SPAN, bank_at, filing_of

WRITERS = 4
READERS = 4
ROOM = 1_000_000
"""Numbers of descriptors that belong to one writer."""
KEPT = 16
"""Every so many, a writer neither removes nor corrects one, so that readers know what must be found."""
ENOUGH = 300
"""A writer that has so many adds no more before it has removed some."""
PATIENCE_SECONDS = 90.0
"""Longer than a writer waits for the others: who is not back by then never will be."""

_ENCODER = HashingEncoder.name

_Back = TypeVar("_Back")


@dataclass(kw_only=True)
class Soaked:
    """What was done at once, and what went wrong; the last four should be 0."""

    seconds: float
    writers: int = WRITERS
    readers: int = READERS
    changes: int = 0
    recalls: int = 0
    longest_change_ms: float = 0.0
    longest_recall_ms: float = 0.0
    lost_writes: int = 0
    wrong_neighbours: int = 0
    deadlocks: int = 0
    errors: int = 0

    def as_json(self) -> dict[str, object]:
        """Return this as one JSON object."""
        return asdict(self)


@dataclass(kw_only=True)
class Wrote:
    """What one writer did."""

    changes: int = 0
    longest: float = 0.0
    holding: Holding


@dataclass(kw_only=True)
class ReadBack:
    """What one reader found."""

    recalls: int = 0
    longest: float = 0.0
    wrong: int = 0
    example: str = ""


def soak(seconds: float, seed: int, progress: Callable[[str], None]) -> Soaked:
    """Let four writers and four readers at one bank for `seconds`, and check what they left.

    Args:
        seconds: how long.
        seed: of what they write and ask.
        progress: is told what went wrong.
    """
    # Each of the processes would import it anew.
    import_module("faiss")

    with TemporaryDirectory(prefix="soak-") as folder:
        path = Path(folder) / "bank.sqlite"
        apart(lambda: bank_at(path, _ENCODER).close(), PATIENCE_SECONDS)
        end = time.monotonic() + seconds
        writers = [start(partial(_write, path, end, seed, who)) for who in range(WRITERS)]
        readers = [start(partial(_read, path, end, seed, who)) for who in range(READERS)]
        result = Soaked(seconds=seconds)
        wrote = _gather(writers, end, result, progress)
        read = _gather(readers, end, result, progress)
        for one in wrote:
            result.changes += one.changes
            result.longest_change_ms = max(result.longest_change_ms, 1e3 * one.longest)
        for back in read:
            result.recalls += back.recalls
            result.longest_recall_ms = max(result.longest_recall_ms, 1e3 * back.longest)
            result.wrong_neighbours += back.wrong
            if back.example:
                progress(back.example)
        if len(wrote) == WRITERS:
            left = apart(partial(_look, path, [one.holding for one in wrote], seed), PATIENCE_SECONDS)
            result.lost_writes += len(left.lost) + len(left.half)
            result.wrong_neighbours += len(left.wrong)
            result.errors += len(left.broken)
            for told in (*left.lost, *left.half, *left.wrong, *left.broken):
                progress(told)
        return result


def _gather(
    processes: list[Process[_Back]], end: float, result: Soaked, progress: Callable[[str], None]
) -> list[_Back]:
    back = []
    for process in processes:
        try:
            back.append(process.result(end + PATIENCE_SECONDS))
        except Stuck as error:
            result.deadlocks += 1
            progress(str(error))
        except Failed as error:
            result.errors += 1
            progress(str(error))
    return back


def _write(path: Path, end: float, seed: int, who: int) -> Wrote:
    rng, fresh = np.random.default_rng([seed, who]), who * ROOM
    wrote = Wrote(holding=Holding(encoder=_ENCODER))
    with bank_at(path, _ENCODER) as bank:
        while time.monotonic() < end:
            began = time.perf_counter()
            fresh = _change(bank, wrote.holding, fresh, who, rng)
            wrote.longest = max(wrote.longest, time.perf_counter() - began)
            wrote.changes += 1
    return wrote


def _change(bank: Bank, holding: Holding, fresh: int, who: int, rng: np.random.Generator) -> int:
    """Change the bank and what it must hold in one way; return the first number that is not used then."""
    agent, roll = f"writer-{who}", rng.random()
    mine = [number for number in holding.current() if number % KEPT] if roll > 0.3 else []
    if not mine or (roll < 0.7 and len(mine) < ENOUGH):
        numbers = range(fresh, fresh + SPAN, 3) if roll < 0.05 else range(fresh, fresh + 1)
        bank.add_many([descriptor(number) for number in numbers], filing=filing_of(fresh, agent))
        holding.add(numbers, agent)
        return fresh + SPAN
    if who == 0 and roll > 0.998:
        bank.compact()
        return fresh
    number = mine[int(rng.integers(len(mine)))]
    if roll < 0.8:
        bank.supersede(id_called(number), descriptor(fresh), filing=filing_of(fresh, agent))
        holding.supersede(number, fresh, agent)
        return fresh + SPAN
    if roll < 0.95:
        bank.remove(id_called(number))
        holding.remove(number)
    else:
        bank.credit(id_called(number), dict.fromkeys(AXES, 1.0), success=True)
        holding.credit(number)
    return fresh


def _read(path: Path, end: float, seed: int, who: int) -> ReadBack:
    rng, back = np.random.default_rng([seed, WRITERS + who]), ReadBack()
    ids: list[str] = []
    with bank_at(path, _ENCODER) as bank:
        while time.monotonic() < end:
            if back.recalls % 50 == 0:
                ids = bank.ids()
            if not ids:
                time.sleep(0.001)
                ids = bank.ids()
                continue
            began = time.perf_counter()
            wrong = _ask(bank, ids[int(rng.integers(len(ids)))], rng)
            back.longest = max(back.longest, time.perf_counter() - began)
            back.recalls += 1
            if wrong:
                back.wrong, back.example = back.wrong + 1, wrong
    return back


def _ask(bank: Bank, id: str, rng: np.random.Generator) -> str:
    """Ask for a descriptor by its own vectors; return in words what is wrong with the answer."""
    number = _number(bank, id)
    if number is None:
        return ""
    asked = asked_by(number, _ENCODER)
    owner = int(rng.integers(WRITERS)) if rng.random() < 0.5 else None
    where = None if owner is None else Where(agent=f"writer-{owner}")
    matches = bank.recall(asked, k=5, where=where, exact=bool(rng.random() < 0.5))
    kept = number % KEPT == 0 and owner in (None, number // ROOM)
    if kept and (not matches or matches[0].id != id):
        return f"{id} is not the nearest to its own vectors: {matches[:1]}"
    if matches != sorted(matches, key=order) or len({match.id for match in matches}) != len(matches):
        return f"an answer to {id} is out of order, or tells one descriptor twice"
    for match in matches:
        other = _number(bank, match.id)
        if other is not None and owner not in (None, other // ROOM):
            return f"{match.id} was found for writer-{owner}; it is of writer-{other // ROOM}"
        if other is not None and match != _right(match.id, other, asked):
            return f"{match.id} was found with {match}; expected {_right(match.id, other, asked)}"
    return ""


def _number(bank: Bank, id: str) -> int | None:
    """Return which descriptor has this id; None where it was removed in the meantime."""
    try:
        return int((bank.get(id).meta.product or "").removeprefix("block_"))
    except BankError:
        if id in bank:
            raise
        return None


def _right(id: str, number: int, asked: Mapping[Axis, Vector]) -> Match:
    halves, share = halves_of(number, _ENCODER), shares(None, asked)
    each = {
        axis: float(cosines(halves[axis][None].astype(np.float32), asked[axis])[0])
        if axis in asked and axis in halves
        else None
        for axis in AXES
    }
    return Match(id=id, cosines=each, score=fuse(each, share))


def _look(path: Path, holdings: list[Holding], seed: int) -> Verdict:
    whole, verdict = Holding(encoder=_ENCODER), Verdict()
    for one in holdings:
        whole.beliefs.update(one.beliefs)
        whole.links.update(one.links)
    expected = whole.facts()
    compare(facts_in(path), expected, expected, verdict)
    with bank_at(path, _ENCODER) as bank:
        verdict.wrong.extend(wrong_answers(bank, whole, np.random.default_rng(seed)))
    verdict.broken.extend(unsound(path))
    return verdict

"""The clocks: filling an engine, and asking it after it was opened again, each in a process of its own."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from echo.bench.retrieval.engines import Engine
from echo.bench.retrieval.question import Batch, Data, Question, batch_of

BATCH = 5_000
"""Records added together."""
FEWEST = 10
"""Questions that are timed however slow an engine is."""
SECONDS = 20.0
"""An engine that needs longer than this for one kind of work is given no more of it."""

Progress = Callable[[str], None]
Opener = Callable[[], Engine]


@dataclass(frozen=True, kw_only=True)
class Filled:
    """What it cost to fill an engine."""

    batch_per_s: float
    """Records a second, vectors given, 5,000 at a time."""
    build_s: float
    """Building indexes after that."""
    add_per_s: float
    """Single durable adds a second, median."""
    delete_ms: float
    """Median of deletes by id."""
    singles: int
    """How many single adds and deletes were timed."""
    fill_peak_mb: float
    """Largest resident memory of the process that filled."""


@dataclass(frozen=True, kw_only=True)
class Timed:
    """Answers to one kind of question."""

    ms: list[float]
    found: list[list[str]]
    """Ids, best first, for each question that was asked."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What an engine answered after it was opened in a fresh process."""

    open_ms: float
    """Opening and the first answer, imports left out."""
    rss_mb: float
    anonymous_mb: float
    """Memory of the process after all questions; anonymous is what cannot be dropped and read again."""
    imports_mb: float
    """Resident memory before the engine was opened."""
    answers: dict[str, Timed] = field(default_factory=dict)


def fill(open_it: Opener, data: Data, extra: Batch, progress: Progress) -> Filled:
    """Fill an engine with `data`; then add and delete the records of `extra` one by one.

    The extra records lie where questions are asked, so that one that is found though it was deleted takes
    the place of a right answer.
    """
    engine = open_it()
    adding = 0.0
    for start in range(0, data.size, BATCH):
        batch = batch_of(data, start, min(start + BATCH, data.size))
        began = time.perf_counter()
        engine.add(batch)
        adding += time.perf_counter() - began
        progress(f"filled {start + len(batch):,}/{data.size:,}")
    build_s = _seconds(engine.finish)
    added = _each(partial(engine.add, extra.one(n)) for n in range(len(extra)))
    progress(f"added {len(added)} one by one")
    deleted = [_seconds(partial(engine.delete, id)) for id in extra.ids[: len(added)]]
    # Not timed: what documentation advises after many small changes.
    engine.finish()
    engine.close()
    return Filled(
        batch_per_s=data.size / adding,
        build_s=build_s,
        add_per_s=1.0 / float(np.median(added)),
        delete_ms=1e3 * float(np.median(deleted)),
        singles=len(added),
        fill_peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def ask(open_it: Opener, questions: dict[str, Sequence[Question]], k: int, progress: Progress) -> Asked:
    """Open an engine and ask it questions of each kind."""
    imports_mb = _memory_mb("Rss")
    first = next(iter(questions.values()))[0]
    began = time.perf_counter()
    engine = open_it()
    engine.search(first, k)
    open_ms = 1e3 * (time.perf_counter() - began)
    answers = {}
    for kind, asked in questions.items():
        engine.search(asked[0], k)
        answers[kind] = _ask_each(engine, asked, k)
        progress(f"asked {len(answers[kind].ms)} {kind}")
    rss_mb, anonymous_mb = _memory_mb("Rss"), _memory_mb("Anonymous")
    engine.close()
    return Asked(
        open_ms=open_ms, rss_mb=rss_mb, anonymous_mb=anonymous_mb, imports_mb=imports_mb, answers=answers
    )


def as_json(measured: Filled | Asked) -> dict[str, object]:
    """Return a measurement as a JSON object."""
    return asdict(measured)


def disk_mb(folder: Path) -> float:
    """Return what the files below `folder` take on disk."""
    return sum(path.stat().st_blocks for path in folder.rglob("*") if path.is_file()) * 512 / 1e6


def _ask_each(engine: Engine, questions: Sequence[Question], k: int) -> Timed:
    ended = time.perf_counter() + SECONDS
    ms: list[float] = []
    found: list[list[str]] = []
    for question in questions:
        if len(ms) >= FEWEST and time.perf_counter() > ended:
            break
        began = time.perf_counter()
        hits = engine.search(question, k)
        ms.append(1e3 * (time.perf_counter() - began))
        found.append([hit.id for hit in hits])
    return Timed(ms=ms, found=found)


def _each(actions: Iterable[Callable[[], None]]) -> list[float]:
    ended = time.perf_counter() + SECONDS
    seconds: list[float] = []
    for act in actions:
        if len(seconds) >= FEWEST and time.perf_counter() > ended:
            break
        seconds.append(_seconds(act))
    return seconds


def _seconds(do: Callable[[], None]) -> float:
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


def _memory_mb(name: str) -> float:
    """Return a line of the kernel's summary of this process' memory, in megabytes of 1,000,000 bytes."""
    for line in Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError(f"expected a line {name} in /proc/self/smaps_rollup; got none.")

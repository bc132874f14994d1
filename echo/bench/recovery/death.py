"""How a process is made to die: by another at some microsecond, or by itself before some call."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from typing import Any, NoReturn

import numpy as np

from echo.bench.recovery.work import Work, Workplace

_CALLS = frozenset(
    ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.truncate", "os.listdir",
     "os.scandir", "fcntl.flock", "mmap.__new__", "shutil.rmtree", "tempfile.mkstemp", "sqlite3.connect")
)  # fmt: skip
"""Audit events of Python that touch files; each SQL statement counts beside them."""

OPENING = "open"
"""The kind of work that is done before any other: the file is made, or recovered."""

PATIENCE_SECONDS = 120.0
"""A life that takes longer is stuck."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Death:
    """When a process dies: while it does piece of work `at`, counted from 0; -1 while it opens the bank."""

    at: int
    after_us: float | None = None
    """So many microseconds after it began; None where `before_call` says when."""
    before_call: int | None = None
    """Before so many calls and statements of it have been made, from 0."""


@dataclass(kw_only=True)
class Pace:
    """How long work of each kind takes, and how many calls, as seen so far."""

    seconds: dict[str, float] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)

    def note(self, kind: str, seconds: float, calls: int) -> None:
        """Take in one piece of work that was done."""
        self.seconds[kind] = (self.seconds.get(kind, seconds) + seconds) / 2
        self.calls[kind] = max(self.calls.get(kind, 0), calls)

    def draw(self, kind: str, at: int, rng: np.random.Generator) -> Death:
        """Return a death in the middle of work of a kind, half of them by time, half by call."""
        if rng.random() < 0.5:
            return Death(at=at, after_us=float(rng.uniform(0.0, 1.2e6 * self.seconds.get(kind, 0.005))))
        return Death(at=at, before_call=int(rng.integers(self.calls.get(kind, 20) + 2)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Life:
    """What is known of a process after it ended."""

    acknowledged: int
    """So many pieces of work, the first ones, were reported done."""
    opened: bool
    """Whether the bank was reported open."""
    killed: bool
    """False where it came to its end, or failed."""
    failure: str | None
    """What it failed with, or that it was stuck."""


class _Counter:
    """Counts calls and statements of this process, and dies when it has counted down."""

    def __init__(self) -> None:
        self.count = 0
        self.left: int | None = None
        self._connect = sqlite3.connect
        sys.addaudithook(self._hear)
        setattr(sqlite3, "connect", self._watched)  # noqa: B010 - a type checker would not let it be replaced

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if event in _CALLS:
            self.step()

    def _watched(self, *arguments: Any, **settings: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = self._connect(*arguments, **settings)
        connection.set_trace_callback(lambda statement: self.step())
        return connection

    def step(self) -> None:
        if self.left is not None:
            if self.left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
            self.left -= 1
        self.count += 1


def live(path: Path, encoder: str, works: Sequence[Work], death: Death | None, pace: Pace) -> Life:
    """Do `works` on the bank at `path` in a process of its own, which dies as `death` says.

    Args:
        path: the bank; made where there is none.
        encoder: the name of its encoder.
        works: what is to be done.
        death: when to die; None lives to the end.
        pace: is told how long each piece of work took.
    """
    read, write = os.pipe()
    error_read, error_write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _be_child(write, error_write, lambda tell: _work(path, encoder, works, death, tell))
    os.close(write)
    os.close(error_write)
    try:
        return _attend(child, read, error_read, works, death, pace)
    finally:
        os.close(read)
        os.close(error_read)


def _strike(child: int, death: Death | None, at: int) -> None:
    if death is not None and death.after_us is not None and death.at == at:
        time.sleep(death.after_us / 1e6)
        os.kill(child, signal.SIGKILL)


def _be_child(write: int, error_write: int, body: Callable[[Callable[[int], None]], None]) -> NoReturn:
    try:
        body(lambda count: _tell(write, count))
    except BaseException:
        os.write(error_write, traceback.format_exc().encode()[-4000:])
        os._exit(1)
    os._exit(0)


def _tell(write: int, count: int) -> None:
    os.write(write, count.to_bytes(8, "little"))


def _work(
    path: Path, encoder: str, works: Sequence[Work], death: Death | None, tell: Callable[[int], None]
) -> None:
    counter = _Counter()
    if death is not None and death.at < 0:
        counter.left = death.before_call
    place = Workplace.open(path, encoder)
    tell(counter.count)
    for number, work in enumerate(works):
        counter.count = 0
        if death is not None and death.at == number:
            counter.left = death.before_call
        place.do(work)
        tell(counter.count)
    place.bank.close()


def _attend(
    child: int, read: int, error_read: int, works: Sequence[Work], death: Death | None, pace: Pace
) -> Life:
    done, began, stuck = -1, time.perf_counter(), False
    _strike(child, death, done)
    while True:
        ready, _, _ = select([read], [], [], PATIENCE_SECONDS)
        told = os.read(read, 8) if ready else b""
        if not told:
            stuck = not ready
            break
        done, now = done + 1, time.perf_counter()
        if done:
            pace.note(works[done - 1].kind, now - began, int.from_bytes(told, "little"))
        else:
            pace.note(OPENING, now - began, int.from_bytes(told, "little"))
        _strike(child, death, done)
        began = time.perf_counter()
    if stuck:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    failure = os.read(error_read, 4000).decode(errors="replace") or None
    if stuck:
        failure = f"no piece of work was done within {PATIENCE_SECONDS:.0f} seconds"
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL and not stuck
    return Life(acknowledged=max(done, 0), opened=done >= 0, killed=killed, failure=failure)

"""An unlocking experiment: many runs over a pool of processes, resumable after a kill at any point."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import queue
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event as Stop
from pathlib import Path
from typing import Protocol, TextIO

from echo.experiments.results import ResultsError, RunResult, claim_folder, read_result, run_file
from echo.experiments.spec import UnlockSpec, UsageError
from echo.experiments.trial import Player, run_trial

THREAD_VARIABLES: tuple[str, ...] = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""Each worker computes on one thread: the runs are the parallel part."""

REPORT_SECONDS = 0.1
"""A run reports its progress at most this often."""

WATCH_SECONDS = 0.25
"""A worker looks this often whether it should end in the middle of a run."""

Event = tuple[str, int, int]
"""Name of a run, counted actions taken, items unlocked."""


class Listener(Protocol):
    """Is told how the runs advance, in the process that started them."""

    def advanced(self, name: str, actions: int, unlocks: int) -> None:
        """The run `name` has taken `actions` and unlocked `unlocks` items."""

    def finished(self, result: RunResult) -> None:
        """A run ended and its result is on disk."""

    def failed(self, name: str, error: str) -> None:
        """A run ended without a result."""


@dataclass(frozen=True, kw_only=True)
class GridOutcome:
    """What became of the runs of an experiment, in the order of their specs."""

    results: tuple[RunResult, ...]
    kept: tuple[str, ...]
    """Names of the runs that were finished before."""
    failed: dict[str, str]
    """Name of a run -> why it has no result; such a run is unscored, never zero."""


def split_finished(
    specs: Sequence[UnlockSpec], folder: Path
) -> tuple[dict[str, RunResult], tuple[UnlockSpec, ...]]:
    """Return the results already in `folder` by name, and the specs still to be played.

    Raises:
        ResultsError: if a result is unreadable or was made from another spec.
    """
    finished: dict[str, RunResult] = {}
    for spec in specs:
        path = run_file(folder, spec.name)
        if not path.exists():
            continue
        result = read_result(path)
        if result.spec_digest != spec.digest:
            raise ResultsError(
                f"expected the result of spec {spec.digest[:12]}; got one of {result.spec_digest[:12]} in "
                f"{path}. Choose another folder with --out, or delete that file."
            )
        finished[spec.name] = result
    return finished, tuple(spec for spec in specs if spec.name not in finished)


def run_grid(
    specs: Sequence[UnlockSpec], folder: Path, *, player: Player, jobs: int, command: str, listener: Listener
) -> GridOutcome:
    """Play every spec that has no result yet and return all results.

    A run is written when it is finished, all at once. What a kill leaves half done is played again from the
    start, and since a run depends on its spec alone, the result is the same as without the kill.

    Args:
        specs: Runs in the same circumstances, at least one.
        folder: Results folder; made if absent.
        player: Who plays; sent to the workers by name.
        jobs: Processes, at least 1.
        command: Command line kept in the results.
        listener: Told about progress.

    Raises:
        UsageError: if `folder` cannot be made or written to, holds runs made in other circumstances, or
            another process is running in it.
        ResultsError: if `folder` is of another version or a file in it is unreadable.
    """
    with _only_one_here(folder):
        claim_folder(folder, specs[0])
        finished, waiting = split_finished(specs, folder)
        kept = tuple(finished)
        for result in finished.values():
            listener.finished(result)
        failed: dict[str, str] = {}
        if waiting:
            pool = _Pool(folder=folder, player=player, command=command, listener=listener)
            failed = pool.play(waiting, min(jobs, len(waiting)), finished)
    results = tuple(finished[spec.name] for spec in specs if spec.name in finished)
    return GridOutcome(results=results, kept=kept, failed=failed)


@contextmanager
def _only_one_here(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the system frees it when the process ends, however it ends."""
    with _open_lock(folder) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UsageError(
                f"expected a results folder in which nothing runs; got another running experiment in "
                f"{folder}. Wait for it to end, or choose another folder with --out."
            ) from error
        yield


def _open_lock(folder: Path) -> TextIO:
    """Make `folder` with its place for results, and open its lock file.

    Raises:
        UsageError: if it is no folder, lies below a file, or cannot be written to.
    """
    try:
        (folder / "runs").mkdir(parents=True, exist_ok=True)
        return (folder / ".lock").open("w")
    except OSError as error:
        if folder.exists() and not folder.is_dir():
            got = "a file"
        else:
            got = f"{error.strerror or error} ({error.filename})"
        raise UsageError(
            f"expected a folder that can be made and written to at {folder}; got {got}. "
            f"Choose another folder with --out."
        ) from error


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let processes started inside compute on one thread each."""
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@dataclass(frozen=True, kw_only=True)
class _Pool:
    """Plays specs in worker processes."""

    folder: Path
    player: Player
    command: str
    listener: Listener

    def play(self, specs: Sequence[UnlockSpec], jobs: int, finished: dict[str, RunResult]) -> dict[str, str]:
        """Play `specs`, put results into `finished` as they come, and return failures by name."""
        context = multiprocessing.get_context("spawn")
        events: Queue[Event] = context.Queue()
        failed: dict[str, str] = {}
        stop = context.Event()
        executor = ProcessPoolExecutor(
            jobs, mp_context=context, initializer=_start_worker, initargs=(events, stop)
        )
        try:
            with _one_thread_each():
                futures = {
                    executor.submit(_play_one, spec, self.folder, self.player, self.command): spec.name
                    for spec in specs
                }
            self._collect(futures, events, finished, failed)
        except BaseException:
            # An interrupt must not wait for runs that take minutes: their half-made state is redone anyway.
            stop.set()
            executor.shutdown(wait=False, cancel_futures=True)
            raise
        executor.shutdown()
        return failed

    def _collect(
        self,
        futures: dict[Future[RunResult], str],
        events: Queue[Event],
        finished: dict[str, RunResult],
        failed: dict[str, str],
    ) -> None:
        """Wait for `futures`, passing on what the workers report."""
        pending = list(futures)
        while pending:
            done, _ = wait(pending, timeout=REPORT_SECONDS, return_when=FIRST_COMPLETED)
            self._pass_on(events)
            for future in [future for future in pending if future in done]:
                name, error = futures[future], future.exception()
                if error is None:
                    finished[name] = future.result()
                    self.listener.finished(finished[name])
                else:
                    failed[name] = _reason(error)
                    self.listener.failed(name, failed[name])
            pending = [future for future in pending if future not in done]

    def _pass_on(self, events: Queue[Event]) -> None:
        """Hand all waiting events to the listener."""
        while True:
            try:
                self.listener.advanced(*events.get_nowait())
            except queue.Empty:
                return


def _reason(error: BaseException) -> str:
    """Return why a run failed, in one line."""
    if isinstance(error, BrokenProcessPool):
        return (
            "a worker process died (killed, or out of memory); run the same command again, with fewer --jobs"
        )
    return f"{type(error).__name__}: {error}"


_worker_events: list[Queue[Event]] = []


def _start_worker(events: Queue[Event], stop: Stop) -> None:
    """Prepare a worker: where to report, when to end, and to leave Ctrl-C to the process that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker_events[:] = [events]
    threading.Thread(target=_end_when_told, args=(stop,), daemon=True).start()


def _end_when_told(stop: Stop) -> None:
    """End this process when `stop` is set or its parent is gone; a killed parent cannot tell its workers."""
    parent = multiprocessing.parent_process()
    while not stop.wait(WATCH_SECONDS):
        if parent is not None and not parent.is_alive():
            break
    os._exit(1)


def _play_one(spec: UnlockSpec, folder: Path, player: Player, command: str) -> RunResult:
    """Play one spec in a worker, reporting progress now and then."""
    last = 0.0

    def report(actions: int, unlocks: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= REPORT_SECONDS:
            last = now
            _worker_events[0].put((spec.name, actions, unlocks))

    return run_trial(spec, folder, player, command, report)

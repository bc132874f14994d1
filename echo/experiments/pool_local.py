"""Jobs over processes of this machine, one job a process at a time; a process that dies is replaced."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Literal

from echo.experiments.pool import Job, Listener, explain, missing, one_thread_each, play_packed

STARTS_IN_VAIN = 3
"""After so many processes in a row that end before they are ready, none more is started."""

END_SECONDS = 5.0
"""An idle process has this long to end by itself."""

Message = tuple[Literal["ready"]] | tuple[Literal["advanced"], int, int] | tuple[Literal["ended"], str | None]
"""What a worker says: that it waits for a job, how far the job is, and why it failed (None: it did not)."""


def play_local(jobs: Sequence[Job], *, processes: int, listener: Listener) -> dict[str, str]:
    """Play `jobs` in the order given and return failed name -> reason.

    Args:
        jobs: What to play.
        processes: Jobs at a time, at least 1.
        listener: Told about progress.
    """
    together = _Crew(listener)
    together.play(jobs, processes)
    failed = together.failed
    for job, _ in together.lost:
        # Beside the others it may have lacked memory: now it has the machine to itself, once.
        alone = _Crew(listener)
        alone.play([job], 1)
        failed |= alone.failed
        for _, how in alone.lost:
            failed[job.name] = (
                f"a worker process died twice in it, the second time with no other job beside it ({how}); "
                f"run the same command again, on a machine with more memory if that was what it lacked"
            )
            listener.failed(job.name, failed[job.name])
    return failed


@dataclass(eq=False)
class _Worker:
    """A process and what it is at."""

    process: SpawnProcess
    line: Connection
    ready: bool = False
    job: Job | None = None


class _Crew:
    """Workers that share a queue of jobs."""

    def __init__(self, listener: Listener) -> None:
        self.failed: dict[str, str] = {}
        """Name of a job -> why it failed; the listener knows."""
        self.lost: list[tuple[Job, str]] = []
        """Jobs whose worker died, and how; the listener was told nothing."""
        self._listener = listener
        self._waiting: deque[Job] = deque()
        self._workers: list[_Worker] = []
        self._in_vain = 0

    def play(self, jobs: Sequence[Job], processes: int) -> None:
        """Play `jobs` in the order given, `processes` at a time."""
        self._waiting.extend(jobs)
        try:
            while self._waiting or self._busy():
                self._staff(processes)
                for line in wait([worker.line for worker in self._workers]):
                    self._hear(next(worker for worker in self._workers if worker.line is line))
            for worker in self._workers:
                with suppress(OSError):
                    worker.line.send_bytes(b"")
            for worker in self._workers:
                worker.process.join(END_SECONDS)
        finally:
            # An interrupt must not wait for jobs that take minutes: what is half made is made again anyway.
            for worker in self._workers:
                worker.process.kill()
            for worker in self._workers:
                worker.process.join()
                worker.line.close()

    def _busy(self) -> int:
        return sum(worker.job is not None for worker in self._workers)

    def _staff(self, processes: int) -> None:
        """Start processes until there are as many as can be of use."""
        while len(self._workers) < min(processes, len(self._waiting) + self._busy()):
            self._workers.append(_start_worker())

    def _hear(self, worker: _Worker) -> None:
        """Take one message of `worker`, or notice that it is dead."""
        try:
            message: Message = worker.line.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        match message:
            case ("ready",):
                self._in_vain = 0
                self._give(worker)
            case ("advanced", done, of):
                if worker.job is not None:
                    self._listener.advanced(worker.job.name, done, of)
            case ("ended", reason):
                if worker.job is not None:
                    self._settle(worker.job, reason or missing(worker.job))
                self._give(worker)

    def _give(self, worker: _Worker) -> None:
        """Hand the next job that can be sent to an idle `worker`."""
        worker.ready, worker.job = True, None
        while self._waiting:
            job = self._waiting.popleft()
            try:
                data = pickle.dumps(job)
            except Exception as error:
                self._settle(job, f"it cannot be sent to another process: {explain(error)}")
                continue
            worker.job = job
            with suppress(OSError):  # Its death is heard of in a moment.
                worker.line.send_bytes(data)
            return

    def _settle(self, job: Job, reason: str | None) -> None:
        """Note how a job ended."""
        if reason is None:
            self._listener.finished(job.name)
        else:
            self.failed[job.name] = reason
            self._listener.failed(job.name, reason)

    def _bury(self, worker: _Worker) -> None:
        """Let go of a dead worker; its job is lost, and if it never was ready, more may be no use."""
        worker.process.join()
        worker.line.close()
        self._workers.remove(worker)
        how = _tell_exit(worker.process.exitcode)
        if worker.job is not None:
            self.lost.append((worker.job, how))
        elif not worker.ready:
            self._in_vain += 1
            if self._in_vain >= STARTS_IN_VAIN:
                while self._waiting:
                    self._settle(
                        self._waiting.popleft(),
                        f"a worker process died before it could begin ({how}), and so did the "
                        f"{STARTS_IN_VAIN - 1} before it; what they said is on standard error",
                    )


def _tell_exit(code: int | None) -> str:
    """Return in words how a process ended."""
    if code is not None and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"killed by {name}" + (", often for lack of memory" if -code == signal.SIGKILL else "")
    return f"exit code {code}"


def _start_worker() -> _Worker:
    """Start a process that computes on one thread and that Ctrl-C does not reach."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    # As a daemon it is also ended when this process leaves in a way that skips the clean-up of `play`.
    process = context.Process(target=_work, args=(there,), daemon=True)
    with one_thread_each(), _deaf_to_interrupts():
        process.start()
    there.close()
    return _Worker(process=process, line=here)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Let processes started inside never see Ctrl-C, not even as they start; here it waits until then."""
    # The tracker that multiprocessing starts with its first process would unblock the signal again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(line: Connection) -> None:
    """Play the jobs that come down `line` until an empty message, or until the parent is gone."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Standard output belongs to what the command tells; what a job prints is a note.
    with suppress(OSError):
        os.dup2(2, 1)

    def say(message: Message) -> None:
        with suppress(OSError):  # Nobody listens any more: the watch on the parent ends this process.
            line.send(message)

    say(("ready",))
    while True:
        try:
            data = line.recv_bytes()
        except (EOFError, OSError):
            return
        if not data:
            return
        say(("ended", play_packed(data, lambda done, of: say(("advanced", done, of)))))


def _end_with_parent() -> None:
    """End this process when its parent is gone, in the middle of a job too; a killed parent tells nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

"""Many jobs over a pool: processes on this machine or tasks on a Ray cluster, with one door for both."""

from __future__ import annotations

import heapq
import math
import operator
import os
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from echo.experiments.spec import UsageError
from echo.mfm.plain_text import plain

Executor = Literal["local", "ray"]
"""Where jobs are played."""

Report = Callable[[int, int], None]
"""Called by a job with what is done, and of how much."""

REPORT_SECONDS = 0.1
"""A job reports its progress at most this often."""

LONGEST_REASON = 1_000
"""Characters of an error that are kept of what it says."""

THREAD_VARIABLES: tuple[str, ...] = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""Each worker computes on one thread: the jobs are the parallel part."""


class Job(Protocol):
    """A piece of work that leaves files. Can be pickled; its class can be imported by name elsewhere."""

    @property
    def name(self) -> str:
        """Name, of which there is one among the jobs played together."""

    @property
    def weight(self) -> float:
        """Expected seconds on one core, 0 or more: the long ones begin first."""

    @property
    def produces(self) -> tuple[Path, ...]:
        """Files and folders it leaves, the result file last; the job is done when all are there."""

    def play(self, report: Report) -> None:
        """Do the work, telling `report` how far it is, and write the result file all at once."""


class Listener(Protocol):
    """Is told how jobs advance, in the process that started them and in the order it hears of it."""

    def advanced(self, name: str, done: int, of: int) -> None:
        """The job `name` has done `done` of `of`."""

    def finished(self, name: str) -> None:
        """The job ended and what it produces is on this machine's disk."""

    def failed(self, name: str, reason: str) -> None:
        """The job ended without a result."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What jobs will cost, if their weights are true."""

    seconds: float
    """From the first start to the last end."""
    longest: float
    """Seconds of the longest job: more processes than makes `seconds` equal to it bring nothing."""
    jobs: int


def run_jobs(
    jobs: Sequence[Job],
    *,
    executor: Executor = "local",
    processes: int,
    listener: Listener,
    address: str | None = None,
) -> dict[str, str]:
    """Play `jobs`, long ones first (ties in the order given), and return why some have no result.

    A job that raises costs its own result alone. So does a worker that dies (killed, out of memory): the job
    is played once more after all others, with nothing beside it, and fails if that dies too.

    Args:
        jobs: What to play; names are unique.
        executor: Processes here, or tasks on a Ray cluster. The files that jobs leave are the same.
        processes: Jobs at a time; 0 is one a processor, of this machine or of the cluster.
        listener: Told about progress.
        address: Of the Ray cluster, such as ``10.0.0.1:6379`` or ``auto``; None starts Ray on this machine
            alone, unless ``RAY_ADDRESS`` names a cluster.

    Returns:
        Name of each failed job -> reason in one line, in the order of `jobs`.

    Raises:
        UsageError: on fewer than 0 processes, an address without Ray, a cluster that does not answer, or
            Ray that is not installed.
        ValueError: if two jobs have one name, or a weight is no number of seconds.
    """
    if processes < 0:
        raise UsageError(f"expected 0 processes (one a processor) or more; got {processes}. Change --jobs.")
    if address is not None and executor != "ray":
        raise UsageError(
            f"expected an address with --executor ray alone; got {address!r} with {executor!r}. Leave one."
        )
    ordered = longest_first(jobs)
    if not ordered:
        return {}
    match executor:
        case "local":
            from echo.experiments.pool_local import play_local

            failed = play_local(ordered, processes=processes or count_processors(), listener=listener)
        case "ray":
            from echo.experiments.pool_ray import play_ray

            failed = play_ray(ordered, processes=processes, listener=listener, address=address)
    return {job.name: failed[job.name] for job in jobs if job.name in failed}


def longest_first(jobs: Sequence[Job]) -> tuple[Job, ...]:
    """Return `jobs` by falling weight, ties in the order given.

    Raises:
        ValueError: if two jobs have one name, or a weight is no number of seconds.
    """
    seen: dict[str, Job] = {}
    for job in jobs:
        if job.name in seen:
            raise ValueError(f"expected one job a name; got two called {job.name!r}.")
        if not (math.isfinite(job.weight) and job.weight >= 0):
            raise ValueError(f"expected a weight of 0 seconds or more; got {job.weight} of job {job.name!r}.")
        seen[job.name] = job
    return tuple(sorted(jobs, key=lambda job: -job.weight))


def estimate(jobs: Sequence[Job], processes: int) -> Estimate:
    """Return how long `jobs` take on `processes` workers, each of which takes the longest job left.

    Raises:
        UsageError: on fewer than 1 process.
        ValueError: as `longest_first`.
    """
    if processes < 1:
        raise UsageError(f"expected at least 1 process; got {processes}. Change --jobs.")
    ends = [0.0] * max(1, min(processes, len(jobs)))
    for job in longest_first(jobs):
        heapq.heapreplace(ends, ends[0] + job.weight)
    longest = max((job.weight for job in jobs), default=0.0)
    return Estimate(seconds=max(ends), longest=longest, jobs=len(jobs))


def count_processors() -> int:
    """Return how many processors this process may use; a batch system may grant fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def one_thread_each() -> Iterator[None]:
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


def play_packed(data: bytes, report: Report, every: float = REPORT_SECONDS) -> str | None:
    """Play a pickled job in a worker, reporting at most once in `every` seconds.

    Returns:
        Why it failed, in one line; None if it did not.
    """
    last = -math.inf

    def report_seldom(done: int, of: int) -> None:
        nonlocal last
        # A job that reports nonsense fails here, not in the process of all the others.
        done, of = operator.index(done), operator.index(of)
        now = time.monotonic()
        if now - last >= every:
            last = now
            report(done, of)

    try:
        job: Job = pickle.loads(data)
        job.play(report_seldom)
    except BaseException as error:  # A job that calls exit must not end the worker either.
        return explain(error)
    return None


def explain(error: BaseException) -> str:
    """Return an error in one printable line of bounded length, also one that cannot tell what it is."""
    try:
        said = " ".join(str(error).split())
    except Exception:  # An error's own text is a job's code too, and may raise anything.
        said = "what it says cannot be told"
    if len(said) > LONGEST_REASON:
        said = f"{said[:LONGEST_REASON]} ..."
    return plain(f"{type(error).__name__}: {said}" if said else type(error).__name__)


def missing(job: Job) -> str | None:
    """Return why a job that ended well has no result on this disk, None where it has."""
    absent = [path for path in job.produces if not path.exists()]
    if not absent:
        return None
    return f"it ended without an error, but expected {absent[0]} and got nothing there"

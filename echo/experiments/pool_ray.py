"""Jobs as tasks on a Ray cluster, one processor each; what they leave arrives here, shared disk or not."""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
import threading
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echo.experiments.pool import (
    THREAD_VARIABLES,
    Job,
    Listener,
    explain,
    missing,
    play_packed,
)
from echo.experiments.pool_cluster import connected
from echo.experiments.pool_shipping import (
    Shipment,
    pack_produce,
    shares_disk,
    show_disk,
    unpack_produce,
    wait_until_seen,
)

LOOK_SECONDS = 0.25
"""The cluster is asked this often how jobs advance."""

REPORT_SECONDS = 1.0
"""A job on a cluster reports at most this often: all of them report to one actor."""

WATCH_SECONDS = 0.5
"""A job looks this often whether its node is still there."""


def play_ray(
    jobs: Sequence[Job], *, processes: int, listener: Listener, address: str | None
) -> dict[str, str]:
    """Play `jobs` in the order given and return failed name -> reason.

    Args:
        jobs: What to play.
        processes: Jobs at a time; 0 is as many as the cluster (or this machine) has processors.
        listener: Told about progress.
        address: As for `echo.experiments.pool.run_jobs`.

    Raises:
        UsageError: if Ray is not installed, or the cluster does not answer or has no processors.
    """
    # Ray tells of dead workers on standard output, which belongs to the caller's results.
    with redirect_stdout(sys.stderr), connected(address, processes) as ray, _shown_disk(jobs) as token:
        crew = _Crew(ray=ray, token=token, listener=listener)
        crew.play(jobs, processes)
        fallen, crew.fallen = crew.fallen, []
        # A node that goes takes jobs with it that did no harm.
        crew.play([job for job, died_with_node, _ in fallen if died_with_node], processes)
        for job in [job for job, died_with_node, _ in fallen if not died_with_node]:
            # Beside others it may have lacked memory: now it has the cluster to itself, once.
            crew.play([job], 1)
        for job, _, how in crew.fallen:
            crew.settle(job, f"a worker process died twice in it ({how}); run the same command again")
        return crew.failed


class _Crew:
    """Tasks on a cluster that the driver knows of."""

    def __init__(self, *, ray: Any, token: str, listener: Listener) -> None:
        self.failed: dict[str, str] = {}
        """Name of a job -> why it failed; the listener knows."""
        self.fallen: list[tuple[Job, bool, str]] = []
        """Jobs whose process died, whether its whole node did, and how; the listener was told nothing."""
        self._ray = ray
        self._token = token
        self._listener = listener
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=True
        )
        self._feed = ray.remote(_Feed).options(num_cpus=0, scheduling_strategy=here).remote()
        self._heard: Any = None
        self._task = ray.remote(_play_there).options(
            num_cpus=1, max_retries=0, runtime_env={"env_vars": dict.fromkeys(THREAD_VARIABLES, "1")}
        )

    def play(self, jobs: Sequence[Job], processes: int) -> None:
        """Play `jobs`, `processes` at a time, or as many as there is room for where that is 0."""
        waiting = deque(jobs)
        pending: dict[Any, Job] = {}
        try:
            while waiting or pending:
                while waiting and (not processes or len(pending) < processes):
                    self._submit(waiting.popleft(), pending)
                if not pending:
                    continue
                done, _ = self._ray.wait(list(pending), timeout=LOOK_SECONDS)
                self._pass_on(pending)
                for reference in done:
                    self._take(reference, pending.pop(reference))
        except BaseException:
            for reference in pending:
                with suppress(Exception):
                    self._ray.cancel(reference, force=True)
            raise

    def settle(self, job: Job, reason: str | None) -> None:
        """Note how a job ended."""
        if reason is None:
            self._listener.finished(job.name)
        else:
            self.failed[job.name] = reason
            self._listener.failed(job.name, reason)

    def _submit(self, job: Job, pending: dict[Any, Job]) -> None:
        try:
            data = pickle.dumps(job)
        except Exception as error:
            self.settle(job, f"it cannot be sent to another process: {explain(error)}")
            return
        pending[self._task.remote(data, job.name, self._feed, self._token, str(Path.cwd()))] = job

    def _take(self, reference: Any, job: Job) -> None:
        """Take what a task that ended has returned, or note how it died."""
        exceptions = self._ray.exceptions
        try:
            played: _Played = self._ray.get(reference)
        except exceptions.RayTaskError as error:
            self.settle(job, f"it failed on its node: {_innermost(error)}")
        except exceptions.RuntimeEnvSetupError as error:
            self.settle(job, f"it could not begin on the cluster: {explain(error)}")
        except exceptions.RayError as error:
            self.fallen.append((job, isinstance(error, exceptions.NodeDiedError), _first_line(error)))
        else:
            self.settle(job, played.reason or _unpack(job, played.shipments))

    def _pass_on(self, pending: dict[Any, Job]) -> None:
        """Hand what the jobs have reported to the listener; without the actor there is just no progress."""
        try:
            if self._heard is None:
                self._heard = self._feed.take.remote()
            elif self._ray.wait([self._heard], timeout=0)[0]:
                heard, self._heard = self._ray.get(self._heard), None
                running = {job.name for job in pending.values()}
                for name, (done, of) in heard.items():
                    if name in running:
                        self._listener.advanced(name, done, of)
        except self._ray.exceptions.RayError:
            self._heard = None


class _Feed:
    """An actor that keeps the latest report of each job until the driver takes it."""

    def __init__(self) -> None:
        self._latest: dict[str, tuple[int, int]] = {}

    def tell(self, name: str, done: int, of: int) -> None:
        """Keep a report."""
        self._latest[name] = (done, of)

    def take(self) -> dict[str, tuple[int, int]]:
        """Return what came since the last call."""
        latest, self._latest = self._latest, {}
        return latest


@dataclass(frozen=True, kw_only=True)
class _Played:
    """What a task returns."""

    reason: str | None
    """Why it failed, None if it did not."""
    shipments: tuple[Shipment, ...]
    """What the job produced, for a driver that does not see this disk; empty for one that does."""


def _play_there(data: bytes, name: str, feed: Any, token: str, folder: str) -> _Played:
    """Play a pickled job on a node of the cluster.

    Args:
        data: The job.
        name: Its name.
        feed: Where to report.
        token: How to recognise the driver's disk.
        folder: The driver's working folder, from which relative paths are meant.
    """
    try:
        os.chdir(folder)
    except OSError:
        elsewhere = Path(tempfile.gettempdir()) / f"echo-memory-{token}"
        elsewhere.mkdir(mode=0o700, exist_ok=True)
        os.chdir(elsewhere)
    with _ending_with_parent():
        reason = play_packed(data, lambda done, of: feed.tell.remote(name, done, of), every=REPORT_SECONDS)
    if reason is not None:
        return _Played(reason=reason, shipments=())
    job: Job = pickle.loads(data)
    reason = missing(job)
    if reason is not None or shares_disk(job.produces[-1].parent, token):
        return _Played(reason=reason, shipments=())
    return _Played(reason=None, shipments=tuple(map(pack_produce, job.produces)))


@contextmanager
def _ending_with_parent() -> Iterator[None]:
    """End this process when the node's own is gone; Ray lets a job that computes go on, for nobody."""
    parent, over = os.getppid(), threading.Event()

    def watch() -> None:
        while not over.wait(WATCH_SECONDS):
            if os.getppid() != parent:
                os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _unpack(job: Job, shipments: Sequence[Shipment]) -> str | None:
    """Put what a job produced elsewhere to its place here, and return why it could not be done, if so."""
    try:
        for path, shipment in zip(job.produces, shipments, strict=False):
            unpack_produce(path, shipment)
    except (OSError, ValueError) as error:
        return f"its result could not be written here: {explain(error)}"
    return wait_until_seen(job.produces)


@contextmanager
def _shown_disk(jobs: Sequence[Job]) -> Iterator[str]:
    """Mark the folders of the results, so that a node can tell whether it sees the same disk."""
    token = uuid.uuid4().hex
    folders = sorted({job.produces[-1].parent for job in jobs})
    shown: list[Path] = []
    try:
        shown.extend(show_disk(folder, token) for folder in folders)
        yield token
    finally:
        for path in shown:
            path.unlink(missing_ok=True)


def _innermost(error: BaseException) -> str:
    """Return what went wrong on the node, without the traceback that Ray wraps it in."""
    return explain(getattr(error, "cause", None) or error)


def _first_line(error: BaseException) -> str:
    said = str(error).strip().splitlines()
    return f"{type(error).__name__}: {said[0]}" if said else type(error).__name__

"""An unlocking experiment: many runs over a pool, resumable after a kill at any point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from echo.experiments.means import Means
from echo.experiments.pool import Report, run_jobs
from echo.experiments.pool_folder import only_one_here
from echo.experiments.results import (
    ResultsError,
    RunResult,
    claim_folder,
    memory_folder,
    read_result,
    run_file,
)
from echo.experiments.spec import UnlockSpec
from echo.experiments.trial import Player, run_trial
from echo.experiments.unlock_costs import UnlockCosts


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
    specs: Sequence[UnlockSpec],
    folder: Path,
    *,
    player: Player,
    command: str,
    listener: Listener,
    means: Means,
) -> GridOutcome:
    """Play every spec that has no result yet and return all results.

    A run is written when it is finished, all at once. What a kill leaves half done is played again from the
    start, and since a run depends on its spec alone, the result is the same as without the kill.

    Args:
        specs: Runs in the same circumstances, at least one.
        folder: Results folder; made if absent.
        player: Who plays; sent to the workers by name.
        command: Command line kept in the results.
        listener: Told about progress.
        means: Where the runs are played, how many at a time, and which share of them.

    Raises:
        UsageError: if `folder` cannot be made or written to, holds runs made in other circumstances, or
            another process is running in it; and as `run_jobs`.
        ResultsError: if `folder` is of another version or a file in it is unreadable.
    """
    own = specs if means.share is None else means.share.take(specs)
    with only_one_here(folder, means.share):
        claim_folder(folder, specs[0])
        finished, waiting = split_finished(own, folder)
        kept = tuple(finished)
        for result in finished.values():
            listener.finished(result)
        failed = run_jobs(
            make_jobs(waiting, folder, player=player, command=command, finished=finished.values()),
            executor=means.executor,
            processes=means.processes,
            listener=_Reader(folder=folder, finished_runs=finished, listener=listener),
            address=means.address,
        )
    results = tuple(finished[spec.name] for spec in own if spec.name in finished)
    return GridOutcome(results=results, kept=kept, failed=failed)


@dataclass(frozen=True, kw_only=True)
class UnlockJob:
    """One run as a job of the pool."""

    spec: UnlockSpec
    folder: Path
    player: Player
    command: str
    weight: float
    """Expected seconds on one core."""

    @property
    def name(self) -> str:
        """Name of the run."""
        return self.spec.name

    @property
    def produces(self) -> tuple[Path, ...]:
        """The memory if it is recorded, and the result."""
        result = run_file(self.folder, self.name)
        return (result,) if self.spec.record == "none" else (memory_folder(self.folder, self.name), result)

    def play(self, report: Report) -> None:
        """Play the run and write its result."""
        run_trial(self.spec, self.folder, self.player, self.command, report)


def make_jobs(
    specs: Iterable[UnlockSpec],
    folder: Path,
    *,
    player: Player,
    command: str,
    finished: Iterable[RunResult] = (),
) -> list[UnlockJob]:
    """Return the jobs that play `specs`, each with its expected seconds; arguments as for `run_grid`.

    Args:
        specs: Runs to play.
        folder: Where results go.
        player: Who plays.
        command: Command line kept in the results.
        finished: Results of the same folder, which say what runs take here.
    """
    costs = UnlockCosts.from_file(finished)
    return [
        UnlockJob(spec=spec, folder=folder, player=player, command=command, weight=costs.seconds(spec))
        for spec in specs
    ]


@dataclass(frozen=True, kw_only=True)
class _Reader:
    """Reads each result as its job ends and passes on what the pool tells."""

    folder: Path
    finished_runs: dict[str, RunResult]
    listener: Listener

    def advanced(self, name: str, done: int, of: int) -> None:
        """Pass on actions taken and items unlocked, which is what a trial reports."""
        self.listener.advanced(name, done, of)

    def finished(self, name: str) -> None:
        """Read the result and pass it on."""
        self.finished_runs[name] = read_result(run_file(self.folder, name))
        self.listener.finished(self.finished_runs[name])

    def failed(self, name: str, reason: str) -> None:
        """Pass on why there is no result."""
        self.listener.failed(name, reason)

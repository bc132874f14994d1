"""Playing an experiment on tasks: what is finished stays, what fails is noted, the rest goes on."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from echo.experiments.circumstances import check_circumstances
from echo.experiments.means import Means
from echo.experiments.pool import explain, run_jobs
from echo.experiments.pool_folder import Slice, only_one_here
from echo.experiments.results import ResultsError, run_file
from echo.experiments.spec import UsageError
from echo.experiments.tasks.costs import Costs
from echo.experiments.tasks.experiment import Experiment
from echo.experiments.tasks.plan import Player, RunJob, make_jobs, make_runs, split_finished
from echo.experiments.tasks.records import RunSpec, TaskRun
from echo.experiments.tasks.results import (
    claim,
    find_circumstances,
    note_unscored,
    read_run,
    set_aside,
)


class Listener(Protocol):
    """Is told how the runs advance, in the process that started them."""

    def advanced(self, name: str, done: int, of: int) -> None:
        """The run `name` has played `done` of `of` episodes."""

    def finished(self, run: TaskRun) -> None:
        """A run ended and its result is on disk."""

    def failed(self, name: str, reason: str) -> None:
        """A run ended without a result."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What an experiment still has to do in a folder."""

    specs: tuple[RunSpec, ...]
    """All runs of the experiment, or of the share asked for."""
    expected: tuple[str, ...]
    """Names of all runs of the experiment, whatever the share."""
    finished: tuple[TaskRun, ...]
    jobs: tuple[RunJob, ...]
    """Runs still to be played."""
    torn: tuple[Path, ...]
    """Result files that hold no JSON; their runs are among the jobs."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of the runs."""

    runs: tuple[TaskRun, ...]
    """All that have a result now, in the order of the plan."""
    kept: tuple[str, ...]
    """Names of those that were finished before."""
    failed: Mapping[str, str]
    """Name -> why it has no result; such a run is unscored, never zero."""
    seconds: float
    """From start to end."""

    @property
    def episodes_per_minute(self) -> float | None:
        """Episodes played in this sitting a minute, over all processes; None where none was played."""
        played = sum(len(run.episodes) for run in self.runs if run.spec.name not in self.kept)
        return played / self.seconds * 60 if played and self.seconds > 0 else None


def make_plan(
    experiment: Experiment, folder: Path, *, player: Player, command: str, share: Slice | None = None
) -> Plan:
    """Work out what is still to be played in `folder`; nothing in it is changed.

    Args:
        experiment: What to play.
        folder: Results folder; need not exist.
        player: Who plays; sent to the workers by name.
        command: Command line kept in the results.
        share: Takes a part of the runs, of all of them whether finished or not.

    Raises:
        UsageError: if `folder` is none, or holds runs made in other circumstances.
        ResultsError: if it is of another version, or as `split_finished`.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"expected a results folder; got a file at {folder}. Choose another with --out.")
    specs = make_runs(experiment)
    known = find_circumstances(folder)
    if known is not None:
        check_circumstances(folder, known, specs[0].circumstances)
    own = share.take(specs) if share is not None else specs
    split = split_finished(own, folder)
    costs = Costs.from_file(split.finished)
    return Plan(
        specs=own,
        expected=tuple(spec.name for spec in specs),
        finished=split.finished,
        jobs=make_jobs(split.waiting, folder, player=player, command=command, costs=costs),
        torn=split.torn,
    )


def play(
    experiment: Experiment,
    folder: Path,
    *,
    player: Player,
    command: str,
    means: Means,
    listener: Listener,
) -> Outcome:
    """Play every run of an experiment that has no result in `folder` yet.

    A run is written when it is finished, all at once. What a kill leaves half done is played again from the
    start, and since a run depends on its spec alone, the result is the same as without the kill. A run that
    fails is noted with its reason; it is tried again when the same experiment is played again.

    Args:
        experiment: What to play.
        folder: Results folder; made if absent.
        player: Who plays; sent to the workers by name.
        command: Command line kept in the results.
        means: Where, and how many runs at a time.
        listener: Told about progress, of runs finished earlier too.

    Raises:
        UsageError: if `folder` cannot be made or written to, holds runs made in other circumstances, or
            another process is running in it; and as `run_jobs`.
        ResultsError: if `folder` is of another version, or a result in it was altered or is of another run.
    """
    with only_one_here(folder, means.share):
        plan = make_plan(experiment, folder, player=player, command=command, share=means.share)
        if plan.specs:
            claim(folder, plan.specs[0].circumstances, plan.expected)
        for path in plan.torn:
            set_aside(path)
        results = {run.spec.name: run for run in plan.finished}
        for run in plan.finished:
            listener.finished(run)
        began = time.monotonic()
        reader = _Reader(folder=folder, results=results, unread={}, listener=listener)
        failed = run_jobs(
            plan.jobs,
            executor=means.executor,
            processes=means.processes,
            listener=reader,
            address=means.address,
        )
        seconds = time.monotonic() - began
    return Outcome(
        runs=tuple(results[spec.name] for spec in plan.specs if spec.name in results),
        kept=tuple(run.spec.name for run in plan.finished),
        failed={**failed, **reader.unread},
        seconds=seconds,
    )


@dataclass(frozen=True, kw_only=True)
class _Reader:
    """Reads each result as its job ends, notes failures, and passes on what the pool tells."""

    folder: Path
    results: dict[str, TaskRun]
    unread: dict[str, str]
    """Name of a run whose result cannot be read -> why."""
    listener: Listener

    def advanced(self, name: str, done: int, of: int) -> None:
        """Pass it on."""
        self.listener.advanced(name, done, of)

    def finished(self, name: str) -> None:
        """Read the result and pass it on; one that cannot be read is put aside and costs its run alone."""
        path = run_file(self.folder, name)
        try:
            self.results[name] = read_run(path)
        except ResultsError as error:
            self.unread[name] = explain(error)
            set_aside(path)
            self.failed(name, self.unread[name])
            return
        self.listener.finished(self.results[name])

    def failed(self, name: str, reason: str) -> None:
        """Note why there is no result, and pass it on."""
        note_unscored(self.folder, name, reason)
        self.listener.failed(name, reason)

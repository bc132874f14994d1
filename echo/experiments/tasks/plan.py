"""From an experiment to its runs, and from the runs to the jobs that are still to be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from echo.experiments.pool import Report
from echo.experiments.reasoner import resolved
from echo.experiments.results import ResultsError, TornFileError, check_name, run_file
from echo.experiments.tasks.competitors import Competitor
from echo.experiments.tasks.costs import Costs
from echo.experiments.tasks.experiment import MIXING, Experiment
from echo.experiments.tasks.loading import task_names, tasks_digest
from echo.experiments.tasks.records import MIXED, RunSpec, TaskRun
from echo.experiments.tasks.results import read_run, write_run
from echo.experiments.tasks.skills import FOLDER_MEMORY


class Player(Protocol):
    """Plays one run; `echo.experiments.tasks.trial.play_run` is one."""

    def __call__(self, spec: RunSpec, command: str, progress: Report) -> TaskRun:
        """Play `spec` from an empty memory and return what happened.

        Args:
            spec: What to play.
            command: Command line kept in the result.
            progress: Told the episodes played so far, and of how many.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class RunJob:
    """One run to be played in a process of its own; picklable when its player is."""

    spec: RunSpec
    folder: Path
    """Results folder."""
    command: str
    """Command line kept in the result."""
    player: Player
    weight: float
    """Expected seconds."""

    @property
    def name(self) -> str:
        """Name of the run."""
        return self.spec.name

    @property
    def produces(self) -> tuple[Path, ...]:
        """The result file."""
        return (run_file(self.folder, self.spec.name),)

    def play(self, report: Report) -> None:
        """Play the run and write its result file, all at once.

        Raises:
            ValueError: if the player returned anything else than a whole result of this very run.
        """
        write_run(self.folder, self._checked(self.player(self.spec, self.command, report)))

    def _checked(self, played: object) -> TaskRun:
        """Return what was played, if it may be written: it must not take the place of another run."""
        if not isinstance(played, TaskRun):
            raise ValueError(f"expected a TaskRun of the player; got {type(played).__name__}.")
        if played.spec != self.spec:
            raise ValueError(f"expected the run {self.name} of the player; got another, {played.spec.name}.")
        return TaskRun.model_validate_json(played.model_dump_json())


@dataclass(frozen=True, kw_only=True)
class Split:
    """The runs of an experiment, finished and not."""

    finished: tuple[TaskRun, ...]
    waiting: tuple[RunSpec, ...]
    torn: tuple[Path, ...]
    """Result files that hold no JSON; their runs are among those waiting."""


def make_runs(experiment: Experiment) -> tuple[RunSpec, ...]:
    """Return every run of an experiment: numbers outermost, so that all agents and tasks advance together.

    Skill pairs are played by the plain mfm, where it is among the agents; what it plays without skills anyway
    is not played twice.

    Raises:
        UsageError: if the reasoner is a model that is not there.
    """
    digest, reasoner = _digest(experiment), resolved(experiment.reasoner)
    wanted: list[tuple[Competitor, str, str | None]] = [
        (competitor, task, None)
        for task in ((MIXED,) if experiment.kind in MIXING else experiment.tasks)
        for competitor in experiment.agents
    ]
    mfm = Competitor(agent=FOLDER_MEMORY)
    for pair in experiment.skills if mfm in experiment.agents else ():
        wanted += [(mfm, pair.task, None), (mfm, pair.task, pair.installed)]
    return tuple(
        RunSpec(
            kind=experiment.kind,
            competitor=competitor,
            task=task,
            run=run,
            seed=experiment.seed,
            episodes=experiment.episodes,
            invented_names=experiment.invented_names,
            installed=installed,
            reasoner=reasoner,
            task_digest=digest,
        )
        for run in range(experiment.runs)
        for competitor, task, installed in dict.fromkeys(wanted)
    )


def _digest(experiment: Experiment) -> str:
    """Return the digest over the twelve tasks and every other one that is played.

    The twelve count as a whole, whichever are asked for, so that a folder can be filled task by task.
    """
    names = task_names()
    return tasks_digest((*names, *sorted(name for name in experiment.named if name not in names)))


def split_finished(specs: Sequence[RunSpec], folder: Path) -> Split:
    """Tell which of `specs` have a result in `folder`.

    Raises:
        ResultsError: if a result was altered, is of another version, was made from another spec, or is of
            another run than its name says.
    """
    finished: list[TaskRun] = []
    waiting: list[RunSpec] = []
    torn: list[Path] = []
    for spec in specs:
        path = run_file(folder, spec.name)
        if not path.exists():
            waiting.append(spec)
            continue
        try:
            run = read_run(path)
        except TornFileError:
            torn.append(path)
            waiting.append(spec)
            continue
        check_name(path, run.spec.name)
        if run.spec_digest != spec.digest:
            raise ResultsError(
                f"expected the result of spec {spec.digest[:12]}; got one of {run.spec_digest[:12]} in "
                f"{path}. Choose another folder with --out, or delete that file."
            )
        finished.append(run)
    return Split(finished=tuple(finished), waiting=tuple(waiting), torn=tuple(torn))


def make_jobs(
    specs: Sequence[RunSpec], folder: Path, *, player: Player, command: str, costs: Costs
) -> tuple[RunJob, ...]:
    """Return one job a run, in the order of `specs`, weighted with the seconds it is expected to take."""
    return tuple(
        RunJob(spec=spec, folder=folder, command=command, player=player, weight=costs.seconds(spec))
        for spec in specs
    )

"""Every number of a report, computed from result files alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from echo.experiments.model_bill import ModelBill, bill_of
from echo.experiments.results import ResultsError
from echo.experiments.statistics.negative_transfer import NegativeTransfer
from echo.experiments.tasks.loading import load_task
from echo.experiments.tasks.records import Kind, TaskRun
from echo.experiments.tasks.report.ablation import Ablation, measure_ablation
from echo.experiments.tasks.report.cells import Cells
from echo.experiments.tasks.report.failures import Failures, measure_failures
from echo.experiments.tasks.report.learning import LearningCurve, measure_curves
from echo.experiments.tasks.report.milestones import FolderMemory, measure_folder_memory
from echo.experiments.tasks.report.reading import KINDS, Experiment, Unscored, in_order
from echo.experiments.tasks.report.sources import Sources, measure_sources
from echo.experiments.tasks.report.spending import (
    Retries,
    Spending,
    measure_negative_transfer,
    measure_retries,
    measure_spending,
)
from echo.experiments.tasks.report.success import Success, measure_success

SINGLE_TASK: tuple[Kind, ...] = ("tasks", "ablate")
"""Kinds whose runs play one task each; their runs are tabled together."""


@dataclass(frozen=True, kw_only=True)
class Behind:
    """What lies behind success, by label, over runs that may be compared with each other."""

    failures: Mapping[str, Failures]
    spending: Mapping[str, Spending]
    sources: Mapping[str, Sources]


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """All experiments of a report; a part whose runs are missing is None or empty."""

    experiments: tuple[Experiment, ...]
    cells: Cells | None
    """Runs of one task each, by agent and task."""
    success: Success | None
    curves: Mapping[str, LearningCurve]
    """Label -> success over episodes, over all tasks."""
    family_curves: Mapping[str, Mapping[str, LearningCurve]]
    ablation: Ablation | None
    mixed: Cells | None
    continual: Mapping[str, LearningCurve]
    """Label -> success over mixed episodes."""
    folder_memory: FolderMemory | None
    behind: Mapping[Kind, Behind]
    """Kind -> what lies behind its success, in the order of sections; 'tasks' stands for 'ablate' too."""
    retries: Mapping[str, Retries]
    negative_transfer: Mapping[str, NegativeTransfer]
    """'all' or a family -> steps of echo beside those of echo without transfer."""

    @property
    def runs(self) -> tuple[TaskRun, ...]:
        """All runs of all experiments."""
        return tuple(run for experiment in self.experiments for run in experiment.runs)

    @property
    def unscored(self) -> tuple[Unscored, ...]:
        """All runs without a result."""
        return tuple(one for experiment in self.experiments for one in experiment.unscored)

    @property
    def labels(self) -> tuple[str, ...]:
        """All competitors in the order of all tables."""
        return in_order(label for experiment in self.experiments for label in experiment.labels)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Kinds of the experiments, in the order of sections."""
        return tuple(kind for kind in KINDS if any(one.kind == kind for one in self.experiments))

    @property
    def bills(self) -> dict[str, ModelBill]:
        """Label -> what a model decided and cost over all runs; empty where the rule decided."""
        told = {
            label: bill_of(
                one for run in self.runs if run.spec.competitor.label == label for one in run.reasoning
            )
            for label in self.labels
        }
        return {label: bill for label, bill in told.items() if bill is not None}

    @property
    def commits(self) -> tuple[str, ...]:
        """Commits of the code behind the runs; more than one is worth a warning."""
        return tuple(sorted(dict.fromkeys(run.commit or "unknown" for run in self.runs)))

    @property
    def commands(self) -> tuple[str, ...]:
        """Commands behind the runs, in the order of the runs."""
        return tuple(dict.fromkeys(run.command for run in self.runs))


def measure(experiments: Sequence[Experiment]) -> Numbers:
    """Compute every number.

    Args:
        experiments: One or more, of different kinds, in circumstances that go together.

    Raises:
        ResultsError: if two are of one kind, or their circumstances do not go together.
    """
    check_together(experiments)
    ordered = tuple(sorted(experiments, key=lambda one: KINDS.index(one.kind)))
    single = [one for one in ordered if one.kind in SINGLE_TASK]
    cells = _one_table(single) if single else None
    mixed = next((Cells.from_experiment(one) for one in ordered if one.kind == "continual"), None)
    folder = [run for one in ordered if one.kind == "mfm" for run in one.runs]
    retries = {label: measure_retries(cells, label) for label in cells.labels} if cells else {}
    return Numbers(
        experiments=ordered,
        cells=cells,
        success=measure_success(cells) if cells else None,
        curves=measure_curves(cells, "all") if cells else {},
        family_curves={
            family: measure_curves(cells, family, tasks) for family, tasks in cells.families().items()
        }
        if cells
        else {},
        ablation=measure_ablation(cells) if cells else None,
        mixed=mixed,
        continual=measure_curves(mixed, "continual") if mixed else {},
        folder_memory=measure_folder_memory(folder) if folder else None,
        behind=_behind(ordered, cells),
        retries={label: one for label, one in retries.items() if one is not None},
        negative_transfer=measure_negative_transfer(cells) if cells else {},
    )


def check_together(experiments: Sequence[Experiment]) -> None:
    """Check that experiments can stand in one report: they differ in kind, and in nothing else that matters.

    Experiments of single tasks share all circumstances but kind; others may also differ in episodes a run
    and in the task files that they played.

    Raises:
        ResultsError: if they do not.
    """
    first = experiments[0]
    for number, one in enumerate(experiments):
        for earlier in experiments[:number]:
            if one.kind == earlier.kind:
                raise ResultsError(
                    f"expected folders of different kinds in one report; got two of kind {one.kind!r}: "
                    f"{earlier.folder} and {one.folder}. Give exactly these two to compare them."
                )
        partners = [earlier for earlier in experiments[:number] if earlier.kind in SINGLE_TASK]
        close = one.kind in SINGLE_TASK and bool(partners)
        other = partners[0] if close else first
        free = {"kind"} if close else {"kind", "episodes", "task_digest"}
        names = sorted({*one.circumstances, *other.circumstances} - free)
        differing = [name for name in names if one.circumstances.get(name) != other.circumstances.get(name)]
        if differing:
            here = ", ".join(f"{name}={one.circumstances.get(name)!r}" for name in differing)
            there = ", ".join(f"{name}={other.circumstances.get(name)!r}" for name in differing)
            raise ResultsError(
                f"expected experiments in the same circumstances ({there} in {other.folder}); got {here} in "
                f"{one.folder}. Make a report of each."
            )


def _one_table(experiments: Sequence[Experiment]) -> Cells:
    """Return the runs of all `experiments` as one table; a run that two of them hold counts once."""
    found: dict[tuple[str, str, int], TaskRun] = {}
    for experiment in experiments:
        for run in experiment.runs:
            found.setdefault((run.spec.competitor.label, run.spec.task, run.spec.run), run)
    done = {run.spec.name for run in found.values()}
    missing = {one.name: one for experiment in experiments for one in experiment.unscored}
    return Cells.from_runs(found.values(), (one for name, one in missing.items() if name not in done))


def _comparable(experiment: Experiment) -> Sequence[TaskRun]:
    """Return the runs of an experiment whose costs may be compared: of mfm those on ladders, if any."""
    if experiment.kind != "mfm":
        return experiment.runs
    plain = [run for run in experiment.runs if run.spec.installed is None]
    return [run for run in plain if load_task(run.spec.task).milestones] or plain


def _behind(experiments: Sequence[Experiment], cells: Cells | None) -> dict[Kind, Behind]:
    """Return what lies behind success: of all runs of single tasks together, and of each other kind."""
    groups: dict[Kind, Sequence[TaskRun]] = {}
    if cells is not None:
        groups["tasks"] = [run for label in cells.labels for run in cells.of(label)]
    groups |= {one.kind: _comparable(one) for one in experiments if one.kind not in SINGLE_TASK}
    found: dict[Kind, Behind] = {}
    for kind, runs in groups.items():
        by_label: dict[str, list[TaskRun]] = {}
        for run in runs:
            by_label.setdefault(run.spec.competitor.label, []).append(run)
        ordered = {label: by_label[label] for label in in_order(by_label)}
        found[kind] = Behind(
            failures={label: measure_failures(played) for label, played in ordered.items()},
            spending={label: measure_spending(played) for label, played in ordered.items()},
            sources={label: measure_sources(played) for label, played in ordered.items()},
        )
    return found

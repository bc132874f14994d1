"""What a report is made of: the runs of one results folder, and those that ought to be there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from echo.experiments.spec import UsageError
from echo.experiments.tasks.committed import read_results
from echo.experiments.tasks.competitors import every_competitor
from echo.experiments.tasks.records import Kind, TaskRun

KINDS: tuple[Kind, ...] = get_args(Kind)
"""Kinds of experiments in the order of a report's sections."""


@dataclass(frozen=True, kw_only=True)
class Unscored:
    """A run that was asked for and has no result."""

    name: str
    reason: str
    """Why, where the folder says it; 'not played' where it does not."""

    @property
    def label(self) -> str:
        """Label of its competitor."""
        slug = self.name.split(".")[0]
        agent, _, rest = slug.partition("--")
        if not rest:
            return agent
        removed = rest.startswith("without-")
        return f"{agent}/-{rest.removeprefix('without-')}" if removed else f"{agent}/{rest}"

    @property
    def task(self) -> str:
        """Its task; empty where the name tells none."""
        parts = self.name.split(".")
        return parts[1] if len(parts) > 2 else ""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """The runs of one kind, made in the same circumstances."""

    kind: Kind
    folder: Path
    circumstances: Mapping[str, Any]
    runs: tuple[TaskRun, ...]
    """By competitor in the order of all tables, then task, then number of the run."""
    unscored: tuple[Unscored, ...]
    """By name."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Competitors with a run, and those that have only unscored ones, in the order of all tables."""
        found = [run.spec.competitor.label for run in self.runs] + [one.label for one in self.unscored]
        return in_order(found)

    def of(self, label: str) -> tuple[TaskRun, ...]:
        """Return the runs of one competitor."""
        return tuple(run for run in self.runs if run.spec.competitor.label == label)


def in_order(labels: Iterable[str]) -> tuple[str, ...]:
    """Return labels once each: agents in the order of all tables, each followed by its switches.

    >>> in_order(["mp5", "echo/-func", "echo", "mp5"])
    ('echo', 'echo/-func', 'mp5')
    """
    place = {one.label: number for number, one in enumerate(every_competitor())}
    return tuple(sorted(dict.fromkeys(labels), key=lambda label: (place.get(label, len(place)), label)))


def read_experiment(folder: Path) -> Experiment:
    """Read one results folder of task runs, or the file that one was packed into.

    Raises:
        UsageError: if it holds no finished run.
        ResultsError: if a file is unreadable or of another version, or its runs differ in circumstances.
    """
    found = read_results(folder)
    if not found.runs:
        first, reason = next(iter(found.unscored.items()))
        raise UsageError(
            f"expected finished runs in {folder}; got {len(found.unscored)} unscored ones alone, such as "
            f"{first}: {reason}. Run the same command again."
        )
    place = {label: n for n, label in enumerate(in_order(run.spec.competitor.label for run in found.runs))}
    runs = sorted(
        found.runs,
        key=lambda run: (
            place[run.spec.competitor.label],
            run.spec.task,
            run.spec.installed or "",
            run.spec.run,
        ),
    )
    reasons = {**dict.fromkeys(found.missing, "not played"), **found.unscored}
    return Experiment(
        kind=found.kind,
        folder=folder,
        circumstances=found.circumstances,
        runs=tuple(runs),
        unscored=tuple(Unscored(name=name, reason=reasons[name]) for name in sorted(reasons)),
    )

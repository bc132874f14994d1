"""How long runs take: measured seconds, for the order of runs and for an estimate before they start.

``python -m echo.experiments.tasks.costs DIR ...`` measures anew from finished runs, of tasks or of unlocking,
and writes the file with ``--write``. Of the two, what the folders say nothing of stays as it was.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from csd.resources import data_file
from echo.experiments.results import ResultsError, RunResult
from echo.experiments.results import read_results as read_unlocking
from echo.experiments.tasks.committed import read_results
from echo.experiments.tasks.loading import load_task, task_names
from echo.experiments.tasks.records import MIXED, RunSpec, TaskRun
from echo.experiments.tasks.report.dispatch import folder_kind
from echo.experiments.unlock_costs import COSTS_FILE, TABLE, Lengths, UnlockCosts, measure_unlocking
from echo.experiments.whole_files import write_atomically

STEPS_TABLE = "seconds_per_step"
"""Table of the costs file: label of an agent -> seconds a step of its budget takes."""


@dataclass(frozen=True, kw_only=True)
class Costs:
    """Expected seconds of runs."""

    per_step: Mapping[str, float]
    """Label of an agent -> seconds a step of the budget, over all its episodes."""
    per_episode: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """(label, task) -> seconds an episode, where such runs were measured in this very folder."""

    @classmethod
    def from_file(cls, runs: Iterable[TaskRun] = ()) -> Self:
        """Return the costs that come with the project, with what `runs` of the same folder took on top."""
        measured: dict[tuple[str, str], list[float]] = {}
        for run in runs:
            key = (run.spec.competitor.label, run.spec.task)
            measured.setdefault(key, []).append(run.timing.wall_seconds / run.spec.episodes)
        means = {key: statistics.fmean(values) for key, values in measured.items()}
        return cls(per_step=CostsFile.read().per_step, per_episode=means)

    def seconds(self, spec: RunSpec) -> float:
        """Return the seconds that a run is expected to take.

        Measured for this agent and task where that was done; else a step of the budget at the agent's price,
        without one at that of the agent whose switch it is, at last at the median of all agents.
        """
        own = spec.competitor
        measured = self.per_episode.get((own.label, spec.task))
        if measured is not None:
            return measured * spec.episodes
        price = self.per_step.get(own.label, self.per_step.get(own.agent))
        if price is None:
            price = statistics.median(self.per_step.values())
        return price * budget(spec.task) * spec.episodes


def budget(task: str) -> float:
    """Return the steps that an episode of `task` may take; the mean over the twelve where they are mixed."""
    names = task_names() if task == MIXED else (task,)
    return statistics.fmean(load_task(name).steps for name in names)


def measure(runs: Iterable[TaskRun]) -> dict[str, float]:
    """Return the seconds that a step of the budget took, by label of the agent, in the order of labels.

    All runs of an agent together: their seconds over the budgets of all their episodes.
    """
    seconds: dict[str, float] = {}
    steps: dict[str, int] = {}
    for run in runs:
        label = run.spec.competitor.label
        seconds[label] = seconds.get(label, 0.0) + run.timing.wall_seconds
        steps[label] = steps.get(label, 0) + sum(episode.budget for episode in run.episodes)
    return {label: seconds[label] / steps[label] for label in sorted(seconds)}


@dataclass(frozen=True, kw_only=True)
class CostsFile:
    """What the costs file holds."""

    per_step: Mapping[str, float]
    """As `Costs.per_step`."""
    unlocking: Mapping[str, Lengths]
    """As `echo.experiments.unlock_costs.UnlockCosts.by_agent`."""
    made_by: Mapping[str, str]
    """Name of a table -> the command that measured it."""

    @classmethod
    def read(cls) -> Self:
        """Return what the file that comes with the project holds."""
        content = tomllib.loads(data_file(*COSTS_FILE).read_text(encoding="utf-8"))
        unlocking = UnlockCosts.from_file().by_agent
        return cls(per_step=content[STEPS_TABLE], unlocking=unlocking, made_by=content["made_by"])

    def measured(self, folders: Iterable[Path], command: str) -> Self:
        """Return the file with each table measured anew that finished runs in `folders` say something of.

        Raises:
            UsageError: if a folder holds no results.
            ResultsError: if what it holds cannot be read.
        """
        runs: list[TaskRun] = []
        unlocked: list[RunResult] = []
        for folder in folders:
            if folder_kind(folder) == "unlock":
                unlocked += read_unlocking(folder)
            else:
                runs += read_results(folder).runs
        per_step, unlocking = measure(runs), measure_unlocking(unlocked)
        anew = {name: command for name, one in ((STEPS_TABLE, per_step), (TABLE, unlocking)) if one}
        return replace(
            self,
            per_step=per_step or self.per_step,
            unlocking=unlocking or self.unlocking,
            made_by={**self.made_by, **anew},
        )

    @property
    def text(self) -> str:
        """Content of the file; seconds with three significant digits."""
        lines = [
            "# Seconds that runs take, on one core, and the commands that measured them.",
            "",
            "[made_by]",
            *(f"{name} = {json.dumps(command)}" for name, command in self.made_by.items()),
            "",
            "# Agent = seconds that a step of the budget of an episode takes.",
            f"[{STEPS_TABLE}]",
            *(f'"{label}" = {price:#.3g}' for label, price in self.per_step.items()),
            "",
            "# Agent = counted actions of an unlocking run = seconds that a run of so many takes.",
            f"[{TABLE}]",
            *(f'"{agent}" = {_inline(lengths)}' for agent, lengths in self.unlocking.items()),
        ]
        return "\n".join(lines) + "\n"


def _inline(lengths: Lengths) -> str:
    """Return lengths and seconds as an inline table."""
    return "{ " + ", ".join(f"{actions} = {seconds:#.3g}" for actions, seconds in lengths.items()) + " }"


def main() -> int:
    """Measure prices from results folders; 1 where a folder cannot be read."""
    parser = argparse.ArgumentParser(
        prog="python -m echo.experiments.tasks.costs", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="results folder")
    parser.add_argument("--write", action="store_true", help="write data/runs/costs.toml")
    asked = parser.parse_args()
    command = " ".join(["python -m echo.experiments.tasks.costs", *map(str, asked.folders), "--write"])
    try:
        text = CostsFile.read().measured(asked.folders, command).text
    except (ResultsError, ValueError, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    if asked.write:
        write_atomically(Path(str(data_file(*COSTS_FILE))), text.encode())
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

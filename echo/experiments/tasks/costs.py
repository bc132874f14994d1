"""How long runs take: measured seconds, for the order of runs and for an estimate before they start.

``python -m echo.experiments.tasks.costs DIR ...`` measures anew from finished runs, and writes the file with
``--write``.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from csd.resources import data_file
from echo.experiments.results import ResultsError
from echo.experiments.tasks.loading import load_task, task_names
from echo.experiments.tasks.records import MIXED, RunSpec, TaskRun
from echo.experiments.tasks.results import read_runs
from echo.experiments.whole_files import write_atomically

COSTS_FILE = ("runs", "costs.toml")
"""Below ``data/``: label of an agent -> seconds a step of its budget takes."""


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
        content = tomllib.loads(data_file(*COSTS_FILE).read_text(encoding="utf-8"))
        measured: dict[tuple[str, str], list[float]] = {}
        for run in runs:
            key = (run.spec.competitor.label, run.spec.task)
            measured.setdefault(key, []).append(run.timing.wall_seconds / run.spec.episodes)
        means = {key: statistics.fmean(values) for key, values in measured.items()}
        return cls(per_step=content["seconds_per_step"], per_episode=means)

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


def costs_text(prices: Mapping[str, float], command: str) -> str:
    """Return the content of the costs file; prices with three significant digits."""
    lines = [
        "# Seconds that a step of an episode's budget takes, by agent, on one core. Made by:",
        f"# {command}",
        "",
        "[seconds_per_step]",
        *(f'"{label}" = {price:#.3g}' for label, price in prices.items()),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure prices from results folders; 1 where a folder cannot be read."""
    parser = argparse.ArgumentParser(
        prog="python -m echo.experiments.tasks.costs", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="results folder")
    parser.add_argument("--write", action="store_true", help="write data/runs/costs.toml")
    asked = parser.parse_args()
    try:
        runs = [run for folder in asked.folders for run in read_runs(folder)]
    except (ResultsError, ValueError, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    command = " ".join(["python -m echo.experiments.tasks.costs", *map(str, asked.folders), "--write"])
    text = costs_text(measure(runs), command)
    if asked.write:
        write_atomically(Path(str(data_file(*COSTS_FILE))), text.encode())
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

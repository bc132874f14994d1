"""Budgets of the tasks: how often a cold-start agent reaches each goal, at the task's budget and at others.

A task tells agents apart only where success over 30 episodes is neither rare nor certain. The cold-start
agent is the reasoner that all agents share with a full record of what it did and without transfer
(``echo/-ical``).

    python -m echo.bench.budgets --tasks bed,shield --budgets 20,40,80 --runs 2
"""

from __future__ import annotations

import argparse
import json
import sys

from echo.experiments.tasks.competitors import Competitor
from echo.experiments.tasks.loading import load_task, task_names, tasks_digest
from echo.experiments.tasks.records import RunSpec
from echo.experiments.tasks.task import Task
from echo.experiments.tasks.trial import play_run

LOW, HIGH = 0.10, 0.95
"""Shares of successful episodes between which a task is of use."""

EPISODES = 30
SEED = 9_000
"""Apart from every seed that results are reported for."""


def measure(task: Task, agent: str, runs: int) -> dict[str, float]:
    """Return the share of success over the first 10 and all 30 episodes, and the mean steps of an episode."""
    played = [
        play_run(
            RunSpec(
                kind="tasks",
                competitor=Competitor.parse(agent),
                task=task.name,
                run=run,
                seed=SEED,
                episodes=EPISODES,
                task_digest=tasks_digest((task.name,)),
            ),
            "",
            lambda done, of: None,
            tasks=(task,) * EPISODES,
        )
        for run in range(runs)
    ]
    return {
        "at10": sum(one.success_within(10) for one in played) / runs,
        "at30": sum(one.success_within(EPISODES) for one in played) / runs,
        "steps": sum(e.steps for one in played for e in one.episodes) / runs / EPISODES,
    }


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; return 0 where every task's own budget is of use, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tasks", default=",".join(task_names()), help="by comma; all twelve by default")
    parser.add_argument("--budgets", default="", help="steps by comma; each task's own by default")
    parser.add_argument("--agent", default="echo/-ical", help="who plays")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    asked = parser.parse_args(arguments)
    useful = True
    for name in asked.tasks.split(","):
        task = load_task(name)
        budgets = [int(text) for text in asked.budgets.split(",") if text] or [task.steps]
        for budget in budgets:
            told = measure(task.model_copy(update={"steps": budget}), asked.agent, asked.runs)
            useful &= budget != task.steps or LOW <= told["at30"] <= HIGH
            if asked.json:
                line = json.dumps({"task": name, "budget": budget, **told})
            else:
                shares = f"@10 {told['at10']:.2f}  @30 {told['at30']:.2f}"
                line = f"{name:13} {budget:4}  {shares}  {told['steps']:5.1f} steps"
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
    return 0 if useful else 1


if __name__ == "__main__":
    sys.exit(main())

"""Whether every start of every task can be won within its budget, by one who knows the rules.

It also looks at what a functional task promises: the usual items are nowhere to be had, and every start holds
several items that serve instead and several that do not.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from echo.bench.oracle_player import OraclePlayer, Stuck
from echo.bench.oracle_rules import burns, carries, costs, every_way, fells
from echo.experiments.spec import UsageError
from echo.experiments.tasks.judge import TaskWorld, shown_goal
from echo.experiments.tasks.loading import ladder_names, load_task, task_names
from echo.experiments.tasks.setting import make_world
from echo.experiments.tasks.task import FellGoal, FillGoal, Task
from echo.worlds.minecraft.facts import Facts, load_facts


@dataclass(frozen=True, kw_only=True, slots=True)
class OracleRun:
    """How the oracle fared in one start of a task."""

    task: str
    start: int
    seed: int
    steps: int
    """Counted steps taken."""
    budget: int
    used: tuple[str, ...]
    """Items laid, burnt, held or put down, in order of first use."""
    fault: str | None
    """Why it found no way to the goal; None where it did."""

    @property
    def within(self) -> bool:
        """Whether the goal was reached within the budget."""
        return self.fault is None and self.steps <= self.budget


@dataclass(frozen=True, kw_only=True, slots=True)
class Substitutes:
    """What one start of a functional task offers in place of the usual items."""

    task: str
    start: int
    serving: tuple[str, ...]
    """Items at hand that serve, sorted."""
    failing: tuple[str, ...]
    """Items at hand that do not, sorted."""
    usual: tuple[str, ...]
    """Usual items that could be had all the same; must be empty."""


def play_oracle(task: Task, start: int, seed: int) -> OracleRun:
    """Let the oracle play one start of `task` in the land of one seed."""
    facts = load_facts()
    world = make_world(task, run=0, seed=seed, episode=start, invented_names=None)
    player = OraclePlayer(world=TaskWorld(world, shown_goal(task, world)), scene=world.scene, facts=facts)
    fault = None
    try:
        player.play()
    except Stuck as stuck:
        fault = str(stuck)
    return OracleRun(
        task=task.name,
        start=start,
        seed=seed,
        steps=player.steps,
        budget=task.steps,
        used=tuple(player.used),
        fault=fault,
    )


def find_substitutes(task: Task, start: int) -> Substitutes:
    """Return which items of one start serve in place of the usual ones.

    Raises:
        ValueError: if the task is not a functional one.
    """
    if task.family != "functional":
        raise ValueError(f"expected a functional task; got {task.name!r} of the family {task.family!r}.")
    facts = load_facts()
    opened = task.starts[start]
    asked = [*task.asked, *(shown.input for shown in task.shown if shown.kind == "smelt")]
    at_hand = [item for item in sorted(opened.inventory) if item not in asked]
    serving = tuple(item for item in at_hand if _serves(task, facts, item, opened.inventory[item]))
    had = costs(every_way(facts, frozenset(task.withheld_in(opened)), opened.mobs), opened.inventory)
    return Substitutes(
        task=task.name,
        start=start,
        serving=serving,
        failing=tuple(item for item in at_hand if item not in serving),
        usual=tuple(item for item in task.usual if item in had),
    )


def _serves(task: Task, facts: Facts, item: str, count: int) -> bool:
    if isinstance(task.goal, FillGoal):
        return carries(facts, item)
    if isinstance(task.goal, FellGoal):
        return fells(facts, item, task.goal.mob, task.goal.within)
    return burns(facts, item) and (facts.items[item].fuel_ticks or 0) * count >= 200


def main(arguments: Sequence[str]) -> int:
    """Play and print; return 0 if every start was won within its budget and holds what it promises."""
    parser = argparse.ArgumentParser(
        prog="python -m echo.bench.oracle",
        description="Whether one who knows the rules wins every start of every task within its budget.",
        epilog="Example: python -m echo.bench.oracle --task smelt-eq --seeds 3 --json",
    )
    parser.add_argument("--task", action="append", help="only this task; may be given several times")
    parser.add_argument("--seeds", type=int, default=3, help="lands to play each start in (default: 3)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_args(arguments)
    try:
        tasks = [load_task(name) for name in asked.task or (*task_names(), *ladder_names())]
    except UsageError as error:
        parser.error(str(error))
    if asked.seeds < 1:
        parser.error(f"expected at least 1 seed; got {asked.seeds}.")
    runs = [
        play_oracle(task, start, seed)
        for task in tasks
        for start in range(len(task.starts))
        for seed in range(asked.seeds)
    ]
    offers = [
        find_substitutes(task, start)
        for task in tasks
        if task.family == "functional"
        for start in range(len(task.starts))
    ]
    if asked.json:
        told = {
            "runs": [{**asdict(run), "within": run.within} for run in runs],
            "substitutes": [asdict(offer) for offer in offers],
        }
        sys.stdout.write(json.dumps(told) + "\n")
    else:
        sys.stdout.writelines(_lines(runs, offers))
    return 0 if all(run.within for run in runs) and not any(offer.usual for offer in offers) else 1


def _lines(runs: Sequence[OracleRun], offers: Sequence[Substitutes]) -> list[str]:
    lines = [f"{'task':<13}{'start':>6}{'seed':>6}{'steps':>7}{'budget':>8}\n"]
    for run in runs:
        said = run.fault or ("" if run.within else "over the budget")
        line = f"{run.task:<13}{run.start:>6}{run.seed:>6}{run.steps:>7}{run.budget:>8}  {said}"
        lines.append(line.rstrip() + "\n")
    return lines + [
        f"{offer.task:<13}{offer.start:>6}  {len(offer.serving)} serve ({', '.join(offer.serving)}), "
        f"{len(offer.failing)} do not\n"
        for offer in offers
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

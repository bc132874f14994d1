"""What success costs in steps, decisions, seconds and tokens; what is retried; where transfer cost steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from echo.experiments.statistics.bootstrap import difference_interval, mean_interval
from echo.experiments.statistics.negative_transfer import NegativeTransfer, negative_transfer
from echo.experiments.statistics.strata import Interval, named_seed
from echo.experiments.tasks.records import TaskRun
from echo.experiments.tasks.report.ablation import WITHOUT_TRANSFER
from echo.experiments.tasks.report.cells import ECHO, Cells

PLAIN = "direct"
"""The agent without memory, against which avoided retries are counted."""


@dataclass(frozen=True, kw_only=True)
class Amount:
    """A cost over all episodes of an agent."""

    an_episode: float
    a_success: float | None
    """All of it, failures included, over the number of successes; None where nothing succeeded."""


@dataclass(frozen=True, kw_only=True)
class Spending:
    """What the episodes of one agent cost."""

    episodes: int
    successes: int
    steps: Amount
    decisions: Amount
    seconds: Amount
    """Wall clock of the process that played."""
    tokens: Amount
    """Of a language model; 0 without one."""
    episodes_a_minute: float | None
    """In one process; None where no time was measured."""


@dataclass(frozen=True, kw_only=True)
class Retries:
    """What one agent tried that had been tried in vain in an earlier episode."""

    an_episode: Interval
    avoided: Interval | None
    """Fewer an episode than the agent without memory in the same runs; None for that agent itself and where
    it did not play them."""


def measure_spending(runs: Sequence[TaskRun]) -> Spending:
    """Return what some runs cost.

    Raises:
        ValueError: if there are none.
    """
    episodes = [one for run in runs for one in run.episodes]
    if not episodes:
        raise ValueError("expected at least one run; got none. Leave out agents without results.")
    successes = sum(one.success for one in episodes)

    def amount(total: float) -> Amount:
        return Amount(an_episode=total / len(episodes), a_success=total / successes if successes else None)

    seconds = sum(run.timing.wall_seconds for run in runs)
    return Spending(
        episodes=len(episodes),
        successes=successes,
        steps=amount(sum(one.steps for one in episodes)),
        decisions=amount(sum(one.decisions for one in episodes)),
        seconds=amount(seconds),
        tokens=amount(sum(one.tokens for one in episodes)),
        episodes_a_minute=60 * len(episodes) / seconds if seconds else None,
    )


def measure_retries(cells: Cells, label: str) -> Retries | None:
    """Return how often an agent repeats what failed, None where it has no run."""
    strata = cells.strata(label, _retries)
    if not strata:
        return None
    seed = named_seed("retries")
    paired = None if label == PLAIN else cells.pairs(PLAIN, label, _retries)
    return Retries(
        an_episode=mean_interval(strata, seed=seed),
        avoided=difference_interval(paired.one, paired.other, seed=seed) if paired else None,
    )


def measure_negative_transfer(cells: Cells) -> dict[str, NegativeTransfer]:
    """Return what transfer cost and saved in steps: echo beside itself without it, the same episodes.

    A failed episode counts with its whole budget. Keys are 'all' and the families; without those in which
    the two did not share runs.
    """
    found: dict[str, NegativeTransfer] = {}
    for name, tasks in {"all": cells.tasks, **cells.families()}.items():
        ours, theirs = [], []
        for task in tasks:
            mine = cells.runs.get((ECHO, task), {})
            yours = cells.runs.get((WITHOUT_TRANSFER, task), {})
            shared = [number for number in mine if number in yours]
            if shared:
                ours.append(np.array([_steps(mine[number]) for number in shared]))
                theirs.append(np.array([_steps(yours[number]) for number in shared]))
        if ours:
            found[name] = negative_transfer(ours, theirs, seed=named_seed("negative transfer", name))
    return found


def _retries(run: TaskRun) -> float:
    return sum(one.retries for one in run.episodes) / len(run.episodes)


def _steps(run: TaskRun) -> list[float]:
    return [float(one.steps if one.success else one.budget) for one in run.episodes]

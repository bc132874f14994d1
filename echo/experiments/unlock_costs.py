"""How long unlocking runs take: measured seconds, for their order and an estimate before they start.

An action takes the longer the more a life has found, so the seconds of a run are kept by its length: a run of
8,000 actions takes more than four times one of 2,000. `echo.experiments.tasks.costs` measures them anew.
"""

from __future__ import annotations

import math
import statistics
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from csd.resources import data_file
from echo.experiments.reasoner_names import RULE
from echo.experiments.results import RunResult
from echo.experiments.spec import UnlockSpec

COSTS_FILE = ("runs", "costs.toml")
"""Below ``data/``; its table `TABLE` is: agent -> counted actions -> seconds that a run of so many takes."""

TABLE = "unlock_seconds"

GROWTH = 1.5
"""Power of a run's length that its seconds grow with, where one length alone was measured.

As one `echo` showed, which took 13.3 s of processor time for 1,500 actions and 48.4 s for 3,500.
"""

Lengths = Mapping[int, float]
"""Counted actions of a run -> seconds it takes."""


@dataclass(frozen=True, kw_only=True)
class UnlockCosts:
    """Expected seconds of unlocking runs."""

    by_agent: Mapping[str, Lengths]
    """Agent -> what its runs took, by length; with all axes, on one core."""
    here: Mapping[tuple[str, int], float] = field(default_factory=dict)
    """(label, actions) -> seconds a run, where such runs were measured in this very folder."""

    @classmethod
    def from_file(cls, results: Iterable[RunResult] = ()) -> Self:
        """Return the costs that come with the project, with what `results` of the same folder took on top."""
        content = tomllib.loads(data_file(*COSTS_FILE).read_text(encoding="utf-8"))
        by_agent = {
            agent: {int(actions): seconds for actions, seconds in lengths.items()}
            for agent, lengths in content[TABLE].items()
        }
        measured: dict[tuple[str, int], list[float]] = {}
        for run in results:
            measured.setdefault((run.spec.label, run.spec.steps), []).append(run.timing.wall_seconds)
        return cls(
            by_agent=by_agent, here={key: statistics.fmean(values) for key, values in measured.items()}
        )

    def seconds(self, spec: UnlockSpec) -> float:
        """Return the seconds that a run is expected to take.

        Measured in the folder where that was done; else from the lengths measured of the agent, of an agent
        that was not measured the median over those that were.
        """
        measured = self.here.get((spec.label, spec.steps))
        if measured is not None:
            return measured
        lengths = self.by_agent.get(spec.agent)
        if lengths is not None:
            return seconds_at(lengths, spec.steps)
        return statistics.median(seconds_at(one, spec.steps) for one in self.by_agent.values())


def seconds_at(lengths: Lengths, actions: int) -> float:
    """Return the seconds of a run of `actions` from those of runs of other lengths.

    By a power of the length, through the two measured lengths around it or, beyond them, the two nearest;
    with one measured length by `GROWTH`.

    Args:
        lengths: at least one, seconds above 0.
        actions: at least 1.
    """
    if actions in lengths:
        return lengths[actions]
    known = sorted(lengths)
    after = next((place for place, one in enumerate(known) if one > actions), len(known) - 1)
    short, long = known[max(0, after - 1)], known[min(max(1, after), len(known) - 1)]
    growth = GROWTH
    if short != long:
        growth = math.log(lengths[long] / lengths[short]) / math.log(long / short)
    return float(lengths[short] * (actions / short) ** growth)


def measure_unlocking(results: Iterable[RunResult]) -> dict[str, dict[int, float]]:
    """Return the mean seconds of runs by agent and length, in the order of both; of echo with all axes alone.

    Runs that ended before their budget, took no time or were led by a model say nothing of a length and are
    left out.
    """
    measured: dict[tuple[str, int], list[float]] = {}
    for run in results:
        full = run.spec.label == run.spec.agent and run.actions >= run.spec.steps
        if full and run.spec.reasoner == RULE and run.timing.wall_seconds > 0:
            measured.setdefault((run.spec.agent, run.spec.steps), []).append(run.timing.wall_seconds)
    by_agent: dict[str, dict[int, float]] = {}
    for agent, actions in sorted(measured):
        by_agent.setdefault(agent, {})[actions] = statistics.fmean(measured[agent, actions])
    return by_agent

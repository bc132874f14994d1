"""Everything a report states, computed from result files alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from echo.experiments.bursts import BurstTally, bursts_json, tally_bursts
from echo.experiments.curves import (
    Curve,
    Ints,
    MeanInterval,
    action_grid,
    checkpoints,
    lead_at_end,
    unlock_curve,
)
from echo.experiments.model_bill import ModelBill, bill_of, bills_json
from echo.experiments.results import ResultsError, RunResult
from echo.experiments.spec import AGENTS, MILESTONES, SPEEDUP_COUNTS
from echo.experiments.speedup import Speedup, named_generator, pair_runs, paired_speedup
from echo.experiments.tallies import Milestone, SourceShare, tally_milestone, tally_sources

ECHO = "echo"
"""Label of the agent that the others are compared with."""


@dataclass(frozen=True, kw_only=True)
class Competitor:
    """What the runs of one competitor (an agent with its axes) came to."""

    label: str
    runs: tuple[RunResult, ...]
    """One a seed, by seed."""
    curve: Curve
    counts: MeanInterval
    """Items at the checkpoints."""
    milestones: tuple[Milestone, ...]
    sources: SourceShare
    bursts: BurstTally
    speedup: dict[int, Speedup] | None
    """Of echo over this one, by number of items; None for echo itself and where echo did not play."""
    echo_lead: MeanInterval | None
    """Items by which echo is ahead of this one at the end of the budget."""

    @property
    def decision_ms(self) -> float:
        """Median over runs of the median time of a decision."""
        values = sorted(run.timing.decision_ms[0] for run in self.runs)
        return values[len(values) // 2]

    @property
    def bill(self) -> ModelBill | None:
        """What a language model decided and cost over all runs; None where the rule decided."""
        return bill_of(run.reasoning for run in self.runs if run.reasoning is not None)

    @property
    def ticks(self) -> float:
        """Mean world time of a run."""
        return sum(run.ticks for run in self.runs) / len(self.runs)


@dataclass(frozen=True, kw_only=True)
class Summary:
    """A whole experiment in numbers."""

    steps: int
    """Budget of every run in counted actions."""
    points: Ints
    """Checkpoints in counted actions."""
    competitors: tuple[Competitor, ...]
    """Echo first, then its variants, then the others in the order of `AGENTS`."""
    runs: tuple[RunResult, ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        """All seeds played, rising."""
        return tuple(sorted(dict.fromkeys(run.spec.seed for run in self.runs)))

    @property
    def bills(self) -> dict[str, ModelBill]:
        """Label -> what a model decided and cost; empty where the rule decided."""
        return {one.label: bill for one in self.competitors if (bill := one.bill) is not None}

    @property
    def commits(self) -> tuple[str, ...]:
        """Commits of the code behind the runs; more than one is worth a warning."""
        return tuple(sorted(dict.fromkeys(run.commit or "unknown" for run in self.runs)))

    @property
    def commands(self) -> tuple[str, ...]:
        """Commands behind the runs, in the order of the runs."""
        return tuple(dict.fromkeys(run.command for run in self.runs))


def summarise(results: Sequence[RunResult]) -> Summary:
    """Compute every number of a report.

    Raises:
        ResultsError: if the runs were made in different circumstances, which no table may mix.
    """
    first = results[0]
    for run in results:
        if run.spec.circumstances != first.spec.circumstances:
            raise ResultsError(
                f"expected runs in the same circumstances; got {run.spec.circumstances} in {run.spec.name} "
                f"beside {first.spec.circumstances} in {first.spec.name}. Keep them in folders of their own."
            )
    steps = first.spec.steps
    by_label: dict[str, list[RunResult]] = {}
    for run in sorted(results, key=lambda run: (_rank(run), run.spec.seed)):
        by_label.setdefault(run.spec.label, []).append(run)
    points, grid = checkpoints(steps), action_grid(steps)
    competitors = tuple(
        _compete(label, tuple(runs), by_label.get(ECHO, []), grid, points) for label, runs in by_label.items()
    )
    ordered = tuple(run for competitor in competitors for run in competitor.runs)
    return Summary(steps=steps, points=points, competitors=competitors, runs=ordered)


def _rank(run: RunResult) -> tuple[int, int, str]:
    """Order of competitors: echo, its variants by number of axes, then the other agents."""
    spec = run.spec
    return (0 if spec.agent == ECHO else 1 + AGENTS.index(spec.agent), -len(spec.axes), spec.label)


def _compete(
    label: str, runs: tuple[RunResult, ...], echo: Sequence[RunResult], grid: Ints, points: Ints
) -> Competitor:
    """Return what one competitor came to, beside `echo`'s runs."""
    versus = label != ECHO and bool(echo)
    return Competitor(
        label=label,
        runs=runs,
        curve=unlock_curve(runs, grid),
        counts=unlock_curve(runs, points).counts,
        milestones=tuple(tally_milestone(runs, item) for item in MILESTONES),
        sources=tally_sources(runs),
        bursts=tally_bursts(runs),
        speedup={count: _speedup(label, runs, echo, count) for count in SPEEDUP_COUNTS} if versus else None,
        echo_lead=lead_at_end(echo, runs) if versus else None,
    )


def _speedup(label: str, runs: Sequence[RunResult], echo: Sequence[RunResult], count: int) -> Speedup:
    """Return echo's speed-up over `runs` at `count` items."""
    rng = named_generator("speedup", label, count)
    return paired_speedup(pair_runs(echo, runs, count), budget=runs[0].spec.steps, rng=rng)


def summary_json(summary: Summary) -> dict[str, Any]:
    """Return the summary as a JSON object; a number that is not known is null."""
    everyone = summary.competitors
    return {
        "format": 1,
        "steps": summary.steps,
        "seeds": list(summary.seeds),
        "circumstances": summary.runs[0].spec.circumstances,
        "speedup": {
            one.label: {str(count): _speedup_json(value) for count, value in one.speedup.items()}
            for one in everyone
            if one.speedup is not None
        },
        "lead": {
            one.label: _interval_json(one.echo_lead)[0] for one in everyone if one.echo_lead is not None
        },
        "curves": {one.label: _curve_json(one) for one in everyone},
        "counts": {
            one.label: dict(zip(map(str, summary.points.tolist()), _interval_json(one.counts), strict=True))
            for one in everyone
        },
        "milestones": {
            one.label: {
                mark.item: {
                    "median": mark.median,
                    "earliest": mark.earliest,
                    "reached": mark.reached,
                    "n": mark.n,
                }
                for mark in one.milestones
            }
            for one in everyone
        },
        "sources": {
            one.label: {
                "items": one.sources.items,
                "axes": one.sources.axes,
                "attempts": one.sources.attempts,
                "total": one.sources.total,
            }
            for one in everyone
        },
        "bursts": {one.label: bursts_json(one.bursts) for one in everyone},
        "models": bills_json(summary.bills),
        "runs": [_run_json(run) for run in summary.runs],
    }


def _speedup_json(value: Speedup) -> dict[str, float | int | None]:
    return {
        "median": value.median,
        "low": value.low,
        "high": value.high,
        "n": value.n,
        "censored": value.censored,
        "lower_bounds": value.lower_bounds,
        "upper_bounds": value.upper_bounds,
        "dropped": value.dropped,
    }


def _interval_json(interval: MeanInterval) -> list[dict[str, float | int | None]]:
    """Return one object a point."""
    return [
        {
            "mean": float(mean),
            "low": None if interval.low is None else float(interval.low[index]),
            "high": None if interval.high is None else float(interval.high[index]),
            "n": interval.n,
        }
        for index, mean in enumerate(interval.mean)
    ]


def _curve_json(one: Competitor) -> dict[str, Any]:
    counts = one.curve.counts
    return {
        "actions": one.curve.grid.tolist(),
        "mean": counts.mean.tolist(),
        "low": None if counts.low is None else counts.low.tolist(),
        "high": None if counts.high is None else counts.high.tolist(),
        "n": counts.n,
    }


def _run_json(run: RunResult) -> dict[str, Any]:
    return {
        "name": run.spec.name,
        "label": run.spec.label,
        "agent": run.spec.agent,
        "axes": [axis.value for axis in run.spec.axes],
        "seed": run.spec.seed,
        "unlocks": len(run.unlocks),
        "actions": run.actions,
        "ticks": run.ticks,
        "commit": run.commit,
        "result_digest": run.result_digest,
        "decision_ms": list(run.timing.decision_ms),
        "wall_seconds": run.timing.wall_seconds,
    }

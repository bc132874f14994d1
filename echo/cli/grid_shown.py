"""How a grid of runs is shown before and after it is played."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from echo.cli.screen import out_console
from echo.mfm.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from echo.experiments.means import Means
    from echo.experiments.pool import Job
    from echo.experiments.tasks.experiment import Experiment
    from echo.experiments.tasks.records import TaskRun
    from echo.experiments.tasks.running import Outcome, Plan

EARLY = 10
"""First episodes whose success is told beside that of all."""

NAMED = 8
"""Of more failed runs only so many are named."""


def plan_lines(plan: Plan, means: Means) -> str:
    """Return in a line what is to be played and how long that may take."""
    if not plan.specs:
        return f"no run in this slice of {len(plan.expected):,}"
    if not plan.jobs:
        return f"all {len(plan.specs):,} runs are finished"
    episodes = sum(job.spec.episodes for job in plan.jobs)
    text = f"{len(plan.jobs):,} of {len(plan.specs):,} runs to play, {episodes:,} episodes: "
    text += time_told(plan.jobs, means)
    for path in plan.torn:
        text += f"\nwarning: no JSON in {plain(str(path))}; it is put aside and its run is redone"
    return text


def print_plan(plan: Plan, experiment: Experiment, means: Means) -> None:
    """Print the runs by agent, and what they may take."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("agent", "runs", "finished", "to play", "estimate"):
        table.add_column(heading, justify="left" if heading == "agent" else "right")
    for label, row in _rows(plan).items():
        waiting = row["runs"] - row["finished"]
        table.add_row(label, str(row["runs"]), str(row["finished"]), str(waiting), span(row["seconds"]))
    console = out_console()
    if experiment.about:
        console.print(f"{plain(experiment.about)}\n", markup=False, soft_wrap=True)
    if plan.specs:
        console.print(table)
    tasks = ", ".join(dict.fromkeys(_task_told(spec.task, spec.installed) for spec in plan.specs))
    if tasks:
        console.print(f"\ntasks: {tasks}", markup=False, soft_wrap=True)
    names = "real" if experiment.invented_names is None else f"invented by seed {experiment.invented_names}"
    console.print(
        f"{experiment.runs} runs a cell, {experiment.episodes} episodes a run, seed {experiment.seed}, "
        f"names {names}, reasoner {experiment.reasoner}",
        markup=False,
    )
    console.print(plan_lines(plan, means), markup=False, soft_wrap=True)


def plan_json(plan: Plan, experiment: Experiment, means: Means) -> dict[str, Any]:
    """Return the same as one object; seconds are those of one process, or those until all is done."""
    seconds = sum(job.weight for job in plan.jobs)
    return {
        "kind": experiment.kind,
        "runs": len(plan.specs),
        "finished": len(plan.finished),
        "to_play": len(plan.jobs),
        "episodes": sum(job.spec.episodes for job in plan.jobs),
        "processor_seconds": round(seconds, 1),
        "estimate_seconds": until_done(plan.jobs, means),
        "agents": {label: row["runs"] for label, row in _rows(plan).items()},
        "names": [spec.name for spec in plan.specs],
    }


def outcome_json(outcome: Outcome, kind: str, out: Path) -> dict[str, Any]:
    """Return what became of the runs as one object."""
    from echo.experiments.results import run_file

    return {
        "out": str(out),
        "kind": kind,
        "runs": [
            {
                "name": run.spec.name,
                "label": run.spec.competitor.label,
                "task": run.spec.task,
                "installed": run.spec.installed,
                "run": run.spec.run,
                "success": run.success_within(len(run.episodes)),
                "success_at_10": run.success_within(min(EARLY, len(run.episodes))),
                "steps": sum(episode.steps for episode in run.episodes),
                "result_digest": run.result_digest,
                "kept": run.spec.name in outcome.kept,
                "file": str(run_file(out, run.spec.name)),
            }
            for run in outcome.runs
        ],
        "failed": dict(outcome.failed),
        "seconds": round(outcome.seconds, 3),
        "episodes_per_minute": outcome.episodes_per_minute,
    }


def print_outcome(outcome: Outcome, kind: str, out: Path) -> None:
    """Print one line an agent, what failed, how fast it went, and what to do next."""
    from rich.table import Table

    by_label: dict[str, list[TaskRun]] = {}
    for run in outcome.runs:
        by_label.setdefault(_label(run), []).append(run)
    console = out_console()
    if by_label:
        points = sorted(
            dict.fromkeys((min(EARLY, len(outcome.runs[0].episodes)), len(outcome.runs[0].episodes)))
        )
        table = Table(box=None, pad_edge=False)
        for heading in ("agent", "runs", *(f"success @{point}" for point in points), "steps, mean"):
            table.add_column(heading, justify="left" if heading == "agent" else "right")
        for label, runs in by_label.items():
            table.add_row(label, str(len(runs)), *_measured(runs, points))
        console.print(table)
    if outcome.failed:
        # Why was told on standard error as it happened.
        tried = len(outcome.failed) + len(outcome.runs)
        names = ", ".join(list(outcome.failed)[:NAMED])
        more = f" and {len(outcome.failed) - NAMED} more" if len(outcome.failed) > NAMED else ""
        text = f"failed: {len(outcome.failed)} of {tried} runs, unscored: {names}{more}"
        console.print(f"{text}; reasons are in {plain(str(out))}/unscored", markup=False, soft_wrap=True)
    if outcome.episodes_per_minute is not None:
        console.print(
            f"{outcome.episodes_per_minute:,.0f} episodes a minute, {span(outcome.seconds)}", markup=False
        )
    if outcome.runs:
        console.print(
            f"next: echo-memory report {plain(shlex.quote(str(out)))}", markup=False, soft_wrap=True
        )


def _measured(runs: Sequence[TaskRun], points: Sequence[int]) -> tuple[str, ...]:
    """Return success in the first episodes up to each point, in percent, and steps an episode; means."""
    shares = [sum(run.success_within(point) for run in runs) / len(runs) for point in points]
    steps = [episode.steps for run in runs for episode in run.episodes]
    return (*(f"{100 * share:.1f} %" for share in shares), f"{sum(steps) / len(steps):.0f}")


def _label(run: TaskRun) -> str:
    return run.spec.competitor.label + (f" with {run.spec.installed}" if run.spec.installed else "")


def _task_told(task: str, installed: str | None) -> str:
    return task if installed is None else f"{task} with {installed}"


def _rows(plan: Plan) -> dict[str, dict[str, Any]]:
    """Return runs, finished ones and expected seconds by agent, in the order of the plan."""
    rows: dict[str, dict[str, Any]] = {}
    for spec in plan.specs:
        rows.setdefault(spec.competitor.label, {"runs": 0, "finished": 0, "seconds": 0.0})["runs"] += 1
    for run in plan.finished:
        rows[run.spec.competitor.label]["finished"] += 1
    for job in plan.jobs:
        rows[job.spec.competitor.label]["seconds"] += job.weight
    return rows


def until_done(jobs: Sequence[Job], means: Means) -> float | None:
    """Return the seconds until all is played; None on a cluster whose processors are not known."""
    from echo.experiments.pool import count_processors, estimate

    if not means.processes and means.executor == "ray":
        return None
    return round(estimate(jobs, means.processes or count_processors()).seconds, 1)


def time_told(jobs: Sequence[Job], means: Means) -> str:
    """Return how long jobs will take, in words."""
    from echo.experiments.pool import count_processors

    total = sum(job.weight for job in jobs)
    until = until_done(jobs, means)
    if until is None:
        return f"about {span(total)} of one processor"
    processes = min(means.processes or count_processors(), len(jobs))
    return f"about {span(until)} on {processes} {'process' if processes == 1 else 'processes'}"


def span(seconds: float) -> str:
    """Return a span of time in the largest two units.

    >>> span(4.2), span(95), span(11_050), span(200_000)
    ('4 s', '1 min 35 s', '3 h 4 min', '2 d 7 h')
    """
    for unit, size, below, part in (("d", 86_400, "h", 3_600), ("h", 3_600, "min", 60), ("min", 60, "s", 1)):
        if seconds >= size:
            whole, rest = divmod(int(seconds), size)
            return f"{whole} {unit} {rest // part} {below}" if rest // part else f"{whole} {unit}"
    return f"{max(1, round(seconds))} s" if seconds else "0 s"

"""How unlocking runs are shown before and after they are played."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from echo.cli.grid_shown import span, time_told, until_done
from echo.cli.screen import out_console
from echo.mfm.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from echo.experiments.means import Means
    from echo.experiments.unlock_sizes import UnlockExperiment
    from echo.experiments.unlocking import GridOutcome, UnlockJob


def plan_line(jobs: Sequence[UnlockJob], runs: int, means: Means) -> str:
    """Return in a line what is to be played, out of how many runs, and how long that may take."""
    if not runs:
        return "no run in this slice"
    if not jobs:
        return f"all {runs:,} runs are finished"
    actions = sum(job.spec.steps for job in jobs)
    return f"{len(jobs):,} of {runs:,} runs to play, {actions:,} actions: {time_told(jobs, means)}"


def print_plan(experiment: UnlockExperiment, jobs: Sequence[UnlockJob], runs: int, means: Means) -> None:
    """Print the runs to play by agent, and what they may take."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("agent", "to play", "estimate"):
        table.add_column(heading, justify="left" if heading == "agent" else "right")
    by_label: dict[str, list[float]] = {}
    for job in jobs:
        by_label.setdefault(job.spec.label, []).append(job.weight)
    for label, seconds in by_label.items():
        table.add_row(label.replace("[", r"\["), str(len(seconds)), span(sum(seconds)))
    console = out_console()
    if experiment.about:
        console.print(f"{plain(experiment.about)}\n", markup=False, soft_wrap=True)
    if jobs:
        console.print(table)
    names = "real" if experiment.invented_names is None else f"invented by seed {experiment.invented_names}"
    console.print(
        f"seeds {plain(experiment.seeds)}, {experiment.steps:,} actions a run, {experiment.shots} shots, "
        f"names {names}",
        markup=False,
    )
    console.print(plan_line(jobs, runs, means), markup=False, soft_wrap=True)


def plan_json(jobs: Sequence[UnlockJob], runs: int, means: Means) -> dict[str, Any]:
    """Return the same as one object; seconds are those of one process, or those until all is done."""
    return {
        "kind": "unlock",
        "runs": runs,
        "finished": runs - len(jobs),
        "to_play": len(jobs),
        "actions": sum(job.spec.steps for job in jobs),
        "processor_seconds": round(sum(job.weight for job in jobs), 1),
        "estimate_seconds": until_done(jobs, means),
        "names": [job.name for job in jobs],
    }


def outcome_json(outcome: GridOutcome, out: Path) -> dict[str, Any]:
    """Return what became of the runs as one object."""
    from echo.experiments.results import run_file

    return {
        "out": str(out),
        "runs": [
            {
                "name": run.spec.name,
                "label": run.spec.label,
                "agent": run.spec.agent,
                "axes": [axis.value for axis in run.spec.axes],
                "seed": run.spec.seed,
                "unlocks": len(run.unlocks),
                "actions": run.actions,
                "ticks": run.ticks,
                "milestones": run.milestones,
                "result_digest": run.result_digest,
                "kept": run.spec.name in outcome.kept,
                "file": str(run_file(out, run.spec.name)),
            }
            for run in outcome.results
        ],
        "failed": outcome.failed,
    }


def print_outcome(outcome: GridOutcome, out: Path) -> None:
    """Print one line a competitor, and what to do next."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("agent", "runs", "items, mean", "least", "most", "actions, mean"):
        table.add_column(heading, justify="left" if heading == "agent" else "right")
    by_label: dict[str, list[tuple[int, int]]] = {}
    for run in outcome.results:
        by_label.setdefault(run.spec.label, []).append((len(run.unlocks), run.actions))
    for label, rows in by_label.items():
        items, actions = [row[0] for row in rows], [row[1] for row in rows]
        mean, spent = sum(items) / len(rows), sum(actions) / len(rows)
        table.add_row(
            label.replace("[", r"\["),
            str(len(rows)),
            f"{mean:.1f}",
            str(min(items)),
            str(max(items)),
            f"{spent:,.0f}",
        )
    console = out_console()
    if outcome.results:
        console.print(table)
    if outcome.failed:
        # Why was told on standard error as it happened.
        tried = len(outcome.failed) + len(outcome.results)
        names = ", ".join(outcome.failed)
        console.print(f"failed: {len(outcome.failed)} of {tried} runs: {names}", markup=False, soft_wrap=True)
    if outcome.results:
        console.print(f"next: echo-memory report {shlex.quote(str(out))}", markup=False, soft_wrap=True)

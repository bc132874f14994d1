"""Sample pages: the episodes of one run, with what was tried, what it drew on, and what came of it."""

from __future__ import annotations

from html import escape

from echo.experiments.report_page import counted, page, table
from echo.experiments.tasks.records import EpisodeRecord, TaskRun
from echo.experiments.tasks.report.failures import TOLD, main_cause
from echo.experiments.tasks.report.paper import load_paper
from echo.experiments.tasks.report.sources import credit_of


def sample_name(run: TaskRun) -> str:
    """Return the file name of a run's page."""
    return f"{run.spec.name}.html"


def sample_page(run: TaskRun) -> str:
    """Return the page of one run."""
    spec = run.spec
    title = f"{spec.competitor.label} on {load_paper().title(spec.task)}"
    reached = sum(one.success for one in run.episodes)
    skills = f" With skills learned in {escape(spec.installed)}." if spec.installed else ""
    body = (
        f'<header><p class="note"><a href="../report.html">report</a></p>\n<h1>{escape(title)}</h1>\n'
        f"<p>Run {spec.run}, seed {spec.seed}: {counted(len(run.episodes), 'episode')}, {reached} reached "
        f"the goal.{skills} Memory persists from one to the next, nothing else does.</p></header>\n"
        f'<p class="note">Attempts: tried, and of these how many made something. Axes: their mean share in '
        f"the suggestions that made something, else in those tried.</p>\n"
        + table(
            [
                "episode",
                "task",
                "start",
                "end",
                "steps",
                "recalled",
                "attempts",
                "axes",
                "retries",
                "in the way",
            ],
            [_row(number, one) for number, one in enumerate(run.episodes, 1)],
        )
    )
    return page(title, body)


def _row(number: int, one: EpisodeRecord) -> list[str]:
    attempts = ", ".join(
        f"{escape(source)} {tally.tried}/{tally.made}" + (f" ({tally.new} new)" if tally.new else "")
        for source, tally in one.attempts.items()
        if tally.tried
    )
    axes = ", ".join(
        f"{escape(axis)} {share:.2f}" for axis, share in credit_of(one).items() if share >= 0.005
    )
    ended = "<b>reached</b>" if one.success else f"{one.ending} <small>{one.goal[0]} of {one.goal[1]}</small>"
    return [
        str(number),
        escape(load_paper().title(one.task)),
        str(one.start),
        ended,
        f"{one.steps}/{one.budget}",
        str(one.recalled),
        f'<span class="wrap">{attempts}</span>',
        f'<span class="wrap">{axes}</span>',
        str(one.retries),
        "" if one.success else f'<span class="wrap">{TOLD[main_cause(one)]}</span>',
    ]

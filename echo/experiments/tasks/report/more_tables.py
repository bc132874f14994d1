"""The tables of failures, costs, repeats, sources, ladders and skills, as HTML."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from csd.axes import AXES
from echo.experiments.report_page import table
from echo.experiments.statistics.negative_transfer import NegativeTransfer
from echo.experiments.tasks.report.failures import CAUSES, Failures
from echo.experiments.tasks.report.milestones import FolderMemory
from echo.experiments.tasks.report.paper import load_paper
from echo.experiments.tasks.report.sources import Sources
from echo.experiments.tasks.report.spending import Amount, Retries, Spending
from echo.experiments.tasks.report.wording import UNKNOWN, amount, chance, named, percent, points, with_span


def failure_table(failures: Mapping[str, Failures]) -> str:
    """Return shares of failed episodes by main cause, and in small type by what happened at all."""
    header = [
        "agent",
        "failed<small>of episodes</small>",
        *CAUSES,
    ]
    rows = []
    for label, one in failures.items():
        shares = [
            UNKNOWN
            if not one.failed
            else f"{percent(one.share(cause))} <small>in {percent(one.any[cause] / one.failed)}</small>"
            for cause in CAUSES
        ]
        rows.append([named(label), f"{one.failed:,} <small>{one.episodes:,}</small>", *shares])
    return table(header, rows)


def cost_table(spending: Mapping[str, Spending]) -> str:
    """Return costs an episode, and in small type a success."""
    header = [
        "agent", "episodes<small>successes</small>", "steps", "decisions", "seconds", "tokens",
        "episodes a minute",
    ]  # fmt: skip
    rows = [
        [
            named(label),
            f"{one.episodes:,} <small>{one.successes:,}</small>",
            _amounts(one.steps),
            _amounts(one.decisions),
            _amounts(one.seconds, 2),
            _amounts(one.tokens, 0),
            amount(one.episodes_a_minute, 0),
        ]
        for label, one in spending.items()
    ]
    return table(header, rows)


def _amounts(one: Amount, digits: int = 1) -> str:
    if not one.an_episode:
        return "0"
    return f"{amount(one.an_episode, digits)} <small>{amount(one.a_success, digits)} a success</small>"


def retry_table(retries: Mapping[str, Retries]) -> str:
    """Return what was tried again in vain an episode, and how much less that is than without memory."""
    rows = [
        [named(label), with_span(one.an_episode, 1, 2), with_span(one.avoided, 1, 2) if one.avoided else ""]
        for label, one in retries.items()
    ]
    return table(["agent", "retries an episode", "avoided<small>against direct</small>"], rows)


def negative_table(told: Mapping[str, NegativeTransfer]) -> str:
    """Return in how many episodes transfer cost steps, and what it comes to."""
    rows = [
        [
            escape("All tasks" if name == "all" else name.capitalize()),
            f"{one.pairs:,}",
            percent(one.worse),
            amount(one.lost),
            amount(one.gained),
            with_span(one.difference),
        ]
        for name, one in told.items()
    ]
    return table(
        ["tasks", "episodes compared", "cost steps<small>percent</small>", "lost then<small>steps</small>",
         "saved otherwise<small>steps</small>", "difference<small>steps an episode</small>"],
        rows,
    )  # fmt: skip


def source_table(sources: Mapping[str, Sources]) -> str:
    """Return attempts an episode by source, with the share of what was made and new that each brought."""
    kinds = list(dict.fromkeys(kind for one in sources.values() for kind in one.tallies))
    rows = []
    for label, one in sources.items():
        cells = [named(label)]
        for kind in kinds:
            tally = one.tallies.get(kind)
            cells.append(
                ""
                if tally is None
                else f"{tally.tried / one.episodes:.1f} <small>made {percent(one.share(kind, 'made'))}, "
                f"new {percent(one.share(kind, 'new'))}</small>"
            )
        rows.append(cells)
    return table(["agent", *(escape(kind) for kind in kinds)], rows)


def axis_table(sources: Mapping[str, Sources]) -> str:
    """Return the share of each axis in what was suggested and tried, and in what made something."""
    rows = [
        [
            named(label),
            *(
                f"{percent(one.axes_tried.get(axis.value))} "
                f"<small>made {percent(one.axes_made.get(axis.value))}</small>"
                for axis in AXES
            ),
        ]
        for label, one in sources.items()
        if one.axes_tried
    ]
    return table(["agent", *(axis.value for axis in AXES)], rows) if rows else ""


def ladder_table(told: FolderMemory) -> str:
    """Return the median steps until each milestone, and in how many runs it was held."""
    header = [
        "agent",
        *(escape(item.replace("_", " ")) for item in told.items),
        "milestones a run",
        "success",
    ]
    rows = []
    for label, ladder in told.ladders.items():
        cells = [
            f"{amount(mark.median, 0) if mark.median is not None else 'never'} "
            f"<small>{mark.reached}/{mark.runs}</small>"
            for mark in ladder.milestones
        ]
        rows.append([named(label), *cells, with_span(ladder.reached), with_span(ladder.success, 100)])
    return table(header, rows)


def component_table(told: FolderMemory) -> str:
    """Return what removing each part of the folder memory changes."""
    rows = [
        [
            escape(switch),
            with_span(one.milestones, 1, 2),
            points(one.success),
            chance(one.p_holm),
            str(one.pairs),
        ]
        for switch, one in told.components.items()
    ]
    header = ["mfm with", "milestones a run", "success<small>points</small>", "p<small>Holm</small>", "pairs"]
    return table(header, rows) if rows else ""


def skill_table(told: FolderMemory) -> str:
    """Return steps without and with what was learned in another task."""
    paper = load_paper()
    rows = [
        [
            escape(paper.title(one.task)),
            escape(paper.title(one.installed)),
            f"{amount(one.steps_without)} &rarr; <b>{amount(one.steps_with)}</b>",
            with_span(one.difference),
            f"{percent(one.success_without)} &rarr; {percent(one.success_with)}",
            str(one.pairs),
        ]
        for one in told.skills
    ]
    header = ["task", "skills of", "steps an episode", "difference", "success", "pairs"]
    return table(header, rows) if rows else ""

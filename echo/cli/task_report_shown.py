"""Task reports in a terminal: success of each agent, and how far echo is ahead."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from echo.cli.bill_shown import print_bills
from echo.mfm.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from echo.experiments.statistics.strata import Interval
    from echo.experiments.tasks.report.comparing_page import ComparisonReport
    from echo.experiments.tasks.report.numbers import Numbers
    from echo.experiments.tasks.report.writing import TaskReport

NAMED = 8
"""Runs without a result that are named on the screen."""


def print_task_report(made: TaskReport, console: Console) -> None:
    """Print the numbers one looks for first, and where the page is."""
    told = made.told
    if told.success is not None:
        _print_success(told, console)
    if told.continual:
        console.print("success over mixed episodes, percent: all of them, and at the end", soft_wrap=True)
        rows = [
            (label, _percent(float(c.raw.mean.mean())), _percent(float(c.smoothed.mean[-1])))
            for label, c in told.continual.items()
        ]
        _print_rows(console, ("agent", "all", "end"), rows)
    if told.ablation is not None and told.ablation.agreement.rho is not None:
        one = told.ablation.agreement
        ends = "" if one.low is None or one.high is None else f" ({one.low:+.2f} to {one.high:+.2f})"
        console.print(f"rank correlation with the paper's heat map: {one.rho:+.2f}{ends}\n", soft_wrap=True)
    if told.folder_memory is not None:
        console.print("milestones reached, mean of runs", soft_wrap=True)
        ladders = told.folder_memory.ladders
        rows = [
            (label, f"{one.reached.value:.1f}", f"of {len(one.milestones)}") for label, one in ladders.items()
        ]
        _print_rows(console, ("agent", "reached", ""), rows)
    print_bills(told.runs[0].spec.reasoner, told.bills, console)
    if told.unscored:
        names = [one.name for one in told.unscored]
        more = f" and {len(names) - NAMED} more, see the report" if len(names) > NAMED else ""
        text = f"without a result: {', '.join(names[:NAMED])}{more}\n"
        console.print(text, markup=False, soft_wrap=True)
    console.print(f"report: {plain(shlex.quote(str(made.page)))}", markup=False, soft_wrap=True)


def print_comparison(made: ComparisonReport, console: Console) -> None:
    """Print success of each agent on both sides with the difference, and where the page is."""
    console.print("success, percent: first, second, and second less first in points", soft_wrap=True)
    rows = [
        (label, _percent(one.first.value), _percent(one.second.value), _points(one.difference))
        for label, one in made.told.overall.items()
    ]
    _print_rows(console, ("agent", "first", "second", "difference"), rows)
    console.print(f"report: {plain(shlex.quote(str(made.page)))}", markup=False, soft_wrap=True)


def _print_success(told: Numbers, console: Console) -> None:
    success = told.success
    if success is None:
        return
    ten, thirty = success.windows
    points = tuple(dict.fromkeys((ten, thirty)))
    first = "episode" if points == (1,) else f"{' and '.join(map(str, points))} episodes"
    console.print(
        f"success over the first {first}, percent; how far echo is ahead",
        soft_wrap=True,
    )
    rows: list[tuple[str, ...]] = []
    for label, mean in success.overall.items():
        lead = success.leads.get(label)
        ahead = "" if lead is None else _points(lead.difference)
        windows = dict.fromkeys([(ten, _percent(mean.at10.value)), (thirty, _percent(mean.at30.value))])
        rows.append((label, *(share for _, share in windows), ahead))
    _print_rows(console, ("agent", *(f"@0-{one}" for one in points), "echo ahead, points"), rows)


def _print_rows(console: Console, header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for place, heading in enumerate(header):
        table.add_column(heading, justify="right" if place else "left")
    for row in rows:
        table.add_row(*(cell.replace("[", r"\[") for cell in row))
    console.print(table)
    console.print()


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _points(one: Interval) -> str:
    ends = "" if one.low is None or one.high is None else f" ({100 * one.low:+.1f} to {100 * one.high:+.1f})"
    return f"{100 * one.value:+.1f}{ends}"

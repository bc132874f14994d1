"""``echo-memory report DIR``: tables, figures and a page out of result files."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echo.cli.screen import exit_codes, out_console, print_json
from echo.mfm.plain_text import plain

if TYPE_CHECKING:
    from echo.experiments.report import Report
    from echo.experiments.speedup import Speedup


def report(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR", help="Results folders of run commands.")],
    timeline: Annotated[
        str | None, typer.Option(metavar="RUN", help="Unlocking run to tell item by item, such as echo-s00.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the report of task runs; DIR/report where not given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object with every number.")] = False,
) -> None:
    """Make DIR/report/report.html and its figures from the results in DIR.

    Several folders of task runs (tasks, ablate, continual, mfm) make one report;
    two of one kind are compared, the second against the first.

    Example: echo-memory report runs/tasks runs/ablate --out report --json
    """
    with exit_codes():
        from echo.experiments.spec import UsageError
        from echo.experiments.tasks.report.dispatch import choose_way

        way = choose_way(folders)
        if way == "unlock":
            if out is not None:
                raise UsageError("expected no --out with unlocking runs; their report lies in DIR/report.")
            _unlock(folders[0], timeline, as_json)
            return
        if timeline is not None:
            raise UsageError("expected no --timeline with task runs; they have sample pages in its place.")
        target = out or _beside(folders[0], "report" if len(folders) == 1 else f"report-{way}")
        if way == "compare":
            _compare(folders[0], folders[1], target, as_json)
        else:
            _together(folders, target, as_json)


def _beside(place: Path, name: str) -> Path:
    """Return where the report of a results folder goes: into it, or beside a packed file."""
    from echo.experiments.tasks.committed import SUFFIX, is_packed

    return place.with_name(f"{place.name.removesuffix(SUFFIX)}-{name}") if is_packed(place) else place / name


def _unlock(folder: Path, timeline: str | None, as_json: bool) -> None:
    from echo.experiments.report import write_report

    made = write_report(folder, timeline)
    if as_json:
        print_json({**made.numbers, "report": str(made.page)})
    else:
        _print_report(made)


def _together(folders: list[Path], target: Path, as_json: bool) -> None:
    from echo.cli.task_report_shown import print_task_report
    from echo.experiments.tasks.report.writing import write_task_report

    made = write_task_report(folders, target)
    if as_json:
        print_json({**made.numbers, "report": str(made.page)})
    else:
        print_task_report(made, out_console())


def _compare(first: Path, second: Path, target: Path, as_json: bool) -> None:
    from echo.cli.task_report_shown import print_comparison
    from echo.experiments.tasks.report.comparing_page import write_comparison

    made = write_comparison(first, second, target)
    if as_json:
        print_json({**made.numbers, "report": str(made.page)})
    else:
        print_comparison(made, out_console())


def _print_report(made: Report) -> None:
    """Print counts and speed-ups, and where the page is."""
    from rich.table import Table

    from echo.cli.bill_shown import print_bills

    summary = made.summary
    console = out_console()
    console.print("unique items after so many actions, mean", soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    table.add_column("agent")
    for point in summary.points.tolist():
        table.add_column(f"{point:,}", justify="right")
    for one in summary.competitors:
        table.add_row(one.label.replace("[", r"\["), *(f"{mean:.1f}" for mean in one.counts.mean))
    console.print(table)
    compared = [one for one in summary.competitors if one.speedup is not None]
    if compared:
        table = Table(box=None, pad_edge=False)
        table.add_column("over")
        for count in compared[0].speedup or {}:
            table.add_column(f"{count} items", justify="right")
        for one in compared:
            cells = [_speedup_text(value) for value in (one.speedup or {}).values()]
            table.add_row(one.label.replace("[", r"\["), *cells)
        console.print("\nspeed-up of echo: median, 95 % interval", soft_wrap=True)
        console.print(table)
    if summary.bills:
        console.print()
        print_bills(summary.runs[0].spec.reasoner, summary.bills, console)
    console.print(f"\nreport: {plain(shlex.quote(str(made.page)))}", markup=False, soft_wrap=True)


def _speedup_text(value: Speedup) -> str:
    """Return a speed-up in few characters; '>=' where only a bound is known of some pairs."""
    if value.median is None:
        return "-"
    sign = ">=" if value.lower_bounds and not value.upper_bounds else "~" if value.censored else ""
    span = "" if value.low is None else f" {value.low:.2f}-{value.high:.2f}"
    return f"{sign}{value.median:.2f}{span}"

"""The sections of a report that show measurements: each a figure, its table, and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TypeVar

from echo.experiments.report_page import section
from echo.experiments.tasks.report import more_tables as more
from echo.experiments.tasks.report import tables
from echo.experiments.tasks.report.failures import TOLD
from echo.experiments.tasks.report.figures import rows_shown
from echo.experiments.tasks.report.numbers import Numbers
from echo.experiments.tasks.report.paper import load_paper
from echo.experiments.tasks.report.wording import TITLES

Told = TypeVar("Told")


def success_sections(numbers: Numbers, figures: Mapping[str, str]) -> list[str]:
    """Return Table 1 and the means over all tasks."""
    if numbers.success is None:
        return []
    ten, thirty = numbers.success.windows
    note = (
        f"Share of the first {ten} / {thirty} episodes that reach the goal, percent, mean over lands. Small: "
        f"95&nbsp;% stratified bootstrap interval of the second. Columns in italics: "
        f"{escape(load_paper().source)}; another world and another reasoner, beside ours and never mixed "
        f"with it.{_left_out(numbers)}"
    )
    overall = (
        "Every task counts the same. Echo ahead: paired by task and land; p of the two-sided sign-flip test, "
        "small: adjusted by Holm for all rows. Echo better: probability that a run of echo beats one of the "
        "other on a task drawn at random. Hollow dots: the first "
        f"{ten} episodes."
    )
    return [
        section(
            "Table 1: success by task",
            note,
            figures["table1"],
            tables.family_tables(numbers.success, _rows(numbers)),
        ),
        section(
            "All tasks",
            overall,
            figures["overall"],
            tables.overall_table(numbers.success, _rows(numbers)),
        ),
    ]


def _rows(numbers: Numbers) -> tuple[str, ...]:
    """Return the competitors of Table 1 that are shown."""
    shown = rows_shown(numbers)
    return tuple(label for label in (numbers.cells.labels if numbers.cells else ()) if label in shown)


def _left_out(numbers: Numbers) -> str:
    if len(rows_shown(numbers)) == len(numbers.labels):
        return ""
    return " Echo with fewer axes: see Ablation; all its cells are in the CSV."


def learning_sections(numbers: Numbers, figures: Mapping[str, str]) -> list[str]:
    """Return success over episodes, of single tasks and of mixed ones."""
    parts = []
    if "curves" in figures:
        note = "Centred mean of five episodes, with 95&nbsp;% bootstrap bands; variants are in the CSV."
        parts.append(section("Success over episodes", note, figures["curves"], figures.get("families", "")))
    if numbers.continual:
        note = (
            "Each episode draws another of the twelve tasks, in one order for all agents; memory persists. "
            f"The paper's column: {escape(load_paper().source)}."
        )
        parts.append(
            section(
                "Continual learning",
                note,
                figures["continual"],
                tables.continual_table(numbers.continual),
            )
        )
    return parts


def ablation_sections(numbers: Numbers, figures: Mapping[str, str]) -> list[str]:
    """Return what parts of echo are worth, and the heat map."""
    if numbers.ablation is None:
        return []
    note = (
        "Success of the variant less that of echo as it is, first "
        f"{numbers.success.windows[1] if numbers.success else 30} episodes, percentage points, paired by "
        "task and land; p adjusted by Holm for all cells of the families. The paper's columns give the drops "
        "that its text names."
    )
    definition = (
        "Our value: success lost when the axis is removed, mean over the family's tasks, paired runs; beside "
        "it what the axis gains alone, against echo without transfer (echo/-ical). The paper gives a "
        "correlation of task and axis; so only the order of the cells is compared, by Spearman's rank "
        "correlation over families and axes, its interval by bootstrap over runs."
    )
    one = numbers.ablation.agreement
    if one.rho is None:
        told = f"<p>No rank correlation: {escape(one.reason or '')}.</p>"
    else:
        ends = "" if one.low is None or one.high is None else f", 95&nbsp;% {one.low:+.2f} to {one.high:+.2f}"
        told = f"<p>Rank correlation <b>{one.rho:+.2f}</b>{ends}; {one.cells} of 20 cells.</p>"
    parts = [section("Ablation", note, figures["ablation"], tables.ablation_table(numbers.ablation))]
    if numbers.ablation.has_axes:
        shown = (figures["heatmap"], told, tables.heatmap_table(numbers.ablation))
        parts.append(section("Tasks and axes", definition, *shown))
    return parts


def folder_sections(numbers: Numbers, figures: Mapping[str, str]) -> list[str]:
    """Return what runs of the folder memory show."""
    told = numbers.folder_memory
    if told is None:
        return []
    parts = []
    if told.ladders:
        note = (
            "Colour: share of runs that ever held it. Number: median steps of the run until then, all its "
            "episodes counted, where more than half of the runs held it; else how many did."
        )
        parts.append(section("Milestones", note, figures["ladder"], more.ladder_table(told)))
    if told.components:
        note = "The variant less mfm as it is, paired by land."
        parts.append(section("Components of the folder memory", note, more.component_table(told)))
    if told.skills:
        note = (
            "Without &rarr; with what mfm had learned in the other task; a failed episode counts its budget."
        )
        parts.append(section("Skills from another task", note, more.skill_table(told)))
    return parts


def behind_sections(numbers: Numbers, figures: Mapping[str, str]) -> list[str]:
    """Return what lies behind success."""
    meanings = "; ".join(f"{cause}: {text}" for cause, text in TOLD.items())
    failures = (
        f"Each failed episode once, by what happened in it most often; without anything, by how it ended. "
        f"{meanings}. Percent of failed episodes; small: in how many it happened at all, where one episode "
        f"counts under several."
    )
    costs = (
        "An episode; small: all of it, failures included, over the successes. Tokens are 0 without a "
        "language model."
    )
    kinds = list(numbers.behind)
    shown = rows_shown(numbers)
    first = numbers.behind[kinds[0]]
    failed, spent = (
        [more.failure_table(_only(first.failures, shown))],
        [more.cost_table(_only(first.spending, shown))],
    )
    for kind in kinds[1:]:
        title = f"<h3>{escape(TITLES[kind].capitalize())}</h3>"
        failed += [title, more.failure_table(numbers.behind[kind].failures)]
        spent += [title, more.cost_table(numbers.behind[kind].spending)]
    parts = [
        section("Why episodes failed", failures, figures["failures"], *failed),
        section("What it costs", costs, figures["costs"], *spent),
    ]
    if numbers.retries:
        note = "Tried although it had failed in an earlier episode. Avoided: fewer than without memory."
        parts.append(section("Retries", note, more.retry_table(_only(numbers.retries, shown))))
    if numbers.negative_transfer:
        note = (
            "Steps of echo beside those of echo without transfer (echo/-ical), the same episodes; a failed "
            "one counts its budget. Difference below 0: transfer saves steps."
        )
        parts.append(
            section("Where transfer cost steps", note, more.negative_table(numbers.negative_transfer))
        )
    note = (
        "Attempts an episode by what proposed them; small: its share, in percent, of all that made something "
        "and of all items never held before. Thin bars: axes of what was transferred."
    )
    axes = more.axis_table(_only(first.sources, shown))
    told = [figures["sources"], more.source_table(_only(first.sources, shown))]
    if axes:
        told += ['<p class="note">Mean share of each axis in the suggestions, percent.</p>', axes]
    return [*parts, section("Where new items come from", note, *told)]


def _only(rows: Mapping[str, Told], labels: tuple[str, ...]) -> dict[str, Told]:
    """Return the rows of some competitors."""
    return {label: row for label, row in rows.items() if label in labels}

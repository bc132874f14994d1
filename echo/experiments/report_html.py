"""A report as one HTML page that asks nothing of the network: styles, drawings and frames are in it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from html import escape

from echo.experiments.figures import SOURCE_COLOURS
from echo.experiments.model_bill import bill_section
from echo.experiments.reasoner_names import RULE
from echo.experiments.report_page import counted, fact_list, figure, page, ranges, section, tile_row
from echo.experiments.report_tables import (
    attempt_table,
    burst_table,
    counts_table,
    milestone_table,
    source_table,
    speedup_table,
    times,
)
from echo.experiments.statistics.strata import DRAWS
from echo.experiments.summary import ECHO, Summary
from echo.experiments.timeline import Moment, Timeline

RIVALS: tuple[str, ...] = ("edits", "name-similarity")
"""Agents that the first numbers of the page compare echo with."""


def render_page(summary: Summary, drawings: Mapping[str, str], timeline: Timeline) -> str:
    """Return the page.

    Args:
        summary: Every number.
        drawings: SVG elements by name: curves, speedup, sources, timeline.
        timeline: The run told at the end.
    """
    body = "\n".join(
        (
            _head(summary),
            _tiles(summary),
            section("Unlock curves", _CURVES_NOTE, figure(drawings["curves"]), counts_table(summary)),
            section("Speed-up of echo", _SPEEDUP_NOTE, figure(drawings["speedup"]), speedup_table(summary)),
            section("Steps to milestones", _MILESTONE_NOTE, milestone_table(summary)),
            section("Where unlocks come from", _SOURCES_NOTE, figure(drawings["sources"]),
                     source_table(summary), attempt_table(summary)),
            section("Bursts of unlocks", _BURSTS_NOTE, burst_table(summary)),
            *filter(None, [bill_section(summary.bills)]),
            section(f"One run: {escape(timeline.run.spec.name)}", _timeline_note(timeline),
                     figure(drawings["timeline"]), _moments(timeline)),
            section("How this was made", "", _provenance(summary)),
        )
    )  # fmt: skip
    return page("Unlocking report", body)


_CURVES_NOTE = (
    "Unique items over counted actions (each collect or mine, craft attempt, smelt attempt and attack "
    "is one). Lines are means over seeds, bands 95&nbsp;% intervals of the mean (Student's t)."
)
_SPEEDUP_NOTE = (
    "Counted actions the other agent needs for its n-th item, divided by those echo needs, paired by "
    "seed: median with 95&nbsp;% percentile bootstrap interval. Where one side never had n items within "
    "the budget, the pair enters with the bound that the budget gives and is counted as censored (hollow "
    "dots); pairs that neither reached are dropped."
)
_MILESTONE_NOTE = (
    "Median counted actions until an item was first held, and in how many runs it was. A run that never "
    "held it counts as later than all others; &ldquo;never&rdquo; means that half of the runs or more did "
    "not."
)
_SOURCES_NOTE = (
    "What proposed the action that brought each item first: digging and picking up, blind exploration, a "
    "local edit of a grid that worked, transfer from remembered experience, or a pattern over several. The "
    "thin bar shares the transferred and pattern items among the axes that earned the credit."
)
_BURSTS_NOTE = (
    "The most unlocks close together, mean over runs, beside the mean after shuffling: waits between unlocks "
    "for the first column, kinds of items (last word of the name) or sources over the same unlocks for the "
    f"others. p is the share of {DRAWS:,} shuffles that reach it, not corrected for the number of tests. A "
    "new tool opens several ores at once for any agent, so the first column alone says nothing of transfer; "
    "and like items also come in a row where an explorer tries one shape on one material after the other."
)


def _head(summary: Summary) -> str:
    spec = summary.runs[0].spec
    names = "real names" if spec.invented_names is None else f"invented names (seed {spec.invented_names})"
    reasoner = "none (no language model)" if spec.reasoner == RULE else escape(spec.reasoner)
    text = (
        f"{counted(len(summary.competitors), 'agent')}, "
        f"{counted(len(summary.seeds), 'seed')} ({ranges(summary.seeds)}), "
        f"{counted(summary.steps, 'counted action')} a run, {counted(spec.shots, 'demonstration')}, {names}. "
        f"Reasoner: {reasoner}; encoder: {spec.encoder}. "
        f"Minecraft {escape(spec.world.version)} rules."
    )
    warning = ""
    if len(summary.commits) > 1:
        listed = ", ".join(escape(commit[:20]) for commit in summary.commits)
        warning = f'<p class="warn">These runs were made by more than one state of the code: {listed}.</p>'
    uneven = [one.label for one in summary.competitors if len(one.runs) < len(summary.seeds)]
    if uneven:
        warning += (
            f'<p class="warn">Not every seed was played by {escape(", ".join(uneven))}; comparisons use '
            f"the seeds that both sides played.</p>"
        )
    return f"<header>\n<h1>Cold-start unlocking</h1>\n<p>{text}</p>\n{warning}\n</header>"


def milliseconds(value: float) -> str:
    """Return a time in milliseconds with one decimal, never as 0.0.

    >>> milliseconds(0.04), milliseconds(1.52)
    ('< 0.1 ms', '1.5 ms')
    """
    return "< 0.1 ms" if value < 0.05 else f"{value:.1f} ms"


def _tiles(summary: Summary) -> str:
    """Return the numbers one looks for first: echo's items, its speed-up at 80 items, its lead at the end."""
    echo = next((one for one in summary.competitors if one.label == ECHO), summary.competitors[0])
    tiles = [(f"{echo.counts.mean[-1]:.0f}", f"items unlocked by {echo.label}, mean")]
    rivals = [one for one in summary.competitors if one.label in RIVALS]
    for one in rivals:
        value = (one.speedup or {}).get(80)
        if value is not None and value.median is not None:
            tiles.append((times(value), f"faster than {one.label} to 80 items"))
    for one in rivals:
        if one.echo_lead is not None:
            lead = f"{float(one.echo_lead.mean[0]):+.1f}"
            tiles.append((lead, f"items against {one.label} at {summary.steps:,} actions"))
    return tile_row(tiles)


def _timeline_note(timeline: Timeline) -> str:
    if timeline.frames:
        return (
            f"Every unlock in order, with what was seen before it ({timeline.frames} frames out of the run's "
            f"memory). Milestones are framed. The thread behind one: "
            f"<code>echo-memory why ITEM --run {escape(timeline.run.spec.name)} --out DIR</code>"
        )
    return (
        "Every unlock in order. No frames: this run kept no episodes "
        "(<code>--record unlocks</code> keeps them)."
    )


def _moments(timeline: Timeline) -> str:
    cards = "\n".join(_moment(moment, timeline) for moment in timeline.moments)
    return f'<div class="frames">\n{cards}\n</div>'


def _moment(moment: Moment, timeline: Timeline) -> str:
    unlock = moment.unlock
    image = ""
    if moment.frame is not None:
        data = base64.b64encode(moment.frame).decode()
        image = f'<img alt="what was seen before {escape(unlock.item)}" src="data:image/png;base64,{data}">'
    mark = " mark" if unlock.item in timeline.run.milestones else ""
    return (
        f'<div class="moment{mark}" title="{escape(unlock.detail)}">{image}'
        f'<div class="bar" style="background:{SOURCE_COLOURS[unlock.source]}"></div>'
        f"<div><b>{escape(unlock.item.replace('_', ' '))}</b>"
        f'<span class="from">{unlock.action:,} &middot; {escape(unlock.source)}</span></div></div>'
    )


def _provenance(summary: Summary) -> str:
    first = summary.runs[0]
    wall = sum(run.timing.wall_seconds for run in summary.runs)
    decisions = ", ".join(f"{one.label} {milliseconds(one.decision_ms)}" for one in summary.competitors)
    facts = {
        "command": "; ".join(summary.commands),
        "code": ", ".join(summary.commits),
        "versions": ", ".join(f"{name} {value}" for name, value in first.versions.items()),
        "machine": ", ".join(f"{name} {value}" for name, value in first.machine.items()),
        "time": f"{wall:,.0f} s over {counted(len(summary.runs), 'run')}; median decision: {decisions}",
        "spec": f"{first.spec_digest[:16]} ({first.spec.name})",
    }
    return fact_list(facts)

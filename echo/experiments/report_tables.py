"""The tables of a report, as HTML."""

from __future__ import annotations

from html import escape

from csd.axes import AXES
from echo.experiments.bursts import WINDOW_ACTIONS, WINDOW_UNLOCKS
from echo.experiments.curves import MeanInterval
from echo.experiments.figures import competitor_colours
from echo.experiments.report_page import table
from echo.experiments.results import SOURCES
from echo.experiments.spec import MILESTONES, SPEEDUP_COUNTS
from echo.experiments.speedup import Speedup
from echo.experiments.statistics.bursts import ShuffleTest
from echo.experiments.summary import Competitor, Summary
from echo.experiments.tallies import Milestone


def times(value: Speedup) -> str:
    """Return a speed-up's median with the sign of its bound."""
    if value.median is None:
        return "&ndash;"
    bound = "&ge;" if value.lower_bounds and not value.upper_bounds else "&asymp;" if value.censored else ""
    return f"{bound}{value.median:.2f}&times;"


def counts_table(summary: Summary) -> str:
    """Return items at the checkpoints, with what echo is ahead at the end and the world time used."""
    names = _names(summary)
    header = [
        "agent",
        *(f"{point:,} actions" for point in summary.points.tolist()),
        "echo ahead at end",
        "world ticks",
    ]
    rows = []
    for one in summary.competitors:
        cells = [_with_interval(one.counts, index) for index in range(len(summary.points))]
        ahead = "" if one.echo_lead is None else _with_interval(one.echo_lead, 0, sign="+")
        rows.append([names[one.label], *cells, ahead, f"{one.ticks:,.0f}"])
    return table(header, rows)


def _with_interval(interval: MeanInterval, index: int, sign: str = "") -> str:
    """Return a mean with its interval in small type."""
    text = f"{interval.mean[index]:{sign}.1f}"
    if interval.low is None or interval.high is None:
        return text
    return f"{text} <small>{interval.low[index]:.1f} to {interval.high[index]:.1f}</small>"


def speedup_table(summary: Summary) -> str:
    """Return echo's speed-up over each other competitor at the standard counts."""
    names = _names(summary)
    rows = [
        [names[one.label], *(_speedup_cell((one.speedup or {})[count]) for count in SPEEDUP_COUNTS)]
        for one in summary.competitors
        if one.speedup is not None
    ]
    if not rows:
        return (
            '<p class="note">Nothing to compare: these results hold no runs of echo beside another agent.</p>'
        )
    return table(["echo over", *(f"{count} items" for count in SPEEDUP_COUNTS)], rows)


def _speedup_cell(value: Speedup) -> str:
    if value.median is None:
        return "<small>neither reached</small>"
    span = "" if value.low is None else f" {value.low:.2f} to {value.high:.2f};"
    censored = f", {value.censored} censored" if value.censored else ""
    dropped = f", {value.dropped} dropped" if value.dropped else ""
    return f"{times(value)} <small>{span} n {value.n}{censored}{dropped}</small>"


def milestone_table(summary: Summary) -> str:
    """Return when each competitor first held the milestones, and which none ever held."""
    names = _names(summary)
    reached = [item for item in MILESTONES if any(_mark(one, item).reached for one in summary.competitors)]
    rows = [
        [names[one.label], *(_milestone_cell(_mark(one, item)) for item in reached)]
        for one in summary.competitors
    ]
    unreached = ", ".join(item for item in MILESTONES if item not in reached)
    note = f'<p class="note">Reached in no run: {escape(unreached)}.</p>' if unreached else ""
    return table(["agent", *(escape(item).replace("_", " ") for item in reached)], rows) + note


def _mark(one: Competitor, item: str) -> Milestone:
    return next(mark for mark in one.milestones if mark.item == item)


def _milestone_cell(mark: Milestone) -> str:
    when = "never" if mark.median is None else f"{mark.median:,.0f}"
    return f"{when} <small>{mark.reached}/{mark.n}</small>"


def source_table(summary: Summary) -> str:
    """Return unlocks by source with their shares, and the credit of each axis."""
    names = _names(summary)
    rows = []
    for one in summary.competitors:
        total = one.sources.total or 1.0
        shares = [
            f"{one.sources.items[s]:.1f} <small>{one.sources.items[s] / total:.0%}</small>" for s in SOURCES
        ]
        credit = [f"{one.sources.axes[axis.value]:.1f}" for axis in AXES]
        rows.append([names[one.label], *shares, *credit])
    return table(["agent", *SOURCES, *(f"{axis.value}<small>credit</small>" for axis in AXES)], rows)


def burst_table(summary: Summary) -> str:
    """Return the longest bursts beside what shuffling leaves of them, and how much of them was transfer."""
    names = _names(summary)
    rows = []
    for one in summary.competitors:
        bursts = one.bursts
        share = "&ndash;"
        inside, overall = bursts.transferred_share_of_longest, bursts.transferred_share
        if inside is not None and overall is not None:
            share = f"{inside:.0%} <small>of all {overall:.0%}</small>"
        longest = _shuffle_cell(bursts.longest)
        others = (bursts.alike_in_time, bursts.alike, bursts.transferred)
        rows.append([names[one.label], longest, share, *(_shuffle_cell(test) for test in others)])
    header = [
        "agent",
        f"in {WINDOW_ACTIONS} actions",
        "of these by transfer",
        f"of one kind in {WINDOW_ACTIONS} actions",
        f"of one kind in {WINDOW_UNLOCKS} unlocks",
        f"by transfer in {WINDOW_UNLOCKS} unlocks",
    ]
    return table(header, rows)


def _shuffle_cell(test: ShuffleTest | None) -> str:
    if test is None:
        return "&ndash;"
    p = "p &lt; 0.001" if test.p < 0.001 else f"p {test.p:.3f}"
    return f"{test.observed:.1f} <small>shuffled {test.null_mean:.1f}; {p}</small>"


def attempt_table(summary: Summary) -> str:
    """Return attempts by source: how often each proposer was asked and how often it paid."""
    names = _names(summary)
    kinds = list(dict.fromkeys(kind for one in summary.competitors for kind in one.sources.attempts))
    if not kinds:
        return ""
    kinds = [source for source in SOURCES if source in kinds] + [
        kind for kind in kinds if kind not in SOURCES
    ]
    rows = []
    for one in summary.competitors:
        cells = []
        for kind in kinds:
            counts = one.sources.attempts.get(kind)
            tried, new = (counts.get("tried", 0.0), counts.get("new", 0.0)) if counts else (0.0, 0.0)
            cells.append(f"{tried:,.0f} <small>{new:.1f} new</small>" if counts else "")
        rows.append([names[one.label], *cells])
    return '<p class="note">Attempts a run by source, and how many brought something new.</p>' + table(
        ["agent", *(escape(kind) for kind in kinds)], rows
    )


def _names(summary: Summary) -> dict[str, str]:
    """Return each competitor's name with its colour."""
    colours = competitor_colours(summary.competitors)
    return {
        label: f'<span class="dot" style="background:{colour}"></span>{escape(label)}'
        for label, colour in colours.items()
    }

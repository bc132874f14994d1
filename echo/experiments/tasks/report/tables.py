"""Tables of success, learning and ablations, as HTML; the paper's figures in columns of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise

from echo.experiments.report_page import dense_table, table
from echo.experiments.tasks.report.ablation import ALL, Ablation, Change
from echo.experiments.tasks.report.learning import LearningCurve
from echo.experiments.tasks.report.paper import Reported, load_paper
from echo.experiments.tasks.report.success import Cell, Lead, Success
from echo.experiments.tasks.report.wording import UNKNOWN, chance, named, percent, points, span, with_span


def family_tables(success: Success, labels: Sequence[str]) -> str:
    """Return Table 1, `labels` as rows: one table a family, and one of tasks that belong to none."""
    paper = load_paper()
    tasks = list(next(iter(success.table.values()), {}))
    groups: dict[str, list[str]] = {}
    for task in tasks:
        groups.setdefault(paper.family_of(task) or "", []).append(task)
    return "\n".join(_family_table(success, labels, family, members) for family, members in groups.items())


def _family_table(success: Success, labels: Sequence[str], family: str, tasks: Sequence[str]) -> str:
    paper = load_paper()
    header = ["agent"]
    for task in tasks:
        header += [escape(paper.title(task)), "<i>paper</i>"]
    if family:
        header += ["mean", "<i>paper</i>", "echo ahead<small>@0&rarr;30, points</small>"]
    rows = []
    for label in labels:
        cells = [named(label)]
        for task in tasks:
            cells += [_cell(success.table[label][task]), _paper(paper.reported(label, task))]
        if family:
            mean = success.families[family].get(label)
            cells += [
                UNKNOWN
                if mean is None
                else f"{percent(mean.at10.value)} / <b>{percent(mean.at30.value)}</b> "
                + span(_times_100(mean.at30.low), _times_100(mean.at30.high)),
                _paper(paper.mean(label, tuple(tasks))),
                _lead_cell(success.family_leads[family].get(label)),
            ]
        rows.append(cells)
    return f"<h3>{escape(family.capitalize() or 'Other tasks')}</h3>\n" + dense_table(header, rows)


def _cell(cell: Cell) -> str:
    if cell.at30 is None:
        return f"unscored <small>{cell.unscored} runs</small>" if cell.unscored else UNKNOWN
    missing = f"<small>{cell.runs} runs, {cell.unscored} unscored</small>" if cell.unscored else ""
    ends = span(_times_100(cell.low30), _times_100(cell.high30))
    return f"{percent(cell.at10)} / <b>{percent(cell.at30)}</b> {ends}{missing}"


def _paper(reported: Reported | None) -> str:
    if reported is None:
        return ""
    return f'<i class="paper">{100 * reported.at10:.1f} / {100 * reported.at30:.1f}</i>'


def _lead_cell(lead: Lead | None) -> str:
    return "" if lead is None else points(lead.difference)


def overall_table(success: Success, labels: Sequence[str]) -> str:
    """Return means of `labels` over all tasks, echo's lead over each other agent, and the tests of it."""
    paper = load_paper()
    header = [
        "agent", f"@0&rarr;{success.windows[0]}", f"@0&rarr;{success.windows[1]}", "interquartile mean",
        "<i>paper</i>", "echo ahead<small>points</small>", "p<small>Holm</small>",
        "echo better<small>probability</small>", "runs",
    ]  # fmt: skip
    tasks = tuple(next(iter(success.table.values()), {}))
    whole = sum(paper.family_of(task) is not None for task in tasks) == len(paper.order)
    rows = []
    for label in labels:
        if label not in success.overall:
            continue
        mean = success.overall[label]
        lead = success.leads.get(label)
        missing = f"<small>{mean.unscored} unscored</small>" if mean.unscored else ""
        fewer = f"<small>{mean.tasks} of {len(tasks)} tasks</small>" if mean.tasks < len(tasks) else ""
        rows.append(
            [
                named(label),
                with_span(mean.at10, 100),
                with_span(mean.at30, 100),
                with_span(mean.iqm30, 100),
                _paper(paper.mean(label, tasks)) if whole else "",
                _lead_cell(lead),
                "" if lead is None else f"{chance(lead.p)} <small>{chance(lead.p_holm)}</small>",
                "" if lead is None else with_span(lead.improvement, 1, 2),
                f"{mean.runs}{missing}{fewer}",
            ]
        )
    rows += [
        [
            named(label),
            "unscored",
            *[""] * 6,
            f"0<small>{sum(c.unscored for c in row.values())} unscored</small>",
        ]
        for label, row in success.table.items()
        if label in labels and label not in success.overall
    ]
    return table(header, rows)


def continual_table(curves: Mapping[str, LearningCurve]) -> str:
    """Return success in thirds of the mixed episodes, without empty ones, at the end, and the paper's."""
    paper = load_paper()
    episodes = max(curve.episodes for curve in curves.values())
    ends = sorted({episodes * part // 3 for part in range(4)})
    header = [
        "agent", *(f"episodes {low + 1}&ndash;{high}" for low, high in pairwise(ends)),
        "at the end<small>smoothed</small>", f"<i>paper, episode {paper.continual_episode}</i>", "runs",
    ]  # fmt: skip
    rows = []
    for label, curve in curves.items():
        parts = [float(curve.raw.mean[low:high].mean()) for low, high in pairwise(ends)]
        band = curve.smoothed
        end = percent(float(band.mean[-1]))
        if band.low is not None and band.high is not None:
            end += " " + span(100 * float(band.low[-1]), 100 * float(band.high[-1]))
        reported = paper.continual.get(label)
        shown = "" if reported is None else f'<i class="paper">{100 * reported:.0f}</i>'
        rows.append([named(label), *map(percent, parts), end, shown, str(curve.runs)])
    return table(header, rows)


def ablation_table(ablation: Ablation) -> str:
    """Return the change that each variant of echo makes, over all tasks and by family."""
    paper = load_paper()
    families = [family for family in ablation.changes if family != ALL]
    header = ["echo with", "all tasks"]
    for family in families:
        header += [escape(family), "<i>paper</i>"]
    rows = []
    for switch in dict.fromkeys(switch for row in ablation.changes.values() for switch in row):
        cells = [escape(switch), _change(ablation.changes[ALL].get(switch))]
        for family in families:
            drop = paper.removal.get(family, {}).get(switch[1:]) if switch.startswith("-") else None
            shown = "" if drop is None else f'<i class="paper">{100 * drop:+.0f}</i>'
            cells += [_change(ablation.changes[family].get(switch)), shown]
        rows.append(cells)
    return table(header, rows)


def _change(change: Change | None) -> str:
    if change is None:
        return UNKNOWN
    return f"{points(change.difference)} <small>p {chance(change.p_holm)}</small>"


def heatmap_table(ablation: Ablation) -> str:
    """Return what each axis is worth in each family, beside the paper's correlation."""
    axes = list(next(iter(ablation.heatmap.values())))
    header = ["family"]
    for axis in axes:
        header += [escape(axis), "<i>paper</i>"]
    rows = []
    for family, row in ablation.heatmap.items():
        cells = [escape(family.capitalize())]
        for cell in row.values():
            alone = f"<small>alone {100 * cell.only.value:+.1f}</small>" if cell.only is not None else ""
            cells += [points(cell.removed) + alone, f'<i class="paper">{cell.paper:.2f}</i>']
        rows.append(cells)
    return table(header, rows)


def _times_100(value: float | None) -> float | None:
    return None if value is None else 100 * value

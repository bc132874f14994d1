"""The numbers of a report as one JSON object; a number that is not known is null."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from echo.experiments.model_bill import bills_json
from echo.experiments.tasks.report.ablation import ALL, Ablation
from echo.experiments.tasks.report.cells import interval_json
from echo.experiments.tasks.report.failures import CAUSES, Failures
from echo.experiments.tasks.report.learning import Band, LearningCurve
from echo.experiments.tasks.report.milestones import FolderMemory
from echo.experiments.tasks.report.numbers import Behind, Numbers
from echo.experiments.tasks.report.paper import load_paper
from echo.experiments.tasks.report.sources import Sources
from echo.experiments.tasks.report.success import Lead, Mean, Success

FORMAT = 1
"""Version of the layout of report.json."""


def numbers_json(numbers: Numbers) -> dict[str, Any]:
    """Return all numbers; five keys are in every report, empty where their runs are missing.

    'failures', 'costs' and 'sources' are those of the first kind; 'behind' has them of every kind.
    """
    return {
        "table1": _table1(numbers.success),
        "continual": {label: _curve(curve) for label, curve in numbers.continual.items()},
        "ablation": _ablation(numbers.ablation),
        "heatmap": _heatmap(numbers.ablation),
        "paper_rank_correlation": _agreement(numbers.ablation),
        "format": FORMAT,
        "units": "success in shares from 0 to 1; intervals of 95 %; costs in steps, seconds and tokens",
        "kinds": list(numbers.kinds),
        "circumstances": {one.kind: dict(one.circumstances) for one in numbers.experiments},
        "commits": list(numbers.commits),
        "commands": list(numbers.commands),
        **(_comparisons(numbers.success) if numbers.success else {}),
        "curves": {label: _curve(curve) for label, curve in numbers.curves.items()},
        "family_curves": {
            family: {label: _curve(curve) for label, curve in curves.items()}
            for family, curves in numbers.family_curves.items()
        },
        "ablation_detail": _ablation_detail(numbers.ablation),
        "mfm": _folder_memory(numbers.folder_memory),
        **(_behind(next(iter(numbers.behind.values())))),
        "behind": {kind: _behind(one) for kind, one in numbers.behind.items()},
        "retries": {
            label: {
                "an_episode": interval_json(one.an_episode),
                "avoided": None if one.avoided is None else interval_json(one.avoided),
            }
            for label, one in numbers.retries.items()
        },
        "negative_transfer": {
            name: {
                "pairs": one.pairs,
                "worse": one.worse,
                "lost": one.lost,
                "gained": one.gained,
                "difference": interval_json(one.difference),
            }
            for name, one in numbers.negative_transfer.items()
        },
        "models": bills_json(numbers.bills),
        "unscored": {one.name: one.reason for one in numbers.unscored},
        "paper": _paper(),
    }


def _table1(success: Success | None) -> dict[str, Any]:
    if success is None:
        return {}
    return {
        label: {task: asdict(cell) for task, cell in row.items() if cell.runs or cell.unscored}
        for label, row in success.table.items()
    }


def _comparisons(success: Success) -> dict[str, Any]:
    return {
        "windows": {"at10": success.windows[0], "at30": success.windows[1]},
        "overall": {label: _mean(one) for label, one in success.overall.items()},
        "echo_lead": {label: _lead(one) for label, one in success.leads.items()},
        "families": {
            family: {label: _mean(one) for label, one in row.items()}
            for family, row in success.families.items()
        },
        "family_echo_lead": {
            family: {label: _lead(one) for label, one in row.items()}
            for family, row in success.family_leads.items()
        },
    }


def _mean(one: Mean) -> dict[str, Any]:
    return {
        "at10": one.at10.value,
        "low10": one.at10.low,
        "high10": one.at10.high,
        "at30": one.at30.value,
        "low30": one.at30.low,
        "high30": one.at30.high,
        "iqm30": interval_json(one.iqm30),
        "tasks": one.tasks,
        "runs": one.runs,
        "unscored": one.unscored,
    }


def _lead(one: Lead) -> dict[str, Any]:
    return {
        **interval_json(one.difference, "difference"),
        "p": one.p,
        "p_holm": one.p_holm,
        "probability_of_improvement": interval_json(one.improvement),
        "pairs": one.pairs,
        "tasks": one.tasks,
        "above": one.shown,
    }


def _curve(curve: LearningCurve) -> dict[str, Any]:
    return {
        "episodes": list(range(1, curve.episodes + 1)),
        **_band(curve.raw),
        "smoothed": _band(curve.smoothed),
        "runs": curve.runs,
    }


def _band(band: Band) -> dict[str, Any]:
    return {
        "mean": band.mean.tolist(),
        "low": None if band.low is None else band.low.tolist(),
        "high": None if band.high is None else band.high.tolist(),
    }


def _ablation(ablation: Ablation | None) -> dict[str, dict[str, float]]:
    if ablation is None:
        return {}
    return {
        family: {switch: change.difference.value for switch, change in row.items()}
        for family, row in ablation.changes.items()
        if family != ALL
    }


def _ablation_detail(ablation: Ablation | None) -> dict[str, Any]:
    if ablation is None:
        return {}
    return {
        family: {
            switch: {
                **interval_json(change.difference, "delta"),
                "p": change.p,
                "p_holm": change.p_holm,
                "pairs": change.pairs,
            }
            for switch, change in row.items()
        }
        for family, row in ablation.changes.items()
    }


def _heatmap(ablation: Ablation | None) -> dict[str, Any]:
    if ablation is None:
        return {}
    return {
        family: {
            axis: {
                "removed": interval_json(cell.removed),
                "only": interval_json(cell.only),
                "paper": cell.paper,
            }
            for axis, cell in row.items()
        }
        for family, row in ablation.heatmap.items()
    }


def _agreement(ablation: Ablation | None) -> dict[str, Any]:
    if ablation is None:
        return {"rho": None, "low": None, "high": None, "cells": 0, "reason": "no ablation runs"}
    return asdict(ablation.agreement)


def _folder_memory(told: FolderMemory | None) -> dict[str, Any] | None:
    if told is None:
        return None
    return {
        "milestones": {
            label: {mark.item: _without(asdict(mark), "item") for mark in ladder.milestones}
            for label, ladder in told.ladders.items()
        },
        "reached": {label: interval_json(ladder.reached) for label, ladder in told.ladders.items()},
        "success": {label: interval_json(ladder.success) for label, ladder in told.ladders.items()},
        "components": {switch: asdict(one) for switch, one in told.components.items()},
        "skills": [asdict(one) for one in told.skills],
    }


def _without(content: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in content.items() if key != name}


def _behind(behind: Behind) -> dict[str, Any]:
    return {
        "failures": {label: _failures(one) for label, one in behind.failures.items()},
        "costs": {label: asdict(one) for label, one in behind.spending.items()},
        "sources": {label: _sources(one) for label, one in behind.sources.items()},
    }


def _failures(one: Failures) -> dict[str, Any]:
    return {
        "episodes": one.episodes,
        "failed": one.failed,
        "main": {cause: one.share(cause) for cause in CAUSES},
        "any": {cause: one.any[cause] / one.failed if one.failed else None for cause in CAUSES},
    }


def _sources(one: Sources) -> dict[str, Any]:
    return {
        "episodes": one.episodes,
        "attempts": {
            source: {
                **tally.model_dump(),
                "made_share": one.share(source, "made"),
                "new_share": one.share(source, "new"),
            }
            for source, tally in one.tallies.items()
        },
        "axes_tried": dict(one.axes_tried),
        "axes_made": dict(one.axes_made),
    }


def _paper() -> dict[str, Any]:
    """Return what the paper reports, apart from everything measured here."""
    paper = load_paper()
    return {
        "source": paper.source,
        "table1": {
            label: {task: asdict(one) for task, one in row.items()} for label, row in paper.table1.items()
        },
        "removal": {family: dict(row) for family, row in paper.removal.items()},
        "heatmap": {family: dict(row) for family, row in paper.heatmap.items()},
        "continual": {"episode": paper.continual_episode, "success": dict(paper.continual)},
    }

"""Success over episodes: how fast each agent learns, and where it levels off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from echo.experiments.statistics.bootstrap import resampled_means
from echo.experiments.statistics.strata import Floats, named_seed
from echo.experiments.tasks.records import TaskRun
from echo.experiments.tasks.report.cells import Cells

WINDOW = 5
"""Episodes that a smoothed curve averages, centred; fewer at both ends."""

_DRAWS = 1_000


@dataclass(frozen=True, kw_only=True)
class Band:
    """A mean with its 95 % interval, one value an episode, shares in [0, 1]."""

    mean: Floats
    """(episodes,) float64."""
    low: Floats | None
    """None where a task holds a single run, so that nothing is known of how runs differ."""
    high: Floats | None


@dataclass(frozen=True, kw_only=True)
class LearningCurve:
    """Success of one agent over the episodes of its runs, each task counting the same."""

    raw: Band
    smoothed: Band
    runs: int

    @property
    def episodes(self) -> int:
        """Episodes of a run."""
        return len(self.raw.mean)


def measure_curves(cells: Cells, name: str, tasks: Sequence[str] | None = None) -> dict[str, LearningCurve]:
    """Return the curve of every agent that has a run of `tasks`, of all tasks where None.

    Args:
        cells: All runs.
        name: What the tasks are, of which the resampling depends.
        tasks: Tasks averaged.
    """
    found: dict[str, LearningCurve] = {}
    for label in cells.labels:
        strata = [
            np.array([_successes(run) for run in runs])
            for task in (cells.tasks if tasks is None else tasks)
            if (runs := cells.of(label, [task]))
        ]
        if strata:
            found[label] = LearningCurve(
                raw=_band(strata, name),
                smoothed=_band([smooth(rows) for rows in strata], name),
                runs=sum(map(len, strata)),
            )
    return found


def smooth(rows: Floats) -> Floats:
    """Return the centred mean over `WINDOW` episodes of each row, (runs, episodes), shorter at both ends.

    >>> smooth(np.array([[0.0, 0.0, 0.0, 1.0, 1.0]])).round(2).tolist()
    [[0.0, 0.25, 0.4, 0.5, 0.67]]
    """
    half = WINDOW // 2
    episodes = rows.shape[1]
    windows = [slice(max(0, middle - half), middle + half + 1) for middle in range(episodes)]
    return np.stack([rows[:, window].mean(axis=1) for window in windows], axis=1)


def _successes(run: TaskRun) -> list[float]:
    return [float(one.success) for one in run.episodes]


def _band(strata: Sequence[Floats], name: str) -> Band:
    mean: Floats = np.mean([rows.mean(axis=0) for rows in strata], axis=0)
    if any(len(rows) < 2 for rows in strata):
        return Band(mean=mean, low=None, high=None)
    samples = resampled_means(strata, seed=named_seed("curve", name), draws=_DRAWS)
    low, high = np.percentile(samples, [2.5, 97.5], axis=0)
    return Band(mean=mean, low=low, high=high)

"""Where attempts and new items come from: which source proposed them, and which axes they moved along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from csd.axes import AXES
from echo.experiments.tasks.records import EpisodeRecord, Tally, TaskRun

MOVED: tuple[str, ...] = ("transfer", "pattern", "role")
"""Sources that move experience along axes."""

SOURCES: tuple[str, ...] = ("collect", "exploration", "edit", "adaptation", "plan", *MOVED)
"""In the order of tables; one that is not among them comes after them."""


@dataclass(frozen=True, kw_only=True)
class Sources:
    """What came of the attempts of one agent, over all its episodes."""

    episodes: int
    tallies: Mapping[str, Tally]
    """Source -> sums; without sources that tried nothing and had nothing rejected."""
    axes_tried: Mapping[str, float]
    """Axis -> mean share in the suggestions tried, over the episodes that tried some; else empty."""
    axes_made: Mapping[str, float]
    """The same of the suggestions that made something."""

    def share(self, source: str, count: str) -> float | None:
        """Return the share of a source in all that was 'tried', 'made' or 'new'; None where nothing was."""
        total = sum(getattr(tally, count) for tally in self.tallies.values())
        own = getattr(self.tallies.get(source, Tally()), count)
        return own / total if total else None


def measure_sources(runs: Iterable[TaskRun]) -> Sources:
    """Sum up the attempts of some runs."""
    episodes = [one for run in runs for one in run.episodes]
    named = dict.fromkeys((*SOURCES, *sorted(name for one in episodes for name in one.attempts)))
    tallies = {name: _sum([one.attempts[name] for one in episodes if name in one.attempts]) for name in named}
    return Sources(
        episodes=len(episodes),
        tallies={name: tally for name, tally in tallies.items() if tally.tried or tally.rejected},
        axes_tried=_shares([one.axes for one in episodes if one.axes]),
        axes_made=_shares([one.axes_made for one in episodes if one.axes_made]),
    )


def credit_of(episode: EpisodeRecord) -> dict[str, float]:
    """Return the axes of an episode's suggestions that made something, else of those tried, largest first."""
    shares = episode.axes_made or episode.axes
    return dict(sorted(shares.items(), key=lambda pair: -pair[1]))


def _sum(tallies: Iterable[Tally]) -> Tally:
    rows = list(tallies)
    return Tally(**{name: sum(getattr(row, name) for row in rows) for name in Tally.model_fields})


def _shares(rows: list[Mapping[str, float]]) -> dict[str, float]:
    if not rows:
        return {}
    return {axis.value: float(np.mean([row.get(axis.value, 0.0) for row in rows])) for axis in AXES}

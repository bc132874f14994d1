"""Why episodes failed: what stood in the way in each, told from its counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from echo.experiments.tasks.records import EpisodeRecord, TaskRun

Cause = Literal["precheck", "verifier", "surprise", "budget", "stuck"]

CAUSES: tuple[Cause, ...] = ("precheck", "verifier", "surprise", "budget", "stuck")
"""In the order of tables and of ties."""

TOLD: Mapping[Cause, str] = {
    "precheck": "what an attempt takes could not be got",
    "verifier": "suggestions were turned down",
    "surprise": "a step did not bring what was expected",
    "budget": "the budget ran out, nothing else in the way",
    "stuck": "nothing left to do, nothing else in the way",
}


@dataclass(frozen=True, kw_only=True)
class Failures:
    """The failed episodes of one agent."""

    episodes: int
    """All episodes."""
    failed: int
    main: Mapping[Cause, int]
    """Failed episodes by what happened most often in them; they sum to `failed`."""
    any: Mapping[Cause, int]
    """Failed episodes in which it happened at all; an episode counts under all that it had."""

    def share(self, cause: Cause) -> float | None:
        """Return the share of failed episodes whose main cause it is, None where none failed."""
        return self.main[cause] / self.failed if self.failed else None


def measure_failures(runs: Iterable[TaskRun]) -> Failures:
    """Count the failed episodes of some runs by cause."""
    episodes = [one for run in runs for one in run.episodes]
    failed = [one for one in episodes if not one.success]
    main = dict.fromkeys(CAUSES, 0)
    touched = dict.fromkeys(CAUSES, 0)
    for one in failed:
        main[main_cause(one)] += 1
        for cause, count in _troubles(one).items():
            touched[cause] += count > 0
        touched["stuck" if one.ending == "stuck" else "budget"] += 1
    return Failures(episodes=len(episodes), failed=len(failed), main=main, any=touched)


def main_cause(episode: EpisodeRecord) -> Cause:
    """Return what stood in the way of a failed episode most often.

    The most frequent of attempts given up by the pre-check, suggestions rejected by the verifier, and
    surprises; of equal ones the first. Without any of them, how it ended.
    """
    troubles = _troubles(episode)
    most = max(troubles.values())
    if most:
        return next(cause for cause, count in troubles.items() if count == most)
    return "stuck" if episode.ending == "stuck" else "budget"


def _troubles(episode: EpisodeRecord) -> dict[Cause, int]:
    return {
        "precheck": episode.precheck,
        "verifier": sum(tally.rejected for tally in episode.attempts.values()),
        "surprise": episode.surprises,
    }

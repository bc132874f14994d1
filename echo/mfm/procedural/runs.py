"""How runs of procedures went: one line a run in runs.jsonl, written by the harness alone."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from echo.mfm.layout import RUNS
from echo.mfm.log import append_log, read_log

End = Literal["done", "needs", "surprise", "failed", "budget"]
"""How a run ended. 'done': the generator came to its end. 'needs': what it needs did not hold, nothing was
done. 'surprise': something else came than was expected. 'failed': the script itself broke. 'budget': too many
steps, too much world time, or too much time by the clock."""

ENDS: tuple[End, ...] = ("done", "needs", "surprise", "failed", "budget")


@dataclass(frozen=True, kw_only=True)
class Surprise:
    """Where something else came than was expected."""

    step: int
    """Number of the action within the run, from 1; one more than the last for what is asked at the end."""
    action: Mapping[str, Any]
    """The action as JSON; empty for what is asked at the end."""
    expected: str
    seen: str
    """What came instead, in words."""
    line: int | None = None
    """Line of the script that wanted the action, where it is known."""


@dataclass(frozen=True, kw_only=True)
class RunLine:
    """One run of a procedure as it is kept."""

    number: int
    """1-based place in the log."""
    name: str
    version: str
    """SHA-256 of the file that was run, in hex."""
    arguments: Mapping[str, Any]
    steps: int
    """Actions done."""
    ticks: int
    """World time they took."""
    end: End
    success: bool
    """Whether it came to its end without a surprise and all it promises held then."""
    reason: str | None
    """What went wrong, in words; None for a success."""
    surprise: Surprise | None
    episodes: tuple[str, ...]
    """Ids of the episodes that record it."""
    caller: str | None
    """The procedure that called it, if one did."""
    time: datetime.datetime
    """When it ended, UTC."""


@dataclass(frozen=True, kw_only=True)
class Runs:
    """All runs of one memory."""

    runs: tuple[RunLine, ...]
    """In order of writing."""
    unread: int = 0
    """Lines of the log that are no run; they stay in the file and count nowhere."""


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How many runs, and how many of them were a success."""

    runs: int = 0
    successes: int = 0

    @property
    def rate(self) -> float | None:
        """Share of successes, 0 to 1; None without a run."""
        return self.successes / self.runs if self.runs else None


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """How the runs of one procedure went; one that never began, its needs unmet, counts in `ends` alone."""

    runs: int = 0
    successes: int = 0
    by_version: Mapping[str, Tally] = field(default_factory=dict)
    """Digest of the file -> its runs, in order of the first run."""
    ends: Mapping[End, int] = field(default_factory=dict)
    """How runs ended, in the order of `ENDS`, zeros left out."""
    steps: float | None = None
    """Mean number of actions of a success; None without one."""
    last: RunLine | None = None
    """The newest run."""

    @property
    def rate(self) -> float | None:
        """Share of successes, 0 to 1; None without a run."""
        return self.successes / self.runs if self.runs else None


def read_runs(root: Path) -> Runs:
    """Return the runs of the memory at `root`; torn and foreign lines are counted, not guessed at.

    Raises:
        OSError: if the log cannot be read.
    """
    logged = read_log(root / RUNS)
    runs = [_from_entry(number, entry) for number, entry in enumerate(logged.entries, 1)]
    held = tuple(run for run in runs if run is not None)
    return Runs(runs=held, unread=logged.unread + len(runs) - len(held))


def append_run(root: Path, run: Mapping[str, Any]) -> None:
    """Add one run, as `run_entry` makes it; raises as `append_log`."""
    append_log(root / RUNS, dict(run))


def statistics_of(runs: Sequence[RunLine]) -> Statistics:
    """Return how `runs`, all of one procedure, went."""
    by_version: dict[str, list[RunLine]] = {}
    begun = [run for run in runs if run.end != "needs"]
    for run in begun:
        by_version.setdefault(run.version, []).append(run)
    won = [run for run in runs if run.success]
    return Statistics(
        runs=len(begun),
        successes=len(won),
        by_version={
            version: Tally(runs=len(those), successes=sum(run.success for run in those))
            for version, those in by_version.items()
        },
        ends={end: count for end in ENDS if (count := sum(run.end == end for run in runs))},
        steps=sum(run.steps for run in won) / len(won) if won else None,
        last=runs[-1] if runs else None,
    )


def utc_text(time: datetime.datetime) -> str:
    """Return a time with its zone as UTC, such as '2026-01-31T12:00:00.000000Z'."""
    return time.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _from_entry(number: int, entry: Mapping[str, Any]) -> RunLine | None:
    """Return the run that a line tells of, or None where it tells of none."""
    try:
        time = datetime.datetime.strptime(entry["time"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.UTC)
        surprise = entry["surprise"]
        run = RunLine(
            number=number,
            name=entry["name"],
            version=entry["version"],
            arguments=dict(entry["arguments"]),
            steps=entry["steps"],
            ticks=entry["ticks"],
            end=entry["end"],
            success=entry["success"],
            reason=entry["reason"],
            surprise=None if surprise is None else Surprise(**surprise),
            episodes=tuple(entry["episodes"]),
            caller=entry["caller"],
            time=time,
        )
    except (KeyError, TypeError, ValueError):
        return None
    return run if _is_sound(run) else None


def _is_sound(run: RunLine) -> bool:
    numbers = (run.steps, run.ticks)
    texts = (run.name, run.version, *run.episodes)
    return (
        all(type(number) is int and number >= 0 for number in numbers)
        and all(isinstance(text, str) for text in texts)
        and type(run.success) is bool
        and run.end in ENDS
    )

"""Progress of an experiment on tasks on standard error: bars on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.progress import TaskID

from echo.cli.grid_shown import span
from echo.cli.run_bars import RunBars

if TYPE_CHECKING:
    from rich.console import Console

    from echo.experiments.tasks.plan import RunJob
    from echo.experiments.tasks.records import TaskRun

SINGLY = 60
"""Up to so many runs each is told when it ends; of more, only how many have ended."""

TELL_SECONDS = 15.0
"""Of many runs, how many have ended is told at most this often."""


class GridProgress(RunBars):
    """An `echo.experiments.tasks.running.Listener` that shows what it is told; a context manager."""

    def __init__(
        self, jobs: Sequence[RunJob], kept: int, console: Console, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Prepare to show `jobs` on `console`, after `kept` runs that were finished before."""
        self._weights = {job.name: max(job.weight, 1e-9) for job in jobs}
        super().__init__(console, sum(self._weights.values()))
        self._clock = clock
        self._began = self._told = clock()
        self._ended = 0
        self._episodes = 0
        self._done_weight = 0.0
        self._playing: dict[str, tuple[TaskID, float]] = {}
        if kept:
            console.print(f"{kept:,} finished earlier, kept", markup=False)

    def advanced(self, name: str, done: int, of: int) -> None:
        """Move the bar of a run that has played `done` of `of` episodes."""
        if name not in self._weights:
            return
        if name not in self._playing:
            self._playing[name] = (self._bars.add_task(name, total=of, told=""), 0.0)
        bar, _ = self._playing[name]
        self._playing[name] = (bar, self._weights[name] * done / max(of, 1))
        self._bars.update(bar, completed=done, told=f"{done}/{of} episodes")
        self._show_overall()

    def finished(self, run: TaskRun) -> None:
        """Take the bar of a run away and say what it came to; silent on one that was kept."""
        if not self._end(run.spec.name):
            return
        self._episodes += len(run.episodes)
        reached = sum(episode.success for episode in run.episodes)
        if len(self._weights) <= SINGLY:
            self._console.print(
                f"[{self._ended}/{len(self._weights)}] {run.spec.name}: "
                f"{reached}/{len(run.episodes)} reached, {run.timing.wall_seconds:.1f} s",
                markup=False,
            )
        elif self._clock() - self._told >= TELL_SECONDS or self._ended == len(self._weights):
            self._told = self._clock()
            seconds = max(self._told - self._began, 1e-9)
            left = seconds * (sum(self._weights.values()) / self._done_weight - 1)
            self._console.print(
                f"[{self._ended:,}/{len(self._weights):,}] {60 * self._episodes / seconds:,.0f} "
                f"episodes a minute, about {span(left)} left",
                markup=False,
            )

    def failed(self, name: str, reason: str) -> None:
        """Take the bar of a run away and say why it has no result, the same reason once."""
        self._end(name)
        self._tell_failure(f"{self._ended:,}/{len(self._weights):,}", name, reason)

    def _end(self, name: str) -> bool:
        """Take the bar of a run away; False for one that is not played in this sitting."""
        weight = self._weights.get(name)
        if weight is None:
            return False
        if name in self._playing:
            self._bars.remove_task(self._playing.pop(name)[0])
        self._ended += 1
        self._done_weight += weight
        self._show_overall()
        return True

    def _show_overall(self) -> None:
        completed = self._done_weight + sum(weight for _, weight in self._playing.values())
        told = f"{self._ended:,}/{len(self._weights):,} runs"
        self._bars.update(self._overall, completed=completed, told=told)

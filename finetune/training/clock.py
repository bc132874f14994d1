"""The time a run has taken, over all its beginnings, and how much of it is done."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from finetune.training.settings import Schedule


class Clock:
    """Wall time of a run in seconds, the same on all devices; goes on where an interrupted run stopped."""

    def __init__(self, limit: float | None, *, read: Callable[[], float] = time.monotonic) -> None:
        """Start.

        Args:
            limit: seconds the run may take, or None.
            read: the clock to read, in seconds.
        """
        self.limit = limit
        self._read = read
        self._start = read()
        self.now = 0.0
        """Seconds at the last `look`."""
        self.slowest_step = 0.0
        self.slowest_look = 0.0
        """Seconds that looking at the validation rows took, at most."""

    def add(self, spent: float) -> None:
        """Count the seconds that the run took before it was interrupted."""
        self._start -= spent

    def look(self) -> float:
        """Read the clock: return the seconds this process has seen, which the others need not."""
        return self._read() - self._start

    def share(self) -> float:
        """Return what share of the limit has passed at the last `look`, 0..1; 0 without a limit."""
        return 0.0 if self.limit is None else min(1.0, self.now / self.limit)

    def over(self) -> bool:
        """Return whether another step and a last look at the validation rows would pass the limit."""
        return self.limit is not None and self.now + self.slowest_step + self.slowest_look >= self.limit


def rate(schedule: Schedule, done: float) -> float:
    """Return the learning rate as a share of the highest, above 0..1, when a share `done` of the run is done.

    >>> rate(Schedule(steps=1, warm_up=0.5, decay="linear", last=0.0), 0.75)
    0.5
    """
    if done < schedule.warm_up:
        return done / schedule.warm_up
    if schedule.decay == "none" or schedule.warm_up == 1:
        return 1.0
    fallen = min(1.0, (done - schedule.warm_up) / (1 - schedule.warm_up))
    left = 1 - fallen if schedule.decay == "linear" else (1 + math.cos(math.pi * fallen)) / 2
    return schedule.last + (1 - schedule.last) * left

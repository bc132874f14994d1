"""Progress of a training run on standard error: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, Progress, TextColumn

from echo.cli.grid_shown import span

if TYPE_CHECKING:
    from rich.console import Console


TELL_SECONDS = 15.0
"""Where there is no bar, a step is told at most this often."""


class TrainingProgress:
    """A `finetune.training.trainer.Listener` that shows what it is told; a context manager."""

    def __init__(
        self,
        console: Console,
        *,
        minutes: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare.

        Args:
            console: where to.
            minutes: after which the run ends at the latest, or None.
            clock: seconds.
        """
        self._console = console
        self._limit = None if minutes is None else 60 * minutes
        self._clock = clock
        self._told = clock()
        self._last = ""
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[told]}", justify="right"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._bar = self._bars.add_task("loading", total=None, told="")

    def __enter__(self) -> Self:
        """Begin to show."""
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        self._bars.stop()

    def stepped(self, step: int, of: int, loss: float, seconds: float) -> None:
        """Move the bar; without one, now and then say where the run is."""
        self._last = f"[{step:,}/{of:,}] loss {loss:.4f}, {span(seconds)}"
        left = seconds * (of / step - 1)
        if self._limit is not None:
            left = min(left, max(self._limit - seconds, 0.0))
        told = f"{self._last}, about {span(left)} left"
        self._bars.update(self._bar, description="training", total=of, completed=step, told=told)
        if self._bars.disable and self._clock() - self._told >= TELL_SECONDS:
            self._told = self._clock()
            self._console.print(told, markup=False, soft_wrap=True)

    def looked(self, step: int, loss: float, best: bool) -> None:
        """Say what the validation rows came to."""
        told = f"{self._last};" if self._last else f"[{step:,}]"
        better = ", the best so far" if best else ""
        self._told = self._clock()
        self._console.print(f"{told} validation {loss:.4f}{better}", markup=False, soft_wrap=True)

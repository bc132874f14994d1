"""Progress of an evaluation on standard error: a bar a column on a terminal, else now and then a line."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, Progress, TextColumn

from echo.cli.grid_shown import span

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

TELL_SECONDS = 15.0
"""Where there is no bar, a column is told at most this often, and when it is done."""


class AskingProgress:
    """A `finetune.evaluation.columns.Tell` that shows what it is told; a context manager."""

    def __init__(self, console: Console, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Show on `console`; `clock` gives seconds."""
        self._console, self._clock = console, clock
        self._told = clock()
        self._begun: dict[str, tuple[float, int, int]] = {}
        """Column -> when it began, how many answers were there already, and of how many."""
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[told]}", justify="right"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._known: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        """Begin to show."""
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bars away."""
        self._bars.stop()

    def __call__(self, column: str, done: int, of: int) -> None:
        """Move the bar of a column; without bars, now and then say how far it is."""
        now = self._clock()
        begun = self._begun.get(column)
        # What is asked again, of fewer questions, begins anew.
        if begun is None or begun[2] != of or done < begun[1]:
            self._begun[column] = (now, done, of)
        if column not in self._known:
            self._known[column] = self._bars.add_task(column, total=of, told="")
        told = self._far(column, done, of, now)
        self._bars.update(self._known[column], total=of, completed=done, told=told)
        if self._bars.disable and (done == of or now - self._told >= TELL_SECONDS):
            self._told = now
            self._console.print(f"{column}: {told}", markup=False, soft_wrap=True)

    def _far(self, column: str, done: int, of: int, now: float) -> str:
        began, kept, _ = self._begun[column]
        text = f"{done:,}/{of:,}"
        if done > kept:
            each = (now - began) / (done - kept)
            text += f", {span(now - began)}"
            if done < of:
                text += f", about {span(each * (of - done))} left"
        elif kept:
            text += f", {kept:,} kept from before"
        return text

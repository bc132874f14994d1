"""Bars of many runs on standard error, what all experiments show alike; nothing but lines off a terminal."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from rich.console import Console


class RunBars:
    """One bar over all runs, and one for each that plays; a context manager."""

    def __init__(self, console: Console, total: float) -> None:
        """Prepare bars on `console`, of which the one over all runs is full at `total`."""
        self._console = console
        self._first_with: dict[str, str] = {}
        """Reason of a failure -> the first run that failed with it."""
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[told]}", justify="right"),
            TimeRemainingColumn(compact=True),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._overall = self._bars.add_task("all runs", total=total, told="")

    def __enter__(self) -> Self:
        """Begin to show."""
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bars away."""
        self._bars.stop()

    def _tell_failure(self, count: str, name: str, reason: str) -> None:
        """Say why the run `name` has no result, the same reason once, after `count` such as ``3/40``."""
        first = self._first_with.setdefault(reason, name)
        told = reason if first == name else f"as {first}"
        self._console.print(f"[{count}] {name} FAILED: {told}", markup=False, soft_wrap=True)

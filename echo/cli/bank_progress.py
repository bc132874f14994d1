"""Progress of long work on a bank, on standard error: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from echo.cli.screen import note_console

Told = Callable[[int, int], None]
"""Called with how many are done, and how many there are."""


@contextmanager
def counted(doing: str) -> Iterator[Told]:
    """Show how far `doing` is, as the given callable is told."""
    console = note_console()
    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bars:
        task = bars.add_task(doing, total=None)

        def tell(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total)

        yield tell

"""Progress of a training run on standard error: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from rich.console import Console


class TrainingProgress:
    """A `finetune.training.trainer.Listener` that shows what it is told; a context manager."""

    def __init__(self, console: Console) -> None:
        """Prepare a bar on `console`."""
        self._console = console
        self._last = ""
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[told]}", justify="right"),
            TimeRemainingColumn(compact=True),
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
        """Move the bar."""
        self._last = f"{step:,}/{of:,} steps, {seconds / 60:.1f} min, loss {loss:.4f}"
        self._bars.update(self._bar, description="training", total=of, completed=step, told=self._last)

    def looked(self, step: int, loss: float, best: bool) -> None:
        """Say what the validation rows came to."""
        told = self._last or f"{step:,} steps"
        better = ", the best so far" if best else ""
        self._console.print(f"{told}; validation {loss:.4f}{better}", markup=False)

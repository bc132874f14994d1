"""Progress of an experiment on standard error: bars on a terminal, one line a run elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from rich.console import Console

    from echo.experiments.results import RunResult
    from echo.experiments.spec import UnlockSpec


class RunProgress:
    """An `echo.experiments.unlocking.Listener` that shows what it is told; a context manager."""

    def __init__(self, specs: Sequence[UnlockSpec], console: Console) -> None:
        """Prepare to show `specs` on `console`."""
        self._steps = {spec.name: spec.steps for spec in specs}
        self._console = console
        self._done: dict[str, int] = {}
        self._first_with: dict[str, str] = {}
        self._advanced: dict[str, int] = {}
        self._tasks: dict[str, TaskID] = {}
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[told]}", justify="right"),
            TimeRemainingColumn(compact=True),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._overall = self._bars.add_task("all runs", total=sum(self._steps.values()), told="")

    def __enter__(self) -> Self:
        """Begin to show."""
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bars away."""
        self._bars.stop()

    def advanced(self, name: str, actions: int, unlocks: int) -> None:
        """Move the bar of a run."""
        if name in self._done:
            return
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=self._steps[name], told="")
        told = f"{unlocks} items, {actions:,}/{self._steps[name]:,}"
        self._bars.update(self._tasks[name], completed=actions, told=told)
        self._advanced[name] = actions
        self._show_overall()

    def finished(self, result: RunResult) -> None:
        """Take the bar of a run away and say what it came to."""
        name = result.spec.name
        self._end(name)
        self._console.print(
            f"[{len(self._done)}/{len(self._steps)}] {name}: {len(result.unlocks)} items "
            f"in {result.actions:,} actions, {result.timing.wall_seconds:.1f} s",
            markup=False,
        )

    def failed(self, name: str, error: str) -> None:
        """Take the bar of a run away and say why it has no result, the same reason once."""
        self._end(name)
        first = self._first_with.setdefault(error, name)
        told = error if first == name else f"as {first}"
        self._console.print(
            f"[{len(self._done)}/{len(self._steps)}] {name} FAILED: {told}", markup=False, soft_wrap=True
        )

    def _end(self, name: str) -> None:
        if name in self._tasks:
            self._bars.remove_task(self._tasks.pop(name))
        self._advanced.pop(name, None)
        self._done[name] = self._steps[name]
        self._show_overall()

    def _show_overall(self) -> None:
        completed = sum(self._done.values()) + sum(self._advanced.values())
        told = f"{len(self._done)}/{len(self._steps)} runs"
        self._bars.update(self._overall, completed=completed, told=told)

"""Progress of an experiment on standard error: bars on a terminal, one line a run elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.progress import TaskID

from echo.cli.run_bars import RunBars

if TYPE_CHECKING:
    from rich.console import Console

    from echo.experiments.results import RunResult
    from echo.experiments.spec import UnlockSpec


class RunProgress(RunBars):
    """An `echo.experiments.unlocking.Listener` that shows what it is told; a context manager."""

    def __init__(self, specs: Sequence[UnlockSpec], console: Console) -> None:
        """Prepare to show `specs` on `console`."""
        self._steps = {spec.name: spec.steps for spec in specs}
        super().__init__(console, sum(self._steps.values()))
        self._done: dict[str, int] = {}
        self._advanced: dict[str, int] = {}
        self._tasks: dict[str, TaskID] = {}

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
        self._tell_failure(f"{len(self._done)}/{len(self._steps)}", name, error)

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

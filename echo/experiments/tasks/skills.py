"""Skills installed for a new task: what procedures alone carry over from one task to another.

A run of the earlier task is played with a folder memory of its own. Its procedures and skills, and nothing
else of it, are installed into an empty memory, with which the new task is played. Source: MFM's experiment of
the same name (iron shield 2422 -> 1705 steps, climbing out 2010 -> 1867, cooking meat 640 -> 476, five seeds
each).
"""

from __future__ import annotations

from typing import Protocol

from echo.agent.memory import Memory
from echo.baselines.mfm import MfmMemory
from echo.experiments.spec import UsageError
from echo.experiments.tasks.loading import tasks_digest
from echo.experiments.tasks.records import RunSpec
from echo.mfm.options import MemoryOptions

FOLDER_MEMORY = "mfm"
"""The only agent whose memory holds procedures that can be installed."""


class Play(Protocol):
    """Plays a run with a given memory; `echo.experiments.tasks.trial.play_run` is one."""

    def __call__(self, spec: RunSpec, command: str, progress: Progress, memory: Memory) -> object:
        """Play all episodes of `spec`; what it returns is not looked at."""
        ...


class Progress(Protocol):
    """Told how many episodes are done, of how many."""

    def __call__(self, done: int, of: int, /) -> None:
        """Take it in."""
        ...


def earlier_run(spec: RunSpec) -> RunSpec:
    """Return the run in which the procedures for `spec` are learned: the same but for its task.

    Raises:
        UsageError: if nothing is to be installed, or into another memory than one with procedures.
    """
    if spec.installed is None:
        raise UsageError(
            f"expected a run with a task to install skills from; got {spec.name}, which has none."
        )
    if spec.competitor.agent != FOLDER_MEMORY or spec.competitor.switch == "-procedures":
        raise UsageError(
            f"expected skills to be installed for {FOLDER_MEMORY} with its procedures; "
            f"got {spec.competitor.label}. Leave `installed` out for it."
        )
    return spec.model_copy(
        update={
            "task": spec.installed,
            "installed": None,
            "task_digest": tasks_digest((spec.installed,)),
        }
    )


def installed_memory(spec: RunSpec, play: Play, *, command: str = "") -> MfmMemory:
    """Play the earlier task of `spec` and return a new memory that holds its procedures and skills only.

    Args:
        spec: the run that the memory is for; its `installed` names the earlier task.
        play: plays the earlier run.
        command: the command line behind it.

    Raises:
        UsageError: as `earlier_run`.
        MfmError: if the earlier memory cannot be read.
    """
    earlier = earlier_run(spec)
    options = _options(spec.competitor.switch)
    lived = MfmMemory(options=options)
    try:
        play(earlier, command, _untold, lived)
        fresh = MfmMemory(options=options)
        try:
            fresh.install(lived.root, where=f"a run of {earlier.task}")
        except BaseException:
            fresh.finish()
            raise
    finally:
        lived.finish()
    return fresh


def _options(switch: str | None) -> MemoryOptions:
    off = () if switch is None else (switch.removeprefix("-"),)
    return MemoryOptions(**dict.fromkeys(off, False))


def _untold(done: int, of: int, /) -> None:
    """Keep the progress of the earlier run to itself: it is no episode of the run that is waited for."""

"""Plays one run as the commands do: with an empty memory, or with skills installed in it."""

from __future__ import annotations

from functools import partial

from echo.experiments.pool import Report
from echo.experiments.reasoner_names import RULE
from echo.experiments.tasks.records import RunSpec, TaskRun
from echo.experiments.tasks.skills import installed_memory
from echo.experiments.tasks.trial import play_run


def play_spec(spec: RunSpec, command: str, progress: Report, reasoner: str = RULE) -> TaskRun:
    """Play a run from the memory that its spec asks for; a `echo.experiments.tasks.plan.Player`.

    Args:
        spec: What to play. With `installed` the earlier task is played first, which counts as no episode.
        command: Command line kept in the result.
        progress: Told the episodes played so far, and of how many.
        reasoner: How the reasoner of `spec` is reached on this machine.

    Raises:
        UsageError: if skills are to be installed in a memory that holds no procedures, or `reasoner` is
            another one than that of `spec`.
        ModelError: if the model that decides does not answer.
    """
    play = partial(play_run, reasoner=reasoner)
    if spec.installed is None:
        return play(spec, command, progress)
    memory = installed_memory(spec, play, command=command)
    try:
        return play(spec, command, progress, memory)
    finally:
        memory.finish()

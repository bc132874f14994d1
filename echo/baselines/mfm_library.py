"""The procedures of tasks in one memory folder: read once, saved after successes, taken over from others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from csd.episode import Action, Observation, Step
from echo.agent.goal import Goal
from echo.agent.memory import Ended
from echo.baselines.mfm_deeds import course, deeds_of
from echo.baselines.mfm_reading import Script, read_script
from echo.baselines.mfm_scripts import plan_of, script_name, script_text, told_steps
from echo.mfm.procedural.format import ProcedureError
from echo.mfm.procedural.library import Library
from echo.mfm.procedural.skills import install_procedure, install_skill, skill_names

VARIANTS = 12
"""Procedures of one task, at most: tasks begin in different ways."""

_CITED = 6
"""Episodes that a procedure names as its evidence, at most."""


class TaskLibrary:
    """Straight procedures of a memory folder. What others write there is seen after `read_anew`."""

    def __init__(self, root: Path) -> None:
        """Look at the memory in the folder `root`, which need not be there yet."""
        self._root = root
        self._scripts: tuple[Script, ...] | None = None

    @property
    def scripts(self) -> tuple[Script, ...]:
        """All of them, by name.

        Raises:
            MfmError: if procedures are switched off, or a file is no text.
        """
        if self._scripts is None:
            library = Library(self._root)
            read = (read_script(name, library.text(name)) for name in library.names())
            self._scripts = tuple(script for script in read if script is not None)
        return self._scripts

    def read_anew(self) -> None:
        """Read all files again the next time."""
        self._scripts = None

    def plan(self, goal: Goal, seen: Observation) -> tuple[Action, ...]:
        """Return the shortest plan that leads to `goal` from here, the first by name of these; or none."""
        plans = [plan for script in self.scripts if (plan := plan_of(script, goal, seen))]
        return min(plans, key=len, default=())

    def told(self, seen: Observation) -> tuple[Step, ...]:
        """Return what procedures tell that were learned elsewhere; the others have their episodes here."""
        return tuple(
            step for script in self.scripts if not script.evidence for step in told_steps(script, seen)
        )

    def save(self, ended: Ended, evidence: Sequence[str]) -> str | None:
        """Save what led to a success as a procedure and return its name.

        None is saved where one that is no longer leads there from the same start, where the task has
        `VARIANTS` of them and none is longer, or where no procedure can hold what was done.

        Raises:
            MfmError: as `scripts`, and if the memory refuses to write there.
        """
        found = course(deeds_of(ended.steps, ended.goal), ended.goal, {})
        if found is None:
            return None
        base = script_name(ended.goal)
        ours = [script for script in self.scripts if script.name.rpartition("_v")[0] == base]
        start = ended.steps[0].before
        plans = [plan_of(script, ended.goal, start) for script in ours]
        if any(0 < len(plan) <= len(found.deeds) for plan in plans):
            return None
        name = f"{base}_v{len(ours) + 1}"
        if len(ours) >= VARIANTS:
            longest = max(ours, key=lambda script: len(script.deeds))
            if len(longest.deeds) <= len(found.deeds):
                return None
            name = longest.name
        try:
            text = script_text(name, ended.goal, found, evidence[:_CITED])
            Library(self._root).save(name, text, by="agent", why=f"reached: {ended.goal.text}")
        except ProcedureError:
            # Names that no procedure can hold; the episodes tell of them.
            return None
        self.read_anew()
        return name

    def install(self, source: Path, where: str) -> tuple[str, ...]:
        """Take all procedures and skills over from the memory folder `source` and return their names.

        Args:
            source: the folder.
            where: what the installed files say they are from.

        Raises:
            MfmError: if procedures are switched off in either, or another of the same name is here.
        """
        procedures, skills = Library(source).names(), skill_names(source)
        for name in procedures:
            install_procedure(self._root, name, source=source, where=where, by="agent")
        for name in skills:
            install_skill(self._root, name, source=source, where=where, by="agent")
        self.read_anew()
        return (*procedures, *skills)

"""Tools over the working memory (plan, subgoal, open questions), and consolidation of the episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from echo.mfm.consolidation.consolidate import consolidate
from echo.mfm.consolidation.findings import counted
from echo.mfm.mine.working import Working, read_working, update_working
from echo.serve.reply import Arguments, MemoryTool, NoArguments, Refused, Reply

MOST_DIFF = 20_000
"""Characters of a diff that are told."""


class Planning(Arguments):
    """What to change of the working memory; what is left out stays as it is."""

    plan: str | None = None
    """The plan, instead of the one that stands."""
    subgoal: str | None = None
    """What to reach next, instead of what stands."""
    ask: list[str] | None = None
    """Questions to add to the open ones."""
    answer: dict[str, str] | None = None
    """Open question, to the letter -> what was found, with the episode that shows it: [ep_000123]."""


class Consolidating(Arguments):
    """How to consolidate."""

    dry_run: bool = True
    """Only show what would change."""
    since: str | None = None
    """Only what this episode, or a later one, bears on; left out: everything."""
    least: int = Field(default=2, ge=2)
    """Separate episodes that a procedure needs."""


class Plan:
    """The tools over working memory and consolidation of one memory folder."""

    def __init__(self, root: Path) -> None:
        """Look at the memory at `root`."""
        self._root = root

    def tools(self) -> list[MemoryTool]:
        """Return all of them."""
        return [
            MemoryTool(
                name="working_read",
                title="Read the plan",
                about="Read the working memory: plan, subgoal and open questions.",
                arguments=NoArguments,
                call=self.read,
                output=_WORKING,
            ),
            MemoryTool(
                name="working_write",
                title="Change the plan",
                about=(
                    "Change plan or subgoal, ask or answer questions. The file has a size budget; answered "
                    "questions go first."
                ),
                arguments=Planning,
                call=self.write,
                writes=True,
                output=_WORKING,
            ),
            MemoryTool(
                name="consolidate",
                title="Consolidate",
                about=(
                    "Turn episodes into lessons, place notes, hazards and procedures, by rules, each with "
                    "citations. Shows a diff; writes only with dry_run=false, as one change that a person "
                    "can undo."
                ),
                arguments=Consolidating,
                call=self.consolidate,
                writes=True,
            ),
        ]

    def read(self, asked: NoArguments) -> Reply:
        """Return the working memory.

        Raises:
            MfmError: if its file cannot be read.
        """
        return _told(read_working(self._root))

    def write(self, asked: Planning) -> Reply:
        """Change the working memory.

        Raises:
            Refused: if nothing is to be changed.
            MfmError: if a question is not open, a text is a heading, or it would be over budget.
        """
        if asked.plan is None and asked.subgoal is None and not asked.ask and not asked.answer:
            raise Refused(
                "expected a plan, a subgoal, a question or an answer; got none. Say what to change."
            )

        def edit(working: Working) -> Working:
            if asked.plan is not None:
                working = working.with_plan(asked.plan)
            if asked.subgoal is not None:
                working = working.with_subgoal(asked.subgoal)
            for question in asked.ask or ():
                working = working.ask(question)
            for question, found in (asked.answer or {}).items():
                working = working.answer(question, found)
            return working

        return _told(update_working(self._root, edit))

    def consolidate(self, asked: Consolidating) -> Reply:
        """Consolidate, or show what that would change.

        Raises:
            MfmError: if consolidation is switched off, or `since` is no episode of this life.
        """
        done = consolidate(self._root, since=asked.since, dry_run=asked.dry_run, least=asked.least)
        verb = "would change" if asked.dry_run else "changed"
        diff = done.diff if len(done.diff) <= MOST_DIFF else f"{done.diff[:MOST_DIFF]}\n... (cut)"
        lines = [
            f"{counted(done.episodes, 'episode')}; {verb} {counted(len(done.files), 'file')}, "
            f"{counted(len(done.findings), 'finding')}"
            + ("" if done.change is None else f", as change {done.change}"),
            *(f"kept as changed by hand: {where}" for where in done.kept_by_hand),
            *(
                f"places and hazards leave out {count} episodes of {world}"
                for world, count in done.elsewhere.items()
            ),
            *(f"could not read {episode}: {reason}" for episode, reason in done.unreadable[:5]),
            diff,
        ]
        data: dict[str, Any] = {
            "dry_run": asked.dry_run,
            "episodes": done.episodes,
            "change": done.change,
            "files": [file.path for file in done.files],
            "findings": len(done.findings),
            "left_out": done.left_out,
            "elsewhere": dict(done.elsewhere),
            "unreadable": [list(one) for one in done.unreadable],
        }
        return Reply(text="\n".join(line for line in lines if line), data=data)


def _told(working: Working) -> Reply:
    questions = [{"question": one.text, "answered": one.answered} for one in working.questions]
    data = {"plan": working.plan, "subgoal": working.subgoal, "questions": questions}
    return Reply(text=working.render().strip() or "no plan yet", data=data)


_WORKING: dict[str, Any] = {
    "type": "object",
    "properties": {
        "plan": {"type": "string"},
        "subgoal": {"type": "string"},
        "questions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"question": {"type": "string"}, "answered": {"type": "boolean"}},
                "required": ["question", "answered"],
            },
        },
    },
    "required": ["plan", "subgoal", "questions"],
}

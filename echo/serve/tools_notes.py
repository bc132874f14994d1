"""Tools over what the agent writes: reading and editing files, and lessons with their evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from echo.mfm.layout import NOTES
from echo.mfm.mine.check import check_notes
from echo.mfm.mine.filetool import FileTool
from echo.mfm.mine.paths import normal
from echo.mfm.mine.remember import remember
from echo.mfm.mine.tool_schema import TOP
from echo.mfm.mine.verdicts import Verdict
from echo.mfm.mine.writable import Mine
from echo.serve.reply import Arguments, MemoryTool, NoArguments, Refused, Reply

MOST_FINDINGS = 40
"""Findings that a text tells; the data holds all."""


class Reading(Arguments):
    """A file to read."""

    path: str
    """Such as notes.md, or /memories/notes.md."""
    lines: list[int] | None = Field(default=None, min_length=2, max_length=2)
    """First and last line to show, from 1; -1 is the last."""


class Remembering(Arguments):
    """A lesson and what shows it."""

    text: str
    """The lesson, in a sentence or two."""
    episodes: list[str] | None = None
    """Episodes that show it, such as ep_000123 or life_2/ep_000123; or cite them in the text."""
    file: str = NOTES
    """Where to add it."""


class Editing(Arguments):
    """One command of the file tool, which takes the parameters named for it."""

    command: Literal["view", "create", "str_replace", "insert", "delete", "rename"]
    """What to do."""
    path: str | None = None
    """Such as /memories/notes.md; for all but rename."""
    view_range: list[int] | None = Field(default=None, min_length=2, max_length=2)
    """First and last line to view, from 1; -1 is the last."""
    file_text: str | None = None
    """The whole text of the new file, for create."""
    old_str: str | None = None
    """Text that occurs exactly once, for str_replace."""
    new_str: str | None = None
    """What takes its place, for str_replace; left out: nothing does."""
    insert_line: int | None = None
    """The line behind which the text goes, 0 for the beginning, for insert."""
    insert_text: str | None = None
    """The text to insert."""
    old_path: str | None = None
    """What to rename."""
    new_path: str | None = None
    """Its new path, where nothing is."""


class Notes:
    """The tools over mine/ of one memory folder."""

    def __init__(self, root: Path) -> None:
        """Look at the memory at `root`."""
        self._root = root
        self._mine = Mine(root, read_only=True)
        self._files = FileTool(root)

    def tools(self) -> list[MemoryTool]:
        """Return all of them."""
        return [
            MemoryTool(
                name="notes_list",
                title="List notes",
                about="List the files the agent wrote (notes, plan, procedures), with their sizes in bytes.",
                arguments=NoArguments,
                call=self.listed,
                output=_LISTED,
            ),
            MemoryTool(
                name="notes_read",
                title="Read a note",
                about="Read one file the agent wrote, or some of its lines.",
                arguments=Reading,
                call=self.read,
            ),
            MemoryTool(
                name="notes_check",
                title="Check notes",
                about=(
                    "Check the notes against their evidence: claims without citation, citations of missing "
                    "episodes, claims that the cited episodes contradict."
                ),
                arguments=NoArguments,
                call=self.check,
            ),
            MemoryTool(
                name="remember",
                title="Remember a lesson",
                about=(
                    "Add one fact or lesson to notes.md, with the episodes that show it. One without "
                    "evidence, or with an episode that does not exist, is refused: find one with query "
                    "first. Tells whether the evidence bears it out."
                ),
                arguments=Remembering,
                call=self.remember,
                writes=True,
            ),
            MemoryTool(
                name="memory",
                title="Edit files",
                about=(
                    f"View and edit the agent's own files, which lie in {TOP}: view, create, str_replace, "
                    "insert, delete, rename. Cite the episodes that show a fact, such as [ep_000123]. Every "
                    "change is kept in a history and can be undone by a person."
                ),
                arguments=Editing,
                call=self.memory,
                writes=True,
                destroys=True,
                repeatable=False,
            ),
        ]

    def listed(self, asked: NoArguments) -> Reply:
        """Return the files there are, relative to mine/, with their sizes."""
        sizes = self._mine.sizes()
        lines = [f"{size:9,}  {path}" for path, size in sizes.items()]
        return Reply(
            text="\n".join(lines) or "no notes yet",
            data={"files": [{"path": path, "bytes": size} for path, size in sizes.items()]},
        )

    def read(self, asked: Reading) -> Reply:
        """Return the text of one file, as it is, or the lines that were asked for.

        Raises:
            MfmError: if there is none, or the path leads elsewhere.
            Refused: if the lines are not in it.
        """
        text = self._mine.read(_inside(asked.path))
        if asked.lines is None:
            return Reply(text=text)
        held = text.split("\n")
        first, last = asked.lines[0], len(held) if asked.lines[1] == -1 else min(asked.lines[1], len(held))
        if not 1 <= first <= last:
            raise Refused(
                f"expected lines within 1 to {len(held)} of {asked.path}, the first one first; "
                f"got {asked.lines}."
            )
        return Reply(text="\n".join(held[first - 1 : last]))

    def remember(self, asked: Remembering) -> Reply:
        """Add a lesson as one line of a list, once however often it is told.

        Raises:
            Refused: if the file is no Markdown.
            MfmError: if it says nothing, cites nothing or an episode that does not exist, or the file
                cannot be written.
        """
        path = _inside(asked.file)
        if not path.endswith(".md"):
            raise Refused(f"expected a Markdown file to add a lesson to; got {asked.file!r}. Leave out file.")
        added = remember(self._root, asked.text, cites=asked.episodes or (), path=path)
        word = "there already" if added.change is None else f"added to {path}"
        lines = [f"{_BORNE_OUT[added.checked.verdict]}, {word}: {added.line}"]
        lines += [f"{one.verdict}: says {one.statement.said}; {one.evidence}" for one in added.checked.judged]
        return Reply(
            text="\n".join(lines), data={"line": added.line, "path": path, "verdict": added.checked.verdict}
        )

    def check(self, asked: NoArguments) -> Reply:
        """Return what is wrong with the notes.

        Raises:
            MfmError: if the memory cannot be read.
        """
        report = check_notes(self._root)
        lines = [
            f"{one.fault}: {one.path}:{one.line} {one.text} - {one.detail}"
            for one in report.findings[:MOST_FINDINGS]
        ]
        if len(report.findings) > MOST_FINDINGS:
            lines.append(f"{len(report.findings) - MOST_FINDINGS:,} more")
        verdicts: tuple[Verdict, ...] = ("supported", "contradicted", "not checkable")
        counts = {verdict: report.count(verdict) for verdict in verdicts}
        lines.append(report.summary)
        findings = [
            {"path": one.path, "line": one.line, "fault": one.fault, "text": one.text, "detail": one.detail}
            for one in report.findings
        ]
        data = {"sound": report.sound, "files": len(report.files), "claims": counts, "findings": findings}
        return Reply(text="\n".join(lines), data=data)

    def memory(self, asked: Editing) -> Reply:
        """Carry out one command of the file tool.

        Raises:
            Refused: in the tool's own words, where it cannot be done.
        """
        answer = self._files.answer(asked.model_dump(exclude_none=True))
        if answer.is_error:
            raise Refused(answer.text)
        return Reply(text=answer.text)


def _inside(path: str) -> str:
    """Return a path relative to mine/, whichever way it is written.

    >>> _inside("/memories/notes.md"), _inside("notes.md")
    ('notes.md', 'notes.md')
    """
    return normal(path.removeprefix(f"{TOP}/") if path.startswith(f"{TOP}/") else path)


_BORNE_OUT: dict[Verdict, str] = {
    "supported": "supported by its evidence",
    "contradicted": "contradicted by its evidence",
    "not checkable": "not checkable against its evidence",
}

_LISTED = {
    "type": "object",
    "properties": {
        "files": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "bytes": {"type": "integer"}},
                "required": ["path", "bytes"],
            },
        }
    },
    "required": ["files"],
}

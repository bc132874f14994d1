"""Tools over saved procedures: reading them, saving them, and how their runs went."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from echo.mfm.procedural.library import Library
from echo.mfm.procedural.runs import Statistics
from echo.serve.reply import Arguments, MemoryTool, NoArguments, Reply


class Showing(Arguments):
    """A procedure to show."""

    name: str
    """Such as make_planks."""


class Saving(Arguments):
    """A procedure to save."""

    name: str
    """Small letters, digits and underscores, such as make_planks."""
    text: str
    """The whole Python file."""
    why: str
    """The reason, in a few words, for the history."""


class Procedures:
    """The tools over mine/procedures/ of one memory folder."""

    def __init__(self, root: Path) -> None:
        """Look at the memory at `root`, whose procedures may be switched off; each call says so then."""
        self._root = root

    def tools(self) -> list[MemoryTool]:
        """Return all of them."""
        return [
            MemoryTool(
                name="procedures_list",
                title="List procedures",
                about="List the saved procedures: what each is for, and how often its runs were a success.",
                arguments=NoArguments,
                call=self.listed,
            ),
            MemoryTool(
                name="procedure_show",
                title="Show a procedure",
                about="Show one procedure: its whole file, its versions, and how its runs went.",
                arguments=Showing,
                call=self.show,
            ),
            MemoryTool(
                name="procedure_save",
                title="Save a procedure",
                about=_ABOUT_SAVE,
                arguments=Saving,
                call=self.save,
                writes=True,
            ),
        ]

    def listed(self, asked: NoArguments) -> Reply:
        """Return all procedures; one with flaws is told with them.

        Raises:
            MfmError: if procedures are switched off.
        """
        library = Library(self._root)
        told = [self._told(library, name) for name in library.names()]
        lines = [
            f"{one['name']}  {one['runs']} runs, {one['successes']} successes  {one['about']}" for one in told
        ]
        return Reply(text="\n".join(lines) or "no procedures yet", data={"procedures": told})

    def show(self, asked: Showing) -> Reply:
        """Return one procedure.

        Raises:
            MfmError: if there is none, or procedures are switched off.
        """
        library, name = Library(self._root), asked.name
        text, statistics = library.text(name), library.statistics(name)
        versions = [str(version) for version in library.versions(name)]
        flaws = [str(flaw) for flaw in library.flaws(name)]
        lines = [
            f"{name}, {library.version(name, text)}; versions: {', '.join(versions) or 'none saved'}",
            _runs_line(statistics),
            *(f"flaw: {flaw}" for flaw in flaws),
            "",
            text,
        ]
        data = {
            "name": name,
            "text": text,
            "versions": versions,
            "flaws": flaws,
            "runs": statistics.runs,
            "successes": statistics.successes,
            "ends": dict(statistics.ends),
        }
        return Reply(text="\n".join(lines), data=data)

    def save(self, asked: Saving) -> Reply:
        """Save a procedure.

        Raises:
            MfmError: if the file has flaws, or procedures are switched off; nothing is written then.
        """
        saved = Library(self._root).save(asked.name, asked.text, by="agent", why=asked.why)
        return Reply(text=f"saved {asked.name} as {saved.version}")

    def _told(self, library: Library, name: str) -> dict[str, Any]:
        statistics, flaws = library.statistics(name), library.flaws(name)
        about = f"flawed: {flaws[0]}" if flaws else library.load(name).procedure.about
        return {"name": name, "about": about, "runs": statistics.runs, "successes": statistics.successes}


_ABOUT_SAVE = '''\
Save a procedure, or a new version of one. A file with flaws is refused, and all flaws are named. Example:
"""Make planks from a log."""

PROCEDURE = {
    "name": "make_planks",
    "about": "Make planks from a log.",
    "parameters": {"log": {"default": "oak_log", "about": "which log"}},
    "needs": {"inventory": {"{log}": 1}},
    "expects": {"gained": {"oak_planks": 4}},
    "evidence": ["ep_000012"],
}


def run(seen, log="oak_log"):
    came = yield craft([[log]])
'''


def _runs_line(statistics: Statistics) -> str:
    if not statistics.runs:
        return "never run"
    ends = ", ".join(f"{end} {count}" for end, count in statistics.ends.items())
    last = (
        f"; last: {statistics.last.reason}" if statistics.last is not None and statistics.last.reason else ""
    )
    return f"{statistics.runs} runs, {statistics.successes} successes ({ends}){last}"

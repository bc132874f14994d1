"""What ``echo-memory doctor`` finds in the logs of a memory folder: lines that hold nothing that is known.

Nothing reads such a line and nothing mends it, for nobody knows what it was; all other lines count as ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from echo.cli.plain_text import counted
from echo.mfm.episodic.examine import Flaw
from echo.mfm.episodic.flaw import tried
from echo.mfm.layout import HISTORY, RUNS, TURNS
from echo.mfm.mine.change import parse_change
from echo.mfm.mine.history import CHANGES
from echo.mfm.procedural.runs import read_runs
from echo.mfm.regular import read_regular
from echo.mfm.turns.record import read_turns

_LEFT = "nothing: all other lines count as ever; take these out by hand once you have looked at them"
_NEXT_CHANGE = "nothing here: the next change of mine/ takes these out and keeps them in mended/"


def log_flaws(root: Path) -> tuple[Flaw, ...]:
    """Return a flaw for each log of the memory at `root` that cannot be read or holds unreadable lines."""
    history = f"{HISTORY}/{CHANGES}"
    closed: list[Flaw] = []
    runs = tried(lambda: read_runs(root).unread, 0, RUNS, "a log that can be read", closed)
    turns = tried(lambda: read_turns(root).unread, 0, TURNS, "a log that can be read", closed)
    changes = tried(lambda: sum(_no_changes(root)), 0, history, "a log that can be read", closed)
    logs = (
        (RUNS, "a run of a procedure", runs, _LEFT),
        (TURNS, "a turn of an agent", turns, _LEFT),
        (history, "a change of mine/", changes, _NEXT_CHANGE),
    )
    return tuple(closed) + tuple(
        Flaw(
            kind="unreadable lines",
            where=where,
            what=f"expected {what} in each line, got {counted(unread, 'line')} without",
            repair=repair,
            mendable=False,
        )
        for where, what, unread, repair in logs
        if unread
    )


def _no_changes(root: Path) -> Iterator[bool]:
    """Yield for each line of the history that is not blank whether it holds no change."""
    try:
        data = read_regular(root / HISTORY / CHANGES)
    except (FileNotFoundError, NotADirectoryError):
        return
    for line in data.split(b"\n"):
        if line.strip():
            yield parse_change(line) is None

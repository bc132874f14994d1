"""The log of consolidations: which rule said what from which episodes, and what stood in each section."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from echo.mfm.layout import HISTORY
from echo.mfm.log import append_log, read_log
from echo.mfm.mine.change import Change

JOURNAL = "consolidation.jsonl"
"""In history/. Without it, lines that were taken out by hand may come back; nothing else is lost."""

_UNDO = re.compile(r"undo of change (\d+)")


@dataclass(frozen=True, kw_only=True)
class Consolidation:
    """One consolidation that changed something."""

    change: int
    """Its number in the history of mine/."""
    through: str
    """The last episode it looked at."""
    sections: Mapping[str, Mapping[str, Sequence[str]]]
    """'notes.md#crafting' -> marks of the lines that it holds (`marks`) and lacks by hand (`refused`)."""
    findings: tuple[Mapping[str, Any], ...] = ()
    """What is new or differs: `rule`, `where`, `line`, `episodes`."""
    writer: Mapping[str, Any] | None = None
    """What a model was shown and said; None where none was asked."""
    undone: bool = False


@dataclass(frozen=True, kw_only=True)
class Journal:
    """All consolidations of a memory."""

    entries: tuple[Consolidation, ...]
    """In order of time."""
    asked: tuple[Mapping[str, Any], ...] = field(default=())
    """Askings of a model that changed nothing, in order of time."""

    @property
    def last(self) -> Consolidation | None:
        """The latest that was not undone."""
        return next((entry for entry in reversed(self.entries) if not entry.undone), None)

    def marks(self, where: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the marks that a section had after the latest consolidation, and those it refused."""
        for entry in reversed(self.entries):
            if not entry.undone and where in entry.sections:
                held = entry.sections[where]
                return _texts(held.get("marks")), _texts(held.get("refused"))
        return (), ()

    @property
    def shown_to_writer(self) -> tuple[str, ...]:
        """The last episodes of the batches that a model was shown and answered, in order of time."""
        told = [entry.writer for entry in self.entries if entry.writer is not None and not entry.undone]
        answered = [each.get("through") for each in (*self.asked, *told) if each.get("failure") is None]
        return tuple(each for each in answered if isinstance(each, str))


def read_journal(root: Path, changes: Iterable[Change]) -> Journal:
    """Return the consolidations of the memory at `root`.

    Args:
        root: The memory folder.
        changes: The history of mine/, which tells what was undone.
    """
    gone = undone(changes)
    entries, asked = [], []
    for held in read_log(root / HISTORY / JOURNAL).entries:
        entry = _entry(held, gone)
        if entry is not None:
            entries.append(entry)
        elif isinstance(held.get("writer"), dict):
            asked.append(held["writer"])
    return Journal(entries=tuple(entries), asked=tuple(asked))


def undone(changes: Iterable[Change]) -> frozenset[int]:
    """Return the numbers of the changes that were undone and not done again."""
    holds: dict[int, bool] = {}
    undoes: dict[int, int] = {}
    for change in changes:
        holds[change.number] = True
        found = _UNDO.fullmatch(change.why)
        if found is not None:
            target = undoes[change.number] = int(found[1])
            holds[target] = False
            # Undoing an undo does the first change again.
            if target in undoes:
                holds[undoes[target]] = True
    return frozenset(number for number, held in holds.items() if not held)


def write_entry(root: Path, entry: Consolidation | None, writer: Mapping[str, Any] | None = None) -> None:
    """Add a consolidation to the log, or the asking of a model that changed nothing.

    Raises:
        OSError: if the disk refuses.
    """
    path = root / HISTORY / JOURNAL
    path.parent.mkdir(parents=True, exist_ok=True)
    if entry is None:
        append_log(path, {"writer": dict(writer or {})})
        return
    append_log(
        path,
        {
            "change": entry.change,
            "through": entry.through,
            "sections": {
                name: {key: list(each) for key, each in held.items()} for name, held in entry.sections.items()
            },
            "findings": [dict(finding) for finding in entry.findings],
            "writer": None if entry.writer is None else dict(entry.writer),
        },
    )


def _texts(held: object) -> tuple[str, ...]:
    return tuple(each for each in held if isinstance(each, str)) if isinstance(held, list) else ()


def _entry(held: Mapping[str, Any], gone: frozenset[int]) -> Consolidation | None:
    change, through, sections = held.get("change"), held.get("through"), held.get("sections")
    if not isinstance(change, int) or not isinstance(through, str) or not isinstance(sections, dict):
        return None
    findings = held.get("findings")
    return Consolidation(
        change=change,
        through=through,
        sections={name: each for name, each in sections.items() if isinstance(each, dict)},
        findings=tuple(each for each in findings if isinstance(each, dict))
        if isinstance(findings, list)
        else (),
        writer=held.get("writer") if isinstance(held.get("writer"), dict) else None,
        undone=change in gone,
    )

"""Turn episodes into notes, places, hazards, a digest and procedures: by rules, in one change of mine/.

What is written is a function of the episodes alone, so that a second run without new ones changes no byte.
Episodes are only read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.consolidation.evidence import Evidence, Told, read_evidence
from echo.mfm.consolidation.files import FileChange, differences
from echo.mfm.consolidation.findings import Finding
from echo.mfm.consolidation.journal import Consolidation, Journal, read_journal, undone, write_entry
from echo.mfm.consolidation.knowledge import Knowledge, gather
from echo.mfm.consolidation.scripts import LEAST, Script
from echo.mfm.consolidation.sections import Section, write_section
from echo.mfm.consolidation.writer import Asked, Writer, ask_writer
from echo.mfm.folder import MemoryFolder
from echo.mfm.layout import NOTES, PROCEDURES
from echo.mfm.mine.change import Author, Change, digest_of
from echo.mfm.mine.writable import Mine
from echo.mfm.options import memory_options, require

BY: Author = "consolidation"
WHY = "what the episodes show"


@dataclass(frozen=True, kw_only=True)
class Consolidated:
    """What a consolidation did, or would do."""

    episodes: int
    """Episodes it looked at."""
    files: tuple[FileChange, ...]
    """Only those that differ, sorted by path."""
    findings: tuple[tuple[str, Finding], ...]
    """'notes.md#crafting' and what is new or differs there."""
    kept_by_hand: tuple[str, ...]
    """'notes.md#crafting: subject' where a line changed by hand speaks instead."""
    left_out: int
    """Findings and procedures beyond the bounds."""
    unreadable: tuple[tuple[str, str], ...]
    """Episodes that could not be read: citation and reason."""
    elsewhere: Mapping[str, int]
    """World -> episodes of this life that come from it, which places and hazards leave out; by name."""
    removed: int
    """Lines taken out because the episodes no longer show what they say, or there is no room for them."""
    change: int | None
    """Its number in the history of mine/; None for a dry run, and where nothing differs."""
    asked: Asked | None = None
    """What came of asking a model; None where none was asked."""

    @property
    def diff(self) -> str:
        """All changes as one unified diff; empty where nothing differs."""
        return differences(self.files)


@dataclass(frozen=True, kw_only=True)
class _Plan:
    files: tuple[FileChange, ...]
    sections: dict[str, dict[str, tuple[str, ...]]]
    findings: tuple[tuple[str, Finding], ...]
    kept_by_hand: tuple[str, ...]
    left_out: int
    removed: int


def consolidate(
    root: Path | str,
    *,
    since: str | None = None,
    dry_run: bool = False,
    writer: Writer | None = None,
    least: int = LEAST,
    told: Told | None = None,
) -> Consolidated:
    """Write what the episodes of the memory at `root` show into its mine/, as one change.

    Args:
        root: The memory folder.
        since: An episode of this life; only what it or a later one bears on is written anew, still with all
            the evidence. None for everything.
        dry_run: Whether to find out what would change and write nothing in mine/.
        writer: A model that adds lessons from the episodes it was not shown before; None for rules alone.
        least: Separate episodes that a procedure needs, at least 2.
        told: Is called now and then while episodes are read.

    Raises:
        MfmError: if there is no index, consolidation is switched off, or `since` is no episode here.
        ValueError: if `least` is below 2.
        OSError: if the disk refuses.
    """
    root = Path(root)
    if least < 2:
        raise ValueError(f"expected at least 2 episodes for a procedure, got {least}. One is no repetition.")
    MemoryFolder(root)
    require(root, "consolidation")
    procedures = memory_options(root).procedures
    evidence = read_evidence(root, told)
    fresh = None if since is None else evidence.since(since)
    knowledge = gather(evidence, procedures=procedures, least=least)
    mine = Mine(root, read_only=dry_run)
    asked = None
    if writer is not None:
        asked = ask_writer(root, evidence, read_journal(root, mine.history()).shown_to_writer, writer)
    if dry_run:
        plan = _plan(mine, read_journal(root, mine.history()), knowledge, asked, fresh)
        return _done(evidence, knowledge, plan, asked, None)
    with mine.batch(by=BY, why=WHY) as batch:
        plan = _plan(mine, read_journal(root, mine.history()), knowledge, asked, fresh)
        for file in plan.files:
            if file.after is not None:
                mine.write(file.path, file.after)
    change = None if batch.change is None else batch.change.number
    _log(root, evidence, plan, asked, change)
    return _done(evidence, knowledge, plan, asked, change)


def _plan(
    mine: Mine, journal: Journal, knowledge: Knowledge, asked: Asked | None, fresh: frozenset[str] | None
) -> _Plan:
    """Return what is to be written, from what mine/ holds now."""
    texts: dict[str, str | None] = {}
    marks: dict[str, dict[str, tuple[str, ...]]] = {}
    findings: list[tuple[str, Finding]] = []
    by_hand: list[str] = []
    left_out, removed = knowledge.scripts_left_out, 0
    sections = list(knowledge.sections)
    if asked is not None and asked.section.findings:
        sections.append((NOTES, asked.section))
    for path, section in sections:
        if path not in texts:
            texts[path] = mine.read(path) if mine.exists(path) else None
        where = f"{path}#{section.name}"
        before, refused = journal.marks(where)
        written = write_section(
            texts[path] or "",
            section,
            before=before,
            refused=refused,
            fresh=None if fresh is None else _fresh(section, fresh),
        )
        if written.text or texts[path] is not None:
            texts[path] = written.text
        marks[where] = {"marks": written.marks, "refused": written.refused}
        findings += [(where, finding) for finding in written.changed]
        by_hand += [f"{where}: {subject}" for subject in written.by_hand]
        left_out += written.left_out
        removed += written.removed
    files = [_file(mine, path, text) for path, text in texts.items() if text is not None]
    changes = mine.history() if knowledge.scripts else []
    for script in knowledge.scripts:
        if fresh is None or fresh & set(script.episodes):
            file = _script_file(mine, changes, script)
            if file is not None:
                files.append(file)
                findings.append((file.path, _script_finding(script)))
    differing = [file for file in files if file.before != file.after]
    return _Plan(
        files=tuple(sorted(differing, key=lambda file: file.path)),
        sections=marks,
        findings=tuple(findings),
        kept_by_hand=tuple(by_hand),
        left_out=left_out,
        removed=removed,
    )


def _fresh(section: Section, fresh: frozenset[str]) -> frozenset[str]:
    return frozenset(found.subject for found in section.findings if fresh & set(found.episodes))


def _file(mine: Mine, path: str, text: str) -> FileChange:
    return FileChange(path=path, before=mine.read(path) if mine.exists(path) else None, after=text)


def _script_file(mine: Mine, changes: Sequence[Change], script: Script) -> FileChange | None:
    """Return the file for a procedure, or None where there is nothing new to write.

    A file that was changed by hand is left alone; where the episodes say something new since, that goes
    into a file of the next free name.
    """
    gone = undone(changes)
    for number in range(1, 100):
        named = script if number == 1 else script.renamed(f"{script.name}_v{number}")
        path = f"{PROCEDURES}/{named.name}.py"
        digest = digest_of(named.text.encode())
        ours = [
            change.files[path][1]
            for change in changes
            if path in change.files and change.by == BY and change.number not in gone
        ]
        held = mine.read(path) if mine.exists(path) else None
        if held == named.text or (ours and ours[-1] == digest):
            return None
        if held is None or digest_of(held.encode()) in ours:
            return FileChange(path=path, before=held, after=named.text)
    return None


def _script_finding(script: Script) -> Finding:
    return Finding(rule="scripts", subject=script.name, text=script.about, episodes=script.episodes)


def _log(root: Path, evidence: Evidence, plan: _Plan, asked: Asked | None, change: int | None) -> None:
    told = None if asked is None else asked.record()
    if change is None:
        if told is not None:
            write_entry(root, None, told)
        return
    entry = Consolidation(
        change=change,
        through=evidence.episodes[-1] if evidence.episodes else "",
        sections=plan.sections,
        findings=tuple(
            {"rule": found.rule, "where": where, "line": found.line, "episodes": list(found.episodes)}
            for where, found in plan.findings
        ),
        writer=told,
    )
    write_entry(root, entry)


def _done(
    evidence: Evidence, knowledge: Knowledge, plan: _Plan, asked: Asked | None, change: int | None
) -> Consolidated:
    return Consolidated(
        episodes=len(evidence.episodes),
        files=plan.files,
        findings=plan.findings,
        kept_by_hand=plan.kept_by_hand,
        left_out=plan.left_out,
        removed=plan.removed,
        unreadable=evidence.unreadable,
        elsewhere=dict(sorted(Counter(evidence.elsewhere.values()).items())),
        change=change,
        asked=asked,
    )

"""Check what mine/ says against the episodes it cites.

Notes (Markdown, .txt): every claim cites an episode, every cited episode exists, no claim is contradicted by
those it cites. A skill (SKILL.md) is instructions: one citation anywhere in it, or `evidence:` in its
front matter, is enough. A procedure names its episodes in `PROCEDURE["evidence"]`. In the working memory and
in all other files, citations have to exist; what they say is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from echo.mfm.folder import MemoryFolder
from echo.mfm.layout import PROCEDURES, WORKING, MfmError
from echo.mfm.mine.citations import Citation, citations, cited, unreadable_citations
from echo.mfm.mine.claims import MARKDOWN, SKILL, Claim, claims, unclosed
from echo.mfm.mine.evidence_named import procedure_evidence, skill_evidence
from echo.mfm.mine.facts import Facts, read_facts
from echo.mfm.mine.statements import pieces
from echo.mfm.mine.verdicts import BESIDES, VERDICTS, Judged, Verdict, judge_piece, overall
from echo.mfm.mine.writable import Mine

Fault = Literal[
    "uncited", "unreadable citation", "missing episode", "contradicted", "unreadable file", "unclosed"
]

_CHANGE_IN_SUMMARY = re.compile(r"[+-]\d+ ([a-z0-9_:]+)")
_SHOWN = 160


@dataclass(frozen=True, kw_only=True)
class CheckedClaim:
    """One claim of a note with the verdict of its evidence."""

    path: str
    line: int
    text: str
    verdict: Verdict
    judged: tuple[Judged, ...]
    """Each thing that it says and that could be read off, in order."""

    @property
    def objection(self) -> str | None:
        """What the cited episodes hold against it, with an excerpt, in one line; None where nothing."""
        against = [each for each in self.judged if each.verdict == "contradicted"]
        return ". ".join(f"says {each.statement.said}, but {each.evidence}" for each in against) or None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something wrong in mine/."""

    path: str
    line: int
    """From 1; 0 where it is the whole file."""
    fault: Fault
    text: str
    """What is wrong, quoted."""
    detail: str
    """Why, and what to do; for a contradicted claim the excerpt of the evidence."""


@dataclass(frozen=True, kw_only=True)
class NotesReport:
    """What a check found; files, claims and findings in order of path and line."""

    files: tuple[str, ...]
    claims: tuple[CheckedClaim, ...]
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    def count(self, verdict: Verdict) -> int:
        """Return how many claims have this verdict."""
        return sum(claim.verdict == verdict for claim in self.claims)

    @property
    def summary(self) -> str:
        """How many there are of each, in one line."""
        files, claims, findings = (
            f"{len(held):,} {one}{'' if len(held) == 1 else 's'}"
            for held, one in ((self.files, "file"), (self.claims, "claim"), (self.findings, "finding"))
        )
        told = ", ".join(f"{self.count(verdict):,} {verdict}" for verdict in VERDICTS)
        return f"{files}, {claims}: {told}; {findings}"


def check_notes(root: Path | str) -> NotesReport:
    """Check every file in mine/ of the memory at `root`.

    Raises:
        MfmError: if `root` holds no memory, or a line of its index is no row.
    """
    checker = NotesChecker(root)
    files: list[str] = []
    made: list[CheckedClaim] = []
    found: list[Finding] = []
    mine = Mine(root, read_only=True)
    for path in mine.paths():
        files.append(path)
        try:
            text = mine.read(path)
        except MfmError as error:
            found.append(Finding(path=path, line=0, fault="unreadable file", text=path, detail=str(error)))
            continue
        report = checker.check(path, text)
        made += report.claims
        found += report.findings
    found += [
        Finding(path=path, line=0, fault="unreadable file", text=path, detail=reason)
        for path, reason in mine.strange().items()
        if not any(name.startswith(".") for name in path.split("/"))
    ]
    found.sort(key=lambda each: (each.path, each.line))
    return NotesReport(files=tuple(files), claims=tuple(made), findings=tuple(found))


class NotesChecker:
    """Holds texts against the episodes of one memory; reads each episode once."""

    def __init__(self, root: Path | str) -> None:
        """Look at the memory in the folder `root`.

        Raises:
            MfmError: if it holds no index.
        """
        self._memory = MemoryFolder(root)
        self._places: dict[str, Path | None] = {}
        self._facts: dict[str, Facts] = {}
        self._names: frozenset[str] | None = None

    def check(self, path: str, text: str) -> NotesReport:
        """Check one text as if it were the file `path` of mine/."""
        file = PurePosixPath(path)
        found = [*self._citations_exist(path, text)]
        made: list[CheckedClaim] = []
        if file.suffix.lower() in (*MARKDOWN, ".txt") and path != WORKING:
            found += _unclosed(path, text)
            made = [self.claim(path, each) for each in claims(text)]
            found += _contradicted(made)
            if file.name.lower() == SKILL:
                found += self._skill(path, text)
            else:
                found += [_uncited(path, each) for each in claims(text) if not each.citations]
        elif file.suffix == ".py" and file.parts[0] == PROCEDURES:
            found += self._procedure(path, text)
        found.sort(key=lambda each: each.line)
        return NotesReport(files=(path,), claims=tuple(made), findings=tuple(found))

    def claim(self, path: str, claim: Claim) -> CheckedClaim:
        """Return the verdict on one claim; cited episodes that do not exist are left out of it."""
        judged: list[Judged] = []
        for piece in pieces(claim):
            facts = [self._read(each) for each in _once(piece.citations) if self.place(each) is not None]
            if not facts:
                continue
            judged += judge_piece(piece.text, facts, self._known_names())
        if all(each.statement.rule in BESIDES for each in judged):
            judged = []
        return CheckedClaim(
            path=path, line=claim.line, text=claim.text, verdict=overall(judged), judged=tuple(judged)
        )

    def place(self, citation: Citation) -> Path | None:
        """Return the folder of a cited episode, or None where there is none."""
        if citation.name not in self._places:
            self._places[citation.name] = self._memory.place(citation.episode, citation.life)
        return self._places[citation.name]

    def _read(self, citation: Citation) -> Facts:
        place = self.place(citation)
        if place is None:
            raise KeyError(citation.name)
        if citation.name not in self._facts:
            self._facts[citation.name] = read_facts(place, citation.name)
        return self._facts[citation.name]

    def _known_names(self) -> frozenset[str]:
        """Return the items that the summaries of all episodes name."""
        if self._names is None:
            rows = [*self._memory.earlier_rows(), *self._memory.rows()]
            found = (_CHANGE_IN_SUMMARY.findall(str(row.get("summary") or "")) for row in rows)
            self._names = frozenset(name for names in found for name in names)
        return self._names

    def _citations_exist(self, path: str, text: str) -> Iterable[Finding]:
        for number, line in enumerate(text.split("\n"), start=1):
            yield from self._missing(path, number, citations(line))
            for shown in unreadable_citations(line):
                yield Finding(
                    path=path,
                    line=number,
                    fault="unreadable citation",
                    text=shown,
                    detail="expected such as [ep_000123], [life_2/ep_000123] or [ep_000001..ep_000004]",
                )

    def _missing(self, path: str, line: int, named: Sequence[Citation]) -> Iterable[Finding]:
        for citation in _once(named):
            if self.place(citation) is None:
                yield Finding(
                    path=path,
                    line=line,
                    fault="missing episode",
                    text=f"[{citation.name}]",
                    detail=f"{self._memory.root} has no such episode; cite one that its index lists",
                )

    def _skill(self, path: str, text: str) -> Iterable[Finding]:
        evidence = skill_evidence(text)
        yield from self._evidence(path, 1, evidence)
        if not evidence and not citations(text):
            yield Finding(
                path=path,
                line=1,
                fault="uncited",
                text=path,
                detail="a skill cites at least one episode in which it worked, such as [ep_000123]",
            )

    def _procedure(self, path: str, text: str) -> Iterable[Finding]:
        try:
            line, evidence = procedure_evidence(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            yield Finding(
                path=path, line=1, fault="unreadable file", text=path, detail=f"no procedure: {error}"
            )
            return
        if not evidence:
            yield Finding(
                path=path,
                line=line,
                fault="uncited",
                text=path,
                detail='PROCEDURE["evidence"] names the episodes it rests on, such as ["ep_000123"]',
            )
        yield from self._evidence(path, line, evidence)

    def _evidence(self, path: str, line: int, evidence: Sequence[str]) -> Iterable[Finding]:
        for name in evidence:
            try:
                yield from self._missing(path, line, [cited(name)])
            except MfmError as error:
                yield Finding(
                    path=path, line=line, fault="unreadable citation", text=name[:_SHOWN], detail=str(error)
                )


def _contradicted(made: Iterable[CheckedClaim]) -> Iterable[Finding]:
    for claim in made:
        if claim.objection is not None:
            yield Finding(
                path=claim.path,
                line=claim.line,
                fault="contradicted",
                text=_short(claim.text),
                detail=claim.objection,
            )


def _unclosed(path: str, text: str) -> Iterable[Finding]:
    for line, mark in unclosed(text):
        yield Finding(
            path=path,
            line=line,
            fault="unclosed",
            text=mark,
            detail="nothing closes it, so readers may not see what is behind it; close it, or take it out",
        )


def _uncited(path: str, claim: Claim) -> Finding:
    return Finding(
        path=path,
        line=claim.line,
        fault="uncited",
        text=_short(claim.text),
        detail="cite the episode that shows it, such as [ep_000123]",
    )


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _once(named: Iterable[Citation]) -> list[Citation]:
    return list({each.name: each for each in named}.values())

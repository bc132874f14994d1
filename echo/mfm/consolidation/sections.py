"""Generated sections in Markdown files that people and agents write too.

A section stands between two marker lines. Each line in it that consolidation wrote ends in a mark, a digest
of the line: a line without a mark, or whose mark does not fit, was written or changed by hand and is kept.
What is about the same subject is then not written again. Text outside the markers is never touched.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from echo.mfm.consolidation.findings import Finding

_MARK = re.compile(r" <!--([0-9a-f]{6})-->\s*$")
_SUBJECT = re.compile(r"\s*[-*+] (?P<subject>.+?)(?:: | \[(?:ep|life)_|\s*$)")


@dataclass(frozen=True, kw_only=True)
class Section:
    """What consolidation has to say in one section of a file."""

    name: str
    heading: str
    """Heading and introduction; written once, with the section, and left alone afterwards."""
    findings: tuple[Finding, ...]
    """The most informative first."""
    most: int
    """Lines it may hold; the rest is counted."""
    grows: bool = False
    """Whether lines that are there stay although they are not found again, the oldest giving way."""


@dataclass(frozen=True, kw_only=True)
class Written:
    """A file with its section brought up to date."""

    text: str
    marks: tuple[str, ...]
    """Of the generated lines that it holds now."""
    refused: tuple[str, ...]
    """Of lines that were taken out by hand and would be the same again."""
    by_hand: tuple[str, ...]
    """Subjects that a line changed by hand speaks for."""
    changed: tuple[Finding, ...]
    """Findings whose lines are new or differ."""
    left_out: int
    """Findings beyond `Section.most`."""
    removed: int = 0
    """Generated lines that are there no more, and no line says anything of their subjects."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a section."""

    raw: str
    subject: str | None
    mark: str | None
    """None where it was written or changed by hand."""


def line_mark(section: str, line: str) -> str:
    """Return the mark of a generated line.

    >>> line_mark("lessons", "- stone: gave nothing [ep_000001]")
    'bee3dc'
    """
    return hashlib.sha256(f"{section}\n{line}".encode("utf-8", "surrogatepass")).hexdigest()[:6]


def write_section(
    text: str,
    section: Section,
    *,
    before: Collection[str] = (),
    refused: Collection[str] = (),
    fresh: Collection[str] | None = None,
) -> Written:
    """Return `text` with `section` brought up to date, and what became of its lines.

    Args:
        text: The file; empty where there is none.
        section: What is to be said.
        before: Marks of the lines that the last consolidation left in this section.
        refused: Marks of lines that were taken out by hand before that.
        fresh: Subjects that may be written anew; what is said of others stays as it is. None for all.
    """
    head, body, tail = parts(text, section.name)
    lines = [read_line(raw, section.name) for raw in body or ()]
    old = {line.subject: line for line in lines if line.mark is not None and line.subject is not None}
    by_hand = {line.subject for line in lines if line.mark is None and line.subject is not None}
    gone = {*refused, *(mark for mark in before if mark not in {line.mark for line in lines})}
    chosen, left_out = _chosen(section, old, by_hand, gone, fresh)
    new = [line for line, _ in chosen]
    there = {line.mark for line in lines if line.mark is not None}
    changed = tuple(found for line, found in chosen if found is not None and line.mark not in there)
    told = {line_mark(section.name, found.line) for found in section.findings}
    written = Written(
        text=text,
        marks=tuple(line.mark for line in new if line.mark is not None),
        refused=tuple(mark for mark in sorted(gone) if mark in told),
        by_hand=tuple(sorted(by_hand & {found.subject for found in section.findings})),
        changed=changed,
        left_out=left_out,
        removed=len(old.keys() - {line.subject for line in new} - by_hand),
    )
    if body is None and not new:
        return written
    note = f"; {left_out} of less weight left out" if left_out else ""
    first, last = f"<!-- consolidated: {section.name} -->", f"<!-- end: {section.name}{note} -->"
    if body is None:
        block = [first, *section.heading.split("\n"), "", *(line.raw for line in new), last]
        return replace(written, text=_appended(text, block))
    ending = "\r" if text.split("\n")[len(head)].endswith("\r") else ""
    block = [f"{first}{ending}", *woven(lines, new, ending), f"{last}{ending if tail else ''}"]
    return replace(written, text="\n".join([*head, *block, *tail]))


def _chosen(
    section: Section,
    old: dict[str, Line],
    by_hand: Collection[str],
    gone: Collection[str],
    fresh: Collection[str] | None,
) -> tuple[list[tuple[Line, Finding | None]], int]:
    """Return the generated lines that the section is to hold, and how many it has no room for."""
    lines: list[tuple[Line, Finding | None]] = []
    if section.grows:
        told = {found.subject for found in section.findings}
        lines = [(line, None) for subject, line in old.items() if subject not in told]
    for found in section.findings:
        mark = line_mark(section.name, found.line)
        if found.subject in by_hand or mark in gone:
            continue
        if fresh is not None and found.subject not in fresh:
            if found.subject in old:
                lines.append((old[found.subject], None))
            continue
        lines.append((Line(raw=f"{found.line} <!--{mark}-->", subject=found.subject, mark=mark), found))
    left_out = max(0, len(lines) - section.most)
    return (lines[left_out:] if section.grows else lines[: section.most]), left_out


def woven(lines: Sequence[Line], new: Sequence[Line], ending: str) -> list[str]:
    """Return the new lines in their order, each line by hand behind the generated one it stood behind."""
    there = {line.subject for line in new}
    behind: dict[str | None, list[str]] = {}
    anchor: str | None = None
    for line in lines:
        if line.mark is None:
            behind.setdefault(anchor, []).append(line.raw)
        elif line.subject in there:
            anchor = line.subject
    woven = list(behind.get(None, ()))
    for line in new:
        raw = line.raw.removesuffix("\r")
        woven += [f"{raw}{ending}", *behind.get(line.subject, ())]
    return woven


def _appended(text: str, block: Sequence[str]) -> str:
    """Return `text`, to the letter, with the block behind it."""
    if not text:
        return "\n".join([*block, ""])
    ending = "\r\n" if "\r\n" in text else "\n"
    between = ending if text.endswith("\n") else ending * 2
    return text + between + ending.join([*block, ""])


def read_line(raw: str, section: str) -> Line:
    """Return a line of a section, with its mark where consolidation wrote it and nobody changed it."""
    found = _MARK.search(raw)
    plain = raw if found is None else raw[: found.start()]
    subject = _SUBJECT.match(plain)
    intact = found is not None and line_mark(section, plain) == found[1]
    return Line(
        raw=raw,
        subject=None if subject is None else subject["subject"],
        mark=found[1] if found is not None and intact else None,
    )


def parts(text: str, name: str) -> tuple[list[str], list[str] | None, list[str]]:
    """Split a file into what stands before, in and behind its section; None in the middle where it has none.

    A section whose end marker is gone ends at the first line that consolidation did not write.
    """
    lines = text.split("\n")
    begin, end = f"<!-- consolidated: {name} -->", re.compile(rf"<!-- end: {re.escape(name)}(;.*)? -->")
    start = next((place for place, line in enumerate(lines) if line.strip() == begin), None)
    if start is None:
        return lines, None, []
    rest = lines[start + 1 :]
    stop = next((place for place, line in enumerate(rest) if end.fullmatch(line.strip())), None)
    if stop is not None:
        return lines[:start], rest[:stop], rest[stop + 1 :]
    stop = next((place for place, line in enumerate(rest) if read_line(line, name).mark is None), len(rest))
    return lines[:start], rest[:stop], rest[stop:]

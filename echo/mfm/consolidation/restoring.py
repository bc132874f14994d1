"""Take what one consolidation wrote out of the sections of a Markdown file, and put back what it replaced."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from echo.mfm.consolidation.sections import Line, parts, read_line, woven

_BEGIN = re.compile(r"<!-- consolidated: (.+) -->")


@dataclass(frozen=True, kw_only=True)
class Restored:
    """A file without what a consolidation wrote."""

    text: str
    whole: bool
    """Whether none of its lines is left, as one that was moved out of its section is."""


def restored(now: str, before: str, after: str) -> Restored:
    """Return the file `now` with its generated lines as they were before a consolidation.

    Lines by hand stay where they are. A line that was taken out, or changed, by hand since does not come
    back in its older form. A section that the consolidation began goes, but for one with lines by hand.

    Args:
        now: The file as it is.
        before: The file before the consolidation; empty where there was none.
        after: The file as the consolidation left it.
    """
    text, whole = now, True
    for name in _names(after):
        old, new = _generated(before, name), _generated(after, name)
        written = _marks(new) - _marks(old)
        text = _section_restored(text, name, before, after)
        whole = whole and not any(read_line(raw, name).mark in written for raw in text.split("\n"))
    return Restored(text=text, whole=whole)


def _section_restored(text: str, name: str, before: str, after: str) -> str:
    head, body, tail = parts(text, name)
    last = _end(text, name)
    if body is None or not last:
        # Without its last marker nobody can say where it ends.
        return text
    lines = [read_line(raw, name) for raw in body]
    kept = _kept(lines, _generated(before, name), _generated(after, name))
    _, was, _ = parts(before, name)
    _, left, _ = parts(after, name)
    if was is None and not kept and not _by_hand(body, left or (), name):
        return "\n".join(_closed(head, tail))
    if was is not None and last == _end(after, name):
        # It tells how many lines there was no room for.
        last = _end(before, name)
    first = text.split("\n")[len(head)]
    ending = "\r" if first.endswith("\r") else ""
    return "\n".join([*head, first, *woven(lines, kept, ending), *last, *tail])


def _kept(lines: Sequence[Line], old: Sequence[Line], new: Sequence[Line]) -> list[Line]:
    """Return the generated lines that a section is to hold: in their old order, then others that it holds."""
    there, before, after = _marks(lines), _marks(old), _marks(new)
    # Who took out, or changed, what was written about a subject does not want it in other words either.
    settled = {line.subject for line in lines if line.mark is None}
    settled |= {line.subject for line in new if line.mark not in before and line.mark not in there}
    kept = [
        line for line in old if line.mark in there or (line.mark not in after and line.subject not in settled)
    ]
    return kept + [
        line for line in lines if line.mark is not None and line.mark not in before and line.mark not in after
    ]


def _marks(lines: Sequence[Line]) -> set[str]:
    return {line.mark for line in lines if line.mark is not None}


def _generated(text: str, name: str) -> list[Line]:
    _, body, _ = parts(text, name)
    return [line for raw in body or () if (line := read_line(raw, name)).mark is not None]


def _by_hand(body: Sequence[str], left: Collection[str], name: str) -> bool:
    """Return whether a section holds something that the consolidation did not leave in it."""
    known = {raw.strip() for raw in left}
    return any(raw.strip() and raw.strip() not in known and read_line(raw, name).mark is None for raw in body)


def _closed(head: list[str], tail: list[str]) -> list[str]:
    """Return the lines around a section that goes, without the empty line that set it apart."""
    if head and not head[-1].strip():
        return [*head[:-1], *tail]
    return [*head, *(tail[1:] if not head and len(tail) > 1 and not tail[0].strip() else tail)]


def _end(text: str, name: str) -> list[str]:
    """Return the last marker of a section as a list of one line; of none where it was taken out."""
    head, body, tail = parts(text, name)
    lines = text.split("\n")
    return lines[len(head) + 1 + len(body or ()) : len(lines) - len(tail)]


def _names(text: str) -> list[str]:
    found = (_BEGIN.fullmatch(line.strip()) for line in text.split("\n"))
    return list(dict.fromkeys(match[1] for match in found if match is not None))

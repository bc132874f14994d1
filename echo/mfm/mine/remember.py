"""Add one fact or lesson, with the episodes that show it, to the notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.layout import NOTES, MfmError
from echo.mfm.mine.change import Author, Change
from echo.mfm.mine.check import CheckedClaim, NotesChecker
from echo.mfm.mine.citations import citations, cited, unreadable_citations
from echo.mfm.mine.claims import MARKDOWN, SKILL, Claim
from echo.mfm.mine.filetext import insert_at
from echo.mfm.mine.writable import Mine

_HIDING = ("<!--", "-->", "--!>")
_MOST = 2_000
"""Letters of one note."""


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """A note that stands in the notes."""

    line: str
    """As it stands there."""
    checked: CheckedClaim
    """What its evidence says of it; a contradicted note is kept all the same, unless `strict`."""
    change: Change | None
    """What was logged; None where the notes held this line already."""


def remember(
    root: Path | str,
    text: str,
    *,
    cites: Sequence[str] = (),
    by: Author = "agent",
    path: str = NOTES,
    strict: bool = False,
) -> Remembered:
    """Add `text` as one bullet at the end of the notes, unless it is there already.

    Args:
        root: The memory folder.
        text: The fact or lesson; line breaks become spaces. It may hold citations.
        cites: Episodes to cite behind it, such as 'ep_000123' or 'life_2/ep_000123'.
        by: Who writes it.
        path: The Markdown file, relative to mine/; no skill, which is instructions.
        strict: Whether a note that its evidence contradicts is refused.

    Raises:
        MfmError: if there is no text, it would hide what follows, it cites nothing or an episode that does
            not exist, the file is no Markdown, or, if `strict`, what it cites contradicts it; nothing is
            written then.
    """
    _check_place(path)
    told = " ".join(text.split())
    named = [cited(each.strip().removeprefix("[").removesuffix("]")).name for each in cites]
    held = {each.name for each in citations(told)}
    line = " ".join([f"- {told}", *(f"[{name}]" for name in dict.fromkeys(named) if name not in held)])
    checker = NotesChecker(root)
    _check(line, told, checker)
    checked = checker.claim(path, Claim(line=1, text=line.removeprefix("- ")))
    if strict and checked.objection is not None:
        raise MfmError(
            f"expected a note that its evidence bears out, got one that it contradicts: {checked.objection}. "
            f"Mend the note or its citations; nothing was written."
        )
    mine = Mine(root)
    with mine.batch(by=by, why=f"remember: {told[:80]}") as batch:
        notes = mine.read(path) if mine.exists(path) else "# Notes\n\n"
        if line not in (each.rstrip("\r") for each in notes.split("\n")):
            mine.write(path, insert_at(notes, len(notes.split("\n")), line))
    return Remembered(line=line, checked=checked, change=batch.change)


def _check_place(path: str) -> None:
    name = path.rpartition("/")[2].lower()
    if not name.endswith(MARKDOWN) or name == SKILL:
        raise MfmError(
            f"expected a Markdown file of notes, such as {NOTES}, to add a note to, got {path!r}. "
            f"Edit other files as a whole; nothing was written."
        )


def _check(line: str, told: str, checker: NotesChecker) -> None:
    if not any(letter.isalnum() for letter in told) or len(told) > _MOST:
        raise MfmError(f"expected a note of 1 to {_MOST:,} letters, got {len(told):,}. Say it in a sentence.")
    if any(mark in told for mark in _HIDING) or told.startswith(("```", "~~~")):
        raise MfmError(
            f"expected a note without marks of comments or code that would hide what follows, "
            f"got {told[:80]!r}. Leave out <!--, --> and a fence at the beginning; nothing was written."
        )
    wrong = unreadable_citations(line)
    if wrong:
        raise MfmError(
            f"expected citations such as [ep_000123] or [life_2/ep_000123], got {', '.join(wrong)}. "
            f"Nothing was written."
        )
    found = citations(line)
    if not found:
        raise MfmError(
            f"expected a note that cites the episodes which show it, such as [ep_000123], got {told[:80]!r}. "
            f"Add them; nothing was written."
        )
    missing = [each.name for each in found if checker.place(each) is None]
    if missing:
        raise MfmError(
            f"expected episodes of this memory, got {', '.join(dict.fromkeys(missing))}, which it does not "
            f"have. Take ids from its index; nothing was written."
        )

"""Citations: how a text in mine/ names the episodes that show what it says.

`[ep_000123]` is an episode of this life, or of the latest earlier life that has it;
`[life_2/ep_000123]` one of that life. Several may share brackets: `[ep_000001, ep_000004]`; a stretch is
written `[ep_000001..ep_000004]`, both ends in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.folder import MemoryFolder
from echo.mfm.layout import INDEX, MfmError, episode_id, episode_number, life_name, life_number

MOST_IN_RANGE = 1_000
"""Episodes in one stretch."""

_BRACKETS = re.compile(r"\[([^\[\]\n]{1,2000})\]")
_LOOKS_LIKE = re.compile(r"(?:^|[\s,;/])(?:ep|life)[_ -]?\d|^ep_", re.IGNORECASE)
_RANGE = re.compile(r"(\S+?)\s*(?:\.\.\.?|-|\u2013)\s*(\S+)")


@dataclass(frozen=True, kw_only=True)
class Citation:
    """One episode named in a text."""

    episode: str
    life: int | None = None
    """The earlier life it belongs to; None for this life, or the latest earlier one that has it."""
    start: int = 0
    """Where its brackets begin in the text."""
    end: int = 0
    """Where they end."""

    @property
    def name(self) -> str:
        """How it is written, such as 'life_2/ep_000123'."""
        return self.episode if self.life is None else f"{life_name(self.life)}/{self.episode}"


def citations(text: str) -> list[Citation]:
    """Return the episodes that `text` cites, in order; one named twice is there twice.

    >>> [each.name for each in citations("Sand falls [ep_000012]. So does gravel [life_1/ep_000003].")]
    ['ep_000012', 'life_1/ep_000003']
    >>> [each.name for each in citations("[ep_000001..ep_000003, ep_000007]")]
    ['ep_000001', 'ep_000002', 'ep_000003', 'ep_000007']
    """
    found: list[Citation] = []
    for match in _BRACKETS.finditer(text):
        named = _named(match[1])
        for life, episode in named or ():
            found.append(Citation(episode=episode, life=life, start=match.start(), end=match.end()))
    return found


def unreadable_citations(text: str) -> list[str]:
    """Return what stands in brackets and looks like a citation, but names no episode.

    >>> unreadable_citations("Sand falls [ep_12], see [ep_000009..ep_000002] and [the map].")
    ['[ep_12]', '[ep_000009..ep_000002]']
    """
    return [
        match[0]
        for match in _BRACKETS.finditer(text)
        if _LOOKS_LIKE.search(match[1]) and _named(match[1]) is None
    ]


def cited(name: str) -> Citation:
    """Return the citation of the episode `name`, such as 'ep_000123' or 'life_2/ep_000123'.

    Raises:
        MfmError: if it names none.
    """
    one = _one(name)
    if one is None:
        raise MfmError(
            f"expected an episode such as 'ep_000123' or 'life_2/ep_000123', got {name!r}. "
            f"Take one from {INDEX}."
        )
    return Citation(episode=one[1], life=one[0])


def place_of(root: Path, citation: Citation) -> Path | None:
    """Return the folder of the cited episode of the memory at `root`, or None where there is none.

    Raises:
        MfmError: if `root` holds no memory.
    """
    return MemoryFolder(root).place(citation.episode, citation.life)


def _named(inside: str) -> list[tuple[int | None, str]] | None:
    """Return life and id of every episode that brackets name, or None where they cite nothing."""
    named: list[tuple[int | None, str]] = []
    for piece in re.split(r"[,;]", inside):
        one = _one(piece.strip())
        if one is not None:
            named.append(one)
            continue
        stretch = _stretch(piece.strip())
        if stretch is None:
            return None
        named += stretch
    return named


def _one(text: str) -> tuple[int | None, str] | None:
    before, slash, episode = text.rpartition("/")
    life = life_number(before) if slash else None
    if not isinstance(episode, str) or episode_number(episode) is None or (slash and life is None):
        return None
    return life, episode


def _stretch(text: str) -> list[tuple[int | None, str]] | None:
    match = _RANGE.fullmatch(text)
    first = None if match is None else _one(match[1])
    last = None if match is None else _one(match[2])
    if first is None or last is None or (last[0] is not None and last[0] != first[0]):
        return None
    low, high = episode_number(first[1]), episode_number(last[1])
    if low is None or high is None or not low <= high < low + MOST_IN_RANGE:
        return None
    return [(first[0], episode_id(number)) for number in range(low, high + 1)]

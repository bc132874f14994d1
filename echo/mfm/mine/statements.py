"""What a claim says that can be read off episodes: amounts, actions, tools, events, places.

Deliberately narrow. A claim is cut behind each group of citations, and what it says before them is held
against these episodes alone. Only wordings listed here are understood. A piece with a word of negation or
of doubt is not judged ('gave nothing', 'ate nothing' and 'took no damage' apart); one that speaks of another
time ('until', 'so far') can be borne out, not contradicted. A wrong verdict has to be rarer than a missing
one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from echo.mfm.mine.amounts import amounts, known_name, mentions
from echo.mfm.mine.citations import Citation
from echo.mfm.mine.claims import Claim
from echo.mfm.mine.happenings import actions, done_to, events, places, tools, undone, unhurt, worked
from echo.mfm.mine.statement import Rule, Statement


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A part of a claim with the citations that it is held against."""

    text: str
    citations: tuple[Citation, ...]


_NOTHING = re.compile(
    r"(?:\b(?:gave|gives?|gained|yield(?:s|ed)?|dropped|drops?|left|leaves|made|makes?|produce[sd]?) nothing"
    r"|\bnothing came of|(?:^|[;:,])\s*nothing (?:with|from))\b"
    r"(?! (?:but|else|more|except|other|besides|new|special|useful|worth))",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:not|never|no(?! tool)|none|nobody|nothing|nowhere|neither|nor|cannot|can't"
    r"|without(?! (?:a |any )?tools?\b)|instead|rather|unlike|failed?|fails|refused|impossible|useless"
    r"|in vain|would|should|must|might|may|could|if|unless|except|perhaps|probably|maybe|likely|try|trying"
    r"|tried|want|plan|next|later|yet|still|needs?|needed|requires?|required|hardly|barely|rarely|seldom|avoid(?:s|ed)?"
    r"|spared|twice|double|half|ever|hope|going to|faster|slower|better|worse)\b|n't\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\([^()]*\)")
_ANOTHER_TIME = re.compile(
    r"\b(?:before|until|earlier|previously|already|at first|first|so far|in all|in total|altogether|had|have"
    r"|left me with|since|usually|often|sometimes|always|normally|generally)\b",
    re.IGNORECASE,
)


def pieces(claim: Claim) -> list[Piece]:
    """Return the parts of a claim: each ends with a group of citations, which are what it rests on.

    What stands behind the last group rests on all citations of the claim.
    """
    found: list[Piece] = []
    all_of_it = tuple(claim.citations)
    group: list[Citation] = []
    start, end = 0, 0
    for citation in all_of_it:
        between = claim.text[end : citation.start]
        if group and citation.start >= end and re.sub(r"\band\b", "", between).strip(" ,;"):
            found.append(Piece(text=claim.text[start : group[0].start], citations=tuple(group)))
            group, start = [], end
        group.append(citation)
        end = citation.end
    if group:
        found.append(Piece(text=claim.text[start : group[0].start], citations=tuple(group)))
    if claim.text[end:].strip(" .,;"):
        found.append(Piece(text=claim.text[end:], citations=all_of_it))
    return found


def statements(text: str, names: frozenset[str]) -> list[Statement]:
    """Return what a piece of text says that can be read off, in the order of the rules.

    Args:
        text: A part of a claim, without its citations.
        names: Items, blocks and creatures that are known; a word with '_' in it counts as one anyway.
    """
    return [each for each in _read(_plain(text), names) if each.rule != "unread"]


def unread(text: str, names: frozenset[str]) -> list[Statement]:
    """Return what a piece of text says besides: items and counts it names, and what cannot be read.

    An item or a count may still be shown by the episodes (`mention`); the rest is not.
    """
    text = _plain(text)
    found = _read(text, names)
    rest = [each for each in found if each.rule == "unread"]
    doubt = None if any(each.rule in _DENIALS for each in found) else _doubt(text)
    if doubt is not None:
        return [Statement(rule="unread", said=f"'{doubt[0]}'")]
    return [*rest, *mentions(text, names, found), *done_to(text, names)]


_DENIALS = ("nothing", "undone", "unhurt")


def _plain(text: str) -> str:
    return text.replace("minecraft:", "")


def _read(text: str, names: frozenset[str]) -> list[Statement]:
    at_once = not _ANOTHER_TIME.search(text)
    denied = [*undone(text, firm=at_once), *unhurt(text, firm=at_once)]
    if _NOTHING.search(text):
        firm = at_once and not _doubt(_NOTHING.sub("", text))
        idle = Statement(rule="nothing", said="no item came of it", firm=firm)
        done = actions(text, names, firm=firm, tried=True)
        found = [idle, *done, *tools(text, firm=firm)]
        return [*found, *_gains(text, names), *denied, *places(text, firm=firm)]
    if denied:
        return denied
    if _doubt(text):
        return places(text, firm=False)
    told = events(text, firm=at_once)
    done = actions(text, names, firm=at_once, tried=any(each.rule == "code" for each in told))
    return [
        *amounts(text, names, firm=at_once),
        *done,
        *worked(text, done),
        *tools(text, firm=at_once),
        *told,
        *places(text, firm=at_once),
    ]


def _gains(text: str, names: frozenset[str]) -> list[Statement]:
    """Return what was gained beside the nothing: it may be borne out, not contradicted."""
    return [each for each in amounts(text, names, firm=False) if each.rule != "unread"]


def _doubt(text: str) -> re.Match[str] | None:
    """Return the first word of doubt or denial outside of parentheses."""
    return _DOUBT.search(_ASIDE.sub("", text))


__all__ = ["Piece", "Rule", "Statement", "known_name", "pieces", "statements", "unread"]

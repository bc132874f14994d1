"""What a claim says that can be read off episodes: amounts, actions, tools, events, places.

Deliberately narrow. A claim is cut behind each group of citations, and what it says before them is held
against these episodes alone. Only wordings listed here are understood; a piece with a word of negation
or of doubt says nothing but where ('gave nothing' and places apart), so that a wrong verdict is rarer
than a missing one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from echo.mfm.mine.citations import Citation
from echo.mfm.mine.claims import Claim

Rule = Literal["gain", "loss", "nothing", "action", "tool", "event", "place", "height"]


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One thing that a piece of a claim says."""

    rule: Rule
    said: str
    """In words, for the report."""
    name: str = ""
    """Item, tool (empty for the bare hand), action kind or event."""
    low: float | None = None
    """Least amount said; None where no amount is said."""
    high: float | None = None
    """Greatest amount said; None where there is no upper end."""
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A part of a claim with the citations that it is held against."""

    text: str
    citations: tuple[Citation, ...]


_GAIN = (
    r"gave|gives?|gained?|gains|yield(?:s|ed)?|produced?|produces|makes?|made|crafted|obtained|received|got"
)
_LOSS = r"costs?|consumed?|consumes|loses?|lost|spent|spends|burned|burns|burnt"
_CHANGE = re.compile(rf"\b(?:(?P<gain>{_GAIN})|(?P<loss>{_LOSS}))\b(?P<rest>[^.;:()]*)", re.IGNORECASE)
_SIGNED = re.compile(r"(?<![\w.])(?P<sign>[+\u2212-])(?P<amount>\d{1,9}) +(?P<rest>[^,.;:()]*)")
_NOTHING = re.compile(
    r"\b(?:gave|gives?|gained|yield(?:s|ed)?|dropped|drops?|left|leaves|made|makes?|produce[sd]?) nothing\b"
    r"|\bnothing came of\b|(?:^|[;:,])\s*nothing (?:with|from)\b",
    re.IGNORECASE,
)
_ACTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"craft(?:ed|ing)?(?![ _]+tables?\b|[ _]+grids?\b)", ("craft",)),
    (r"smelt(?:ed|ing)?", ("smelt",)),
    (r"mined|mining|dug|digging|dig", ("mine", "collect")),
    (r"collected|collecting", ("collect", "mine")),
    (r"placed|placing", ("place",)),
    (r"ate|eaten|eating", ("eat",)),
    (r"attacked|attacking|killed|killing|struck|striking", ("attack",)),
)
ACTION_OBJECTS = frozenset({"mine", "attack", "eat", "place", "collect"})
"""Kinds whose object an episode names as the claim does: the block, the creature, the item."""
_TOOL = re.compile(
    r"\b(?:with|using|holding) (?:an? |the |my )?`?(?:minecraft:)?(?P<tool>(?:[a-z]+[ _]){0,2}"
    r"(?:pickaxe|axe|shovel|sword|hoe|shears|bucket)|(?:bare|empty) hands?|no tool)\b",
    re.IGNORECASE,
)
_DAMAGE = re.compile(
    r"\b(?:took|takes|take|received|dealt) (?:(?P<amount>\d{1,6}(?:\.\d+)?) )?(?:\w+ )?damage\b"
    r"|\bwas hurt\b|\bhurts\b",
    re.IGNORECASE,
)
_BROKE = re.compile(
    r"\b(?:broke (?:an? |the |my )?`?(?P<after>(?:[a-z]+[ _]){1,2}(?:pickaxe|axe|shovel|sword|hoe))"
    r"|(?P<before>(?:[a-z]+[ _]){1,2}(?:pickaxe|axe|shovel|sword|hoe))`? (?:broke|wore out))\b",
    re.IGNORECASE,
)
_EVENT = re.compile(r"`([a-z_]+:[\w.:]+)`")
_NUMBER = r"[-\u2212]?\d{1,8}(?:\.\d{1,6})?"
_SPOT = re.compile(rf"\(\s*({_NUMBER})\s*,\s*({_NUMBER})\s*(?:,\s*({_NUMBER})\s*)?\)")
_AXES = re.compile(
    rf"\bx\s*[=:]?\s*({_NUMBER})\s*,?\s*(?:y\s*[=:]?\s*{_NUMBER}\s*,?\s*)?z\s*[=:]?\s*({_NUMBER})"
)
_HEIGHT = re.compile(rf"\bat y\s*[=:]?\s*({_NUMBER})\b")
_DOUBT = re.compile(
    r"\b(?:not|never|no longer|cannot|can't|without|instead|failed?|fails|refused|impossible|would|should"
    r"|might|may|could|if|unless|perhaps|probably|maybe|likely|try|want|plan|next|needs?|requires?)\b|n't\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z0-9_]+(?::[a-z0-9_]+)?", re.IGNORECASE)
_AMOUNT = re.compile(
    r"\s*(?:(?P<least>at least|more than|over)\s+|(?P<most>at most|up to)\s+"
    r"|(?P<about>about|around|roughly|some)\s+)?"
    r"(?:(?P<low>\d{1,9})(?:\s*(?:to|-|\u2013)\s*(?P<high>\d{1,9}))?(?:x|\u00d7)?\s+"
    r"|(?P<word>one|two|three|four|five|six|seven|eight|nine|ten)\s+|(?:an?|the|its?|some|more|always|only|just)\s+)*",
    re.IGNORECASE,
)
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NEXT = re.compile(r"`?\s*(?:,\s*and\b|,|\+|&|\band\b)\s*", re.IGNORECASE)


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
    text = text.replace("minecraft:", "")
    found = _places(text)
    if _NOTHING.search(text):
        idle = Statement(rule="nothing", said="no item came of it")
        return [idle, *_actions(text, names), *_tools(text), *found]
    if _DOUBT.search(text):
        return found
    return [*_amounts(text, names), *_actions(text, names), *_tools(text), *_events(text), *found]


def known_name(text: str, names: frozenset[str]) -> tuple[str, int] | None:
    """Return the name that `text` begins with and where it ends, the longest first; plurals are known.

    >>> known_name("oak logs near", frozenset({"oak_log"})), known_name("`raw_iron` ore", frozenset())
    (('oak_log', 8), ('raw_iron', 9))
    """
    start = len(text) - len(text.lstrip(" `\"'*"))
    words: list[re.Match[str]] = []
    for match in _WORD.finditer(text, start):
        if match.start() != (words[-1].end() + 1 if words else start) or len(words) == 4:
            break
        if words and text[words[-1].end()] != " ":
            break
        words.append(match)
    for count in range(len(words), 0, -1):
        name = "_".join(word[0].lower().rpartition(":")[2] for word in words[:count])
        for form in (name, name.removesuffix("s"), name.removesuffix("es")):
            if form in names or (count == 1 and "_" in name.strip("_") and form == name):
                return form, words[count - 1].end()
    return None


def _amounts(text: str, names: frozenset[str]) -> list[Statement]:
    found: list[Statement] = []
    for match in _CHANGE.finditer(text):
        found += _listed("gain" if match["gain"] else "loss", match["rest"], names)
    for match in _SIGNED.finditer(text):
        named = known_name(match["rest"], names)
        if named is not None:
            rule: Rule = "gain" if match["sign"] == "+" else "loss"
            found.append(_amount(rule, named[0], float(match["amount"]), float(match["amount"])))
    return found


def _listed(rule: Rule, rest: str, names: frozenset[str]) -> list[Statement]:
    """Return the amounts in a list such as ' 2 sticks, 1 oak_log and coal'."""
    found: list[Statement] = []
    while (match := _AMOUNT.match(rest)) is not None:
        named = known_name(rest[match.end() :], names)
        if named is None:
            break
        low = float(match["low"]) if match["low"] else None
        low = float(_WORDS.index(match["word"].lower())) if match["word"] else low
        high = float(match["high"]) if match["high"] else low
        if match["about"]:
            low = high = None
        elif match["least"]:
            high = None
        elif match["most"]:
            low = 1.0
        found.append(_amount(rule, named[0], low, high))
        rest = rest[match.end() + named[1] :]
        following = _NEXT.match(rest)
        if following is None:
            break
        rest = rest[following.end() :]
    return found


def _amount(rule: Rule, item: str, low: float | None, high: float | None) -> Statement:
    if low is None:
        amount = "some"
    elif high is None:
        amount = f"at least {low:g}"
    else:
        amount = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return Statement(rule=rule, said=f"{rule} of {amount} {item}", name=item, low=low, high=high)


def _actions(text: str, names: frozenset[str]) -> list[Statement]:
    found: list[Statement] = []
    for words, kinds in _ACTIONS:
        match = re.search(rf"\b(?:{words})\b", text, re.IGNORECASE)
        if match is None:
            continue
        named = known_name(re.sub(r"^\s*(?:\d+|an?|the|one|some)\s+", " ", text[match.end() :]), names)
        object = named[0] if named is not None and ACTION_OBJECTS.intersection(kinds) else ""
        said = f"{' or '.join(kinds)}{f' of {object}' if object else ''}"
        found.append(Statement(rule="action", said=said, name="/".join((*kinds, object))))
    return found


def _tools(text: str) -> list[Statement]:
    found = []
    for match in _TOOL.finditer(text):
        tool = match["tool"].lower().replace(" ", "_")
        bare = tool.startswith(("bare_", "empty_", "no_"))
        if bare or "_" in tool or tool in ("shears", "bucket"):
            said = "bare hand" if bare else f"{tool} in the hand"
            found.append(Statement(rule="tool", said=said, name="" if bare else tool))
    return found


def _events(text: str) -> list[Statement]:
    found = [
        Statement(rule="event", said=f"event {match[1]}", name=match[1]) for match in _EVENT.finditer(text)
    ]
    for match in _DAMAGE.finditer(text):
        amount = float(match["amount"]) if match["amount"] else None
        said = "damage" if amount is None else f"{amount:g} damage"
        found.append(Statement(rule="event", said=said, name="damage", low=amount, high=amount))
    for match in _BROKE.finditer(text):
        words = (match["after"] or match["before"]).lower().split(" ")
        tool = "_".join(word for word in words if word not in ("a", "the", "my"))
        if "_" in tool:
            found.append(Statement(rule="event", said=f"{tool} broke", name=f"broke:{tool}"))
    return found


def _places(text: str) -> list[Statement]:
    spots: list[Sequence[str]] = [(match[1], match[3] or match[2]) for match in _SPOT.finditer(text)]
    spots += [(match[1], match[2]) for match in _AXES.finditer(text)]
    found = [
        Statement(rule="place", said=f"a place near x={x:g} z={z:g}", x=x, z=z)
        for x, z in (tuple(map(_number, spot)) for spot in spots)
    ]
    for match in _HEIGHT.finditer(text):
        y = _number(match[1])
        found.append(Statement(rule="height", said=f"a height near y={y:g}", y=y))
    return found


def _number(text: str) -> float:
    return float(text.replace("\u2212", "-"))

"""Actions, tools, events and places in a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from csd.episode import OutcomeCode
from echo.mfm.mine.amounts import known_name
from echo.mfm.mine.statement import Statement

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
_SUBJECT = re.compile(r"(?:^|[.;:])\s*(?:(?:I|we|the agent)\s+)?$", re.IGNORECASE)
_PASSIVE = re.compile(
    r"^(?:(?!\b(?:that|which|who|when|if|had|i)\b)[^.;:,])*\b(?:was|were)\s+$", re.IGNORECASE
)
_IN_GENERAL = re.compile(r"\s*(?:is|are|was|were|can|comes?|helps?|has|and|or|takes?|by)\b", re.IGNORECASE)
_OBJECT = re.compile(
    r"\s+(?:an? |the |my |some |one )?"
    r"(?!(?:for|with|the|from|into|this|that|them|there|here|down|away|and|but|near|out|when|while|again|once"
    r"|using|through|alone|until|before|after|at|in|on|of|off|to|by|is|was|nothing|back|deep|deeper|straight"
    r"|came|comes|gave|gives|gained|made|makes|got|cost|costs|took|takes|works|worked|instantly|up)\b)"
    r"([a-z]{3,})\b",
    re.IGNORECASE,
)
_WITH = re.compile(
    r"\b(?:with|from|using|out of)\s+(?:(?:an? |the |my |some |one |only |just |raw |pure )*)"
    r"(?!(?:this|that|these|those|it|them|its|bare|empty|no|the|an?|my|which|there|here|now|where"
    r"|inventory|bag|mine|ground|surface|home|far|luck|ease|care|attack"
    r"|one|two|three|four|five|six|seven|eight|nine|ten)\b|\w+ing\b|\w+=)"
    r"([a-z]{3,})\b(?! *(?:hands?|pickaxe|axe|shovel|sword|hoe)\b)",
    re.IGNORECASE,
)
_SOMETHING = re.compile(
    r"\s+(?:an?|the|my|it|them|some|\d+|one|two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE
)
_UNDONE = re.compile(
    r"\b(?P<verb>crafted|smelted|mined|dug|placed|ate|attacked|killed) nothing\b"
    r"(?! (?:but|else|more|except))",
    re.IGNORECASE,
)
_WORKED = re.compile(r"\b(?:works|worked|succeed(?:s|ed)|success(?:ful(?:ly)?)?)\b", re.IGNORECASE)
_TOOL = re.compile(
    r"\b(?:with|using|holding) (?:an? |the |my )?`?(?:minecraft:)?(?P<tool>(?:[a-z]+[ _]){0,2}"
    r"(?:pickaxe|axe|shovel|sword|hoe|shears|bucket)|(?:bare|empty) hands?|no tool)\b"
    r"|\b(?P<bare>by (?:bare )?hand|(?:bare|empty)[- ]handed|without (?:a |any )?tools?)\b",
    re.IGNORECASE,
)
_DAMAGE = re.compile(
    r"\b(?:took|takes|take|received|dealt) (?:(?P<amount>\d{1,6}(?:\.\d+)?) )?(?:\w+ )?damage\b"
    r"|\bwas hurt\b|\bhurts\b",
    re.IGNORECASE,
)
_UNHURT = re.compile(
    r"\b(?:took|takes|take|received|suffered|got|with) no (?:\w+ )?damage\b"
    r"|\bno (?:\w+ )?damage was (?:taken|received|done)\b"
    r"|\b(?:was|were)(?: not|n't) (?:hurt|harmed)\b"
    r"|\blost no health\b|\bno health was lost\b|\bunhurt\b|\bunharmed\b",
    re.IGNORECASE,
)
_BROKE = re.compile(
    r"\b(?:broke (?:an? |the |my )?`?(?P<after>(?:[a-z]+[ _]){1,2}(?:pickaxe|axe|shovel|sword|hoe))"
    r"|(?P<before>(?:[a-z]+[ _]){1,2}(?:pickaxe|axe|shovel|sword|hoe))`? (?:broke|wore out))\b",
    re.IGNORECASE,
)
_ENDED = re.compile(rf"\bended in `?({'|'.join(get_args(OutcomeCode))})\b")
_EVENT = re.compile(r"`([a-z_]+:[\w.:]+)`")
_NUMBER = r"[-\u2212]?\d{1,8}(?:\.\d{1,6})?"
_SPOT = re.compile(rf"\(\s*({_NUMBER})\s*,\s*({_NUMBER})\s*(?:,\s*({_NUMBER})\s*)?\)")
_AXES = re.compile(
    rf"\bx\s*[=:]?\s*({_NUMBER})\s*,?\s*(?:y\s*[=:]?\s*({_NUMBER})\s*,?\s*)?z\s*[=:]?\s*({_NUMBER})"
)
_ELSEWHERE = re.compile(
    r"\b(?:far|away|home|base|way|from|towards?|leads?|between|blocks?|distance|walk)\b", re.IGNORECASE
)
"""Words of a place that is spoken of from another one."""
_HEIGHT = re.compile(rf"\bat y\s*[=:]?\s*({_NUMBER})\b")


def actions(text: str, names: frozenset[str], *, firm: bool, tried: bool) -> list[Statement]:
    """Return the actions that `text` tells of, one of each kind.

    Only 'Digging ..', 'I dug ..' and 'was dug' at the beginning tell of what was done; elsewhere the word may
    speak of another time ('saved for smelting', 'the pickaxe I crafted').
    """
    found: list[Statement] = []
    for words, kinds in _ACTIONS:
        match = re.search(rf"\b(?:{words})\b", text, re.IGNORECASE)
        if match is None:
            continue
        behind = text[match.end() :]
        named = known_name(re.sub(r"^\s*(?:\d+|an?|the|one|some)\s+", " ", behind), names)
        object = named[0] if named is not None and ACTION_OBJECTS.intersection(kinds) else ""
        said = f"{' or '.join(kinds)}{f' of {object}' if object else ''}"
        before = text[: match.start()]
        gerund = match[0].lower().endswith("ing")
        told = bool(_SUBJECT.search(before)) and not (gerund and _IN_GENERAL.match(behind))
        if match[0].lower().endswith("ed") and re.search(r"(?:^|[.;:])\s*$", before):
            # 'Smelted things look nice' tells of no smelting, 'Smelted a thing' does.
            told = _SOMETHING.match(behind) is not None
        told = told or (not gerund and bool(_PASSIVE.match(before)))
        told = told and not (gerund and before.strip()) and not match[0].lower().startswith("str")
        found.append(
            Statement(
                rule="action", said=said, name="/".join((*kinds, object)), firm=firm and told, tried=tried
            )
        )
    return found


def done_to(text: str, names: frozenset[str]) -> list[Statement]:
    """Return the words behind verbs of action that are no known name: what was acted on, as 'sand'."""
    found = [
        Statement(rule="mention", said=match[0], name=match[1].lower())
        for match in _WITH.finditer(text)
        if known_name(text[match.start(1) :], names) is None
    ]
    for words, _ in _ACTIONS:
        for match in re.finditer(rf"\b(?:{words})\b", text, re.IGNORECASE):
            object = _OBJECT.match(text, match.end())
            if object is None or object[1].isupper():
                continue
            if known_name(text[object.start(1) :], names) is None:
                found.append(Statement(rule="mention", said=object[1], name=object[1].lower()))
    return found


def undone(text: str, *, firm: bool) -> list[Statement]:
    """Return the actions of which `text` says that nothing was done: 'ate nothing'."""
    found: list[Statement] = []
    for match in _UNDONE.finditer(text):
        kinds = next(kinds for words, kinds in _ACTIONS if re.fullmatch(words, match["verb"], re.IGNORECASE))
        said = f"no {' or '.join(kinds)} that worked"
        found.append(Statement(rule="undone", said=said, name="/".join((*kinds, "")), firm=firm))
    return found


def worked(text: str, done: Sequence[Statement]) -> list[Statement]:
    """Return that it worked, where `text` says so."""
    firm = any(each.firm for each in done)
    return [Statement(rule="worked", said="it worked", firm=firm)] if _WORKED.search(text) else []


def tools(text: str, *, firm: bool) -> list[Statement]:
    """Return what `text` says was in the hand."""
    found = []
    for match in _TOOL.finditer(text):
        if match["bare"]:
            found.append(Statement(rule="tool", said="bare hand", firm=False))
            continue
        tool = match["tool"].lower().replace(" ", "_")
        bare = tool.startswith(("bare_", "empty_", "no_"))
        if bare or "_" in tool or tool in ("shears", "bucket"):
            said = "bare hand" if bare else f"{tool} in the hand"
            found.append(Statement(rule="tool", said=said, name="" if bare else tool, firm=firm))
    return found


def unhurt(text: str, *, firm: bool) -> list[Statement]:
    """Return that no harm came, where `text` says so."""
    return [Statement(rule="unhurt", said="no damage", firm=firm)] if _UNHURT.search(text) else []


def events(text: str, *, firm: bool) -> list[Statement]:
    """Return the events that `text` tells of, and how actions ended."""
    found = [
        _at(match, Statement(rule="event", said=f"event {match[1]}", name=match[1], firm=firm))
        for match in _EVENT.finditer(text)
    ]
    found += [
        _at(
            match,
            Statement(rule="code", said=f"an action that ended in {match[1]}", name=match[1], firm=firm),
        )
        for match in _ENDED.finditer(text)
    ]
    for match in _DAMAGE.finditer(text):
        amount = float(match["amount"]) if match["amount"] else None
        said = "damage" if amount is None else f"{amount:g} damage"
        told = Statement(rule="event", said=said, name="damage", low=amount, high=amount, firm=firm)
        found.append(_at(match, told))
    for match in _BROKE.finditer(text):
        words = (match["after"] or match["before"]).lower().split(" ")
        tool = "_".join(word for word in words if word not in ("a", "the", "my"))
        if "_" in tool:
            found.append(Statement(rule="event", said=f"{tool} broke", name=f"broke:{tool}", firm=firm))
    return found


def places(text: str, *, firm: bool) -> list[Statement]:
    """Return the places and heights that `text` tells."""
    found: list[Statement] = []
    firm = firm and not _ELSEWHERE.search(text)
    for match in [*_SPOT.finditer(text), *_AXES.finditer(text)]:
        middle, last = match[2], match[3]
        x, z = _number(match[1]), _number(last or middle)
        spot = Statement(
            rule="place",
            said=f"a place near x={x:g} z={z:g}",
            x=x,
            y=_number(middle) if middle and last else None,
            z=z,
            firm=firm,
        )
        found.append(_at(match, spot))
    for match in _HEIGHT.finditer(text):
        y = _number(match[1])
        found.append(_at(match, Statement(rule="height", said=f"a height near y={y:g}", y=y, firm=firm)))
    return found


def _at(match: re.Match[str], told: Statement) -> Statement:
    return replace(told, start=match.start(), end=match.end())


def _number(text: str) -> float:
    return float(text.replace("\u2212", "-"))

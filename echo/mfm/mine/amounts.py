"""Items and their amounts in a text: what was gained or lost, and whatever else is named or counted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from echo.mfm.mine.statement import Rule, Statement

_GAIN = (
    r"gave|gives?(?!=)|gained?|gains|yield(?:s|ed)?|produced?|produces|makes?|made"
    r"|crafted|obtained|received|got"
)
_LOSS = r"costs?|consumed?|consumes|loses?|lost|spent|spends|burned|burns|burnt"
_LOOSE = r"drops?|dropped|took|takes|became|becomes|turn(?:s|ed) into"
"""Verbs that say other things as well: what they say may be borne out, it is never contradicted."""
_CHANGE = re.compile(
    rf"\b(?:(?P<gain>{_GAIN})|(?P<loss>{_LOSS})|(?P<loose>{_LOOSE}))\b"
    r"(?:\s+(?:me|you|us)\b)?",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[^.;:()]*")
_SIGNED = re.compile(r"(?<![\w.])(?P<sign>[+\u2212-])(?P<amount>\d{1,9}) +(?P<rest>[^,.;:()]*)")
_NOT_AN_AMOUNT = re.compile(r"\s*(?:(?:\w+ )?damage|nothing)\b", re.IGNORECASE)
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNTS = "|".join(_WORDS[1:])
_AMOUNT = re.compile(
    r"\s*(?:(?P<least>at least)\s+|(?P<more>more than|over|above)\s+|(?P<most>at most|up to)\s+"
    r"|(?P<less>less than|fewer than|under|below)\s+|(?P<about>about|around|roughly|some)\s+)?"
    r"(?:(?P<low>\d{1,9})(?:\s*(?:to|-|\u2013)\s*(?P<high>\d{1,9}))?(?:x|\u00d7)?\s+"
    rf"|(?P<word>{_COUNTS})\s+|(?:an?|the|its?|my|some|more|always|only|just|exactly|back)\s+)*",
    re.IGNORECASE,
)
_NEXT = re.compile(r"`?\s*(?:,\s*and\b|,|\+|&|\band\b)\s*", re.IGNORECASE)
_BEHIND = re.compile(
    r"[`\"'*_]*(?:$|[^\w\s]|\s+(?:[^\w\s]|\d|$"
    r"|(?:and|or|with|from|for|by|at|in|on|per|each|every|when|while|where|out|using|after|as|because|if"
    r"|there|here|to|too|also|again|instantly|then|that|which|a|an|the|once|was|were|is|are|came|but"
    r"|this|near|back|of|every|apiece|together|whether|until|before|thanks|holding|i|we)\b))",
    re.IGNORECASE,
)
"""What may follow an item; another word makes it part of something else ('iron ore', 'diamond tools')."""
_WORD = re.compile(r"[a-z0-9_]+(?::[a-z0-9_]+)?", re.IGNORECASE)
_COUNT = re.compile(
    rf"(?<![\w.,=/-])(?:(?P<digits>\d{{1,9}})(?![\w.]\w)|(?P<word>{_COUNTS})\b)", re.IGNORECASE
)
_OF_THEM = re.compile(r"\s+(?:from|of|per|out)\b", re.IGNORECASE)
_NO_AMOUNT = re.compile(
    r"\(\d[\d,]* of \d[\d,]*\)|\(\d[\d,]*\)|\band \d[\d,]* more\b|\b\d+ ?[x\u00d7] ?\d+\b"
    r"|\b\d[\d,]* of \d[\d,]* times\b|\by \d+ to \d+\b"
    r"|\b\d[\d,]* (?:times|episodes?|actions?|kinds?|things|attempts|around)\b"
    r"|\b[\w/]+\.(?:py|md)\b|(?<!\w)[A-I.]{1,3}(?:/[A-I.]{1,3})*(?!\w)",
)
"""How often something was tried, further citations, the heights of finds, files, the pattern of a grid."""


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
        for form in (name, name.removesuffix("s"), name.removesuffix("es"), f"{name}s"):
            if form in names or (count == 1 and "_" in name.strip("_") and form == name):
                return form, words[count - 1].end()
    return None


def amounts(text: str, names: frozenset[str], *, firm: bool) -> list[Statement]:
    """Return the gains and losses that `text` tells; and verbs of gain or loss whose object is not known."""
    found: list[Statement] = []
    verbs = list(_CHANGE.finditer(text))
    for match in verbs:
        # What the next verb says is no object of this one.
        following = min((each.start() for each in verbs if each.start() > match.start()), default=len(text))
        clause = _CLAUSE.match(text, match.end(), following)
        rest = "" if clause is None else clause[0]
        rule: Rule = "loss" if match["loss"] or (match["loose"] or "").startswith("t") else "gain"
        if (match["loose"] or "").startswith("turn"):
            rule = "gain"
        listed = _listed(rule, rest, names, match.end(), firm and not match["loose"])
        if not listed and not _NOT_AN_AMOUNT.match(rest) and match[0].lower() != "crafted":
            listed = [_unread(f"'{(match[0] + rest).strip()[:40]}'", match.start(), match.end())]
        found += listed
    for match in _SIGNED.finditer(text):
        named = known_name(match["rest"], names)
        if named is not None:
            rule = "gain" if match["sign"] == "+" else "loss"
            amount = float(match["amount"])
            end = match.start("rest") + named[1]
            found.append(_amount(rule, named[0], amount, amount, firm, match.start(), end))
    return found


def tells_twice(text: str) -> bool:
    """Return whether `text` has several verbs of gain or loss, which may speak of different things."""
    return len(_CHANGE.findall(text)) > 1


def mentions(text: str, names: frozenset[str], found: Sequence[Statement]) -> list[Statement]:
    """Return the items and the counts that `text` names apart from what was `found` in it."""
    passed = [*_NO_AMOUNT.finditer(text)]
    told: list[Statement] = []
    end = 0
    for match in re.finditer(r"[A-Za-z0-9_]+", text):
        place = match.start()
        if place < end or any(each.covers(place) for each in found):
            continue
        if any(each.start() <= place < each.end() for each in passed):
            continue
        count = _COUNT.match(text, place)
        if count is not None and count.end() >= match.end():
            amount = _number_of(count)
            named = known_name(text[count.end() :], names)
            if named is None and match[0].lower() == "one" and not _OF_THEM.match(text, count.end()):
                continue
            named = named or _word_behind(text[count.end() :])
            name, length = named or ("", 0)
            end = count.end() + length
            said = f"{count[0]}{text[count.end() : end].rstrip()}"
            rule: Rule = "mention" if name else "unread"
            told.append(Statement(rule=rule, said=said, name=name, low=amount, high=amount))
            continue
        known = known_name(text[place:], names)
        if known is not None:
            end = place + known[1]
            told.append(Statement(rule="mention", said=known[0], name=known[0]))
    return told


def _word_behind(text: str) -> tuple[str, int] | None:
    word = re.match(r"\s+([a-z]{3,})", text, re.IGNORECASE)
    return None if word is None else (word[1].lower().removesuffix("s"), word.end())


def _number_of(match: re.Match[str]) -> float:
    return float(match["digits"]) if match["digits"] else float(_WORDS.index(match["word"].lower()))


def _unread(said: str, start: int, end: int) -> Statement:
    return Statement(rule="unread", said=said, start=start, end=end)


def _listed(rule: Rule, rest: str, names: frozenset[str], start: int, firm: bool) -> list[Statement]:
    """Return the amounts in a list such as ' 2 sticks, 1 oak_log and coal', which begins at `start`."""
    found: list[Statement] = []
    while (match := _AMOUNT.match(rest)) is not None:
        named = known_name(rest[match.end() :], names)
        if named is None or not _BEHIND.match(rest, match.end() + named[1]):
            break
        low, high = _range(match)
        end = match.end() + named[1]
        found.append(_amount(rule, named[0], low, high, firm, start, start + end))
        following = _NEXT.match(rest, end)
        if following is None:
            break
        start += following.end()
        rest = rest[following.end() :]
        # Behind 'and' or a comma another sentence may begin: only what is counted, or ends there, is listed.
        firm = firm and bool(re.match(rf"\s*(?:\d|(?:{_COUNTS})\b)", rest, re.IGNORECASE))
    return found


def _range(match: re.Match[str]) -> tuple[float | None, float | None]:
    """Return least and greatest amount; no greatest where there is no upper end."""
    low = float(match["low"]) if match["low"] else None
    low = float(_WORDS.index(match["word"].lower())) if match["word"] else low
    if low is None:
        return None, None
    high = float(match["high"]) if match["high"] else low
    if match["about"]:
        return low / 2, high * 2
    if match["least"] or match["more"]:
        return (low if match["least"] else low + 1), None
    if match["most"] or match["less"]:
        return 1.0, high if match["most"] else high - 1
    return low, high


def _amount(
    rule: Rule, item: str, low: float | None, high: float | None, firm: bool, start: int, end: int
) -> Statement:
    if low is None:
        amount = "some"
    elif high is None:
        amount = f"at least {low:g}"
    else:
        amount = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    said = f"{rule} of {amount} {item}"
    return Statement(rule=rule, said=said, name=item, low=low, high=high, firm=firm, start=start, end=end)

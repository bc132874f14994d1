"""Reading what a free text claims: which things it names, and which amounts it says became which others.

A small grammar, not a language model: an amount is a number (figure, word, or 'a' before what was made) and
the name after it; the verb or preposition before it says whether it was won, used or made. What it cannot
read it leaves out, so that a problem found with it is one that the text really states.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

NUMBERS: dict[str, int] = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip

WON = "collect collects collected collecting gather gathers gathered gathering mine mines mined mining"
USED = (
    "from using with combine combines combined combining convert converts arranges arranged consuming "
    "consumes"
)
MADE = (
    "into craft crafts crafted crafting assemble assembles assembled make makes made making smelt smelts "
    "smelted produce produces produced producing resulting yields yielding gives"
)

Part = Literal["won", "used", "made"]

MARKS: dict[str, Part] = {
    **dict.fromkeys(WON.split(), "won"),
    **dict.fromkeys(USED.split(), "used"),
    **dict.fromkeys(MADE.split(), "made"),
}  # fmt: skip
"""Word -> the part played by the amounts after it, up to the next such word."""

ENDINGS = (
    "a an the of in on at to and or by for each per its it those these them which that across beneath below "
    "above under through vertically where more times are is was were"
)

FILL = frozenset(ENDINGS.split())
"""Words that end a name."""

_CLAUSE = re.compile(r"(?<=[.;!?])\s+|\bthen\b|\bNext,|—")
_ASIDE = re.compile(r"\([^)]*\)")
_WORD = re.compile(r"[A-Za-z0-9_]+|[,.:]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Amount:
    """So many of one thing."""

    name: str
    """In the form of `plain_name`."""
    count: int
    part: Part


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """What one clause says was won, used and made."""

    amounts: tuple[Amount, ...]
    text: str
    """The clause."""

    def of(self, part: Part) -> dict[str, int]:
        """Return name -> how many of those that played `part`.

        A later count of the same name replaces an earlier one: 'crafted 1 plank, resulting in 4 planks'.
        """
        return {amount.name: amount.count for amount in self.amounts if amount.part == part}


def plain_name(name: str) -> str:
    """Return a name in lower case, words joined by '_', the last one in the singular.

    >>> plain_name("Oak planks"), plain_name("grass")
    ('oak_plank', 'grass')
    """
    joined = "_".join(name.lower().replace("_", " ").split())
    plural = joined.endswith("s") and not joined.endswith("ss") and len(joined) > 3
    return joined[:-1] if plural else joined


def read_claims(text: str, known: Iterable[str] = ()) -> tuple[Claim, ...]:
    """Read the amounts that a text claims, clause by clause.

    Args:
        text: free text; what stands in brackets (coordinates) is passed over.
        known: plain names; a phrase that ends in the last word of exactly one of them is taken for it
            ('two slender sticks' for 'stick', 'those planks' for 'oak_plank').

    Returns:
        One claim for each clause that holds an amount, in order.

    >>> [claim.of("made") for claim in read_claims("Crafted 8 sticks from 2 oak planks.")]
    [{'stick': 8}]
    """
    names = tuple(dict.fromkeys(known))
    claims = []
    for clause in _CLAUSE.split(_ASIDE.sub(" ", text)):
        amounts = tuple(_amounts(_WORD.findall(clause), names))
        if amounts:
            claims.append(Claim(amounts=amounts, text=clause.strip()))
    return tuple(claims)


def _amounts(words: list[str], known: tuple[str, ...]) -> list[Amount]:
    part: Part | None = None
    found = []
    for index, word in enumerate(words):
        part = MARKS.get(word.lower(), part)
        count = _count(word, part)
        if part is not None and count is not None:
            name = _name(words[index + 1 :], known)
            if name is not None:
                found.append(Amount(name=name, count=count, part=part))
    return found


def _count(word: str, part: Part | None) -> int | None:
    if word.isdecimal():
        return int(word)
    if word.lower() in ("a", "an") and part == "made":
        return 1
    return NUMBERS.get(word.lower())


def _name(words: list[str], known: tuple[str, ...]) -> str | None:
    if [word.lower() for word in words[:1]] == ["of"]:
        words = words[2:]
    phrase: list[str] = []
    for word in words[:3]:
        if word.lower() in FILL or word.lower() in MARKS or not word[0].isalpha():
            break
        phrase.append(word)
        if known_name(" ".join(phrase), known) is not None:
            break
    if not phrase:
        return None
    return known_name(" ".join(phrase), known) or plain_name(" ".join(phrase))


def known_name(phrase: str, known: Iterable[str]) -> str | None:
    """Return the one of `known` that a phrase means, or None.

    An equal name comes first, then the only one that ends in the phrase, then the only one in which the
    phrase ends.
    """
    name = plain_name(phrase)
    names = tuple(known)
    if name in names:
        return name
    for fits in (
        [other for other in names if other.endswith(f"_{name}")],
        [other for other in names if name.endswith(f"_{other}")],
    ):
        if len(fits) == 1:
            return fits[0]
    return None


def names_in(text: str) -> tuple[str, ...]:
    """Return the names that a text spells as identifiers ('oak_log'), in plain form and in order."""
    found = (word for word in _WORD.findall(text) if "_" in word.strip("_") and not word[0].isdigit())
    return tuple(dict.fromkeys(plain_name(word) for word in found))


def mentions(text: str, name: str) -> bool:
    """Return whether a text speaks of `name`, spelt with spaces or '_', in the singular or the plural."""
    pattern = r"[ _]".join(re.escape(word) for word in plain_name(name).split("_"))
    return re.search(rf"(?<![A-Za-z0-9]){pattern}s?(?![A-Za-z0-9])", text, re.IGNORECASE) is not None

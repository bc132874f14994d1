"""What a rule found: one line of knowledge, the episodes that show it, and how both are worded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from echo.mfm.consolidation.attempts import HAND, Attempt

MOST_CITED = 3
"""Episodes named behind one statement; how many more there are is said."""

_NAME_LIMIT = 80
_REPLACED = str.maketrans({"[": "(", "]": ")", "<": "(", ">": ")", "`": "'", ";": ","})
_COLON = re.compile(r":(?= |$)")
"""What would end a subject."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One line of knowledge."""

    rule: str
    """Name of the rule that found it, such as 'digging'."""
    subject: str
    """What it is about; no two findings of one section have the same. Holds no ': '."""
    text: str
    """What was found, with citations."""
    episodes: tuple[str, ...]
    """All that it rests on, in order of time, also those that the text does not name."""
    weight: float = 0.0
    """How much a reader learns from it; the heaviest come first, then by subject."""

    @property
    def line(self) -> str:
        """The line as it is written; a colon only where there is more to say than citations."""
        return f"- {self.subject}{' ' if self.text.startswith('[') else ': '}{self.text}"


def ranked(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings, the most informative first, then by subject."""
    return sorted(findings, key=lambda finding: (-finding.weight, finding.subject))


def named(name: object) -> str:
    r"""Return a name from an episode as it may stand in a line of Markdown: printable, short, no markers.

    >>> named("minecraft:stone"), named("a\n[ep_000001] <b>")
    ('minecraft:stone', 'a (ep_000001) (b)')
    """
    folded = _COLON.sub(".", " ".join(str(name).translate(_REPLACED).split()))
    shown = folded
    if not folded.isprintable():
        shown = "".join(letter if letter.isprintable() else "?" for letter in folded)
    return shown if len(shown) <= _NAME_LIMIT else f"{shown[: _NAME_LIMIT - 3]}..."


def thing(name: object) -> str:
    r"""Return the name of an item, a block or a creature; one of several words is kept together by quotes.

    >>> thing("red_door"), thing("red door")
    ('red_door', '\u201cred door\u201d')
    """
    shown = named(name)
    return f"\u201c{shown}\u201d" if " " in shown else shown


def held_text(held: str | None) -> str:
    """Return how a held item is told.

    >>> held_text(""), held_text("stone_axe"), held_text(None)
    ('an empty hand', 'stone_axe', 'whatever was held')
    """
    return "whatever was held" if held is None else "an empty hand" if held == HAND else thing(held)


def episodes_of(attempts: Iterable[Attempt]) -> tuple[str, ...]:
    """Return the episodes of attempts, each once, in the order they come."""
    return tuple(dict.fromkeys(attempt.episode for attempt in attempts))


def cited(episodes: Sequence[str], most: int = MOST_CITED) -> str:
    """Return citations of the first `most` episodes and how many more there are.

    >>> cited(["ep_000001", "ep_000002", "ep_000003"], most=2)
    '[ep_000001, ep_000002] and 1 more'
    """
    shown = f"[{', '.join(episodes[:most])}]"
    left = len(episodes) - most
    return f"{shown} and {left} more" if left > 0 else shown


def counted(number: int, one: str, several: str | None = None) -> str:
    """Return a number with what is counted.

    >>> counted(1, "episode"), counted(2_000, "episode"), counted(2, "kind of item", "kinds of item")
    ('1 episode', '2,000 episodes', '2 kinds of item')
    """
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def often(times: int) -> str:
    """Return how often in words.

    >>> often(1), often(3)
    ('once', '3 times')
    """
    return "once" if times == 1 else f"{times:,} times"


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Return names by comma, the first `most` of them.

    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    if most is None or len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def gains_text(attempts: Sequence[Attempt]) -> str:
    """Return what attempts brought: items with their amounts, the most frequent result first.

    >>> def got(**delta: int) -> Attempt:
    ...     return Attempt(episode="ep_000001", place=0, kind="mine", action={}, code="ok", delta=delta)
    >>> gains_text([got(stone=1), got(stone=1)]), gains_text([got(redstone=4), got(redstone=5)])
    ('stone', '4 to 5 redstone')
    >>> gains_text([got(gravel=1), got(gravel=1), got(flint=1)])
    'gravel (2) or flint (1)'
    """
    kinds = Counter(tuple(attempt.gains) for attempt in attempts)
    order = sorted(kinds, key=lambda items: (-kinds[items], items))
    told = []
    for items in order:
        of_kind = [attempt.gains for attempt in attempts if tuple(attempt.gains) == items]
        words = " + ".join(_amount(item, [gains[item] for gains in of_kind]) for item in items) or "nothing"
        told.append(words if len(order) == 1 else f"{words} ({len(of_kind)})")
    return " or ".join(told) if told else "nothing"


def grid_pattern(grid: Sequence[Sequence[str | None]]) -> tuple[str, tuple[str, ...]]:
    """Return the shape of a crafting grid, letters for items in order of appearance, and these items.

    Empty rows and columns at the edges are left out.

    >>> grid_pattern([["stone", "stone"], [None, "stick"], [None, None]])
    ('AA/.B', ('stone', 'stick'))
    """
    rows = [list(row) for row in grid]
    while rows and not any(rows[-1]):
        rows.pop()
    while rows and not any(rows[0]):
        rows.pop(0)
    used = [place for row in rows for place, item in enumerate(row) if item]
    first, last = min(used, default=0), max(used, default=-1)
    names = tuple(dict.fromkeys(item for row in rows for item in row if item))
    letters = {item: chr(ord("A") + place) for place, item in enumerate(names)}
    padded = [row + [None] * (last + 1 - len(row)) for row in rows]
    shape = "/".join(
        "".join(letters[item] if item else "." for item in row[first : last + 1]) for row in padded
    )
    return shape, names


def materials_text(items: Sequence[str]) -> str:
    """Return the items of a grid as its letters name them.

    >>> materials_text(["oak_planks"]), materials_text(["oak_planks", "stick"])
    ('oak_planks', 'A=oak_planks B=stick')
    """
    if len(items) == 1:
        return thing(items[0])
    return " ".join(f"{chr(ord('A') + place)}={thing(item)}" for place, item in enumerate(items))


def _amount(item: str, counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    shown = f"{low} to {high} " if low != high else "" if low == 1 else f"{low} "
    return f"{shown}{thing(item)}"

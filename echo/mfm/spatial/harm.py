"""Damage and death, as events tell of them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Literal

_TOLD = re.compile(
    r"\s*(?:(?P<damage>damage|hurt)|(?P<death>death|died|dead|killed\s+by|slain\s+by))\b[\s:=,]*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_BETWEEN = re.compile(r"[\s:=,]+")
_FILLERS = ("by", "from", "of", "to", "in", "hp", "health", "hearts", "taken")
_KIND_KEYS = ("kind", "type", "event", "name")
_AMOUNT_KEYS = ("amount", "value", "damage")
_CAUSE_KEYS = ("cause", "source", "by")

HARM_TAGS: dict[str, Literal["damage", "death"]] = {"damage": "damage", "death": "death", "died": "death"}
"""Tags of an episode that say harm was done in it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Harm:
    """What an event says was done to the body."""

    kind: Literal["damage", "death"]
    amount: float | None
    cause: str | None


def harm_in(event: Any) -> Harm | None:
    """Return the harm that an event tells of, or None where it tells of none.

    Understood are texts that begin with damage, hurt, died, death, dead, 'killed by' or 'slain by', then in
    any order an amount and a cause, and objects with a kind, an amount and a cause. 'damage dealt' is harm
    to another.

    >>> harm_in("damage:1.5")
    Harm(kind='damage', amount=1.5, cause=None)
    >>> harm_in("died: fell into lava").cause
    'fell into lava'
    >>> harm_in("killed zombie") is None
    True
    """
    if isinstance(event, dict):
        return _from_object(event)
    found = _TOLD.fullmatch(event) if isinstance(event, str) else None
    if found is None:
        return None
    words = [word for word in _BETWEEN.split(found["rest"]) if word]
    if words[:1] and words[0].lower() == "dealt":
        return None
    place = next((place for place, word in enumerate(words) if _amount(word) is not None), None)
    amount = None if place is None else _amount(words[place])
    rest = [word for at, word in enumerate(words) if at != place]
    while rest and rest[0].lower() in _FILLERS:
        del rest[0]
    return Harm(
        kind="damage" if found["damage"] else "death",
        amount=amount,
        cause=" ".join(rest) or None,
    )


def _from_object(event: dict[Any, Any]) -> Harm | None:
    told = next((event[key] for key in _KIND_KEYS if isinstance(event.get(key), str)), None)
    bare = None if told is None else harm_in(told)
    if bare is None:
        return None
    amount = next((event[key] for key in _AMOUNT_KEYS if key in event), None)
    cause = next((event[key] for key in _CAUSE_KEYS if isinstance(event.get(key), str)), None)
    held = isinstance(amount, int | float) and not isinstance(amount, bool)
    return Harm(
        kind=bare.kind,
        amount=_amount(str(amount)) if held else bare.amount,
        cause=cause or bare.cause,
    )


def _amount(word: str) -> float | None:
    """Return how much a word says, without its sign."""
    try:
        value = abs(float(word))
    except ValueError:
        return None
    return value if math.isfinite(value) else None

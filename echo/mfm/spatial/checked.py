"""Numbers, cells and names out of files, taken only where they are what they should be."""

from __future__ import annotations

import math
from typing import Any

from echo.mfm.spatial.facts import MOST, Cell


class Odd(ValueError):
    """A value in a file is not what it should be; the text says what was expected and what is there."""

    def __init__(self, expected: str, got: Any) -> None:
        shown = ascii(got)
        super().__init__(f"expected {expected}, got {shown if len(shown) <= 60 else f'{shown[:57]}...'}")


def number(value: Any, what: str) -> float:
    """Return a finite number of a size that a place can have.

    Raises:
        Odd: if it is anything else, also true, NaN, or text.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Odd(f"a number for {what}", value)
    if isinstance(value, float) and not math.isfinite(value):
        raise Odd(f"a finite number for {what}", value)
    if abs(value) > MOST:
        raise Odd(f"a number within 2^53 for {what}", value)
    return float(value)


def number_or_none(value: Any, what: str) -> float | None:
    """Return a number as `number` does, None for null."""
    return None if value is None else number(value, what)


def whole(value: Any, what: str) -> int:
    """Return a whole number within 2^53.

    Raises:
        Odd: if it is anything else.
    """
    found = number(value, what)
    if found != math.floor(found):
        raise Odd(f"a whole number for {what}", value)
    return int(found)


def whole_or_none(value: Any, what: str) -> int | None:
    """Return a whole number as `whole` does, None for null."""
    return None if value is None else whole(value, what)


def cell(value: Any, what: str) -> Cell:
    """Return block coordinates from a list of three whole numbers.

    Raises:
        Odd: if it is anything else.
    """
    if not isinstance(value, list) or len(value) != 3:
        raise Odd(f"three whole numbers for {what}", value)
    return (whole(value[0], what), whole(value[1], what), whole(value[2], what))


def name(value: Any, what: str) -> str:
    """Return a text that is not blank.

    Raises:
        Odd: if it is anything else.
    """
    if not isinstance(value, str) or not value.strip():
        raise Odd(f"a name for {what}", value)
    return value


def mapping(value: Any, what: str) -> dict[str, Any]:
    """Return a JSON object.

    Raises:
        Odd: if it is anything else.
    """
    if not isinstance(value, dict):
        raise Odd(f"an object for {what}", value)
    return value


def items(value: Any, what: str) -> list[Any]:
    """Return a JSON list.

    Raises:
        Odd: if it is anything else.
    """
    if not isinstance(value, list):
        raise Odd(f"a list for {what}", value)
    return value


def mark_or_none(value: Any) -> str | None:
    r"""Return a text in ASCII, other letters as escapes, or None for anything else.

    >>> mark_or_none("ab\ud83c"), mark_or_none(3)
    ('ab\\ud83c', None)
    """
    return value.encode("ascii", "backslashreplace").decode() if isinstance(value, str) else None

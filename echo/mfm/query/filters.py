"""Whether an index row meets the conditions on what it holds itself.

Rows of other tools are taken as they are: what is missing, null or of another type meets no condition.
"""

from __future__ import annotations

from math import hypot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeGuard

    from echo.mfm.layout import Row
    from echo.mfm.query.question import Question


def passes(row: Row, question: Question) -> bool:
    """Return whether `row` meets the conditions steps, near, tag and action of `question`."""
    if question.steps is not None and not overlaps(row, *question.steps):
        return False
    if question.near is not None and not lies_near(row, *question.near, question.radius):
        return False
    if question.tag is not None and question.tag not in tags(row):
        return False
    return question.action is None or row.get("action_kind") == question.action


def overlaps(row: Row, one: int, other: int) -> bool:
    """Return whether the steps of `row` reach into the stretch between two steps, both included.

    >>> overlaps({"first_step": 3, "last_step": 7}, 9, 7)
    True
    >>> overlaps({"first_step": 3, "last_step": None}, 0, 9)
    False
    """
    first, last = row.get("first_step"), row.get("last_step")
    return is_number(first) and is_number(last) and first <= max(one, other) and last >= min(one, other)


def lies_near(row: Row, x: float, z: float, radius: float) -> bool:
    """Return whether `row` lies at most `radius` from (x, z).

    >>> lies_near({"x": 3.0, "z": 4.0}, 0, 0, 5.0), lies_near({"x": None, "z": 4.0}, 0, 4, 5.0)
    (True, False)
    """
    try:
        return (
            is_number(row.get("x"))
            and is_number(row.get("z"))
            and hypot(row["x"] - x, row["z"] - z) <= radius
        )
    except OverflowError:
        # A whole number beyond any float lies near no place.
        return False


def tags(row: Row) -> list[str]:
    """Return the tags of `row`, of which other tools may have written anything."""
    held = row.get("tags")
    return [tag for tag in held if isinstance(tag, str)] if isinstance(held, list) else []


def is_number(value: Any) -> TypeGuard[int | float]:
    """Return whether a JSON value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)

"""What an action was done to, in a few words."""

from __future__ import annotations

from csd.episode import (
    Action,
    Attack,
    Collect,
    Craft,
    Drop,
    Eat,
    Equip,
    GoTo,
    LookAt,
    Mine,
    Place,
    Smelt,
    WaitUntil,
)

LONGEST = 60
"""Characters of it; a grid may hold nine long names."""


def object_of(action: Action) -> str:
    """Return what an action was done to, at most `LONGEST` characters; 'nothing' where it names none.

    A grid is told by its items, each once, in the order in which they were laid.

    >>> from csd.episode import Craft, Equip
    >>> object_of(Craft(grid=(("oak_planks", "oak_planks"), ("stick", None)))), object_of(Equip(item=None))
    ('oak_planks+stick', 'nothing')
    """
    words = _words(action) or "nothing"
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 3]}..."


def _words(action: Action) -> str | None:
    match action:
        case GoTo() | LookAt() | Mine():
            return f"({','.join(map(str, action.target))})"
        case Craft():
            return "+".join(dict.fromkeys(item for row in action.grid for item in row if item is not None))
        case Smelt():
            return f"{action.input} with {action.fuel}"
        case Drop():
            return f"{action.amount} {action.item}"
        case WaitUntil():
            return action.condition
        case Collect():
            return action.block
        case Attack():
            return action.mob
        case Place() | Equip() | Eat():
            return action.item

"""The one wording of actions and inventory changes in descriptors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from csd.episode import (
    Action,
    Attack,
    Collect,
    Craft,
    Drop,
    Eat,
    Equip,
    GoTo,
    Grid,
    LookAt,
    Mine,
    Outcome,
    Place,
    Smelt,
    Step,
    WaitUntil,
)
from csd.pattern import canonical_grid, cell_counts

HAND = "hand"
"""What is held where nothing is."""

NONE = "none"
"""The station of what was made without one."""


def action_words(step: Step) -> str:
    """Return what was done in `step`, in words that name items and blocks and no coordinates where possible.

    A dug block is named when the outcome names it. Equal words mean an equal attempt, but for walking.

    Raises:
        ValueError: if the action is a craft whose grid has rows of different lengths.
    """
    action = step.action
    match action:
        case Craft():
            return f"craft {grid_words(action.grid)}"
        case Smelt():
            return f"smelt {action.input} with {action.fuel}"
        case Collect():
            return f"collect {action.block}"
        case Mine():
            return f"mine {step.outcome.block or action.target}"
        case Place():
            return f"place {action.item}"
        case Attack():
            return f"attack {action.mob}"
        case _:
            return _other_words(action)


def _other_words(action: Action) -> str:
    match action:
        case Equip():
            return f"hold {action.item or 'nothing'}"
        case Eat():
            return f"eat {action.item}"
        case Drop():
            return f"drop {amount_words(action.item, action.amount)}"
        case WaitUntil():
            return f"wait for {action.condition}"
        case GoTo() | LookAt():
            return f"{action.kind.replace('_', ' ')} {action.target}"
        case _:
            raise TypeError(
                f"expected an action of csd.episode; got {type(action).__name__}. Use one of these."
            )


def step_words(words: str, code: str, times: int = 1) -> str:
    """Return a step in words, such as 'collect oak_log, 3 times' or 'craft A of dirt x1: no_result'."""
    repeated = f"{words}, {times} times" if times > 1 else words
    return repeated if code == "ok" else f"{repeated}: {code}"


def single_step_words(text: str, times: int) -> str:
    """Return the words of one step out of those of `times` equal ones; `text` itself where it tells of fewer.

    >>> single_step_words("craft A of dirt x1, 3 times: no_result", 3)
    'craft A of dirt x1: no_result'
    """
    head, mark, tail = text.rpartition(f", {times} times")
    return head + tail if mark and times > 1 else text


def grid_words(grid: Grid) -> str:
    """Return a grid in words, such as 'AAA/.B./.B. of oak_planks x3, stick x2'; 'an empty grid' if it is."""
    if all(cell is None for row in grid for cell in row):
        return "an empty grid"
    rows, fillers = canonical_grid(grid)
    amounts = (amount_words(fillers[letter], count) for letter, count in cell_counts(rows).items())
    return f"{rows} of {', '.join(amounts)}"


def amount_words(item: str, amount: int) -> str:
    """Return an amount as 'oak_planks x3'."""
    return f"{item} x{amount}"


def read_amount(text: str) -> tuple[str, int] | None:
    """Read 'oak_planks x3' back as (item, amount), or None where `text` is no amount."""
    item, mark, digits = text.rpartition(" x")
    return (item, int(digits)) if mark and item and digits.isdecimal() else None


def change_words(item: str, change: int) -> str:
    """Return an inventory change as 'oak_planks -3' or 'stick +4'."""
    return f"{item} {change:+d}"


def read_changes(text: str) -> dict[str, int] | None:
    """Read 'oak_planks -3, stick +4' back, or None where `text` is no list of changes."""
    changes: dict[str, int] = {}
    for piece in text.split(", "):
        item, _, digits = piece.rpartition(" ")
        if not item or digits[:1] not in ("+", "-") or not digits[1:].isdecimal():
            return None
        changes[item] = int(digits)
    return changes


def changes_words(changes: Mapping[str, int]) -> str:
    """Return inventory changes as 'oak_planks -3, stick +4', in their order."""
    return ", ".join(change_words(item, change) for item, change in changes.items())


def feedback_words(outcome: Outcome) -> str:
    """Return inventory changes, then events, such as 'apple -1; healed:2'; 'nothing' if there was none."""
    return "; ".join((*_some(changes_words(outcome.inventory_delta)), *outcome.events)) or "nothing"


def _some(text: str) -> Iterable[str]:
    return (text,) if text else ()

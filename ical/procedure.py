"""The procedure of an exemplar, read back from its descriptor as actions that can be done again."""

from __future__ import annotations

from dataclasses import dataclass

from csd.descriptor import Csd
from csd.episode import Action, Attack, Collect, Craft, Eat, Equip, Place, Smelt
from csd.pattern import lay, letters
from csd.wording import read_amount, single_step_words


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceStep:
    """One step that worked, as the descriptor tells it."""

    number: int
    """Its place in the source's procedure, from 1."""
    words: str
    """Action in words, such as 'craft A/B of coal x1, stick x1'."""
    action: Action
    times: int
    """How often it was done in a row."""


def procedure_of(csd: Csd) -> tuple[SourceStep, ...]:
    """Return the steps of `csd` that worked and can be done again, in their order.

    Steps that failed, and walking, waiting and looking (which lead to places of another world), are left
    out: a planner finds its own way.
    """
    steps = []
    for statement in csd.proc:
        if statement.predicate == "step" and statement.subject.isdecimal():
            words, times = _without_count(str(statement.value))
            action = read_action(words)
            if action is not None:
                steps.append(
                    SourceStep(number=int(statement.subject), words=words, action=action, times=times)
                )
    return tuple(steps)


def read_action(words: str) -> Action | None:
    """Read an action back from the words of `csd.wording.action_words`, or None where they name no such.

    Mining names a kind of block and no cell, so it comes back as collecting that kind. A step that failed
    ends in its outcome code and is not read.

    >>> read_action("smelt raw_iron with coal")
    Smelt(input='raw_iron', fuel='coal', kind='smelt')
    """
    verb, _, rest = words.partition(" ")
    if not rest or ": " in words:
        return None
    match verb:
        case "craft":
            return _read_craft(rest)
        case "smelt":
            charge, mark, fuel = rest.partition(" with ")
            return Smelt(input=charge, fuel=fuel) if mark and fuel else None
        case "collect":
            return Collect(block=rest)
        case "mine":
            return None if rest.startswith("(") else Collect(block=rest)
        case "place":
            return Place(item=rest)
        case "attack":
            return Attack(mob=rest)
        case "eat":
            return Eat(item=rest)
        case "hold":
            return Equip(item=None if rest == "nothing" else rest)
        case _:
            return None


def _read_craft(rest: str) -> Craft | None:
    rows, mark, listed = rest.partition(" of ")
    amounts = [read_amount(piece) for piece in listed.split(", ")] if mark else []
    items = [amount[0] for amount in amounts if amount is not None]
    if not items or len(items) != len(amounts) or len(items) != len(letters(rows)):
        return None
    return Craft(grid=lay(rows, dict(zip(letters(rows), items, strict=True))))


def _without_count(words: str) -> tuple[str, int]:
    _, mark, tail = words.rpartition(", ")
    number = tail.split(" times", 1)[0]
    if mark and tail.startswith(f"{number} times") and number.isdecimal():
        return single_step_words(words, int(number)), int(number)
    return words, 1

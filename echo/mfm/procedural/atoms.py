"""What a procedure can say: the actions and closed loops in its namespace, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Atom:
    """One function that a procedure may use without importing it."""

    name: str
    call: str
    """How it is written, with its parameters."""
    about: str
    form: Literal["action", "loop"]
    """'action': `yield collect("oak_log")`. 'loop': `yield from collect_until("oak_log", "oak_log", 4)`."""


def atoms() -> tuple[Atom, ...]:
    """Return all atoms, actions first; a standing brief lists them so.

    >>> len(atoms()), str(atoms()[2].call)
    (28, 'collect(block)')
    """
    return _ATOMS


def _action(call: str, about: str) -> Atom:
    return Atom(name=call.partition("(")[0], call=call, about=about, form="action")


def _loop(call: str, about: str) -> Atom:
    return Atom(name=call.partition("(")[0], call=call, about=about, form="loop")


_ATOMS = (
    _action("go_to(target)", "Walk until the cell (x, y, z) is within reach."),
    _action("look_at(target)", "Turn the view towards the cell."),
    _action("collect(block)", "Walk to the nearest such block in sight, dig it, pick up what drops."),
    _action("mine(target)", "Dig the block at the cell, which must be within reach."),
    _action("craft(grid)", "Lay items into a grid, rows from the top, None for empty, and take the result."),
    _action("smelt(input, fuel)", "Smelt one item at a station within reach."),
    _action("place(item, target=None)", "Put a block down, at the cell or on any free one within reach."),
    _action("equip(item)", "Hold the item; None for an empty hand."),
    _action("eat(item)", "Eat one."),
    _action("attack(mob)", "Walk to the nearest such creature in sight and strike it until it falls."),
    _action("drop(item, amount=1)", "Throw away."),
    _action("wait_until(condition='time', ticks=20)", "Wait for time, health, food or day; at most so long."),
    _action("look()", "Look again without doing anything; costs no step."),
    _action("watch(ticks=400, **conditions)", "Wait until all conditions hold, at most so many ticks."),
    _action("call(name, **arguments)", "Run another procedure."),
    _action("note(text)", "Leave a remark in the record of the run; costs no step."),
    _loop("collect_until(block, item, count)", "Collect such blocks until so many of the item are carried."),
    _loop("attack_until(mob, item, count)", "Strike such creatures until so many of the item are carried."),
    _loop("craft_until(grid, item, count)", "Craft until so many of the item are carried."),
    _loop("smelt_until(input, fuel, item, count)", "Smelt until so many of the item are carried."),
    _loop("go_near(block)", "Walk to the nearest such block in sight."),
    _loop("ensure_near(station)", "Have the station in reach: there, walked to, or put down from the pack."),
    _loop("ensure_held(item)", "Hold the item unless it is held already."),
    _loop("eat_until(item, food)", "Eat until food is at least so high."),
    _loop("drop_all(item)", "Throw away all of the item."),
    _loop("dig_down(depth)", "Dig so many blocks downwards in steps, walking into each."),
    _loop("walk(targets)", "Walk to each of the cells in order."),
    _loop("wait_for_day()", "Wait until it is day."),
)

ATOM_NAMES = frozenset(atom.name for atom in _ATOMS)

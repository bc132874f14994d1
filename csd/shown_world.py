"""What a record shows of the world: the values borne out for each predicate of structure and attribute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from csd.colour import colour_word
from csd.descriptor import Value
from csd.episode import Attack, Cell, Eat, Place, Smelt
from csd.pattern import cell_counts, part, side_by_side, stacked, symmetry
from csd.scene import dug_block, held, where
from csd.witness import Shown, Witness


def _grid(witness: Witness, subject: str) -> Iterator[Value]:
    if witness.grid is not None and witness.stands_for(subject):
        yield witness.grid.rows


def _symmetry(witness: Witness, subject: str) -> Iterator[Value]:
    if witness.grid is not None and witness.stands_for(subject):
        yield symmetry(witness.grid.rows)


def _letters(witness: Witness, item: str) -> tuple[str, ...]:
    grid = witness.grid
    return () if grid is None else tuple(letter for letter, filler in grid.fillers.items() if filler == item)


def _cells(witness: Witness, item: str) -> Iterator[Value]:
    if witness.grid is not None:
        yield from (cell_counts(witness.grid.rows)[letter] for letter in _letters(witness, item))


def _part(witness: Witness, item: str) -> Iterator[Value]:
    if witness.grid is not None:
        yield from (part(witness.grid.rows, letter) for letter in _letters(witness, item))


def _above(witness: Witness, letter: str) -> Iterator[Value]:
    if witness.grid is not None:
        yield from (lower for upper, lower in stacked(witness.grid.rows) if upper == letter)


def _beside(witness: Witness, letter: str) -> Iterator[Value]:
    if witness.grid is not None:
        for one, other in side_by_side(witness.grid.rows):
            if letter in (one, other):
                yield other if letter == one else one


def _slot(witness: Witness, item: str) -> Iterator[Value]:
    action = witness.step.action
    if isinstance(action, Smelt):
        if action.input == item:
            yield "input"
        if action.fuel == item and (not witness.step.outcome.ok or fuel_taken(witness)):
            yield "fuel"


def fuel_taken(witness: Witness) -> bool:
    """Whether this step's smelting took a piece of fuel, over and above its input."""
    action, outcome = witness.step.action, witness.step.outcome
    if not isinstance(action, Smelt) or not outcome.ok:
        return False
    return -outcome.inventory_delta.get(action.fuel, 0) > (1 if action.fuel == action.input else 0)


def _block_cells(witness: Witness, block: str) -> Iterator[Cell]:
    if witness.has_step and block in (witness.step.outcome.block, dug_block(witness.step)):
        yield from () if witness.step.outcome.cell is None else (witness.step.outcome.cell,)
    yield from (station.position for station in witness.seen.stations if station.block == block)
    if block in witness.seen.blocks:
        yield witness.seen.blocks[block].nearest


def _lies(witness: Witness, block: str) -> Iterator[Value]:
    yield from (where(cell, witness.seen) for cell in _block_cells(witness, block))


def _near(witness: Witness, subject: str) -> Iterator[Value]:
    others = {name: block for name, block in witness.seen.blocks.items() if name != subject}
    if not others:
        return
    cells = list(_block_cells(witness, subject))
    for cell in cells:
        squares = {name: _squared(cell, block.nearest) for name, block in others.items()}
        yield from (name for name, square in squares.items() if square == min(squares.values()))
    last = witness.episode.steps[witness.index - 1].action if witness.index > 0 else None
    if isinstance(last, Attack) and last.mob == subject:
        shortest = min(block.distance for block in others.values())
        yield from (name for name, block in others.items() if block.distance == shortest)


def _squared(one: Cell, other: Cell) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _colour(witness: Witness, name: str) -> Iterator[Value]:
    if name in witness.seen.blocks:
        yield colour_word(witness.seen.blocks[name].colour)


def _stack_size(witness: Witness, item: str) -> Iterator[Value]:
    if item in witness.seen.inventory:
        yield witness.seen.inventory[item].stack_size


def _placeable(witness: Witness, item: str) -> Iterator[Value]:
    if isinstance(witness.step.action, Place) and witness.step.action.item == item:
        yield from _verdict(witness, "not_placeable")


def _edible(witness: Witness, item: str) -> Iterator[Value]:
    if isinstance(witness.step.action, Eat) and witness.step.action.item == item:
        yield from _verdict(witness, "not_edible")


def _verdict(witness: Witness, refusal: str) -> Iterator[Value]:
    if witness.step.outcome.code in ("ok", refusal):
        yield witness.step.outcome.code == "ok"


def _burns(witness: Witness, item: str) -> Iterator[Value]:
    if isinstance(witness.step.action, Smelt) and witness.step.action.fuel == item:
        if fuel_taken(witness):
            yield True
        elif witness.step.outcome.code == "not_fuel":
            yield False


def _dig_ticks(witness: Witness, block: str) -> Iterator[Value]:
    if dug_block(witness.step) == block and witness.step.outcome.code in ("ok", "no_drop"):
        yield witness.step.outcome.work_ticks


def _yielded_to(witness: Witness, block: str) -> Iterator[Value]:
    if dug_block(witness.step) == block and witness.step.outcome.ok:
        yield held(witness.step)


def _refused(witness: Witness, block: str) -> Iterator[Value]:
    if dug_block(witness.step) == block and witness.step.outcome.code == "no_drop":
        yield held(witness.step)


def _drops(witness: Witness, block: str) -> Iterable[Value]:
    delta = witness.step.outcome.inventory_delta
    return [item for item in delta if delta[item] > 0] if dug_block(witness.step) == block else []


def _wears(witness: Witness, item: str) -> Iterator[Value]:
    worn = witness.wore(item)
    if worn is not None:
        yield worn


STRUCT_SHOWN: dict[str, Shown] = {
    "grid": _grid,
    "fills": _letters,
    "cells": _cells,
    "part": _part,
    "above": _above,
    "beside": _beside,
    "symmetry": _symmetry,
    "slot": _slot,
    "lies": _lies,
    "near": _near,
}
"""Predicate of structure -> values that a record bears out."""

ATTR_SHOWN: dict[str, Shown] = {
    "colour": _colour,
    "stack_size": _stack_size,
    "placeable": _placeable,
    "dig_ticks": _dig_ticks,
    "yielded_to": _yielded_to,
    "refused": _refused,
    "drops": _drops,
    "wears": _wears,
    "edible": _edible,
    "burns": _burns,
}
"""Predicate of attribute -> values that a record bears out."""

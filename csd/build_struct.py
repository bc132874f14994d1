"""Structure statements: how the deciding step's things lay to one another."""

from __future__ import annotations

from csd.descriptor import Statement
from csd.episode import Attack, Cell, Craft, Observation, Smelt
from csd.pattern import (
    canonical_grid,
    cell_counts,
    laid_rows,
    part,
    side_by_side,
    stacked,
    symmetry,
)
from csd.scene import Notes, Scene, dug_block, grid_rows, station_for, where


def struct_statements(scene: Scene) -> tuple[Statement, ...]:
    """Describe the laid grid, the filled slots, or where the dug, placed or used block lay.

    A grid and its mirror image give the same statements (see `csd.pattern.canonical_grid`); the evidence
    keeps the grid as it was laid. A grid that gave nothing is described too, under its outcome code.
    """
    notes = Notes(scene.episode.id)
    match scene.step.action:
        case Craft() if grid_rows(scene.step.action.grid):
            _grid(notes, scene, scene.step.action)
        case Smelt():
            _slots(notes, scene, scene.step.action)
        case _:
            _blocks(notes, scene)
    station = station_for(scene.step)
    if station is not None:
        _place(notes, station.block, station.position, scene.step.before, scene.index)
    return notes.statements()


def _grid(notes: Notes, scene: Scene, action: Craft) -> None:
    laid = laid_rows(action.grid)
    rows, fillers = canonical_grid(action.grid)
    facts: list[tuple[str, str, str | int]] = [(scene.subject, "grid", rows)]
    facts += [(item, "fills", letter) for letter, item in fillers.items()]
    facts += [(fillers[letter], "cells", count) for letter, count in cell_counts(rows).items()]
    facts += [(item, "part", part(rows, letter)) for letter, item in fillers.items()]
    facts += [(upper, "above", lower) for upper, lower in stacked(rows)]
    facts += [(one, "beside", other) for one, other in side_by_side(rows)]
    facts.append((scene.subject, "symmetry", symmetry(rows)))
    for subject, predicate, value in facts:
        notes.add(subject, predicate, value, scene.index, "action", f"laid {laid}")


def _slots(notes: Notes, scene: Scene, action: Smelt) -> None:
    notes.add(action.input, "slot", "input", scene.index, "action")
    burnt = scene.step.outcome.inventory_delta.get(action.fuel, 0) + (action.input == action.fuel)
    if burnt < 0 or not scene.step.outcome.ok:
        notes.add(action.fuel, "slot", "fuel", scene.index, "action")


def _blocks(notes: Notes, scene: Scene) -> None:
    step = scene.step
    block = dug_block(step) or step.outcome.block
    seen = step.before.blocks.get(block or "")
    cell = step.outcome.cell or (seen.nearest if seen else None)
    if block is not None and cell is not None:
        _place(notes, block, cell, step.before, scene.index)
    elif isinstance(step.action, Attack) and step.outcome.ok:
        _ground(notes, step.action.mob, scene)


def _place(notes: Notes, block: str, cell: Cell, seen: Observation, index: int) -> None:
    notes.add(block, "lies", where(cell, seen), index, "observation", f"{block} at {cell}")
    others = {name: other.nearest for name, other in seen.blocks.items() if name != block}
    if others:
        near = min(others, key=lambda name: (_squared(cell, others[name]), name))
        notes.add(block, "near", near, index, "observation", f"{near} at {others[near]}")


def _ground(notes: Notes, mob: str, scene: Scene) -> None:
    """Note what block was nearest once the creature had been walked up to and had fallen."""
    seen = scene.observation(scene.index + 1).blocks
    blocks = {name: block for name, block in seen.items() if name != mob}
    if blocks:
        near = min(blocks, key=lambda name: (blocks[name].distance, name))
        notes.add(mob, "near", near, scene.index + 1, "observation", f"{near} at {blocks[near].nearest}")


def _squared(one: Cell, other: Cell) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))

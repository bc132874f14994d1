"""Putting blocks down, and what gravity and meeting fluids then do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from csd.episode import Cell, Outcome, Place
from echo.worlds.minecraft.body import Body
from echo.worlds.minecraft.scene import Scene
from echo.worlds.minecraft.sight import EYE_HEIGHT
from echo.worlds.minecraft.terrain import AIR, VOID, Land
from echo.worlds.minecraft.walking import REACH, within_reach

PLACE_TICKS = 5
_PLACE_DISTANCE = 2.5
FLUIDS = ("water", "lava")
FALLING = ("sand", "red_sand", "gravel", "anvil", "chipped_anvil", "damaged_anvil")
_SIDES = ((0, -1, 0), (-1, 0, 0), (1, 0, 0), (0, 0, -1), (0, 0, 1), (0, 1, 0))


def place(scene: Scene, action: Place) -> Outcome:
    """Put one item down as a block."""
    item = action.item
    block = scene.facts.items[item].block
    if not scene.inventory.count(item):
        return scene.outcome(
            "missing_item",
            f"expected an item that is carried; got {scene.shown(item)}, of which there is none. "
            f"Get one first.",
        )
    if block is None:
        return scene.outcome(
            "not_placeable",
            f"expected an item that stands as a block; got {scene.shown(item)}, which does not. Try another.",
        )
    cell = action.target if action.target is not None else free_cell(scene.land, scene.body)
    if refusal := _refusal(scene, cell):
        return refusal
    assert cell is not None
    scene.body.look_at(cell)
    scene.lose(item, 1)
    if block in FLUIDS or item.endswith("_bucket"):
        scene.gain("bucket", 1)
        if scene.inventory.held is None:
            scene.inventory.held = "bucket"
    scene.set_block(cell, block)
    _meet(scene, cell)
    cell = _drop_down(scene, cell)
    message = f"put {scene.shown(block)} at {cell}."
    return scene.outcome("ok", message, ticks=PLACE_TICKS, block=block, cell=cell)


def _refusal(scene: Scene, cell: Cell | None) -> Outcome | None:
    """Return why nothing can be put at `cell`."""
    if cell is None:
        return scene.outcome(
            "no_space",
            "expected a free cell beside a block within reach; got none. Go elsewhere or dig first.",
        )
    if not within_reach(scene.body.feet, cell):
        return scene.outcome(
            "out_of_reach",
            f"expected a cell within 4.5 blocks of the eyes; got {cell}. Go nearer first.",
            cell=cell,
        )
    land = scene.land
    x, y, z = cell
    free = land.inside(cell) and not land.is_solid(cell) and cell not in _body_cells(scene.body)
    if free and any(land.inside(side) and land.is_solid(side) for side in _around(x, y, z)):
        return None
    return scene.outcome(
        "no_space",
        f"expected a free cell that touches a block; got {cell}. Choose another cell, or leave it open.",
        cell=cell,
    )


def free_cell(land: Land, body: Body) -> Cell | None:
    """Return the best cell to put a block into, on a floor if possible, None where there is none."""
    index = land.index(body.feet) + _OFFSETS @ np.array(land.strides, dtype=np.int64)
    kinds = land.flat
    free = ~land.solid[kinds[index]] & (kinds[index] != VOID)
    floor = free & land.solid[kinds[index - land.strides[1]]]
    found = np.flatnonzero(floor)
    if not len(found):
        steps = np.array(_SIDES, dtype=np.int64) @ np.array(land.strides, dtype=np.int64)
        found = np.flatnonzero(free & land.solid[kinds[index[:, None] + steps]].any(axis=1))
    return land.cell(int(index[found[0]])) if len(found) else None


def set_out(scene: Scene, blocks: tuple[str, ...]) -> None:
    """Put `blocks` on free cells beside the body, before the first action.

    Raises:
        ValueError: if there is no free cell within reach.
    """
    for block in blocks:
        cell = free_cell(scene.land, scene.body)
        if cell is None:
            raise ValueError(
                f"expected free cells beside the spawn for {len(blocks)} stations; got none left for "
                f"{block!r}. Ask for fewer stations or another seed."
            )
        scene.set_block(cell, block)


def let_fall(scene: Scene, cell: Cell) -> None:
    """Let loose blocks above the free `cell` come down."""
    x, y, z = cell
    land = scene.land
    while land.inside((x, y + 1, z)) and falls(land.name_at((x, y + 1, z))):
        block = land.name_at((x, y + 1, z))
        scene.set_block((x, y + 1, z), None)
        scene.set_block((x, y, z), block)
        _drop_down(scene, (x, y, z))
        y += 1


def falls(block: str) -> bool:
    """Return whether `block` comes down when nothing is under it."""
    return block in FALLING or block.endswith("_concrete_powder")


def _drop_down(scene: Scene, cell: Cell) -> Cell:
    """Let the block at `cell` come down if it is loose; return where it ends."""
    land = scene.land
    block = land.name_at(cell)
    x, low, z = cell
    if not falls(block):
        return cell
    while land.inside((x, low - 1, z)) and not land.is_solid((x, low - 1, z)):
        low -= 1
    if low != cell[1]:
        scene.set_block(cell, None)
        scene.set_block((x, low, z), block)
    return (x, low, z)


def _meet(scene: Scene, cell: Cell) -> None:
    """Turn lava that touches water into obsidian."""
    land = scene.land
    block = land.name_at(cell)
    if block not in FLUIDS:
        return
    beside = [side for side in _around(*cell) if land.inside(side) and land.at(side) != AIR]
    if block == "water":
        for side in beside:
            if land.name_at(side) == "lava":
                scene.set_block(side, "obsidian")
    elif any(land.name_at(side) == "water" for side in beside):
        scene.set_block(cell, "obsidian")


def _around(x: int, y: int, z: int) -> tuple[Cell, ...]:
    return tuple((x + dx, y + dy, z + dz) for dx, dy, dz in _SIDES)


def _body_cells(body: Body) -> tuple[Cell, Cell]:
    x, y, z = body.feet
    return ((x, y, z), (x, y + 1, z))


def _reach_offsets() -> NDArray[np.int64]:
    """Return (n, 3) steps from the feet to cells within reach but the body's own, best first.

    Best is what lies 2.5 blocks from the eyes: in view and out of the way.
    """
    reach = np.arange(-5, 7)
    x, y, z = (axis.ravel() for axis in np.meshgrid(reach, reach, reach, indexing="ij"))
    eye = np.sqrt(x * x + (y + 0.5 - EYE_HEIGHT) ** 2 + z * z)
    own = (x == 0) & (z == 0) & ((y == 0) | (y == 1))
    offsets = np.stack([x, y, z], axis=1)[(eye <= REACH) & ~own].astype(np.int64)
    misfit = np.abs(eye[(eye <= REACH) & ~own] - _PLACE_DISTANCE)
    order = np.lexsort((offsets[:, 2], offsets[:, 1], offsets[:, 0], misfit))
    ordered: NDArray[np.int64] = offsets[order]
    return ordered


_OFFSETS = _reach_offsets()

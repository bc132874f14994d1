"""A trench beside the spawn point: a row of empty cells that a body can only cross once they are filled.

The row begins at the cell beside the ground under the spawn point and runs straight away from it, one layer
under the feet. Walls and floor are whole: what is missing of them is made of dirt. The trench is three cells
wide, so that a cell of the row touches nothing but its neighbours in the row and, at both ends, the walls.
"""

from __future__ import annotations

from csd.episode import Cell
from echo.worlds.minecraft.terrain import AIR, Land

DEPTH = 12
"""Cells from the row down to the floor: more than anyone fills with loose blocks on a small budget."""
HEADROOM = 3
"""Cells cleared above the row."""
_WALL = "dirt"
_DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1))


def dig_gap(land: Land, feet: Cell, length: int) -> tuple[Cell, ...]:
    """Dig a trench beside a body on the ground.

    Args:
        land: Changed in place.
        feet: Where the body stands; what is under it stays and is the near wall.
        length: Cells of the row, at least 1.

    Returns:
        The cells of the row, the one at the near wall first. The row runs towards the first of +x, -x, +z
        and -z in which it and its far wall lie inside the land.

    Raises:
        ValueError: if it fits in no direction.
    """
    x, y, z = feet
    for dx, dz in _DIRECTIONS:
        row = tuple((x + dx * along, y - 1, z + dz * along) for along in range(1, length + 1))
        if land.inside((x + dx * (length + 1), y - 1, z + dz * (length + 1))):
            _hollow(land, feet, (dx, dz), length)
            return row
    raise ValueError(
        f"expected room for a gap of {length} cells beside the spawn point {feet}; got a land of "
        f"{land.shape}. Ask for a shorter gap or more copies."
    )


def _hollow(land: Land, feet: Cell, direction: tuple[int, int], length: int) -> None:
    """Clear the trench and close its walls and floor."""
    x, y, z = feet
    dx, dz = direction
    wall = land.kind(_WALL)
    for along in range(length + 2):
        for across in range(-2, 3):
            place_x, place_z = x + dx * along + dz * across, z + dz * along + dx * across
            inner = 1 <= along <= length and abs(across) <= 1
            low = max(y - 1 - DEPTH, land.min_y)
            for level in range(low, y + HEADROOM if inner else y):
                cell = (place_x, level, place_z)
                if not land.inside(cell):
                    continue
                if inner and level > low:
                    land.put(cell, AIR)
                elif not land.is_solid(cell):
                    land.put(cell, wall)

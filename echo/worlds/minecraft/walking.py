"""Getting near a cell: where to stand, how long the way is.

Simplification: the body takes the straight way. Rock on it costs the time of cutting it with the held item
but stays where it is and gives nothing; a block that nothing breaks is walked around at no cost. Where no
free place lies near the target, the body stands in a tunnel beside it, which is not dug out of the land.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from csd.episode import Cell
from echo.worlds.minecraft.body import RUN_EFFORT, Body
from echo.worlds.minecraft.sight import EYE_HEIGHT
from echo.worlds.minecraft.terrain import Land

REACH = 4.5
"""From the eyes to the middle of a block, as in the game."""
_STAND_REACH = 4.0


def eye_distance(feet: Cell, cell: Cell) -> float:
    """Return the distance from the eyes of a body in `feet` to the middle of `cell`."""
    dx, dz = cell[0] - feet[0], cell[2] - feet[2]
    dy = cell[1] + 0.5 - feet[1] - EYE_HEIGHT
    return float((dx * dx + dy * dy + dz * dz) ** 0.5)


def within_reach(feet: Cell, cell: Cell) -> bool:
    """Return whether a body in `feet` can touch `cell`."""
    return eye_distance(feet, cell) <= REACH


class Way:
    """Finds places to stand around any cell of one land."""

    def __init__(self, land: Land) -> None:
        """Prepare the offsets that are tried."""
        self._land = land
        self._offsets = _stand_offsets()
        self._strides = np.array(land.strides, dtype=np.int64)
        self._steps = self._offsets @ self._strides

    def approach(self, body: Body, target: Cell, cut_ticks: NDArray[np.float64]) -> int:
        """Move `body` to where it can touch `target`; return the ticks that took.

        Args:
            body: Moves, gets tired and looks at `target`; stays where it is when already near enough.
            target: A cell of the land.
            cut_ticks: (kinds,) ticks to cut through a block of each kind with the held item, 0 for what does
                not stop a body.
        """
        if within_reach(body.feet, target):
            body.look_at(target)
            return 0
        place = self._standing_place(body.feet, target)
        distance = math.dist(place, body.feet)
        ticks = distance * body.ticks_a_block + self._cutting(body.feet, place, distance, cut_ticks)
        body.tire(distance * RUN_EFFORT if body.food > 6 else 0.0)
        body.feet = place
        body.look_at(target)
        return round(ticks)

    def fall(self, body: Body) -> None:
        """Let the body sink to the ground."""
        x, y, z = body.feet
        while y > self._land.min_y and not self._land.is_solid((x, y - 1, z)):
            y -= 1
        body.feet = (x, y, z)

    def _standing_place(self, feet: Cell, target: Cell) -> Cell:
        """Return the free place near `target` that is nearest to `feet`; ties go to the first offset."""
        land = self._land
        index = land.index(target) + self._steps
        up = land.strides[1]
        kinds = land.flat
        free = land.passable[kinds[index]] & land.passable[kinds[index + up]]
        free &= land.solid[kinds[index - up]] | (kinds[index - up] == land.kind_of.get("water", -1))
        places = np.flatnonzero(free)
        if not len(places):
            return self._tunnel(feet, target)
        gap = self._offsets[places] + np.subtract(target, feet)
        best = self._offsets[places[int((gap * gap).sum(axis=1).argmin())]]
        return (target[0] + int(best[0]), target[1] + int(best[1]), target[2] + int(best[2]))

    def _tunnel(self, feet: Cell, target: Cell) -> Cell:
        """Return the cell beside `target` on the side the body comes from."""
        dx, dz = feet[0] - target[0], feet[2] - target[2]
        step = (1 if dx > 0 else -1, 0) if abs(dx) >= abs(dz) else (0, 1 if dz > 0 else -1)
        beside = (target[0] + step[0], target[1], target[2] + step[1])
        return beside if self._land.inside(beside) else (target[0] - step[0], target[1], target[2] - step[1])

    def _cutting(self, feet: Cell, place: Cell, distance: float, cut_ticks: NDArray[np.float64]) -> float:
        """Return the ticks for cutting a passage two blocks high along the straight way."""
        way = np.rint(_shares(max(1, int(distance))) * np.subtract(place, feet)).astype(np.int64)
        index = way @ self._strides + self._land.index(feet)
        kinds = self._land.flat
        return float(cut_ticks[kinds[index]].sum() + cut_ticks[kinds[index + self._land.strides[1]]].sum())


@lru_cache(maxsize=256)
def _shares(points: int) -> NDArray[np.float64]:
    """Return (points, 1) equal shares of a way, without its start."""
    shares: NDArray[np.float64] = np.linspace(0.0, 1.0, points + 1)[1:, None]
    return shares


def _stand_offsets() -> NDArray[np.int64]:
    """Return (n, 3) steps from a target to feet from which it can be touched, nearest the target first."""
    reach = np.arange(-5, 6)
    x, y, z = (axis.ravel() for axis in np.meshgrid(reach, reach, reach, indexing="ij"))
    eye = np.sqrt(x * x + (y + EYE_HEIGHT - 0.5) ** 2 + z * z)
    on_target = (x == 0) & (z == 0) & ((y == 0) | (y == -1))
    kept = (eye <= _STAND_REACH) & ~on_target
    offsets = np.stack([x, y, z], axis=1)[kept].astype(np.int64)
    order = np.lexsort((offsets[:, 2], offsets[:, 1], offsets[:, 0], eye[kept]))
    ordered: NDArray[np.int64] = offsets[order]
    return ordered

"""The view through the body's eyes, cast ray by ray onto the blocks in flat colours of our own.

No game art: a block is drawn in the colour its facts give (chosen by us), darker on its sides and edges and
with distance. The held item is a swatch in the lower right corner; creatures are in
`echo.worlds.minecraft.creatures`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from csd.episode import Cell, Frame
from echo.worlds.minecraft.body import Body
from echo.worlds.minecraft.creatures import Rgb, draw_creature
from echo.worlds.minecraft.sight import EYE_HEIGHT
from echo.worlds.minecraft.terrain import AIR, PAD, VOID, Land

VIEW_DISTANCE = 32.0
"""Blocks; beyond it everything is sky."""
FIELD_OF_VIEW = 70.0
"""Degrees from the top of the picture to its bottom, and from side to side."""
_SKY_TOP = np.array((104, 158, 230), dtype=np.float32)
_SKY_LOW = np.array((196, 220, 244), dtype=np.float32)
_SHADE = np.array((0.80, 1.00, 0.66), dtype=np.float32)
"""Brightness of faces across x, y (from above) and z."""
_BELOW_SHADE = np.float32(0.5)
_EDGE = 0.04
_ROCK_CLEARANCE = 1.2
"""Blocks around eyes inside rock (a tunnel that is not dug out of the land) that are not drawn."""
_FLUIDS = ("water", "lava")
_NEVER = np.float32(1.0e6)
_SPARSE, _FULL, _OUTSIDE = 1, 2, 3


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Hits:
    """Where the rays end. All arrays are flat over the pixels, row by row."""

    kind: NDArray[np.int64]
    """(n,) kind number, VOID where the ray ends in the sky."""
    depth: NDArray[np.float32]
    """(n,) length of the ray in blocks; VIEW_DISTANCE for sky."""
    axis: NDArray[np.int64]
    """(n,) axis of the face met: 0 x, 1 y, 2 z."""
    index: NDArray[np.int64]
    """(n,) position of the block in `Land.flat`."""


def draw(
    land: Land,
    body: Body,
    size: int,
    *,
    creatures: Sequence[tuple[str, Cell]] = (),
    held: Rgb | None = None,
    daylight: float = 1.0,
) -> Frame:
    """Return the view as a picture.

    Args:
        land: The blocks.
        body: Whose eyes.
        size: Height and width in pixels.
        creatures: Their kinds, and where they stand.
        held: Colour of the held item; None draws no swatch.
        daylight: Brightness of the sky, 0..1.

    Returns:
        (size, size, 3) uint8.
    """
    rays = turn(_rays(size), body.yaw, body.pitch)
    eye = np.array((body.feet[0] + 0.5, body.feet[1] + EYE_HEIGHT, body.feet[2] + 0.5), dtype=np.float32)
    hits = cast(land, eye, rays)
    picture = _paint(land, eye, rays, hits, daylight)
    for kind, cell in creatures:
        draw_creature(picture, hits.depth, eye, rays, kind, cell)
    frame = picture.reshape(size, size, 3).clip(0, 255).astype(np.uint8)
    if held is not None:
        side = max(2, size // 6)
        frame[-side - 1 : -1, -side - 1 : -1] = (16, 16, 16)
        frame[-side:-2, -side:-2] = held
    return frame


@lru_cache(maxsize=4)
def _rays(size: int) -> NDArray[np.float32]:
    """Return (3, size * size) unit vectors for a view along +z: x to the right is -x in the game at yaw 0."""
    half = math.tan(math.radians(FIELD_OF_VIEW / 2))
    across = (np.arange(size, dtype=np.float32) + 0.5) / size * 2 - 1
    right, down = np.meshgrid(across * half, across * half)
    rays = np.stack([-right.ravel(), -down.ravel(), np.ones(size * size, dtype=np.float32)])
    return np.asarray(rays / np.linalg.norm(rays, axis=0), dtype=np.float32)


def turn(rays: NDArray[np.float32], yaw: float, pitch: float) -> NDArray[np.float32]:
    """Return `rays` turned from +z to `yaw` (0 is +z, 90 is -x) and `pitch` (down is +), in degrees."""
    sin_y, cos_y = math.sin(math.radians(yaw)), math.cos(math.radians(yaw))
    sin_p, cos_p = math.sin(math.radians(pitch)), math.cos(math.radians(pitch))
    tilt = np.array(((1, 0, 0), (0, cos_p, -sin_p), (0, sin_p, cos_p)))
    spin = np.array(((cos_y, 0, -sin_y), (0, 1, 0), (sin_y, 0, cos_y)))
    turned: NDArray[np.float32] = (spin @ tilt).astype(np.float32) @ rays
    return turned


def cast(land: Land, eye: NDArray[np.float32], rays: NDArray[np.float32]) -> Hits:
    """Follow every ray from cell to cell until it meets a block.

    Source: Amanatides and Woo, "A fast voxel traversal algorithm for ray tracing", 1987. Plants and other
    blocks that fill no space stop every second ray only.
    """
    count = rays.shape[1]
    hits = Hits(
        kind=np.zeros(count, dtype=np.int64),
        depth=np.full(count, VIEW_DISTANCE, dtype=np.float32),
        axis=np.zeros(count, dtype=np.int64),
        index=np.zeros(count, dtype=np.int64),
    )
    cell = np.floor(eye).astype(np.int64)
    start = int((cell + PAD - (0, land.min_y, 0)) @ np.array(land.strides))
    nearest = _ROCK_CLEARANCE if land.solid[land.flat[start]] else 0.0
    stops = _stops(land)
    forward = rays > 0
    gap = np.where(forward, (cell + 1 - eye)[:, None], (eye - cell)[:, None]).astype(np.float32)
    with np.errstate(divide="ignore"):
        stride = np.minimum(np.abs(1.0 / rays), _NEVER)
    step = np.where(forward, 1, -1).astype(np.int32) * np.array(land.strides, dtype=np.int32)[:, None]
    walk = _Walk(
        pixel=np.arange(count), index=np.full(count, start, dtype=np.int32), reach=gap * stride,
        stride=stride, step=step,
    )  # fmt: skip
    while len(walk.pixel):
        depth, crossed = walk.advance()
        stop = stops[land.flat[walk.index]]
        met = (stop == _FULL) | ((stop == _SPARSE) & (walk.pixel % 2 == (walk.index & 1)))
        met &= depth >= nearest
        ended = met | (stop == _OUTSIDE)
        ended |= depth >= VIEW_DISTANCE
        if ended.any():
            met &= depth < VIEW_DISTANCE
            pixels = walk.pixel[met]
            hits.index[pixels], hits.depth[pixels] = walk.index[met], depth[met]
            hits.kind[pixels], hits.axis[pixels] = land.flat[walk.index[met]], crossed[:, met].argmax(axis=0)
            walk.keep(~ended)
    return hits


class _Walk:
    """The rays still under way."""

    def __init__(
        self,
        *,
        pixel: NDArray[np.int64],
        index: NDArray[np.int32],
        reach: NDArray[np.float32],
        stride: NDArray[np.float32],
        step: NDArray[np.int32],
    ) -> None:
        self.pixel = pixel
        self.index = index
        self._reach = reach
        self._stride = stride
        self._step = step

    def advance(self) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Go on to the next cells; return how far that is, (n,), and which faces were crossed, (3, n).

        A ray through an edge crosses two faces at once, and goes on in the cell across the edge.
        """
        depth = np.minimum(np.minimum(self._reach[0], self._reach[1]), self._reach[2])
        crossed = self._reach == depth
        for axis in range(3):
            self.index += self._step[axis] * crossed[axis]
        self._reach += self._stride * crossed
        return depth, crossed

    def keep(self, going: NDArray[np.bool_]) -> None:
        """Forget the rays that have ended."""
        kept = np.flatnonzero(going)
        self.pixel, self.index = self.pixel.take(kept), self.index.take(kept)
        self._reach, self._stride = self._reach.take(kept, axis=1), self._stride.take(kept, axis=1)
        self._step = self._step.take(kept, axis=1)


def _stops(land: Land) -> NDArray[np.uint8]:
    """Return per kind number whether it stops every ray, every second one, or is the end of the land."""
    stops = np.full(len(land.names), _SPARSE, dtype=np.uint8)
    stops[land.solid[: len(stops)]] = _FULL
    for name in _FLUIDS:
        if name in land.kind_of:
            stops[land.kind_of[name]] = _FULL
    stops[AIR] = 0
    stops[VOID] = _OUTSIDE
    return stops


def _paint(
    land: Land, eye: NDArray[np.float32], rays: NDArray[np.float32], hits: Hits, daylight: float
) -> NDArray[np.float32]:
    """Return (n, 3) float32 colours, 0..255."""
    height = np.clip(rays[1] * 2, 0.0, 1.0)[:, None]
    picture = (_SKY_LOW * (1 - height) + _SKY_TOP * height) * np.float32(daylight)
    block = hits.kind != VOID
    axis = hits.axis[block]
    colours = np.array(
        [(0, 0, 0), (0, 0, 0)] + [land.fact(kind).colour for kind in range(2, len(land.names))]
    )
    light = _SHADE[axis]
    light[(axis == 1) & (rays[1, block] > 0)] = _BELOW_SHADE
    light *= 1 - 0.5 * hits.depth[block] / VIEW_DISTANCE
    light *= 0.94 + 0.12 * ((hits.index[block] * 2654435761 >> 8) % 8) / 7
    place = eye[:, None] + rays[:, block] * hits.depth[block]
    part = place - np.floor(place)
    edge = (part < _EDGE) | (part > 1 - _EDGE)
    edge[axis, np.arange(len(axis))] = False
    light[edge.any(axis=0)] *= 0.8
    picture[block] = colours[hits.kind[block]] * light[:, None]
    return np.asarray(picture, dtype=np.float32)

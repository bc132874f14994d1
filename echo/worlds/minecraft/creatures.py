"""How creatures look: a few boxes each, in flat colours of our own (no game art), enough to tell them apart.

A creature stands in the middle of its cell and faces one of four ways, which its kind and cell decide. Its
colours do not fade with distance, so that the same animal has the same few colours however far it is.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from csd.episode import Cell

Rgb = tuple[int, int, int]

_SHADE = np.array((0.92, 1.0, 0.82), dtype=np.float32)
"""Brightness of the faces across x, y and z."""
_NEAR = 1.0e-4
_REACH = 2.0
"""Blocks from the middle of its floor that no part of a creature lies beyond."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A box of one colour. Blocks from the middle of the cell's floor: x to the right, y up, z ahead."""

    low: tuple[float, float, float]
    high: tuple[float, float, float]
    colour: Rgb


def _box(colour: Rgb, x: float, y: tuple[float, float], z: tuple[float, float], at: float = 0.0) -> Part:
    """Return a box `x` to both sides of `at`."""
    return Part(low=(at - x, y[0], z[0]), high=(at + x, y[1], z[1]), colour=colour)


def _legs(colour: Rgb, height: float, *, out: float, thick: float, front: float, back: float) -> list[Part]:
    return [
        _box(colour, thick, (0.0, height), (z - thick, z + thick), at=side * out)
        for z in (front, back)
        for side in (-1, 1)
    ]


_SHAPES: Mapping[str, tuple[Part, ...]] = {
    "sheep": (
        *_legs((205, 170, 140), 0.45, out=0.22, thick=0.09, front=0.28, back=-0.32),
        _box((236, 236, 230), 0.36, (0.40, 1.10), (-0.50, 0.40)),
        _box((205, 170, 140), 0.17, (0.80, 1.20), (0.40, 0.72)),
        _box((236, 236, 230), 0.19, (1.10, 1.32), (0.34, 0.60)),
        *(_box((30, 28, 28), 0.04, (1.00, 1.10), (0.70, 0.73), at=side * 0.12) for side in (-1, 1)),
    ),
    "cow": (
        *_legs((66, 44, 30), 0.60, out=0.24, thick=0.11, front=0.34, back=-0.40),
        _box((84, 56, 38), 0.34, (0.55, 1.20), (-0.55, 0.45)),
        _box((232, 228, 220), 0.35, (0.75, 1.21), (-0.30, 0.02)),
        _box((84, 56, 38), 0.22, (0.95, 1.40), (0.45, 0.78)),
        _box((222, 196, 186), 0.18, (0.95, 1.10), (0.70, 0.82)),
        *(_box((226, 220, 196), 0.05, (1.36, 1.56), (0.56, 0.66), at=side * 0.24) for side in (-1, 1)),
    ),
    "pig": (
        *_legs((222, 140, 140), 0.30, out=0.20, thick=0.10, front=0.26, back=-0.30),
        _box((240, 164, 164), 0.31, (0.25, 0.78), (-0.48, 0.40)),
        _box((240, 164, 164), 0.25, (0.45, 0.92), (0.40, 0.74)),
        _box((206, 106, 110), 0.13, (0.52, 0.70), (0.72, 0.82)),
        *(_box((30, 28, 28), 0.04, (0.76, 0.84), (0.73, 0.75), at=side * 0.18) for side in (-1, 1)),
    ),
    "chicken": (
        *(_box((226, 170, 40), 0.04, (0.0, 0.28), (-0.04, 0.06), at=side * 0.10) for side in (-1, 1)),
        _box((244, 244, 242), 0.20, (0.25, 0.60), (-0.25, 0.20)),
        _box((244, 244, 242), 0.12, (0.50, 0.90), (0.14, 0.34)),
        _box((236, 168, 32), 0.11, (0.66, 0.76), (0.34, 0.48)),
        _box((204, 36, 32), 0.06, (0.54, 0.66), (0.34, 0.42)),
    ),
    "spider": (
        _box((46, 40, 38), 0.36, (0.25, 0.75), (-0.70, 0.00)),
        _box((58, 50, 46), 0.24, (0.28, 0.66), (0.00, 0.45)),
        *(
            _box((40, 34, 32), 0.38, (0.02, 0.34), (z - 0.04, z + 0.04), at=side * 0.48)
            for z in (-0.30, -0.05, 0.15, 0.38)
            for side in (-1, 1)
        ),
        *(_box((216, 24, 24), 0.06, (0.48, 0.60), (0.44, 0.47), at=side * 0.11) for side in (-1, 1)),
    ),
    "wolf": (
        *_legs((150, 150, 154), 0.42, out=0.13, thick=0.07, front=0.26, back=-0.30),
        _box((150, 150, 154), 0.20, (0.38, 0.72), (-0.42, 0.10)),
        _box((176, 176, 178), 0.25, (0.36, 0.82), (0.08, 0.38)),
        _box((164, 164, 168), 0.19, (0.56, 0.92), (0.38, 0.62)),
        _box((214, 200, 180), 0.09, (0.56, 0.70), (0.62, 0.82)),
        *(_box((96, 96, 100), 0.06, (0.92, 1.06), (0.42, 0.52), at=side * 0.13) for side in (-1, 1)),
        _box((120, 120, 124), 0.07, (0.50, 0.64), (-0.75, -0.42)),
        _box((30, 28, 28), 0.05, (0.64, 0.71), (0.81, 0.84)),
    ),
}


def name_colour(name: str) -> Rgb:
    """Return a fixed colour for something without a look of its own, drawn from a checksum of its name."""
    checksum = zlib.crc32(name.encode())
    return (64 + checksum % 160, 64 + (checksum >> 8) % 160, 64 + (checksum >> 16) % 160)


def shape_of(kind: str) -> tuple[Part, ...]:
    """Return the boxes of a creature; kinds without a look of their own are an upright box."""
    return _SHAPES.get(kind) or (_box(name_colour(kind), 0.4, (0.0, 1.3), (-0.4, 0.4)),)


def draw_creature(
    picture: NDArray[np.float32],
    depth: NDArray[np.float32],
    eye: NDArray[np.float32],
    rays: NDArray[np.float32],
    kind: str,
    cell: Cell,
) -> None:
    """Colour the pixels whose ray meets a creature before anything else, and note how far that is.

    Args:
        picture: (n, 3) colours, changed.
        depth: (n,) length of each ray so far, changed.
        eye: (3,) where the rays begin.
        rays: (3, n) unit vectors.
        kind: Its real name.
        cell: Where it stands.
    """
    lows, highs, colours = _boxes(kind, _facing(kind, cell))
    floor = np.array(cell, dtype=np.float32) + np.array((0.5, 0.0, 0.5), dtype=np.float32)
    from_eye = floor - eye
    ahead = float(from_eye @ rays.mean(axis=1))
    if ahead < -_REACH or float(np.linalg.norm(from_eye)) > depth.max() + _REACH:
        # Behind, or hidden by distance. With 20 creatures around that is half of the time they take.
        return
    all_low, all_high = lows.min(axis=0) + from_eye, highs.max(axis=0) + from_eye
    enter, _, leave = _meet(all_low, all_high, rays)
    pixels = np.flatnonzero((enter <= leave) & (leave > _NEAR) & (enter < depth))
    if not len(pixels):
        return
    near, nearest = rays[:, pixels], depth[pixels]
    painted = picture[pixels]
    for low, high, colour in zip(lows, highs, colours, strict=True):
        enter, axis, leave = _meet(low + from_eye, high + from_eye, near)
        met = (enter <= leave) & (enter > _NEAR) & (enter < nearest)
        painted[met] = np.rint(colour * _SHADE[axis[met], None])
        nearest[met] = enter[met]
    picture[pixels], depth[pixels] = painted, nearest


def _facing(kind: str, cell: Cell) -> int:
    """Return the quarter turns that a creature has made."""
    return zlib.crc32(f"{kind} {cell[0]} {cell[1]} {cell[2]}".encode()) % 4


@lru_cache(maxsize=256)
def _boxes(kind: str, turns: int) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Return the lower and upper corners, (n, 3) each, and the colours, (n, 3), of a turned creature."""
    shape = shape_of(kind)
    ends = np.array([(part.low, part.high) for part in shape], dtype=np.float32)
    for _ in range(turns):
        ends = np.stack([ends[..., 2], ends[..., 1], -ends[..., 0]], axis=-1)
    colours = np.array([part.colour for part in shape], dtype=np.float32)
    return ends.min(axis=1), ends.max(axis=1), colours


def _meet(
    low: NDArray[np.float32], high: NDArray[np.float32], rays: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32]]:
    """Return where rays from the origin enter a box, across which axis, and where they leave it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one, two = low[:, None] / rays, high[:, None] / rays
    into, out = np.minimum(one, two), np.maximum(one, two)
    return into.max(axis=0), into.argmax(axis=0), out.min(axis=0)

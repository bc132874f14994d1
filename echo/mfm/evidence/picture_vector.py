"""A vector for a picture, worked out from its colours and edges without any model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echo.mfm.evidence.pictures import open_picture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIDE = 64
"""Pixels a side that every picture is scaled to."""
PARTS = 4
"""Parts a side, each described on its own."""
SHADES = 8
"""Steps of brightness (L) and of the two colour axes (a, b) in a part."""
DIRECTIONS = 8
"""Directions of edges in a part, over half a turn."""
DIMENSION = PARTS * PARTS * (3 * SHADES + DIRECTIONS)

_RANGES = ((0.0, 100.0), (-40.0, 40.0), (-40.0, 60.0))
"""Of L, a and b; what lies beyond counts as the end. Saturated colours of a screen do."""


def picture_vector(data: bytes, named: str = "the given picture") -> NDArray[np.float32]:
    """Return a unit vector that is near that of a picture with like colours and edges in like places.

    In each of 4x4 parts: how often each shade of L, a and b occurs, and how strong the edges of each
    direction are. Square roots are taken, so that a large even area does not outweigh the rest; colours and
    edges weigh alike. Source: colour layout (MPEG-7) and histograms of oriented gradients (Dalal and
    Triggs, 2005), both much reduced.

    It tells scenes apart by what they look like. It knows no things: two sheep on different meadows
    are not alike for it, and a place seen from two steps aside often is not either.

    Measured (`python -m echo.bench.evidence`) on views of 64x64 pixels of the Minecraft world, the same place
    looked for among 90: found first at dusk and after 4 degrees of turning in all of 360 cases, after 12
    degrees in 94 %, with a block in front dug out in 92 %, after a step aside in 78 %, after two in 62 %.

    Args:
        data: The picture file.
        named: What to call it in an error.

    Returns:
        (`DIMENSION`,) float32, unit length.

    Raises:
        MfmError: if it is no readable picture.
    """
    import numpy as np
    from PIL.Image import Resampling

    picture = open_picture(data, named).resize((SIDE, SIDE), Resampling.BOX)
    lab = _lab(np.asarray(picture))
    shades = _unit(np.sqrt(_shades(lab)))
    edges = _unit(np.sqrt(_edges(lab[..., 0])))
    return _unit(np.concatenate([shades, edges])).astype(np.float32)


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a unit vector in the same direction; nothing (a picture without edges) stays nothing."""
    import numpy as np

    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector


def _lab(pixels: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return sRGB pixels in CIE L*a*b* under D65: L 0..100."""
    import numpy as np

    share = pixels / 255.0
    light = np.where(share > 0.04045, ((share + 0.055) / 1.055) ** 2.4, share / 12.92)
    to_xyz = np.array(
        ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)), dtype=np.float64
    )
    white = to_xyz.sum(axis=1)
    xyz = light @ to_xyz.T / white
    bent = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    x, y, z = bent[..., 0], bent[..., 1], bent[..., 2]
    return np.asarray(np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1))


def _shades(lab: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much of each part has each shade; a value between two shades counts for both in parts."""
    import numpy as np

    part = _part_of_each_pixel()
    told = []
    for channel, (low, high) in enumerate(_RANGES):
        place = np.clip((lab[..., channel].ravel() - low) / (high - low), 0.0, 1.0) * (SHADES - 1)
        below = np.minimum(place.astype(np.int64), SHADES - 2)
        upper = place - below
        counts = _sums(part * SHADES + below, 1 - upper, SHADES) + _sums(
            part * SHADES + below + 1, upper, SHADES
        )
        told.append(counts.reshape(PARTS * PARTS, SHADES))
    return np.concatenate(told, axis=1).ravel()


def _edges(light: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how strong the edges of each direction are in each part, shared between two directions."""
    import numpy as np

    down, right = np.gradient(light)
    strength = np.hypot(right, down).ravel()
    turn = (np.mod(np.arctan2(down, right), np.pi) / np.pi * DIRECTIONS).ravel()
    first = turn.astype(np.int64) % DIRECTIONS
    share = turn - np.floor(turn)
    part = _part_of_each_pixel() * DIRECTIONS
    return _sums(part + first, strength * (1 - share), DIRECTIONS) + _sums(
        part + (first + 1) % DIRECTIONS, strength * share, DIRECTIONS
    )


def _part_of_each_pixel() -> NDArray[np.int64]:
    import numpy as np

    along = np.arange(SIDE) * PARTS // SIDE
    return (along[:, None] * PARTS + along[None, :]).ravel()


def _sums(place: NDArray[np.int64], weight: NDArray[np.float64], kinds: int) -> NDArray[np.float64]:
    import numpy as np

    return np.bincount(place, weights=weight, minlength=PARTS * PARTS * kinds).astype(np.float64)

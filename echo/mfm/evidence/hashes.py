"""Which stored frames show the same screen: a hash that small changes of a picture leave nearly as it is."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from echo.mfm.evidence.kept import Kept, Told, Work, homes, kept, rows_of
from echo.mfm.evidence.pictures import open_picture, read_bytes, row_picture
from echo.mfm.layout import MfmError, Row
from echo.mfm.options import require

BITS = 256
"""Of a hash: 64 say where brightness rises to the right, 64 where downwards, 96 how blue and how red each
part of the picture is, 32 how bright."""

SAME = 16
"""Most bits in which two pictures of one screen differ.

Measured (`python -m echo.bench.evidence`) on views of 64x64 pixels of the Minecraft world from 360 places, on
the ground and in caves: 0.02 % of pairs from different places are within 16. Of views that differ by what is
held in the hand, or by a little daylight, all are; at dusk 81 %; with a block in front dug out 83 %. After 4
degrees of turning 13 %, after a step aside 4 %: those are other screens.
"""

_CELLS = 4
_COLOURS = (104, 116, 140)
"""Bounds on the colour differences Cb and Cr of a part, whose middle is 128."""
_LIGHTS = (80, 160)
"""Bounds on the brightness Y of a part: without them, an even black and an even white screen were one."""


def screen_hash(data: bytes, named: str = "the given picture") -> str:
    """Return the perceptual hash of a picture file as `BITS` / 4 hex digits.

    Pictures of any size can be compared. It depends on pixels alone, not on the file format.

    Args:
        data: The file.
        named: What to call it in an error.

    Raises:
        MfmError: if it is no readable picture.
    """
    import numpy as np
    from PIL.Image import Resampling

    picture = open_picture(data, named)
    grey = picture.convert("L")
    wide = np.asarray(grey.resize((9, 8), Resampling.BOX))
    high = np.asarray(grey.resize((8, 9), Resampling.BOX))
    cells = np.asarray(picture.convert("YCbCr").resize((_CELLS, _CELLS), Resampling.BOX))
    bits = [wide[:, 1:] > wide[:, :-1], high[1:] > high[:-1]]
    bits += [cells[..., channel] > bound for channel in (1, 2) for bound in _COLOURS]
    bits += [cells[..., 0] > bound for bound in _LIGHTS]
    return np.packbits(np.concatenate([part.ravel() for part in bits])).tobytes().hex()


def bits_apart(one: str, other: str) -> int:
    """Return in how many bits two hashes differ, 0 to `BITS`.

    >>> bits_apart("0f", "0e")
    1
    """
    return (int(one, 16) ^ int(other, 16)).bit_count()


def same_screen(
    root: Path | str, picture: Path | bytes, *, previous: bool = False, told: Told | None = None
) -> list[Row]:
    """Return the rows of the episodes that began with the screen of `picture`, in order of time.

    That is a frame with the very same bytes (by `observation_hash`), or one at most `SAME` bits apart.

    Args:
        root: The memory folder.
        picture: A picture file, or its bytes.
        previous: Look in the earlier lives instead of this one.
        told: Is told how far new frames are taken in, in bytes of the index.

    Raises:
        MfmError: if `picture` cannot be read, frames are switched off, or there is not one frame to
            compare it with.
    """
    require(Path(root), "frames")
    data = picture if isinstance(picture, bytes) else read_bytes(picture)
    asked = screen_hash(data, "the given picture" if isinstance(picture, bytes) else str(picture))
    exact = hashlib.sha256(data).hexdigest()[:16]
    everything = [one for home in homes(root, previous=previous) for one in kept(home, SCREENS, told)]
    if not everything:
        raise MfmError(
            f"expected frames to compare with in {'the earlier lives of ' if previous else ''}{root}, got "
            f"none. Record with frames, or leave out the picture."
        )
    return rows_of(_alike(everything, exact, asked))


def _alike(everything: Sequence[Kept], exact: str, asked: str) -> list[Kept]:
    wanted = int(asked, 16)
    return [
        one
        for one in everything
        if one.observation == exact or (int.from_bytes(one.value) ^ wanted).bit_count() <= SAME
    ]


def _screen(base: Path, row: Row) -> bytes | None:
    data = row_picture(base, row)
    return None if data is None else bytes.fromhex(screen_hash(data, f"the frame of {row['id']}"))


SCREENS = Work(name="screens", version=1, value=_screen)

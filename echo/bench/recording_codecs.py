"""Which codec for frames: time to pack and unpack, and bytes, on frames that our renderer drew."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from csd.episode import Frame
from echo.mfm.episodic.frames import CODECS, EXACT, Codec, decode_picture, encode_frame


@dataclass(frozen=True, kw_only=True)
class CodecCost:
    """What one codec costs on frames of one size. Means over the frames."""

    codec: Codec
    exact: bool
    """Whether every pixel comes back."""
    height: int
    width: int
    frames: int
    pack_ms: float
    unpack_ms: float
    file_bytes: float

    def describe(self) -> str:
        """Return one line in words."""
        return (
            f"{self.width}x{self.height} {self.codec:10} pack {self.pack_ms:6.2f} ms, "
            f"unpack {self.unpack_ms:5.2f} ms, {self.file_bytes:8,.0f} bytes"
            f"{'' if self.exact else ' (lossy)'}"
        )


def measure_codecs(frames: Sequence[Frame]) -> list[CodecCost]:
    """Pack and unpack each frame with every codec.

    Args:
        frames: At least one, all of one size.

    Raises:
        ValueError: if there is none, or sizes differ.
    """
    if not frames or any(frame.shape != frames[0].shape for frame in frames):
        raise ValueError(
            f"expected frames of one size, at least one, got {[each.shape for each in frames][:5]}"
        )
    return [_measure(codec, frames) for codec in CODECS]


def _measure(codec: Codec, frames: Sequence[Frame]) -> CodecCost:
    encode_frame(frames[0], codec)
    start = time.perf_counter()
    packed = [encode_frame(frame, codec) for frame in frames]
    middle = time.perf_counter()
    for data in packed:
        decode_picture(data, Path("image"))
    end = time.perf_counter()
    count = len(frames)
    return CodecCost(
        codec=codec,
        exact=codec in EXACT,
        height=frames[0].shape[0],
        width=frames[0].shape[1],
        frames=count,
        pack_ms=1e3 * (middle - start) / count,
        unpack_ms=1e3 * (end - middle) / count,
        file_bytes=sum(map(len, packed)) / count,
    )

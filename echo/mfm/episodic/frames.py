"""Pictures of an episode: bytes of a PNG, WebP or JPEG file from an RGB array, and back.

Which codec: measured by `python -m echo.bench.recording_codecs` on frames of the Minecraft world. PNG is the
default because every tool of the layout expects `image.png` and because it is exact.
"""

from __future__ import annotations

import io
import struct
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from csd.episode import Frame
from echo.mfm.layout import MfmError, frame_name

if TYPE_CHECKING:
    from PIL import Image

Codec = Literal["png", "webp", "webp-lossy", "jpeg"]
"""How a picture is stored: 'png' and 'webp' come back exactly, 'webp-lossy' and 'jpeg' nearly."""

CODECS: tuple[Codec, ...] = get_args(Codec)
EXACT: frozenset[Codec] = frozenset({"png", "webp"})

PNG_LEVEL = 1
"""Measured at 640x480: level 1 takes two thirds of the time of level 6 for half as many bytes again."""
LOSSY_QUALITY = 80
MOST_PIXELS = 1 << 26
"""A picture of more (8192 x 8192) is refused before it is unpacked."""
MOST_BYTES = 1 << 28
"""A file of more is refused before it is read."""

_ENDINGS: dict[Codec, str] = {"png": ".png", "webp": ".webp", "webp-lossy": ".webp", "jpeg": ".jpg"}
_LONGEST: dict[Codec, int] = {"png": 1 << 26, "webp": 16_383, "webp-lossy": 16_383, "jpeg": 65_500}
"""Pixels along one side that the format can say."""
_NAMES = {".png": "PNG", ".webp": "WebP", ".jpg": "JPEG"}
_PLAIN_MODES = frozenset({"RGB", "L", "P", "1"})
"""Modes of eight bits or fewer without transparency: they turn into RGB exactly."""


def check_codec(codec: str) -> Codec:
    """Return `codec` if it is one.

    Raises:
        ValueError: if not.
    """
    known = next((each for each in CODECS if each == codec), None)
    if known is None:
        raise ValueError(f"expected a codec of {', '.join(CODECS)}, got {codec!r}. Choose one of these.")
    return known


def check_frame(frame: Frame, codec: Codec = "png") -> Frame:
    """Return `frame` as an array that `codec` can store: (height, width, 3) uint8 with at least a pixel.

    Raises:
        ValueError: if it has another shape or dtype, no pixel, or too many.
    """
    array = np.asarray(frame)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3 or array.size == 0:
        raise ValueError(
            f"expected a frame of shape (height, width, 3) and dtype uint8, got {array.shape} {array.dtype}. "
            f"Convert it, or record the observation with frame=None."
        )
    height, width = array.shape[:2]
    if max(height, width) > _LONGEST[codec] or height * width > MOST_PIXELS:
        raise ValueError(
            f"expected a frame of at most {MOST_PIXELS} pixels and {_LONGEST[codec]} a side for {codec}, "
            f"got {height} x {width}. Make it smaller, or record the observation with frame=None."
        )
    return array


def encode_frame(frame: Frame, codec: Codec = "png") -> bytes:
    """Return `frame`, (height, width, 3) uint8, as the bytes of a picture file.

    Raises:
        ValueError: if it has another shape or dtype, no pixel, or too many.
    """
    from PIL import Image

    array = check_frame(frame, codec)
    picture = Image.fromarray(np.ascontiguousarray(array))
    written = io.BytesIO()
    if codec == "png":
        picture.save(written, "PNG", compress_level=PNG_LEVEL)
    elif codec == "webp":
        picture.save(written, "WEBP", lossless=True, quality=0, method=0)
    elif codec == "webp-lossy":
        picture.save(written, "WEBP", quality=LOSSY_QUALITY, method=0)
    else:
        picture.save(written, "JPEG", quality=LOSSY_QUALITY)
    return written.getvalue()


def picture_name(place: int, codec: Codec = "png") -> str:
    """Return the file, within an episode folder, of the picture before step `place` (from 0).

    >>> picture_name(0), picture_name(2, "webp")
    ('observation/image.png', 'observation/image_0002.webp')
    """
    return frame_name(place).removesuffix(".png") + _ENDINGS[codec]


def picture_names(place: int) -> tuple[str, ...]:
    """Return the files that may hold the picture before step `place`, the PNG first.

    >>> picture_names(0)
    ('observation/image.png', 'observation/image.webp', 'observation/image.jpg')
    """
    return tuple(frame_name(place).removesuffix(".png") + ending for ending in _NAMES)


def read_picture(path: Path) -> Frame:
    """Return the picture at `path`, PNG, WebP or JPEG whatever its name says, as (height, width, 3) uint8.

    Grey and palette pictures become RGB, and so do those with an alpha channel that hides nothing.

    Raises:
        MfmError: if the file is missing, unreadable, cut off, too large, animated, of more than eight bits a
            colour, or of a kind that does not turn into RGB without loss.
    """
    try:
        size = path.stat().st_size
        if not path.is_file() or size > MOST_BYTES:
            raise _unfit(path, f"{size} bytes" if path.is_file() else "no file of bytes")
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise MfmError(
            f"expected a picture at {path}, got no file. Restore it from a copy of the memory."
        ) from None
    except OSError as error:
        raise _unfit(path, f"something unreadable ({error})") from error
    return decode_picture(data, path)


def decode_picture(data: bytes, path: Path) -> Frame:
    """Return the picture in the bytes of the file `path`; see `read_picture`.

    Raises:
        MfmError: as `read_picture`.
    """
    from PIL import Image

    try:
        with opened(data, ("PNG", "WEBP", "JPEG")) as picture:
            width, height = picture.size
            if width * height > MOST_PIXELS:
                raise _unfit(path, f"{width} x {height} pixels, more than {MOST_PIXELS}")
            if getattr(picture, "n_frames", 1) != 1:
                raise _unfit(path, "an animation")
            if picture.format == "PNG" and data[24:25] == b"\x10":
                raise _unfit(path, "sixteen bits a colour")
            picture.load()
            return np.asarray(_as_rgb(picture, path))
    except MfmError:
        raise
    except (
        OSError,
        SyntaxError,
        ValueError,
        EOFError,
        IndexError,
        KeyError,
        TypeError,
        struct.error,
        MemoryError,
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
    ) as error:
        raise _unfit(path, f"something unreadable ({error})") from error


def opened(data: bytes, formats: tuple[str, ...]) -> Image.Image:
    """Return the picture in `data`, of one of `formats`, whose pixels are not unpacked yet.

    Pillow warns of more pixels than it likes; who asks here compares them with `MOST_PIXELS` and refuses.
    """
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        return Image.open(io.BytesIO(data), formats=formats)


def _as_rgb(picture: Image.Image, path: Path) -> Image.Image:
    if "transparency" in picture.info or picture.mode in ("RGBA", "LA", "PA"):
        shown = picture.convert("RGBA")
        if shown.getchannel("A").getextrema() != (255, 255):
            raise _unfit(path, "a picture that is partly transparent")
        return shown.convert("RGB")
    if picture.mode not in _PLAIN_MODES:
        raise _unfit(path, f"a picture of mode {picture.mode}")
    return picture.convert("RGB")


def _unfit(path: Path, got: str) -> MfmError:
    kind = _NAMES.get(path.suffix.lower(), "PNG")
    return MfmError(
        f"expected a {kind} picture in {path}, got {got}. "
        f"Restore it from a copy; state.json beside it still tells what was seen."
    )

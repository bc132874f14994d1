"""The stored frames of episodes, and pictures of any kind turned into what can be measured and shown."""

from __future__ import annotations

import io
import re
import struct
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from echo.mfm.evidence.references import find_episode
from echo.mfm.layout import IMAGE, MfmError, Row
from echo.mfm.options import require

if TYPE_CHECKING:
    from PIL.Image import Image

_FRAME = re.compile(r"image(?:_(\d{4,9}))?\.(?:png|webp|jpe?g)", re.ASCII)


def frame_files(folder: Path) -> dict[int, Path]:
    """Return the pictures of the episode in `folder`: step they were seen before (from 0) -> file.

    Named as image.png, image_0002.png and so on; WebP and JPEG count too, PNG first where there are two.
    """
    try:
        names = sorted(entry.name for entry in (folder / IMAGE).parent.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    found: dict[int, Path] = {}
    for name in sorted(names, key=lambda name: not name.endswith(".png")):
        match = _FRAME.fullmatch(name)
        if match is not None:
            found.setdefault(int(match[1] or 0), (folder / IMAGE).parent / name)
    return dict(sorted(found.items()))


def frame_bytes(root: Path | str, episode: str, place: int = 0) -> bytes | None:
    """Return the bytes of the picture before step `place` of an episode, as stored.

    Args:
        root: The memory folder.
        episode: 'ep_000012', or 'life_2/ep_000012' in an earlier life.
        place: Steps from the first, from 0.

    Returns:
        None where no such picture was recorded.

    Raises:
        MfmError: if frames are switched off, there is no such episode, or the file cannot be read.
        ValueError: if `place` is negative.
    """
    if place < 0:
        raise ValueError(f"expected a place from 0, got {place} for {episode}. Count steps from the first.")
    require(Path(root), "frames")
    path = frame_files(find_episode(root, episode).folder).get(place)
    return None if path is None else read_bytes(path)


def row_picture(root: Path | str, row: Row) -> bytes | None:
    """Return the bytes of the picture that an index row names, or None where it names none.

    Raises:
        MfmError: if the file is missing, unreadable, or outside the memory folder.
    """
    image = row.get("image")
    if image is None:
        return None
    parts = PurePosixPath(image).parts if isinstance(image, str) else ()
    if not parts or parts[0] == "/" or ".." in parts or "\0" in str(image):
        raise MfmError(
            f"expected a picture within the memory for {row.get('id')!r}, got {image!r} in its row. "
            f"Restore index.jsonl from a copy."
        )
    return read_bytes(Path(root, *parts))


def read_bytes(path: Path) -> bytes:
    """Return the content of a picture file.

    Raises:
        MfmError: if it is missing, no file, too large, or cannot be read.
    """
    from echo.mfm.episodic.frames import MOST_BYTES

    try:
        size = path.stat().st_size
        if not path.is_file() or size > MOST_BYTES:
            got = f"{size:,} bytes" if path.is_file() else "something else"
            raise MfmError(
                f"expected a picture file of at most {MOST_BYTES:,} bytes at {path}, got {got}. Name another."
            )
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise MfmError(f"expected a picture at {path}, got no file. Name one that exists.") from None
    except OSError as error:
        raise MfmError(f"expected a readable picture at {path}, got {error}. Check the path.") from error


def open_picture(data: bytes, named: str) -> Image:
    """Return a picture of any kind as RGB: 16-bit scaled, transparency on white, the first of several.

    `echo.mfm.episodic.frames.read_picture` refuses what does not turn into RGB without loss, because episodes
    must come back as they were. Here pictures are looked at, from anywhere.

    Args:
        data: The file: PNG, WebP, JPEG, GIF, BMP or TIFF.
        named: What to call it in an error.

    Raises:
        MfmError: if it is no readable picture, or has more pixels than a frame may have.
    """
    from PIL import Image, UnidentifiedImageError

    from echo.mfm.episodic.frames import MOST_PIXELS, opened

    try:
        with opened(data, ("PNG", "WEBP", "JPEG", "GIF", "BMP", "TIFF")) as picture:
            width, height = picture.size
            if width * height > MOST_PIXELS:
                raise MfmError(
                    f"expected a picture of at most {MOST_PIXELS:,} pixels, got {width}x{height} in {named}. "
                    f"Scale it down first."
                )
            picture.load()
            return _as_rgb(picture)
    except MfmError:
        raise
    except (
        OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, struct.error,
        MemoryError, Image.DecompressionBombError, Image.DecompressionBombWarning,
    ) as error:  # fmt: skip
        said = f"{len(data)} bytes of another kind" if isinstance(error, UnidentifiedImageError) else error
        raise MfmError(
            f"expected a picture in {named}, got something unreadable ({said}). "
            f"Restore it from a copy; state.json beside a frame still tells what was seen."
        ) from error


def _as_rgb(picture: Image) -> Image:
    from PIL import Image

    if picture.mode.startswith(("I", "F")):
        return _eight_bits(picture).convert("RGB")
    if picture.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in picture.info:
        above = picture.convert("RGBA")
        below = Image.new("RGBA", above.size, (255, 255, 255, 255))
        return Image.alpha_composite(below, above).convert("RGB")
    return picture.convert("RGB")


def _eight_bits(picture: Image) -> Image:
    """Return a picture of wider numbers as grey: 16 bits by their upper half, others from least to most."""
    import numpy as np
    from PIL import Image

    values = np.asarray(picture).astype(np.float64)
    if not np.isfinite(values).all():
        raise ValueError("it holds numbers that are not finite")
    if picture.mode.startswith("I") and values.min() >= 0 and values.max() <= 0xFFFF:
        return Image.fromarray((values // 256).astype(np.uint8))
    span = max(float(values.max() - values.min()), 1e-9)
    return Image.fromarray(((values - values.min()) / span * 255).astype(np.uint8))


def png_bytes(picture: Image) -> bytes:
    """Return a picture as PNG, the same bytes for the same pixels."""
    written = io.BytesIO()
    picture.save(written, "PNG")
    return written.getvalue()

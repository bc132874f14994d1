"""A part of a picture, magnified, with a grid that names its pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echo.mfm.evidence.lettering import font, told
from echo.mfm.evidence.pictures import open_picture, png_bytes
from echo.mfm.layout import MfmError

if TYPE_CHECKING:
    from PIL.Image import Image

Box = tuple[int, int, int, int]
"""x and y of the upper left corner, width and height, in pixels of the picture."""

MOST_SCALE = 64
LONGEST_SIDE = 4096
"""Pixels of a side of what is made."""
FITTING_SIDE = 768
"""Side that a picture is magnified to where no scale is given, as far as whole numbers allow."""

_CELL = 40
"""Least distance between grid lines, in pixels of what is made: room for a number."""
_STEPS = (1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 40, 50, 64, 100, 128, 200, 250, 256, 500, 512, 1000)
_LETTERS = 13
_MARGIN_COLOUR = (24, 24, 24)
_LETTER_COLOUR = (230, 230, 230)


def crop_png(
    data: bytes, box: Box | None = None, scale: int | None = None, grid: bool = False, smooth: bool = False
) -> bytes:
    """Return a part of a picture as PNG, magnified.

    Magnified pixels stay squares of their exact colour. That is what tells small things apart in drawn
    pictures: at 64x64 an animal is a few pixels wide, and smoothing mixes it with the ground. `smooth`
    (Lanczos) reads better where a photograph or a screen with text is magnified two or three times.

    Args:
        data: The picture file.
        box: The part; None for all of it.
        scale: Whole times of magnification, 1 to `MOST_SCALE`; None for as much as fits `FITTING_SIDE`.
        grid: Draw lines, and the coordinates in the picture beside them, in a margin above and to the left.
        smooth: Magnify smoothly.

    Raises:
        MfmError: if the picture cannot be read, the part is not within it, or the result were too large.
    """
    picture = open_picture(data, "the frame")
    left, top, width, height = _checked(box, picture.size)
    times = _checked_scale(scale, width, height)
    from PIL.Image import Resampling

    part = picture.crop((left, top, left + width, top + height)).resize(
        (width * times, height * times), Resampling.LANCZOS if smooth else Resampling.NEAREST
    )
    return png_bytes(_with_grid(part, left, top, times) if grid else part)


def fitting_scale(width: int, height: int) -> int:
    """Return how many times a picture is magnified where nothing is said.

    >>> fitting_scale(64, 64), fitting_scale(16, 8), fitting_scale(4000, 10)
    (12, 48, 1)
    """
    return min(MOST_SCALE, max(1, FITTING_SIDE // max(width, height)))


def parse_box(text: str) -> Box:
    """Return the box that 'x,y,w,h' names.

    >>> parse_box("8, 16,24,32")
    (8, 16, 24, 32)

    Raises:
        ValueError: if it is not four whole numbers.
    """
    try:
        x, y, width, height = (int(part) for part in text.split(","))
    except ValueError:
        raise ValueError(
            f"expected four whole numbers x,y,w,h in pixels, such as 8,16,24,24; got {text!r}."
        ) from None
    return x, y, width, height


def _checked(box: Box | None, size: tuple[int, int]) -> Box:
    wide, high = size
    if box is None:
        return 0, 0, wide, high
    left, top, width, height = box
    if width < 1 or height < 1:
        raise MfmError(
            f"expected a part of at least one pixel, got width {width} and height {height}. "
            f"Name x,y,w,h within 0,0,{wide},{high}."
        )
    if left < 0 or top < 0 or left + width > wide or top + height > high:
        raise MfmError(
            f"expected a part within the picture, 0,0,{wide},{high}, got {left},{top},{width},{height}. "
            f"Move it, or make it smaller."
        )
    return box


def _checked_scale(scale: int | None, width: int, height: int) -> int:
    times = fitting_scale(width, height) if scale is None else scale
    if not 1 <= times <= MOST_SCALE:
        raise MfmError(f"expected a scale of 1 to {MOST_SCALE}, got {times}.")
    if times * max(width, height) > LONGEST_SIDE and times > 1:
        most = max(1, LONGEST_SIDE // max(width, height))
        raise MfmError(
            f"expected sides of at most {LONGEST_SIDE} pixels, got {width * times}x{height * times} "
            f"({width}x{height}, {times} times). Use a scale of at most {most}, or a smaller part."
        )
    return times


def grid_step(times: int) -> int:
    """Return how many pixels of the picture lie between two grid lines.

    >>> grid_step(12), grid_step(64), grid_step(1)
    (4, 1, 40)
    """
    return next((step for step in _STEPS if step * times >= _CELL), _STEPS[-1])


def _with_grid(part: Image, left: int, top: int, times: int) -> Image:
    from PIL import Image, ImageDraw

    step, letters = grid_step(times), font(_LETTERS)
    xs = range(-(-left // step) * step, left + part.width // times + 1, step)
    ys = range(-(-top // step) * step, top + part.height // times + 1, step)
    measured = ImageDraw.Draw(part)
    margin = 8 + max(int(measured.textlength(str(y), font=letters)) for y in (*ys, *xs, left, top))
    head = _LETTERS + 7
    whole = Image.new("RGB", (part.width + margin, part.height + head), _MARGIN_COLOUR)
    whole.paste(part, (margin, head))
    lines = Image.new("L", part.size, 0)
    line = ImageDraw.Draw(lines)
    draw = ImageDraw.Draw(whole)
    for x in xs:
        at = (x - left) * times
        line.line([(at, 0), (at, part.height)], fill=110)
        told(draw, (margin + at, head - 4), str(x), letters, _LETTER_COLOUR, "ms", whole.width)
    for y in ys:
        at = (y - top) * times
        line.line([(0, at), (part.width, at)], fill=110)
        if at < part.height:
            told(draw, (margin - 4, head + at), str(y), letters, _LETTER_COLOUR, "rm", whole.width)
    # Turned around against what lies below, lines are seen on dark and on light ground.
    against = part.convert("L").point(lambda light: 255 if light < 128 else 0).convert("RGB")
    whole.paste(against, (margin, head), lines)
    return whole

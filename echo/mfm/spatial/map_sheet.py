"""The paper of a map: where a place lies on it, grid, scale, north, and labels that keep apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

    Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

Colour = tuple[int, int, int]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

PAPER: Colour = (251, 249, 244)
INK: Colour = (44, 49, 58)
FAINT: Colour = (222, 216, 203)
MIDDLE: Colour = (122, 124, 128)
PANEL: Colour = (255, 255, 255)

WIDTH, HEIGHT = 1400, 1000
"""Pixels of the whole picture."""
LEFT, TOP, RIGHT, BOTTOM = 64, 76, 1068, 944
"""Pixels of the map on it."""
LEAST_SPAN = 24.0
"""Blocks that a map shows at least, so that a single point has surroundings."""
LABEL = 13
"""Pixels of the letters of a label."""
MARGIN = 0.06
"""Share of the span that is left free at each edge."""
_SQUARE = 4


@dataclass(frozen=True, kw_only=True)
class Projection:
    """From blocks to pixels; north, towards lesser z, is up."""

    middle_x: float
    middle_z: float
    pixels: float
    """A block, in pixels."""

    def at(self, x: float, z: float) -> tuple[float, float]:
        """Return the pixel of a position."""
        return (
            (LEFT + RIGHT) / 2 + (x - self.middle_x) * self.pixels,
            (TOP + BOTTOM) / 2 + (z - self.middle_z) * self.pixels,
        )

    def back(self, column: float, line: float) -> tuple[float, float]:
        """Return the position of a pixel."""
        return (
            self.middle_x + (column - (LEFT + RIGHT) / 2) / self.pixels,
            self.middle_z + (line - (TOP + BOTTOM) / 2) / self.pixels,
        )


def projection_of(positions: Iterable[tuple[float, float]]) -> Projection:
    """Return the projection that shows all `positions` as large as they fit."""
    held = list(positions) or [(0.0, 0.0)]
    low_x, high_x = min(x for x, _ in held), max(x for x, _ in held)
    low_z, high_z = min(z for _, z in held), max(z for _, z in held)
    room = 1 + 2 * MARGIN
    span_x = max((high_x - low_x) * room, LEAST_SPAN)
    span_z = max((high_z - low_z) * room, LEAST_SPAN)
    return Projection(
        middle_x=(low_x + high_x) / 2,
        middle_z=(low_z + high_z) / 2,
        pixels=min((RIGHT - LEFT) / span_x, (BOTTOM - TOP) / span_z),
    )


def round_step(least: float) -> float:
    """Return the least of 1, 2, 5, 10, 20, 50 ... that is not below `least`.

    >>> round_step(3.2), round_step(0.4), round_step(70)
    (5.0, 1.0, 100.0)
    """
    if least <= 1:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-9))


@dataclass
class Labels:
    """Places taken by text and signs, so that no label lies over another, nor over dots where it can be."""

    taken: list[tuple[float, float, float, float]] = field(default_factory=list)
    dots: set[tuple[int, int]] = field(default_factory=set)
    """Squares of `_SQUARE` pixels in which dots lie: column and line."""
    left_out: int = 0

    def block(self, column: float, line: float, radius: float) -> None:
        """Keep labels off a sign."""
        self.taken.append((column - radius, line - radius, column + radius, line + radius))

    def dot(self, column: float, line: float, radius: float) -> None:
        """Keep labels off a dot if there is another spot for them."""
        self.dots.update(_squares((column - radius, line - radius, column + radius, line + radius)))

    def place(
        self, column: float, line: float, width: float, height: float, away: float
    ) -> tuple[float, float] | None:
        """Return the upper left corner for a label near a sign, or None, and count it, where none is free."""
        spots = (
            (column + away, line - height / 2),
            (column - away - width, line - height / 2),
            (column - width / 2, line - away - height),
            (column - width / 2, line + away),
            (column + away * 0.7, line - away - height * 0.8),
            (column + away * 0.7, line + away - height * 0.2),
            (column - away * 0.7 - width, line - away - height * 0.8),
            (column - away * 0.7 - width, line + away - height * 0.2),
        )
        boxes = [(x - 2, y - 1, x + width + 2, y + height + 1) for x, y in spots]
        free = [box for box in boxes if self._is_free(box)]
        if not free:
            self.left_out += 1
            return None
        box = next((box for box in free if not any(one in self.dots for one in _squares(box))), free[0])
        self.taken.append(box)
        return (box[0] + 2, box[1] + 1)

    def _is_free(self, box: Box) -> bool:
        inside = box[0] >= LEFT and box[1] >= TOP and box[2] <= RIGHT and box[3] <= BOTTOM
        return inside and not any(_overlap(box, other) for other in self.taken)


def _squares(box: Box) -> Iterator[tuple[int, int]]:
    """Yield the squares that a box lies in."""
    left, top, right, bottom = (math.floor(edge / _SQUARE) for edge in box)
    for line in range(top, bottom + 1):
        for column in range(left, right + 1):
            yield (column, line)


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


class Sheet:
    """A picture that is drawn on at twice its size, and written on at its own."""

    FINE = 2
    """How much larger it is drawn on; the edges are smooth when it is made small again."""

    def __init__(self) -> None:
        """Start with an empty sheet."""
        from PIL import Image, ImageDraw

        self._large: Image.Image = Image.new("RGB", (WIDTH * self.FINE, HEIGHT * self.FINE), PAPER)
        self._draw: ImageDraw.ImageDraw = ImageDraw.Draw(self._large, "RGBA")
        self._texts: list[tuple[float, float, str, int, Colour]] = []
        self._fonts: dict[int, Font] = {}

    def line(self, points: Iterable[tuple[float, float]], colour: tuple[int, ...], width: float) -> None:
        """Draw a line through `points`."""
        fine = [(x * self.FINE, y * self.FINE) for x, y in points]
        self._draw.line(fine, fill=colour, width=max(1, round(width * self.FINE)), joint="curve")

    def disc(
        self, x: float, y: float, radius: float, colour: tuple[int, ...], edge: Colour | None = None
    ) -> None:
        """Draw a disc."""
        self._draw.ellipse(
            self._box(x - radius, y - radius, x + radius, y + radius),
            fill=colour,
            outline=edge,
            width=self.FINE,
        )

    def box(
        self,
        corners: tuple[float, float, float, float],
        colour: tuple[int, ...] | None,
        edge: tuple[int, ...] | None = None,
        *,
        round_by: float = 0.0,
        width: float = 1.0,
    ) -> None:
        """Draw a box from (left, top, right, bottom)."""
        self._draw.rounded_rectangle(
            self._box(*corners),
            radius=round_by * self.FINE,
            fill=colour,
            outline=edge,
            width=max(1, round(width * self.FINE)),
        )

    def shape(
        self, points: Iterable[tuple[float, float]], colour: Colour, edge: Colour | None = None
    ) -> None:
        """Draw a filled shape."""
        fine = [(x * self.FINE, y * self.FINE) for x, y in points]
        self._draw.polygon(fine, fill=colour, outline=edge, width=self.FINE)

    def text(self, x: float, y: float, text: str, *, size: int = 14, colour: Colour = INK) -> None:
        """Write `text` with its upper left corner at (x, y), later, over everything drawn."""
        self._texts.append((x, y, text, size, colour))

    def label(self, x: float, y: float, text: str, colour: Colour) -> None:
        """Write a label on a light ground that keeps it legible over lines."""
        width, height = self.extent(text, LABEL)
        self.box((x - 3, y - 1, x + width + 4, y + height + 3), (*PANEL, 222), round_by=4)
        self.text(x, y, text, size=LABEL, colour=colour)

    def extent(self, text: str, size: int) -> tuple[float, float]:
        """Return width and height of a text in pixels."""
        left, _, right, _ = self._font(size).getbbox(text)
        return (right - left, size * 1.1)

    def finished(self) -> Image.Image:
        """Return the picture."""
        from PIL import Image, ImageDraw

        small = self._large.resize((WIDTH, HEIGHT), Image.Resampling.BOX)
        writing = ImageDraw.Draw(small)
        for x, y, text, size, colour in self._texts:
            writing.text((x, y), text, fill=colour, font=self._font(size))
        return small

    def _font(self, size: int) -> Font:
        from PIL import ImageFont

        if size not in self._fonts:
            self._fonts[size] = ImageFont.load_default(size)
        return self._fonts[size]

    def _box(self, left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
        return (left * self.FINE, top * self.FINE, right * self.FINE, bottom * self.FINE)


def writable(text: str, most: int = 40) -> str:
    r"""Return `text` as the built-in font can write it, on one line, at most `most` characters.

    >>> writable("caf\u00e9 \u732b")
    'caf\xe9 \\u732b'
    """
    folded = " ".join(text.split())
    plain = "".join(
        letter
        if letter.isprintable() and ord(letter) < 0x100
        else letter.encode("ascii", "backslashreplace").decode()
        for letter in folded
    )
    return plain if len(plain) <= most else f"{plain[: most - 3]}..."

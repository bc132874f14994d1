"""A contact sheet: many stored frames on one picture, each with the episode, its steps and its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from echo.mfm.evidence.lettering import cut, font, shown
from echo.mfm.evidence.pictures import open_picture, png_bytes, row_picture
from echo.mfm.evidence.references import cited, place_of, steps_of
from echo.mfm.layout import MfmError, Row
from echo.mfm.options import memory_options
from echo.mfm.picture_file import write_picture

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

MOST_TILES = 120
"""On one sheet; of more, the first and the last are shown and the rest is counted."""
FEW = 40
"""Most frames that get large squares."""
ACROSS, TILE = 8, 192
"""Squares in a row, and the side of the square that a frame is scaled into, in pixels, for few frames."""
MANY_ACROSS, SMALL_TILE = 12, 128
"""The same for many: a sheet stays about as high as it is wide, so that little is lost if it is shrunk."""

_GAP = 8
_LINE = 15
_LETTERS = 13
_PAPER, _EMPTY, _INK, _FAINT = (32, 32, 34), (58, 58, 62), (238, 238, 238), (170, 170, 175)


@dataclass(frozen=True, kw_only=True)
class Tile:
    """One episode on the sheet."""

    title: str
    """Its id, or 'life_2/ep_000012'."""
    lines: tuple[str, ...]
    """Below the title: its steps, its place."""
    picture: bytes | None
    """The file; None where it has none."""
    missing: str = "no frame"
    """What stands in place of a picture."""


def tiles(root: Path | str, rows: Iterable[Row]) -> list[Tile]:
    """Return what a sheet shows of `rows`, in their order.

    A frame that cannot be read is shown as that; the others are not held up by it. Of more rows than a sheet
    shows, the files of the others are not read.

    Raises:
        MfmError: if the memory's options cannot be read.
    """
    told = list(rows)
    off = not memory_options(Path(root)).frames
    first, last = _ends(len(told))
    return [
        _tile(
            Path(root), row, read=not off and not first <= place < last, missing="frames off" if off else ""
        )
        for place, row in enumerate(told)
    ]


def _tile(root: Path, row: Row, *, read: bool, missing: str) -> Tile:
    lines = tuple(line for line in (steps_of(row), place_of(row)) if line)
    picture = None
    try:
        picture = row_picture(root, row) if read else None
    except MfmError:
        missing = "frame unreadable"
    return Tile(title=cited(row), lines=lines, picture=picture, missing=missing or "no frame")


def write_sheet(out: Path, pictures: Sequence[Tile]) -> None:
    """Write a contact sheet of `pictures` in their order, row by row, as PNG.

    At most `MOST_TILES` squares are shown: of more pictures the first and the last ones, with a square
    between them that tells how many were left out.

    Args:
        out: The file; it is written whole or not at all.
        pictures: What to show, at least one.

    Raises:
        MfmError: if there is nothing to show, or `out` is no place for a file.
    """
    if not pictures:
        raise MfmError("expected at least one episode for a sheet, got none. Ask for more.")
    write_picture(out, png_bytes(_sheet(_bounded(pictures))))


def _ends(count: int) -> tuple[int, int]:
    """Return where the pictures begin and end that a sheet of `count` leaves out."""
    if count <= MOST_TILES:
        return count, count
    return MOST_TILES // 2, count - (MOST_TILES - MOST_TILES // 2 - 1)


def _bounded(pictures: Sequence[Tile]) -> list[Tile]:
    first, last = _ends(len(pictures))
    if first == last:
        return list(pictures)
    gap = Tile(title="...", lines=(), picture=None, missing=f"{last - first:,} more")
    return [*pictures[:first], gap, *pictures[last:]]


def _sheet(pictures: Sequence[Tile]) -> Image:
    from PIL import Image, ImageDraw

    most, side = (ACROSS, TILE) if len(pictures) <= FEW else (MANY_ACROSS, SMALL_TILE)
    across = min(most, len(pictures))
    down = -(-len(pictures) // across)
    text = _LINE * (1 + max(len(tile.lines) for tile in pictures)) + 4
    width, height = across * (side + _GAP) + _GAP, down * (side + text + _GAP) + _GAP
    sheet = Image.new("RGB", (width, height), _PAPER)
    draw = ImageDraw.Draw(sheet)
    for place, tile in enumerate(pictures):
        x = _GAP + place % across * (side + _GAP)
        y = _GAP + place // across * (side + text + _GAP)
        _put_picture(sheet, draw, tile, (x, y), side)
        for number, line in enumerate((tile.title, *tile.lines)):
            colour = _FAINT if number else _INK
            at = (x, y + side + 3 + number * _LINE)
            draw.text(at, cut(draw, shown(line), font(_LETTERS), side), font=font(_LETTERS), fill=colour)
    return sheet


def _put_picture(sheet: Image, draw: ImageDraw, tile: Tile, at: tuple[int, int], side: int) -> None:
    x, y = at
    missing = tile.missing
    if tile.picture is not None:
        try:
            scaled = scaled_into(open_picture(tile.picture, tile.title), side, side)
            sheet.paste(scaled, (x + (side - scaled.width) // 2, y + (side - scaled.height) // 2))
            return
        except MfmError:
            missing = "frame unreadable"
    draw.rectangle([x, y, x + side - 1, y + side - 1], fill=_EMPTY)
    letters: Any = font(_LETTERS)
    draw.text((x + side // 2, y + side // 2), missing, font=letters, fill=_FAINT, anchor="mm")


def scaled_into(picture: Image, width: int, height: int) -> Image:
    """Return a picture as large as fits, its shape kept: whole times with square pixels, or made smaller."""
    from PIL.Image import Resampling

    times = min(width // picture.width, height // picture.height)
    if times >= 1:
        return picture.resize((picture.width * times, picture.height * times), Resampling.NEAREST)
    share = min(width / picture.width, height / picture.height)
    size = (max(1, round(picture.width * share)), max(1, round(picture.height * share)))
    return picture.resize(size, Resampling.LANCZOS, reducing_gap=3.0)

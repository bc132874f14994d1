"""A picture of the map: the way walked, coloured by time, and what is known beside it."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from echo.mfm.picture_file import check_place, write_picture
from echo.mfm.spatial.answers import Hazard, Stay
from echo.mfm.spatial.map_content import MapContent
from echo.mfm.spatial.map_legend import draw_legend
from echo.mfm.spatial.map_sheet import (
    BOTTOM,
    FAINT,
    INK,
    LABEL,
    LEFT,
    MIDDLE,
    PANEL,
    RIGHT,
    TOP,
    Colour,
    Labels,
    Projection,
    Sheet,
    projection_of,
    round_step,
    writable,
)
from echo.mfm.spatial.map_signs import (
    CONTAINER,
    DANGER,
    DEATH,
    STATION,
    draw_danger,
    draw_dot,
    draw_end,
    draw_sign,
    time_colour,
)

JUMP = 100.0
"""Blocks between two stays from which the body did not walk: a dotted line."""
_BIN = 11.0
"""Pixels within which blocks of one kind share a dot."""


_STROKES: tuple[tuple[float, float, int], ...] = (
    (25.0, 2.4, 225),
    (80.0, 1.8, 175),
    (240.0, 1.4, 110),
    (math.inf, 1.0, 60),
)
"""Up to how many widths of the map the way is long: its own width in pixels, how opaque it is (0 to 255)."""


def draw_map(content: MapContent, out: Path) -> None:
    """Write the picture of `content` to `out` as PNG; it is replaced as a whole or not at all.

    Raises:
        MfmError: if `out` is no place for a picture, see `echo.mfm.picture_file.write_picture`.
    """
    check_place(out)
    place = projection_of(_positions(content))
    sheet, labels = Sheet(), Labels()
    _grid(sheet, place)
    _path(sheet, place, content.path)
    _resources(sheet, place, labels, content)
    _stations(sheet, place, labels, content)
    _hazards(sheet, place, labels, content.hazards)
    _ends(sheet, place, labels, content.path)
    _write_labels(sheet, place, labels, content)
    _frame(sheet, place, content)
    draw_legend(sheet, content, labels.left_out)
    drawn = io.BytesIO()
    sheet.finished().save(drawn, format="PNG")
    write_picture(out, drawn.getvalue())


def _positions(content: MapContent) -> Iterator[tuple[float, float]]:
    for stay in content.path:
        yield (stay.x + 0.5, stay.z + 0.5)
    for found in content.resources.values():
        for known in found:
            yield known.middle
    for point in (*content.stations, *content.containers):
        yield point.middle
    for hazard in content.hazards:
        yield (hazard.x, hazard.z)


def _grid(sheet: Sheet, place: Projection) -> None:
    sheet.box((LEFT, TOP, RIGHT, BOTTOM), PANEL)
    step = round_step(90 / place.pixels)
    low_x, low_z = place.back(LEFT, TOP)
    high_x, high_z = place.back(RIGHT, BOTTOM)
    for number in range(math.ceil(low_x / step), math.floor(high_x / step) + 1):
        column = place.at(number * step, 0)[0]
        sheet.line([(column, TOP), (column, BOTTOM)], FAINT, 1)
        _number(sheet, number * step, column, None)
    for number in range(math.ceil(low_z / step), math.floor(high_z / step) + 1):
        line = place.at(0, number * step)[1]
        sheet.line([(LEFT, line), (RIGHT, line)], FAINT, 1)
        _number(sheet, number * step, None, line)


def _number(sheet: Sheet, value: float, column: float | None, line: float | None) -> None:
    text = f"{value:,.0f}" if abs(value) < 1e7 else f"{value:.3g}"
    width, height = sheet.extent(text, 12)
    if column is not None:
        sheet.text(column - width / 2, BOTTOM + 6, text, size=12, colour=MIDDLE)
    elif line is not None:
        sheet.text(LEFT - width - 8, line - height / 2, text, size=12, colour=MIDDLE)


def _path(sheet: Sheet, place: Projection, path: tuple[Stay, ...]) -> None:
    edge = max(place.pixels, 7.0) / 2
    busiest = max((stay.moments for stay in path), default=1)
    for stay in path:
        x, y = place.at(stay.x + 0.5, stay.z + 0.5)
        alpha = 60 + round(110 * math.log1p(stay.moments) / math.log1p(busiest))
        sheet.box((x - edge, y - edge, x + edge, y + edge), (233, 222, 196, alpha))
    inked = sum(math.dist((one.x, one.z), (other.x, other.z)) for one, other in pairwise(path))
    crowded = inked * place.pixels / (RIGHT - LEFT)
    thin, alpha = next(held[1:] for held in _STROKES if crowded <= held[0])
    for number, (one, other) in enumerate(pairwise(path)):
        start, end = place.at(one.x + 0.5, one.z + 0.5), place.at(other.x + 0.5, other.z + 0.5)
        colour = time_colour(number / max(1, len(path) - 2))
        if math.dist((one.x, one.z), (other.x, other.z)) > JUMP:
            _dotted(sheet, start, end, colour)
        else:
            sheet.line([start, end], (*colour, alpha), thin)


def _dotted(sheet: Sheet, start: tuple[float, float], end: tuple[float, float], colour: Colour) -> None:
    length = math.dist(start, end)
    for at in range(0, int(length), 8):
        share = at / length
        sheet.disc(
            start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share, 1.2, colour
        )


def _resources(sheet: Sheet, place: Projection, labels: Labels, content: MapContent) -> None:
    """Draw one dot for blocks of a kind that lie within a few pixels; the rarest kinds last, on top."""
    for number, found in reversed(list(enumerate(content.resources.values()))):
        dots: dict[tuple[int, int], list[tuple[float, float]]] = {}
        for known in found:
            x, y = place.at(*known.middle)
            dots.setdefault((int(x // _BIN), int(y // _BIN)), []).append((x, y))
        for held in dots.values():
            radius = min(4.0 + 0.6 * math.log2(len(held)), 6.0)
            middle_x = math.fsum(x for x, _ in held) / len(held)
            middle_y = math.fsum(y for _, y in held) / len(held)
            draw_dot(sheet, middle_x, middle_y, radius, number)
            labels.dot(middle_x, middle_y, radius + 1)


def _stations(sheet: Sheet, place: Projection, labels: Labels, content: MapContent) -> None:
    for point, colour in (
        *((one, STATION) for one in content.stations),
        *((one, CONTAINER) for one in content.containers),
    ):
        x, y = place.at(*point.middle)
        draw_sign(sheet, x, y, colour, lid=colour == CONTAINER)
        labels.block(x, y, 8)


def _hazards(sheet: Sheet, place: Projection, labels: Labels, hazards: tuple[Hazard, ...]) -> None:
    for hazard in reversed(hazards):
        x, y = place.at(hazard.x, hazard.z)
        draw_danger(sheet, x, y, DEATH if hazard.kind == "death" else DANGER)
        labels.block(x, y, 9)


def _ends(sheet: Sheet, place: Projection, labels: Labels, path: tuple[Stay, ...]) -> None:
    for stay, share in ((path[0], 0.0), (path[-1], 1.0)) if path else ():
        x, y = place.at(stay.x + 0.5, stay.z + 0.5)
        draw_end(sheet, x, y, share)
        labels.block(x, y, 8)


def _write_labels(sheet: Sheet, place: Projection, labels: Labels, content: MapContent) -> None:
    """Label ends first, then harm, stations and containers, as far as there is room."""
    wanted: list[tuple[float, float, str, Colour]] = []
    if content.path:
        first, last = content.path[0], content.path[-1]
        one = len(content.path) == 1
        wanted.append((first.x + 0.5, first.z + 0.5, "start and now" if one else "start", INK))
        if not one:
            wanted.append((last.x + 0.5, last.z + 0.5, "now", INK))
    wanted += [(one.x, one.z, hazard_words(one), DANGER) for one in content.hazards]
    wanted += [(*one.middle, one.name or "", STATION) for one in content.stations]
    wanted += [(*one.middle, one.name or "", CONTAINER) for one in content.containers]
    for x, z, text, colour in wanted:
        told = writable(text, 28)
        column, line = place.at(x, z)
        spot = labels.place(column, line, *sheet.extent(told, LABEL), 12)
        if spot is not None:
            sheet.label(*spot, told, colour)


def hazard_words(hazard: Hazard) -> str:
    """Return a hazard in a few words, such as 'attack spider -12 (3x)'."""
    cause = hazard.cause or hazard.during or hazard.kind
    amount = "" if hazard.amount is None else f" -{hazard.amount:g}"
    return f"{cause}{amount}{f' ({hazard.times}x)' if hazard.times > 1 else ''}"


def _frame(sheet: Sheet, place: Projection, content: MapContent) -> None:
    """Draw the edge, the title, scale and north."""
    sheet.box((LEFT, TOP, RIGHT, BOTTOM), None, MIDDLE)
    sheet.text(LEFT, 20, writable(content.title, 60), size=24)
    steps = [when.step for stay in content.path for when in (stay.first, stay.last) if when.step is not None]
    told = f"{content.episodes:,} episode{'' if content.episodes == 1 else 's'}" + (
        f", steps {min(steps):,} to {max(steps):,}" if steps else ""
    )
    sheet.text(LEFT, 49, f"{told}; x to the east, z to the south, in blocks", size=14, colour=MIDDLE)
    blocks = round_step(110 / place.pixels)
    length = blocks * place.pixels
    x, y = RIGHT - length - 8, 58
    sheet.line([(x, y), (x + length, y)], INK, 2)
    for end in (x, x + length):
        sheet.line([(end, y - 4), (end, y + 4)], INK, 2)
    text = f"{blocks:,.0f} block{'' if blocks == 1 else 's'}" if blocks < 1e7 else f"{blocks:.3g} blocks"
    width, _ = sheet.extent(text, 13)
    sheet.text(x + length / 2 - width / 2, y - 24, text, size=13)
    _north(sheet, RIGHT - length - 40, 46)


def _north(sheet: Sheet, x: float, y: float) -> None:
    sheet.shape([(x, y - 14), (x + 7, y + 14), (x, y + 8)], INK)
    sheet.shape([(x, y - 14), (x - 7, y + 14), (x, y + 8)], FAINT, INK)
    width, _ = sheet.extent("N", 14)
    sheet.text(x - width / 2 - 18, y - 8, "N", size=15)

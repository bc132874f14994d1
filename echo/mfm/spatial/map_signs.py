"""Colours and signs that a map and its legend share."""

from __future__ import annotations

from echo.mfm.spatial.map_sheet import INK, PANEL, Colour, Sheet

TIMES: tuple[Colour, ...] = ((64, 30, 120), (136, 45, 132), (205, 66, 104), (240, 121, 66), (250, 186, 74))
"""Colours of the way from its beginning to its end."""
PALETTE: tuple[Colour, ...] = ((24, 92, 190), (44, 150, 52), (150, 92, 36), (40, 184, 214), (84, 90, 102))
"""Colours of kinds of block, in turn; far apart, and apart from those of the way. Once they are used up, the
same ones are given to diamonds."""
STATION: Colour = (38, 70, 128)
CONTAINER: Colour = (140, 92, 40)
DANGER: Colour = (206, 38, 46)
DEATH: Colour = (30, 30, 34)


def time_colour(share: float) -> Colour:
    """Return the colour of a moment, 0 at the beginning to 1 at the end."""
    place = min(max(share, 0.0), 1.0) * (len(TIMES) - 1)
    low = min(int(place), len(TIMES) - 2)
    part = place - low
    one, other = TIMES[low], TIMES[low + 1]
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(one, other, strict=True))
    return (red, green, blue)


def draw_dot(sheet: Sheet, x: float, y: float, radius: float, number: int) -> None:
    """Draw the mark of the kind of block with a number from 0: a dot or, from `PALETTE` on, a diamond."""
    colour = PALETTE[number % len(PALETTE)]
    if number % (2 * len(PALETTE)) < len(PALETTE):
        sheet.disc(x, y, radius, (*colour, 235), PANEL)
        return
    away = radius * 1.35
    sheet.shape([(x, y - away), (x + away, y), (x, y + away), (x - away, y)], colour, PANEL)


def draw_sign(sheet: Sheet, x: float, y: float, colour: Colour, *, lid: bool) -> None:
    """Draw the sign of a station, or with a lid that of a container."""
    sheet.box((x - 8, y - 8, x + 8, y + 8), colour, PANEL, round_by=3.5, width=1.5)
    if lid:
        sheet.line([(x - 6, y - 2), (x + 6, y - 2)], PANEL, 1.4)
        sheet.box((x - 1.6, y - 3.6, x + 1.6, y + 1), PANEL)
    else:
        sheet.line([(x - 4, y), (x + 4, y)], PANEL, 1.8)
        sheet.line([(x, y - 4), (x, y + 4)], PANEL, 1.8)


def draw_danger(sheet: Sheet, x: float, y: float, colour: Colour) -> None:
    """Draw the sign of a place where harm was done."""
    sheet.shape([(x, y - 10), (x + 10, y + 8), (x - 10, y + 8)], colour, PANEL)
    sheet.line([(x, y - 3), (x, y + 2.5)], PANEL, 2.0)
    sheet.disc(x, y + 5.4, 1.2, PANEL)


def draw_end(sheet: Sheet, x: float, y: float, share: float) -> None:
    """Draw the sign of where the way begins (share 0) or ends (1)."""
    sheet.disc(x, y, 7.5, PANEL, INK)
    sheet.disc(x, y, 4.6, time_colour(share))

"""The legend at the right of a map."""

from __future__ import annotations

from echo.mfm.spatial.map_content import MapContent
from echo.mfm.spatial.map_sheet import INK, MIDDLE, RIGHT, TOP, WIDTH, Colour, Sheet, writable
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

_LEFT = RIGHT + 28
_SIGN = _LEFT + 10
_TEXT = _LEFT + 30
_LINE = 25
_BAR = 230


def draw_legend(sheet: Sheet, content: MapContent, labels_left_out: int) -> None:
    """Draw what the colours and signs of `content` mean, and what is not shown."""
    y = float(TOP)
    if content.path:
        y = _way(sheet, content, y)
    y = _signs(sheet, content, y)
    y = _resources(sheet, content, y)
    notes = []
    if labels_left_out:
        notes.append(f"{labels_left_out:,} labels had no room")
    if content.elsewhere:
        notes.append(f"{sum(one.episodes for one in content.elsewhere):,} episodes of other worlds left out")
    if content.unread:
        notes.append(f"{len(content.unread):,} parts of episodes unread")
    if not (content.path or content.resources or content.stations or content.containers or content.hazards):
        notes.append("nothing known yet")
    for note in notes:
        sheet.text(_LEFT, y + 6, note, size=13, colour=MIDDLE)
        y += 20


def _way(sheet: Sheet, content: MapContent, y: float) -> float:
    sheet.text(_LEFT, y, "Path", size=16)
    y += 26
    for at in range(_BAR):
        sheet.line([(_LEFT + at, y), (_LEFT + at, y + 12)], time_colour(at / (_BAR - 1)), 1.5)
    path = content.path
    first, last = path[0].first, path[-1].last
    ends = [one.episode if one.step is None else f"step {one.step:,}" for one in (first, last)]
    told = [writable(text, 18) for text in ends]
    sheet.text(_LEFT, y + 17, told[0], size=13, colour=MIDDLE)
    width, _ = sheet.extent(told[1], 13)
    sheet.text(_LEFT + _BAR - width, y + 17, told[1], size=13, colour=MIDDLE)
    y += 46
    for share, text in ((0.0, "start"), (1.0, "now")):
        draw_end(sheet, _SIGN + share * 110, y + 8, share)
        sheet.text(_TEXT + share * 110, y, text, size=14)
    return y + 42


def _signs(sheet: Sheet, content: MapContent, y: float) -> float:
    damages = [one for one in content.hazards if one.kind == "damage"]
    deaths = [one for one in content.hazards if one.kind == "death"]
    rows = (
        ("station", len(content.stations), STATION),
        ("container", len(content.containers), CONTAINER),
        ("damage", len(damages), DANGER),
        ("death", len(deaths), DEATH),
    )
    shown = [row for row in rows if row[1]]
    if not shown:
        return y
    sheet.text(_LEFT, y, "Places", size=16)
    y += 30
    for word, count, colour in shown:
        if colour in (DANGER, DEATH):
            draw_danger(sheet, _SIGN, y + 8, colour)
        else:
            draw_sign(sheet, _SIGN, y + 8, colour, lid=colour == CONTAINER)
        _row(sheet, y, word, f"{count:,}")
        y += _LINE
    return y + 18


def _resources(sheet: Sheet, content: MapContent, y: float) -> float:
    if not content.resources:
        return y
    sheet.text(_LEFT, y, "Seen or got", size=16)
    _row(sheet, y + 2, "", "places", colour=MIDDLE)
    y += 30
    for number, (name, found) in enumerate(content.resources.items()):
        draw_dot(sheet, _SIGN, y + 8, 5.5, number)
        _row(sheet, y, writable(name, 21), f"{len(found):,}")
        y += _LINE
    if content.names_left_out:
        sheet.text(_TEXT, y, f"and {content.names_left_out:,} kinds more", size=13, colour=MIDDLE)
        y += _LINE
    return y + 18


def _row(sheet: Sheet, y: float, word: str, number: str, *, colour: Colour = INK) -> None:
    sheet.text(_TEXT, y, word, size=14)
    width, _ = sheet.extent(number, 14)
    sheet.text(min(WIDTH - 24, _LEFT + 280) - width, y, number, size=14, colour=colour)

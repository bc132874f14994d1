"""A remembered frame beside the current view, to find a place again or to see what changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from echo.mfm.evidence.around import around
from echo.mfm.evidence.lettering import cut, folded, font, shown
from echo.mfm.evidence.pictures import frame_bytes, open_picture, png_bytes, read_bytes, row_picture
from echo.mfm.evidence.references import Reference, find_episode, number
from echo.mfm.evidence.sheet import scaled_into
from echo.mfm.folder import MemoryFolder
from echo.mfm.layout import MfmError, Row, earlier_lives, life_name
from echo.mfm.options import require
from echo.mfm.picture_file import write_picture

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE = 512
"""Side of the square that each picture is scaled into, in pixels."""
NO_QUESTION = "(no --q given: what question does this look answer?)"

_GAP, _LETTERS, _LINE = 12, 18, 24
_PAPER, _INK, _FAINT = (32, 32, 34), (238, 238, 238), (180, 180, 185)


class NoFrame(MfmError):
    """What should be shown as it was then is neither an episode with a frame nor a file."""


@dataclass(frozen=True, kw_only=True)
class Moment:
    """A picture with what is known of when and where it was seen."""

    told: str
    """Such as 'ep_000012 step 40 at (3, -8)'."""
    picture: bytes


def write_then_now(
    root: Path | str, then: str, now: Path | None, out: Path, *, question: str | None = None
) -> str:
    """Write both pictures side by side as PNG and return the line that says so.

    Args:
        root: The memory folder.
        then: Id of an episode, of this life or else of an earlier one, or a picture file.
        now: The current view; None takes the newest frame of this life.
        out: The file to write, whole or not at all.
        question: What the look should answer; written below the pictures.

    Raises:
        NoFrame: if `then` is no episode with a frame and no file.
        MfmError: if a picture cannot be read, frames are switched off, or `out` is no place for a file.
    """
    require(Path(root), "frames")
    before = _then(root, then)
    current = _newest(root) if now is None else Moment(told="", picture=read_bytes(now))
    asked = NO_QUESTION if question is None else question
    write_picture(out, side_by_side(before, current, question))
    return f"wrote {out}: THEN {before.told} | NOW. Q: {asked}. View it with view_image."


def moment_of(root: Path | str, episode: str) -> Moment | None:
    """Return what was seen as an episode began; None where it has no picture.

    Args:
        root: The memory folder.
        episode: 'ep_000012', or 'life_2/ep_000012' in an earlier life.

    Raises:
        MfmError: if there is no such episode, its picture cannot be read, or frames are switched off.
    """
    require(Path(root), "frames")
    found = find_episode(root, episode)
    row, data = _seen(root, found)
    data = frame_bytes(root, found.name) if data is None else data
    told = found.name if row is None else _told(row, found.name)
    return None if data is None else Moment(told=told, picture=data)


def newest_moment(root: Path | str) -> Moment:
    """Return the newest frame of this life.

    Raises:
        MfmError: if there is none, it cannot be read, or frames are switched off.
    """
    require(Path(root), "frames")
    return _newest(root)


def side_by_side(then: Moment, now: Moment, question: str | None) -> bytes:
    """Return both pictures on one, as PNG, with `question` below them.

    Raises:
        MfmError: if one of them cannot be read.
    """
    asked = None if question is None else f"Q: {question}"
    return png_bytes(_drawn([("THEN", then), ("NOW", now)], asked))


def _then(root: Path | str, then: str) -> Moment:
    for name in _names(root, then):
        try:
            found = find_episode(root, name)
        except MfmError:
            continue
        row, data = _seen(root, found)
        if row is not None and data is not None:
            return Moment(told=_told(row, row["id"]), picture=data)
    if Path(then).is_file():
        return Moment(told=then, picture=read_bytes(Path(then)))
    raise NoFrame(f"no frame for {then!r}: not an episode id in the index and not a file")


def _seen(root: Path | str, found: Reference) -> tuple[Row | None, bytes | None]:
    row = around(root, found, in_time=0, in_place=0).row
    return row, None if row is None else row_picture(root, row)


def _names(root: Path | str, then: str) -> list[str]:
    """Return what to look for in order: the episode of this life, then of earlier ones, the last first."""
    lives = reversed(earlier_lives(MemoryFolder(root).root))
    return [then] if "/" in then else [then, *(f"{life_name(life)}/{then}" for life in lives)]


def _newest(root: Path | str) -> Moment:
    rows: Iterable[Row] = reversed(list(MemoryFolder(root).rows()))
    for row in rows:
        data = row_picture(root, row)
        if data is not None:
            return Moment(told=_told(row, row["id"]), picture=data)
    raise MfmError(f"expected a frame in {root} to stand for now, got none. Name the current view.")


def _told(row: Row, name: str) -> str:
    x, z = number(row.get("x")), number(row.get("z"))
    first = row.get("first_step")
    step = "?" if first is None else first
    return f"{name} step {step}" + ("" if x is None or z is None else f" at ({x:.0f},{z:.0f})")


def _drawn(moments: Sequence[tuple[str, Moment]], question: str | None) -> Image:
    from PIL import Image, ImageDraw

    letters = font(_LETTERS)
    pictures = [scaled_into(open_picture(one.picture, one.told or name), SIDE, SIDE) for name, one in moments]
    height = max(picture.height for picture in pictures)
    width = max(_LETTERS * 10, *(picture.width for picture in pictures))
    whole_width = len(pictures) * (width + _GAP) + _GAP
    measured = ImageDraw.Draw(Image.new("RGB", (1, 1)))
    asked = folded(measured, shown(question or ""), letters, whole_width - 2 * _GAP, 3)
    head = _GAP + 2 * _LINE
    whole = Image.new("RGB", (whole_width, head + height + _GAP + len(asked) * _LINE), _PAPER)
    draw = ImageDraw.Draw(whole)
    for place, ((name, one), picture) in enumerate(zip(moments, pictures, strict=True)):
        x = _GAP + place * (width + _GAP)
        draw.text((x, _GAP // 2), name, font=letters, fill=_INK)
        below = cut(draw, shown(one.told), letters, width)
        draw.text((x, _GAP // 2 + _LINE), below, font=letters, fill=_FAINT)
        whole.paste(picture, (x + (width - picture.width) // 2, head + (height - picture.height) // 2))
    for place, line in enumerate(asked):
        draw.text((_GAP, head + height + _GAP // 2 + place * _LINE), line, font=letters, fill=_INK)
    return whole

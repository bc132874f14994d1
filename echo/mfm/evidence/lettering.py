"""Words in pictures, in the one typeface that comes with Pillow."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

Rgb = tuple[int, int, int]


@lru_cache(maxsize=8)
def font(height: int) -> Any:
    """Return the typeface in letters of about `height` pixels."""
    from PIL import ImageFont

    return ImageFont.load_default(size=height)


def shown(text: str) -> str:
    r"""Return `text` in the letters that the typeface has; others become escapes.

    >>> shown("ep_000012 \u6797")
    'ep_000012 \\u6797'
    """
    return "".join(
        letter if letter.isprintable() and ord(letter) < 256 else ascii(letter)[1:-1] for letter in text
    )


def cut(draw: ImageDraw, text: str, letters: Any, width: int) -> str:
    """Return `text`, cut so that it takes at most `width` pixels; '...' tells that something is missing."""
    if draw.textlength(text, font=letters) <= width:
        return text
    kept = text
    while kept and draw.textlength(f"{kept}...", font=letters) > width:
        kept = kept[: len(kept) - max(1, len(kept) // 16)]
    return f"{kept.rstrip()}..."


def folded(draw: ImageDraw, text: str, letters: Any, width: int, lines: int) -> list[str]:
    """Return `text` on at most `lines` lines of at most `width` pixels, broken between words."""
    told_lines: list[str] = []
    words = text.split()
    while words and len(told_lines) < lines:
        last = len(told_lines) == lines - 1
        taken = 1
        while taken < len(words) and draw.textlength(" ".join(words[: taken + 1]), font=letters) <= width:
            taken += 1
        taken = len(words) if last else taken
        told_lines.append(cut(draw, " ".join(words[:taken]), letters, width))
        words = words[taken:]
    return told_lines


def told(
    draw: ImageDraw, at: tuple[int, int], text: str, letters: Any, colour: Rgb, anchor: str, width: int
) -> None:
    """Write `text` at a point, moved to the left where it would run out of a picture `width` wide."""
    x, y = at
    if anchor[0] == "m":
        half = int(draw.textlength(text, font=letters) / 2) + 1
        x = max(half, min(x, width - half))
    draw.text((x, y), text, font=letters, fill=colour, anchor=anchor)

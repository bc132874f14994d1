"""Colour words for drawn colours."""

from __future__ import annotations

from functools import lru_cache

COLOURS: dict[str, tuple[int, int, int]] = {
    "black": (20, 20, 20),
    "dark grey": (75, 75, 75),
    "grey": (128, 128, 128),
    "light grey": (185, 185, 185),
    "white": (240, 240, 240),
    "red": (190, 40, 40),
    "orange": (225, 125, 40),
    "yellow": (235, 215, 70),
    "beige": (215, 200, 150),
    "light brown": (175, 140, 90),
    "brown": (115, 80, 45),
    "dark brown": (65, 45, 25),
    "green": (90, 150, 60),
    "dark green": (40, 85, 35),
    "light green": (140, 210, 100),
    "cyan": (80, 200, 200),
    "blue": (50, 80, 200),
    "light blue": (130, 175, 235),
    "purple": (125, 60, 170),
    "pink": (235, 150, 180),
}
"""Colour word -> the RGB value, 0..255 each, that it is the middle of."""


@lru_cache(maxsize=4096)
def colour_word(colour: tuple[int, int, int]) -> str:
    """Return the word nearest to an RGB colour (0..255 each), the earlier one of `COLOURS` at a tie.

    Nearness is Euclidean with channel weights 2, 4, 3, a common stand-in for seen difference.

    >>> colour_word((122, 122, 122))
    'grey'
    """
    return min(COLOURS, key=lambda word: _distance(COLOURS[word], colour))


def _distance(one: tuple[int, int, int], other: tuple[int, int, int]) -> int:
    return sum(weight * (a - b) ** 2 for weight, a, b in zip((2, 4, 3), one, other, strict=True))

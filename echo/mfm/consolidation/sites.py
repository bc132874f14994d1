"""Attempts gathered by place: those within a short walk of each other become one site."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from echo.mfm.consolidation.attempts import Attempt

REACH = 12.0
"""Blocks from the first attempt of a site within which others belong to it."""

Point = tuple[float, float, float]
Box = tuple[int, int, int]
"""A cube with edges of `REACH`."""


@dataclass(frozen=True, kw_only=True)
class Site:
    """Attempts that lie close to each other."""

    first: Point
    """Where the first one was; a site does not move as it grows."""
    attempts: tuple[Attempt, ...]
    """In order of time."""
    heights: tuple[int, int]
    """Lowest and highest y."""

    @property
    def words(self) -> str:
        """The place as it is written: whole blocks."""
        x, y, z = (math.floor(each) for each in self.first)
        return f"({x}, {y}, {z})"


def sites(attempts: Iterable[Attempt]) -> list[Site]:
    """Gather attempts, each to the first site within `REACH`, else to a new one; in order of appearance.

    Attempts without a known place are left out.
    """
    found: list[tuple[Point, list[Attempt], list[int]]] = []
    by_box: dict[Box, list[int]] = {}
    for attempt in attempts:
        place = attempt.cell or attempt.position
        if place is None:
            continue
        point = (float(place[0]), float(place[1]), float(place[2]))
        near = next((one for one in _around(by_box, point) if math.dist(found[one][0], point) <= REACH), None)
        if near is None:
            near = len(found)
            found.append((point, [], []))
            by_box.setdefault(_box(point), []).append(near)
        found[near][1].append(attempt)
        found[near][2].append(math.floor(point[1]))
    return [
        Site(first=first, attempts=tuple(held), heights=(min(heights), max(heights)))
        for first, held, heights in found
    ]


def _box(point: Point) -> Box:
    x, y, z = (math.floor(each / REACH) for each in point)
    return x, y, z


def _around(by_box: dict[Box, list[int]], point: Point) -> list[int]:
    """Return the sites that may be within `REACH`, in order of appearance."""
    x, y, z = _box(point)
    steps = (-1, 0, 1)
    boxes = [(x + a, y + b, z + c) for a in steps for b in steps for c in steps]
    return sorted(one for box in boxes for one in by_box.get(box, ()))

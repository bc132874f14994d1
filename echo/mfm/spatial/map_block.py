"""The [MAP] block of an agent's prompt: known places, the nearest first, each with its episode."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.spatial.answers import Known, Point
from echo.mfm.spatial.landmarks import is_container
from echo.mfm.spatial.places import Places

BUDGET = 1_200
"""Characters of a block, where nothing else is asked for."""

_NAME_CHARACTERS = 48
_DIRECTIONS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
_RANKS = {"death": 0, "damage": 1, "station": 2, "container": 3, "made": 5, "found": 6}
_RESOURCE_RANK = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class _Line:
    distance: float
    rank: int
    text: str


def map_block(root: Path | str, x: float, z: float, *, budget_characters: int = BUDGET) -> str:
    """Return the [MAP] block for a body at (x, z).

    The first line says how many of the known places follow; each of these has a line with its position,
    distance, direction (north is towards lesser z), and in brackets the episode that shows it. Listed are
    stations and containers still known, places of harm, of each kind of block and creature the nearest one,
    and where items were first made or got that no block shows.

    Args:
        root: The memory folder.
        x: Where the body is.
        z: Where the body is.
        budget_characters: The most characters of the block. Lines that do not fit are left out, the farthest
            first; a budget too small for the first line gives an empty text.

    Raises:
        ValueError: on a budget below 0.
        NoPlace: on a number that is not finite or beyond 2^53.
        MfmError: if there is no index.
    """
    if budget_characters < 0:
        raise ValueError(f"expected a budget of characters from 0, got {budget_characters}.")
    places = Places(root)
    lines = _lines(places, x, z)
    left_out = sum(one.episodes for one in places.elsewhere())
    if not lines:
        head = f"[MAP] no places known yet{_left_out(left_out)}"
        return head if len(head) <= budget_characters else ""
    kept: list[str] = []
    used = 0
    for line in lines:
        head = _head(x, z, len(kept) + 1, len(lines)) + _left_out(left_out)
        if len(head) + used + 1 + len(line.text) > budget_characters:
            break
        kept.append(line.text)
        used += 1 + len(line.text)
    head = _head(x, z, len(kept), len(lines)) + _left_out(left_out)
    block = "\n".join((head, *kept))
    return block if len(block) <= budget_characters else ""


def direction(from_x: float, from_z: float, to_x: float, to_z: float) -> str:
    """Return the compass direction of one place from another, '' where they are the same.

    >>> direction(0, 0, 3, -3), direction(0, 0, 0, 9)
    ('NE', 'S')
    """
    if (from_x, from_z) == (to_x, to_z):
        return ""
    angle = math.degrees(math.atan2(to_x - from_x, from_z - to_z))
    return _DIRECTIONS[round(angle / 45) % 8]


def _head(x: float, z: float, kept: int, total: int) -> str:
    return f"[MAP] at ({x:.0f}, {z:.0f}); {kept} of {total} known places, nearest first"


def _left_out(episodes: int) -> str:
    if not episodes:
        return ""
    return f"; {episodes} {'episode' if episodes == 1 else 'episodes'} of other worlds left out"


def _lines(places: Places, x: float, z: float) -> list[_Line]:
    nearest = places.nearest_of_each(x, z)
    blocks = [one for one in nearest if one.exact and not is_container(one.name) and one.how != "station"]
    creatures = [one for one in nearest if not one.exact]
    shown = frozenset(one.name for one in nearest)
    points = [
        one for one in places.points().points if one.kind not in ("made", "found") or one.name not in shown
    ]
    found = [
        *(_known_line(one, x, z) for one in (*blocks, *creatures)),
        *(_point_line(one, x, z) for one in points),
    ]
    return sorted(found, key=lambda line: (line.distance, line.rank, line.text))


def _known_line(one: Known, x: float, z: float) -> _Line:
    count = "" if one.count is None else f", {one.count} in sight"
    word = "seen from" if one.how == "creature" else ""
    where = _where(one.x, one.y, one.z, exact=one.exact)
    told = " ".join(part for part in (shown_name(one.name), word, where) if part)
    return _Line(
        distance=one.distance,
        rank=_RESOURCE_RANK,
        text=f"- {told}, {_way(*one.middle, x, z)}{count} [{one.last.episode}]",
    )


def _point_line(one: Point, x: float, z: float) -> _Line:
    name = shown_name(one.name) if one.name is not None else "unknown cause"
    words = {
        "made": f"made {name} standing at",
        "found": f"got {name} standing at",
        "damage": f"DAMAGE ({name}, {one.times}x) at",
        "death": f"DEATH ({name}, {one.times}x) at",
    }
    where = _where(one.x, one.y, one.z, exact=one.exact)
    at_x, at_z = one.middle
    return _Line(
        distance=math.hypot(at_x - x, at_z - z),
        rank=_RANKS[one.kind],
        text=f"- {words.get(one.kind, name)} {where}, {_way(at_x, at_z, x, z)} [{one.last.episode}]",
    )


def _where(x: float, y: float | None, z: float, *, exact: bool) -> str:
    values = (x, z) if y is None else (x, y, z)
    return f"({', '.join(f'{value:.0f}' if exact else f'{math.floor(value)}' for value in values)})"


def _way(at_x: float, at_z: float, x: float, z: float) -> str:
    distance = math.hypot(at_x - x, at_z - z)
    return "here" if distance < 1 else f"{distance:.0f} {direction(x, z, at_x, at_z)}"


def shown_name(name: str) -> str:
    r"""Return a name on one line, unprintable characters as escapes, at most 48 characters.

    >>> shown_name("oak\nlog")
    'oak log'
    """
    folded = " ".join(name.split())
    plain = "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in folded
    )
    return plain if len(plain) <= _NAME_CHARACTERS else f"{plain[: _NAME_CHARACTERS - 3]}..."

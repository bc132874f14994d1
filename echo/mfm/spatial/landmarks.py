"""Points of interest, hazards and containers."""

from __future__ import annotations

import math
from typing import Any

from echo.mfm.spatial.answers import Containers, Hazard, Hazards, Known, Point, PointKind, Points
from echo.mfm.spatial.asking import THING, Asking, marks
from echo.mfm.spatial.names import folded

CONTAINER_WORDS = (
    "barrel",
    "box",
    "chest",
    "crate",
    "dispenser",
    "dropper",
    "furnace",
    "hopper",
    "pot",
    "shulker",
    "smoker",
)
"""Words of everyday language for what holds other things; a block whose name has one is a container."""

KINDS: tuple[PointKind, ...] = ("station", "container", "made", "found", "damage", "death")


def is_container(name: str, offers: str | None = None) -> bool:
    """Return whether a block is taken for a container: by a word of its name, or because it holds fire.

    >>> is_container("trapped_chest"), is_container("oak_log"), is_container("wug", "smelt")
    (True, False, True)
    """
    return offers == "smelt" or any(word in CONTAINER_WORDS for word in folded(name).split("_"))


def containers(asking: Asking, x: float = 0.0, z: float = 0.0) -> Containers:
    """Return all containers, with distances from (x, z)."""
    names = [number for number, name in sorted(asking.names.items()) if is_container(name)]
    lines = asking.run.execute(
        f"SELECT {THING} FROM thing WHERE name IN ({marks(len(names))}) OR offers = 'smelt'", names
    )
    found = [asking.thing(line, x, z) for line in lines.fetchall()]
    found.sort(key=_by_name)
    return Containers(
        containers=tuple(one for one in found if one.gone is None),
        gone=tuple(one for one in found if one.gone is not None),
        unread=asking.unread(),
        elsewhere=asking.elsewhere(),
    )


def resources(asking: Asking) -> tuple[Known, ...]:
    """Return every block cell still known, by name, then cell, with distances from (0, 0).

    Items that no block of the same name was ever seen of are there too, at the places where they were got.
    """
    found = [
        asking.thing(line, 0.0, 0.0)
        for line in asking.run.execute(f"SELECT {THING} FROM thing WHERE gone_episode IS NULL")
    ]
    for name, amount, x, y, z, step, episode in asking.run.execute(
        "SELECT name, amount, body_x, body_y, body_z, step, episode FROM happening"
        " WHERE kind = 'got' AND name NOT IN (SELECT name FROM thing) ORDER BY id"
    ):
        moment = asking.when(step, episode)
        found.append(
            Known(
                name=asking.names[name],
                how="got",
                x=x,
                y=y,
                z=z,
                exact=False,
                distance=math.hypot(x, z),
                count=None if amount is None else int(amount),
                first=moment,
                last=moment,
            )
        )
    return tuple(sorted(found, key=_by_name))


def points(asking: Asking, size: float) -> Points:
    """Return stations and containers still known, where each item was made and got first, and all harm."""
    stations = [
        asking.thing(line, 0.0, 0.0, counted=False)
        for line in asking.run.execute(
            f"SELECT {THING} FROM thing WHERE how = 1 OR offers IS NOT NULL ORDER BY x, z, y, name"
        )
    ]
    held = containers(asking)
    cells = {(one.name, one.x, one.y, one.z): None for one in held.containers}
    found = [
        *(
            _block_point("station", one)
            for one in stations
            if one.gone is None and (one.name, one.x, one.y, one.z) not in cells
        ),
        *(_block_point("container", one) for one in held.containers),
        *_firsts(asking),
        *(_harm_point(one) for one in hazards(asking, size).hazards),
    ]
    return Points(points=tuple(sorted(found, key=_point_order)), unread=held.unread, elsewhere=held.elsewhere)


def hazards(asking: Asking, size: float) -> Hazards:
    """Return where harm was done: one hazard for each kind, cause and action in a place cell of `size`."""
    groups: dict[tuple[object, ...], list[tuple[Any, ...]]] = {}
    for line in asking.run.execute(
        "SELECT kind, name, during, amount, body_x, body_y, body_z, step, episode FROM happening"
        " WHERE kind IN ('damage', 'death') ORDER BY id"
    ):
        kind, name, during, _, x, y, z, *_ = line
        place = (x // size, None if y is None else y // size, z // size)
        groups.setdefault((*place, kind, name, during), []).append(line)
    found = [_hazard(asking, lines) for lines in groups.values()]
    return Hazards(
        hazards=tuple(sorted(found, key=_hazard_order)), unread=asking.unread(), elsewhere=asking.elsewhere()
    )


def _hazard(asking: Asking, lines: list[tuple[Any, ...]]) -> Hazard:
    kind, name, during, _, x, y, z, step, episode = lines[-1]
    amounts = [line[3] for line in lines if line[3] is not None]
    return Hazard(
        kind=kind,
        cause=None if name is None else asking.names[name],
        during=None if during is None else asking.names[during],
        x=x,
        y=y,
        z=z,
        times=len(lines),
        amount=math.fsum(amounts) if amounts else None,
        first=asking.when(lines[0][7], lines[0][8]),
        last=asking.when(step, episode),
        episodes=tuple(dict.fromkeys(asking.episode(line[8]) for line in lines)),
    )


def _firsts(asking: Asking) -> list[Point]:
    """Return where each item was made first, or else got first."""
    lines = asking.run.execute(
        "SELECT kind, name, body_x, body_y, body_z, step, episode, count(*), min(id) FROM happening"
        " WHERE kind IN ('got', 'made') AND name IS NOT NULL GROUP BY kind, name ORDER BY min(id)"
    ).fetchall()
    last = {
        (kind, name): (step, episode)
        for kind, name, step, episode, _ in asking.run.execute(
            "SELECT kind, name, step, episode, max(id) FROM happening"
            " WHERE kind IN ('got', 'made') AND name IS NOT NULL GROUP BY kind, name"
        )
    }
    return [
        Point(
            kind="made" if kind == "made" else "found",
            name=asking.names[name],
            x=x,
            y=y,
            z=z,
            exact=False,
            times=times,
            first=asking.when(step, episode),
            last=asking.when(*last[kind, name]),
        )
        for kind, name, x, y, z, step, episode, times, _ in lines
    ]


def _block_point(kind: PointKind, one: Known) -> Point:
    return Point(
        kind=kind,
        name=one.name,
        x=one.x,
        y=one.y,
        z=one.z,
        exact=True,
        times=1,
        first=one.first,
        last=one.last,
    )


def _harm_point(one: Hazard) -> Point:
    return Point(
        kind=one.kind,
        name=one.cause or one.during,
        x=one.x,
        y=one.y,
        z=one.z,
        exact=False,
        times=one.times,
        first=one.first,
        last=one.last,
    )


def _height(y: float | None) -> float:
    return -math.inf if y is None else y


def _by_name(one: Known) -> tuple[str, float, float, float]:
    return (one.name, one.x, one.z, _height(one.y))


def _point_order(one: Point) -> tuple[int, str, float, float, float, str]:
    return (KINDS.index(one.kind), one.name or "", one.x, one.z, _height(one.y), one.first.episode)


def _hazard_order(one: Hazard) -> tuple[bool, float, int, float, float, float, str, str]:
    return (
        one.kind != "death",
        -(one.amount or 0.0),
        -one.times,
        one.x,
        one.z,
        _height(one.y),
        one.cause or "",
        one.during or "",
    )

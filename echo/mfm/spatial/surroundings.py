"""What is known near a place, and where the nearest of something is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from echo.mfm.spatial.answers import Happened, Known, Near, Nearest
from echo.mfm.spatial.asking import THING, Asking, marks
from echo.mfm.spatial.names import matching

Order = tuple[float, str, float, float, float]


def by_distance(known: Known) -> Order:
    """Order by distance, then name, then cell."""
    return (known.distance, known.name, known.x, known.z, -math.inf if known.y is None else known.y)


def near(asking: Asking, x: float, z: float, radius: float, size: float) -> Near:
    """Return what is known within `radius` blocks of (x, z); `size` is the edge of a place cell."""
    stays = [
        line
        for line in asking.run.execute(
            "SELECT x, z, moments, first_episode, last_episode FROM stay"
            " WHERE x BETWEEN ? AND ? AND z BETWEEN ? AND ?",
            _box(x, z, radius),
        )
        if math.hypot(line[0] + 0.5 - x, line[1] + 0.5 - z) <= radius
    ]
    things = _things_within(asking, x, z, radius)
    return Near(
        x=x,
        z=z,
        radius=radius,
        moments=sum(line[2] for line in stays),
        seen=_nearest_of_each(asking, x, z, radius, [one for one in things if one.gone is None]),
        creatures=_creatures_within(asking, x, z, radius, size),
        gone=tuple(one for one in things if one.gone is not None),
        happened=happened_within(asking, x, z, radius),
        episodes=asking.episodes([(line[3], line[4]) for line in stays]),
        unread=asking.unread(),
        elsewhere=asking.elsewhere(),
    )


def nearest(asking: Asking, asked: str, x: float, z: float, limit: int) -> Nearest:
    """Return the nearest things by a name, at most `limit` known and `limit` gone ones.

    Names that are the one asked for come first; only where nothing of that name is known still, names that
    hold it as a part. A name stands for blocks in cells; only where no cell is known, for creatures seen;
    only where none was seen, for places where it was got, made or felled.
    """
    exact, part = matching(asked, asking.names.values())
    gone: list[Known] = []
    for match, names in (("exact", exact), ("part", part)):
        found, lost = _known(asking, names, x, z, limit)
        gone += lost
        if found:
            return Nearest(
                asked=asked,
                match="exact" if match == "exact" else "part",
                found=tuple(found),
                gone=tuple(sorted(gone, key=by_distance)[:limit]),
                unread=asking.unread(),
                elsewhere=asking.elsewhere(),
            )
    return Nearest(
        asked=asked,
        match="none",
        found=(),
        gone=tuple(sorted(gone, key=by_distance)[:limit]),
        unread=asking.unread(),
        elsewhere=asking.elsewhere(),
    )


def nearest_of_each(asking: Asking, x: float, z: float) -> tuple[Known, ...]:
    """Return of each kind of block and creature the nearest one still known, the nearest first."""
    found = []
    for number in sorted(asking.names):
        found += (
            _cells(asking, [number], x, z, 1, gone=False)
            or _creatures(asking, "sighting.name = ?", [number], x, z)[:1]
        )
    return tuple(sorted(found, key=by_distance))


def happened_within(asking: Asking, x: float, z: float, radius: float) -> tuple[Happened, ...]:
    """Return what happened while the body was within `radius` of (x, z), the latest first."""
    lines = asking.run.execute(
        "SELECT kind, name, amount, during, x, y, z, body_x, body_y, body_z, step, episode FROM happening"
        " WHERE body_x BETWEEN ? AND ? AND body_z BETWEEN ? AND ? ORDER BY id DESC",
        (x - radius, x + radius, z - radius, z + radius),
    )
    found = []
    for kind, name, amount, during, *at, body_x, body_y, body_z, step, episode in lines:
        if math.hypot(body_x - x, body_z - z) <= radius:
            told = at[0] is not None
            found.append(
                Happened(
                    kind=kind,
                    name=None if name is None else asking.names[name],
                    amount=amount,
                    during=None if during is None else asking.names[during],
                    x=at[0] if told else body_x,
                    y=at[1] if told else body_y,
                    z=at[2] if told else body_z,
                    step=step,
                    episode=asking.episode(episode),
                )
            )
    return tuple(found)


def _box(x: float, z: float, radius: float) -> tuple[float, float, float, float]:
    return (x - radius - 1, x + radius, z - radius - 1, z + radius)


def _things_within(asking: Asking, x: float, z: float, radius: float) -> list[Known]:
    lines = asking.run.execute(
        f"SELECT {THING} FROM thing WHERE x BETWEEN ? AND ? AND z BETWEEN ? AND ?", _box(x, z, radius)
    )
    within = (line for line in lines if math.hypot(line[0] + 0.5 - x, line[2] + 0.5 - z) <= radius)
    return sorted((asking.thing(line, x, z) for line in within), key=by_distance)


def _nearest_of_each(
    asking: Asking, x: float, z: float, radius: float, within: list[Known]
) -> tuple[Known, ...]:
    """Add what was in sight from within `radius` to what lies there; by name the nearest one."""
    best = {one.name: one for one in reversed(within)}
    missing = [name for name in _in_sight(asking, x, z, radius) if asking.names[name] not in best]
    for name in missing:
        found = _cells(asking, [name], x, z, 1, gone=False)
        if found:
            best[found[0].name] = found[0]
    return tuple(sorted(best.values(), key=by_distance))


def _in_sight(asking: Asking, x: float, z: float, radius: float) -> list[int]:
    """Return the names of blocks that were in sight when a spot within `radius` was last looked from."""
    spots = [
        spot
        for spot, spot_x, spot_z in asking.run.execute(
            "SELECT id, x, z FROM spot WHERE creature = 0 AND x BETWEEN ? AND ? AND z BETWEEN ? AND ?",
            _box(x, z, radius),
        )
        if math.hypot(spot_x + 0.5 - x, spot_z + 0.5 - z) <= radius
    ]
    found: dict[int, None] = {}
    for spot in spots:
        for name, count, _ in asking.run.execute(
            "SELECT name, count, max(id) FROM sighting WHERE spot = ? GROUP BY name", (spot,)
        ):
            if count > 0:
                found[name] = None
    return sorted(found)


def _creatures_within(asking: Asking, x: float, z: float, radius: float, size: float) -> tuple[Known, ...]:
    spots = asking.run.execute(
        "SELECT id FROM spot WHERE creature = 1 AND x BETWEEN ? AND ? AND z BETWEEN ? AND ?",
        ((x - radius) // size, (x + radius) // size, (z - radius) // size, (z + radius) // size),
    ).fetchall()
    found = [one for line in spots for one in _creatures(asking, "spot.id = ?", line, x, z)]
    within = [one for one in found if one.distance <= radius]
    best = {one.name: one for one in sorted(within, key=by_distance, reverse=True)}
    return tuple(sorted(best.values(), key=by_distance))


def _known(
    asking: Asking, names: list[str], x: float, z: float, limit: int
) -> tuple[list[Known], list[Known]]:
    """Return what is known under `names`, and what is gone, the nearest first."""
    wanted = frozenset(names)
    numbers = sorted(number for number, name in asking.names.items() if name in wanted)
    if not numbers:
        return [], []
    lost = _cells(asking, numbers, x, z, limit, gone=True)
    found = _cells(asking, numbers, x, z, limit, gone=False)
    if not found:
        found = _creatures(asking, f"sighting.name IN ({marks(len(numbers))})", numbers, x, z)[:limit]
    if not found and not lost:
        found = _happened(asking, numbers, x, z, limit)
    return found, lost


def _cells(asking: Asking, names: list[int], x: float, z: float, limit: int, *, gone: bool) -> list[Known]:
    lines = asking.run.execute(
        f"SELECT {THING} FROM thing WHERE name IN ({marks(len(names))})"
        f" AND gone_episode IS {'NOT ' if gone else ''}NULL"
        " ORDER BY (x + 0.5 - ?) * (x + 0.5 - ?) + (z + 0.5 - ?) * (z + 0.5 - ?), x, z, y, name LIMIT ?",
        (*names, x, x, z, z, limit),
    ).fetchall()
    return sorted((asking.thing(line, x, z) for line in lines), key=by_distance)


def _creatures(asking: Asking, which: str, values: Sequence[int], x: float, z: float) -> list[Known]:
    """Return where creatures were in sight when their spot was last looked from, the nearest first."""
    lines = asking.run.execute(
        "SELECT sighting.name, sighting.count, sighting.x, sighting.y, sighting.z, sighting.step,"
        " sighting.episode, spot.last_step, spot.last_episode, max(sighting.id)"
        " FROM sighting JOIN spot ON spot.id = sighting.spot"
        f" WHERE spot.creature = 1 AND {which} GROUP BY spot.id, sighting.name",
        values,
    ).fetchall()
    found = [
        Known(
            name=asking.names[name],
            how="creature",
            x=at_x,
            y=y,
            z=at_z,
            exact=False,
            distance=math.hypot(at_x + 0.5 - x, at_z + 0.5 - z),
            count=count,
            first=asking.when(step, episode),
            last=asking.when(last_step, last_episode),
        )
        for name, count, at_x, y, at_z, step, episode, last_step, last_episode, _ in lines
        if count > 0
    ]
    return sorted(found, key=by_distance)


def _happened(asking: Asking, names: list[int], x: float, z: float, limit: int) -> list[Known]:
    lines = asking.run.execute(
        "SELECT name, kind, amount, body_x, body_y, body_z, step, episode FROM happening"
        f" WHERE name IN ({marks(len(names))}) AND kind IN ('got', 'made', 'felled')"
        " ORDER BY (body_x - ?) * (body_x - ?) + (body_z - ?) * (body_z - ?), id DESC LIMIT ?",
        (*names, x, x, z, z, limit),
    ).fetchall()
    found = [
        Known(
            name=asking.names[name],
            how=kind,
            x=body_x,
            y=y,
            z=body_z,
            exact=False,
            distance=math.hypot(body_x - x, body_z - z),
            count=None if amount is None else int(amount),
            first=asking.when(step, episode),
            last=asking.when(step, episode),
        )
        for name, kind, amount, body_x, y, body_z, step, episode in lines
    ]
    return sorted(found, key=by_distance)

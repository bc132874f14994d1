"""What is not as it was at a step: dug and placed, creatures gone and new, blocks more and fewer.

Rules. Done by the body itself: every dig and placing after the step. Seen: from the same spot (a block cell
for blocks, a place cell for creatures) the numbers in sight at the step and now are compared, where the
spot was looked from both until then and after. Numbers seen from different spots say nothing, because they
count what is around. Of spots in one place cell the one looked from last speaks for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from echo.mfm.spatial.answers import Change, ChangeKind, Changes
from echo.mfm.spatial.asking import Asking
from echo.mfm.spatial.facts import MOST


@dataclass(frozen=True, kw_only=True, slots=True)
class Area:
    """A part of the map; all of it where `radius` is infinite."""

    x: float = 0.0
    z: float = 0.0
    radius: float = math.inf

    def holds(self, x: float, z: float) -> bool:
        """Return whether a position lies in it."""
        return math.hypot(x - self.x, z - self.z) <= self.radius


def changes_since(asking: Asking, step: int, area: Area, size: float) -> Changes:
    """Return what has changed after `step`; `size` is the edge of a place cell."""
    # No step lies beyond these, and SQLite takes no greater numbers.
    since = max(-int(MOST), min(step, int(MOST)))
    found = [
        *_done(asking, since, area),
        *_seen(asking, since, area, size, creature=False),
        *_seen(asking, since, area, size, creature=True),
    ]
    return Changes(
        since=step,
        changes=tuple(sorted(found, key=_order)),
        unread=asking.unread(),
        elsewhere=asking.elsewhere(),
    )


def _order(change: Change) -> tuple[int, str, str, float, float, float]:
    y = -math.inf if change.y is None else change.y
    return (-(change.step or 0), change.kind, change.name or "", change.x, change.z, y)


def _done(asking: Asking, step: int, area: Area) -> list[Change]:
    lines = asking.run.execute(
        "SELECT kind, name, x, y, z, body_x, body_y, body_z, step, episode FROM happening"
        " WHERE kind IN ('dug', 'placed') AND step > ? ORDER BY id",
        (step,),
    )
    found = []
    for kind, name, *at, body_x, body_y, body_z, moment, episode in lines:
        exact = at[0] is not None
        x, y, z = at if exact else (body_x, body_y, body_z)
        if area.holds(x + 0.5 if exact else x, z + 0.5 if exact else z):
            found.append(
                Change(
                    kind=kind,
                    name=None if name is None else asking.names[name],
                    creature=False,
                    before=None,
                    after=None,
                    x=x,
                    y=y,
                    z=z,
                    exact=exact,
                    step=moment,
                    episodes=(asking.episode(episode),),
                )
            )
    return found


def _seen(asking: Asking, step: int, area: Area, size: float, *, creature: bool) -> list[Change]:
    spots = asking.run.execute(
        "SELECT id, x, y, z, last_step, last_episode FROM spot"
        " WHERE creature = ? AND first_step <= ? AND last_step > ?"
        " ORDER BY last_episode DESC, last_step DESC, id",
        (creature, step, step),
    ).fetchall()
    told: dict[tuple[object, ...], Change] = {}
    spoken: dict[tuple[object, ...], None] = {}
    edge = size if creature else 1.0
    for spot, x, y, z, last_step, last_episode in spots:
        middle_x, middle_z = (x + 0.5) * edge, (z + 0.5) * edge
        if not area.holds(middle_x, middle_z):
            continue
        place = (x, y, z) if creature else tuple(None if one is None else one // size for one in (x, y, z))
        for name, then, now, seen_then in _counts(asking, spot, step):
            if (place, name) in spoken:
                continue
            spoken[place, name] = None
            if then == now:
                continue
            told[place, name] = Change(
                kind=_kind(then, now),
                name=asking.names[name],
                creature=creature,
                before=then,
                after=now,
                x=middle_x if creature else x,
                y=y if not creature or y is None else y * size,
                z=middle_z if creature else z,
                exact=False,
                step=last_step,
                episodes=tuple(
                    dict.fromkeys(asking.episode(one) for one in (seen_then, last_episode) if one is not None)
                ),
            )
    return list(told.values())


def _counts(asking: Asking, spot: int, step: int) -> list[tuple[int, int, int, int | None]]:
    """Return (name, count then, count now, episode of the line then) for all ever in sight from a spot."""
    then: dict[int, tuple[int, int]] = {}
    now: dict[int, int] = {}
    for name, count, moment, episode in asking.run.execute(
        "SELECT name, count, step, episode FROM sighting WHERE spot = ? ORDER BY id", (spot,)
    ):
        now[name] = count
        if moment is not None and moment <= step:
            then[name] = (count, episode)
    return [
        (name, then[name][0] if name in then else 0, count, then[name][1] if name in then else None)
        for name, count in now.items()
    ]


def _kind(then: int, now: int) -> ChangeKind:
    if not then:
        return "new"
    if not now:
        return "gone"
    return "more" if now > then else "fewer"

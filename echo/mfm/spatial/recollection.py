"""Place cells with their event clusters, and records that answer to words.

Source: MrSteve's two steps: cluster centres are scored against the question, the records of the best
clusters are scored, and of those above a threshold the one nearest to the body comes first. Scores are
shares of words instead of cosines.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from echo.mfm.spatial.answers import When
from echo.mfm.spatial.asking import Asking, marks
from echo.mfm.spatial.names import folded
from echo.mfm.spatial.tables import PlaceOptions

CLUSTERS = 8
"""Clusters whose records are looked at, and those that score as well as the last of these."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EventCluster:
    """Events of one kind at one place."""

    happened: tuple[str, ...]
    """Such as 'dug oak_log'; empty where nothing happened."""
    seen: tuple[str, ...]
    """Names in its first view."""
    records: int
    first: When
    last: When
    episodes: tuple[str, ...]
    """Those that its records are of, in order of time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlaceCell:
    """A cell of the grid of position x direction of view, with its event clusters."""

    x: float
    y: float | None
    z: float
    """Its corner with the least coordinates."""
    yaw: float | None
    """Middle of its sector, degrees; None where the view was not told."""
    clusters: tuple[EventCluster, ...]
    """Most records first, then the oldest."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Remembered:
    """A record that answers to words."""

    score: float
    """Share of the words asked for that it holds, above 0 to 1."""
    x: float
    y: float | None
    z: float
    yaw: float | None
    distance: float
    happened: tuple[str, ...]
    seen: tuple[str, ...]
    when: When


def place_cells(asking: Asking, options: PlaceOptions) -> tuple[PlaceCell, ...]:
    """Return all place cells that hold records, by z, x, height and sector."""
    clusters: dict[int, list[tuple[int, int, EventCluster]]] = {}
    words = Words(asking)
    episodes: dict[int, dict[str, None]] = {}
    for of_cluster, episode in asking.run.execute("SELECT cluster, episode FROM record ORDER BY id"):
        episodes.setdefault(of_cluster, {})[asking.episode(episode)] = None
    lines = asking.run.execute(
        "SELECT cluster.id, place, happened, cluster.seen, size, min(record.id), max(record.id)"
        " FROM cluster JOIN record ON record.cluster = cluster.id GROUP BY cluster.id"
    ).fetchall()
    for id, place, happened, seen, size, first, last in lines:
        cluster = EventCluster(
            happened=words.of(happened),
            seen=words.of(seen),
            records=size,
            first=_when(asking, first),
            last=_when(asking, last),
            episodes=tuple(episodes[id]),
        )
        clusters.setdefault(place, []).append((-size, id, cluster))
    width = 360.0 / options.sectors
    found = asking.run.execute("SELECT id, x, y, z, sector FROM place ORDER BY z, x, y, sector").fetchall()
    return tuple(
        PlaceCell(
            x=x * options.size,
            y=None if y is None else y * options.size,
            z=z * options.size,
            yaw=None if sector is None else sector * width,
            clusters=tuple(one[2] for one in sorted(clusters[id], key=lambda one: one[:2])),
        )
        for id, x, y, z, sector in found
        if id in clusters
    )


def remembered(
    asking: Asking, asked: str, x: float, z: float, *, limit: int, threshold: float
) -> tuple[Remembered, ...]:
    """Return records that hold the words asked for, the nearest to (x, z) first, ties by age.

    Args:
        asking: The tables.
        asked: Words such as 'oak_log sheep'; each is looked for as a part of what was seen and happened.
        x: Where the body is.
        z: Where the body is.
        limit: How many at most.
        threshold: Least share of the words, above 0 to 1, that a cluster's first view and a record hold.
    """
    wanted = tuple(dict.fromkeys(folded(word) for word in asked.split()))
    if not wanted:
        return ()
    words = Words(asking)
    scored = []
    for id, happened, seen in asking.run.execute("SELECT id, happened, seen FROM cluster"):
        score = words.score(wanted, happened, seen)
        if score > 0:
            scored.append((-score, id, happened))
    scored.sort()
    # All that score as well as the last one taken: age must not keep out what is nearest.
    least = scored[:CLUSTERS][-1][0] if scored else 0.0
    best = {id: happened for score, id, happened in scored if score <= least}
    found = []
    for record, cluster, seen, episode, step, at_x, y, at_z, yaw in asking.run.execute(
        "SELECT id, cluster, seen, episode, step, x, y, z, yaw FROM record"
        f" WHERE cluster IN ({marks(len(best))})",
        tuple(best),
    ):
        score = words.score(wanted, best[cluster], seen)
        if score >= threshold and score > 0:
            distance = math.hypot(at_x - x, at_z - z)
            found.append((distance, record, score, cluster, seen, episode, step, at_x, y, at_z, yaw))
    found.sort(key=lambda one: one[:2])
    return tuple(
        Remembered(
            score=score,
            x=at_x,
            y=y,
            z=at_z,
            yaw=yaw,
            distance=distance,
            happened=words.of(best[cluster]),
            seen=words.of(seen),
            when=asking.when(step, episode),
        )
        for distance, _, score, cluster, seen, episode, step, at_x, y, at_z, yaw in found[:limit]
    )


class Words:
    """The sets of names in the tables, each read once."""

    def __init__(self, asking: Asking) -> None:
        """Prepare."""
        self._asking = asking
        self._held: dict[int, tuple[str, ...]] = {}

    def of(self, wording: int) -> tuple[str, ...]:
        """Return the names of a set, sorted."""
        held = self._held.get(wording)
        if held is None:
            text = self._asking.run.execute("SELECT names FROM wording WHERE id = ?", (wording,)).fetchone()[
                0
            ]
            held = self._held[wording] = tuple(sorted(self._asking.names[one] for one in json.loads(text)))
        return held

    def score(self, wanted: tuple[str, ...], happened: int, seen: int) -> float:
        """Return the share of `wanted` that is a part of a name in one of the two sets."""
        names = [folded(name) for name in (*self.of(happened), *self.of(seen))]
        return sum(any(word in name for name in names) for word in wanted) / len(wanted)


def _when(asking: Asking, record: int) -> When:
    step, episode = asking.run.execute("SELECT step, episode FROM record WHERE id = ?", (record,)).fetchone()
    return asking.when(step, episode)

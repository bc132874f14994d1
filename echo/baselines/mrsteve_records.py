"""Where MrSteve's records are kept: by place and event, or in one short queue."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from math import dist, inf
from typing import Protocol

from csd.episode import Cell, Observation, Step

PLACE_BLOCKS = 6.0
"""Width of a place in blocks along x and z, as released."""

PLACE_DEGREES = 60.0
"""Width of a place in degrees of yaw, as released."""

Key = tuple[bool, str]
"""What a record can be found by: whether it was done there or merely in sight, and its name."""

ALIKE = 0.5
"""Least share of kinds in sight that two records of one cluster have in common."""


@dataclass(eq=False, kw_only=True, slots=True)
class Record:
    """What was seen and done at one moment."""

    when: int
    """Number of the record in the whole run, from 0."""
    step: Step
    """Without its frame."""
    event: Hashable
    """What was done and what came of it; equal for events that are alike."""
    did: tuple[str, ...]
    """What the step brought, dug, struck or put down, and the goals that it was about."""
    sight: Mapping[str, Cell | None]
    """Kind of block in sight -> the cell of the nearest one; kind of creature -> None."""

    def found_by(self) -> Iterator[Key]:
        """Iterate over all that it can be found by."""
        yield from ((True, name) for name in self.did)
        yield from ((False, name) for name in self.sight)

    def holds(self, scores: Mapping[str, float]) -> bool:
        """Return whether it can be found by one of the names of `scores`."""
        return any(name in scores for name in self.did) or any(name in scores for name in self.sight)

    def away(self, seen: Observation) -> float:
        """Return its distance in blocks from where `seen` was perceived."""
        return dist(self.step.before.position, seen.position)


class Records(Protocol):
    """Where records are kept."""

    def __len__(self) -> int:
        """Return how many records are kept."""
        ...

    def add(self, record: Record) -> None:
        """Take in a record; another one may go."""
        ...

    def label(self, record: Record, name: str) -> None:
        """Let a record be found by one more name, if it is still kept."""
        ...

    def find(self, scores: Mapping[str, float], seen: Observation) -> list[Record]:
        """Return records that hold a name of `scores`.

        Args:
            scores: name -> cosine with what is asked, those above the threshold.
            seen: what is perceived now.
        """
        ...


@dataclass(eq=False, kw_only=True, slots=True)
class _Cluster:
    """Alike records of one place, oldest first."""

    place: _Place
    centre: Record
    """Its first record, kept here even when it has gone from the records."""
    records: deque[Record] = field(default_factory=deque)
    held: Counter[Key] = field(default_factory=Counter)
    """Key -> how many of its records can be found by it."""


@dataclass(eq=False, kw_only=True, slots=True)
class _Place:
    """One cell of position and yaw."""

    size: int = 0
    """Records in all its clusters."""
    clusters: dict[Hashable, list[_Cluster]] = field(default_factory=dict)
    """Event -> its clusters, in the order in which they were opened."""


class PlaceEventRecords:
    """Records by place and event."""

    def __init__(self, *, capacity: int | None, clusters: int) -> None:
        """Start empty.

        Args:
            capacity: records kept, at least 1; None is no limit.
            clusters: event clusters looked into for one question, for what was done there, and as many again
                for what was in sight.
        """
        self._capacity = inf if capacity is None else capacity
        self._looked_into = clusters
        self._origin: tuple[float, float] | None = None
        self._places: dict[tuple[int, int, int], _Place] = {}
        self._holding: dict[Key, dict[_Cluster, None]] = {}
        self._cluster_of: dict[Record, _Cluster] = {}

    def __len__(self) -> int:
        """Return how many records are kept."""
        return len(self._cluster_of)

    def add(self, record: Record) -> None:
        """Put a record into its cluster.

        On capacity another one goes first: the oldest of the largest cluster of the fullest place. Of two
        clusters as large the one with the older record gives it; of two places as full, the older place.
        """
        if len(self) >= self._capacity:
            self._drop()
        place = self._places.setdefault(self._cell(record.step.before), _Place())
        opened = place.clusters.setdefault(record.event, [])
        cluster = next((one for one in opened if _alike(one.centre.sight, record.sight)), None)
        if cluster is None:
            cluster = _Cluster(place=place, centre=record)
            opened.append(cluster)
        cluster.records.append(record)
        place.size += 1
        self._cluster_of[record] = cluster
        for key in record.found_by():
            self._hold(cluster, key)

    def label(self, record: Record, name: str) -> None:
        """Let a record be found by `name` too, if it is still kept."""
        cluster = self._cluster_of.get(record)
        if cluster is not None and name not in record.did:
            record.did = (*record.did, name)
            self._hold(cluster, (True, name))

    def find(self, scores: Mapping[str, float], seen: Observation) -> list[Record]:
        """Return the records that hold a name of `scores`, out of the clusters that score best.

        A cluster scores as the best name that one of its records holds; ties go to the nearer cluster, then
        to the older. What was done and what was in sight are ranked apart: else the many views of a common
        block would crowd out the few records of digging it.
        """
        chosen = dict.fromkeys((*self._best(scores, True, seen), *self._best(scores, False, seen)))
        return [record for cluster in chosen for record in cluster.records if record.holds(scores)]

    def _best(self, scores: Mapping[str, float], done: bool, seen: Observation) -> list[_Cluster]:
        best: dict[_Cluster, float] = {}
        for name in sorted(scores, key=lambda name: (-scores[name], name)):
            for cluster in self._holding.get((done, name), ()):
                best.setdefault(cluster, scores[name])
        ranked = sorted(best, key=lambda one: (-best[one], one.centre.away(seen), one.centre.when))
        return ranked[: self._looked_into]

    def _cell(self, seen: Observation) -> tuple[int, int, int]:
        """Return the cell of a place; cells are centred on where the first record was made."""
        x, _, z = seen.position
        if self._origin is None:
            self._origin = (x, z)
        return (
            round((x - self._origin[0]) / PLACE_BLOCKS),
            round((z - self._origin[1]) / PLACE_BLOCKS),
            int((seen.yaw + PLACE_DEGREES / 2) % 360.0 // PLACE_DEGREES),
        )

    def _hold(self, cluster: _Cluster, key: Key) -> None:
        cluster.held[key] += 1
        if cluster.held[key] == 1:
            self._holding.setdefault(key, {})[cluster] = None

    def _drop(self) -> None:
        place = max(self._places.values(), key=lambda one: one.size)
        clusters = [cluster for opened in place.clusters.values() for cluster in opened]
        cluster = max(clusters, key=lambda one: (len(one.records), -one.records[0].when))
        record = cluster.records.popleft()
        place.size -= 1
        del self._cluster_of[record]
        for key in record.found_by():
            cluster.held[key] -= 1
            if cluster.held[key] == 0:
                del self._holding[key][cluster]
        if not cluster.records:
            place.clusters[record.event].remove(cluster)


class LatestRecords:
    """The latest records in one queue, without places."""

    def __init__(self, *, capacity: int) -> None:
        """Start empty; the oldest record goes when there would be more than `capacity`."""
        self._queue: deque[Record] = deque(maxlen=capacity)

    def __len__(self) -> int:
        """Return how many records are kept."""
        return len(self._queue)

    def add(self, record: Record) -> None:
        """Take in a record; on capacity the oldest goes."""
        self._queue.append(record)

    def label(self, record: Record, name: str) -> None:
        """Let a record be found by `name` too."""
        record.did = tuple(dict.fromkeys((*record.did, name)))

    def find(self, scores: Mapping[str, float], seen: Observation) -> list[Record]:
        """Return all records that hold a name of `scores`, oldest first."""
        return [record for record in self._queue if record.holds(scores)]


def _alike(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    common = sum(name in other for name in one)
    return common >= ALIKE * (len(one) + len(other) - common)

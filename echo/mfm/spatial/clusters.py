"""What-where-when: records of views, in event clusters, in place cells.

Source: MrSteve's place event memory (grid of position x yaw; in each cell clusters of events; on capacity
the oldest record of the largest event cluster is dropped). Differs in what makes an event: not an
embedding of frames, but the same happenings together with views alike by their names, or the same frame.
"""

from __future__ import annotations

import heapq
import json
import sqlite3
from collections import deque
from collections.abc import Iterable

from echo.mfm.spatial.facts import Stand
from echo.mfm.spatial.tables import PlaceOptions

Names = tuple[int, ...]
"""Numbers of names, sorted, each once."""
PlaceKey = tuple[int, int | None, int, int | None]
"""Cell of the grid and sector of the view; None where height or view are not told."""


class Cluster:
    """Events of one kind at one place."""

    __slots__ = ("frames", "happened", "id", "records", "seen", "size")

    def __init__(self, id: int, happened: int, seen: frozenset[int]) -> None:
        """Start empty, with the wording of what happened and the names of its first view."""
        self.id = id
        self.happened = happened
        self.seen = seen
        self.size = 0
        self.frames: dict[str, int] = {}
        self.records: deque[int] | None = None
        """Oldest first; None where they were not asked for yet."""


def place_key(stand: Stand, options: PlaceOptions) -> PlaceKey:
    """Return the place cell of a body and its view."""
    size = options.size
    sector = None
    if stand.yaw is not None:
        width = 360.0 / options.sectors
        sector = int(((stand.yaw + width / 2) % 360.0) // width) % options.sectors
    level = None if stand.y is None else int(stand.y // size)
    return (int(stand.x // size), level, int(stand.z // size), sector)


def alike(one: frozenset[int], other: frozenset[int]) -> float:
    """Return the share of common names, 0 to 1: Jaccard's; two empty views are alike.

    >>> alike(frozenset({1, 2, 3}), frozenset({2, 3, 4}))
    0.5
    """
    return len(one & other) / len(one | other) if one or other else 1.0


class Clusters:
    """Writes the tables `place`, `wording`, `cluster` and `record`."""

    def __init__(self, run: sqlite3.Connection, options: PlaceOptions) -> None:
        """Prepare."""
        self._run = run
        self._options = options
        self._wordings = Wordings(run)
        self._places: dict[PlaceKey, tuple[int, list[Cluster]]] = {}
        self._new_places: list[tuple[int | None, ...]] = []
        self._next = {
            table: (run.execute(f"SELECT max(id) FROM {table}").fetchone()[0] or 0) + 1
            for table in ("place", "cluster", "record")
        }
        counted = options.capacity is not None
        self._kept: int = run.execute("SELECT count(*) FROM record").fetchone()[0] if counted else 0
        self._pending: dict[int, tuple[object, ...]] = {}
        self._dropped: list[tuple[int]] = []
        self._touched: dict[int, tuple[int, Cluster]] = {}
        self._largest: list[tuple[int, int]] | None = None

    def add(
        self,
        stand: Stand,
        seen: Iterable[int],
        happened: Iterable[int],
        *,
        frame: str | None,
        when: tuple[int, int | None],
    ) -> None:
        """Take in one record; `happened` are numbers of names such as 'dug oak_log'."""
        place, clusters = self._place(place_key(stand, self._options))
        names = frozenset(seen)
        wording = self._wordings.number(happened)
        cluster = self._fitting(clusters, wording, names, frame)
        if cluster is None:
            cluster = Cluster(self._take("cluster"), wording, names)
            cluster.records = deque()
            clusters.append(cluster)
        record = self._take("record")
        self._pending[record] = (
            record,
            cluster.id,
            self._wordings.number(names),
            frame,
            *when,
            stand.x,
            stand.y,
            stand.z,
            stand.yaw,
        )
        cluster.size += 1
        if frame is not None:
            cluster.frames[frame] = cluster.frames.get(frame, 0) + 1
        if cluster.records is not None:
            cluster.records.append(record)
        self._touched[cluster.id] = (place, cluster)
        self._kept += 1
        if self._options.capacity is not None:
            self._make_room(cluster, self._options.capacity)

    def flush(self) -> None:
        """Put everything new into the tables."""
        run = self._run
        self._wordings.flush()
        run.executemany("INSERT INTO place VALUES (?, ?, ?, ?, ?)", self._new_places)
        run.executemany(
            "INSERT OR REPLACE INTO cluster VALUES (?, ?, ?, ?, ?)",
            (
                (cluster.id, place, cluster.happened, self._wordings.number(cluster.seen), cluster.size)
                for place, cluster in self._touched.values()
            ),
        )
        self._wordings.flush()
        run.execute("DELETE FROM cluster WHERE size = 0")
        run.executemany("DELETE FROM record WHERE id = ?", self._dropped)
        run.executemany("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", self._pending.values())
        self._pending, self._dropped, self._touched, self._new_places = {}, [], {}, []
        self._places, self._largest = {}, None

    def _take(self, table: str) -> int:
        self._next[table] += 1
        return self._next[table] - 1

    def _fitting(
        self, clusters: list[Cluster], happened: int, seen: frozenset[int], frame: str | None
    ) -> Cluster | None:
        """Return the cluster of the same frame, else the one most alike, the oldest one at a tie."""
        same = [cluster for cluster in clusters if cluster.happened == happened and cluster.size]
        framed = next((cluster for cluster in same if frame is not None and frame in cluster.frames), None)
        if framed is not None or not same:
            return framed
        best = max(same, key=lambda cluster: (alike(seen, cluster.seen), -cluster.id))
        return best if alike(seen, best.seen) >= self._options.alike else None

    def _place(self, key: PlaceKey) -> tuple[int, list[Cluster]]:
        held = self._places.get(key)
        if held is None:
            held = self._places[key] = self._load_place(key)
        return held

    def _load_place(self, key: PlaceKey) -> tuple[int, list[Cluster]]:
        x, y, z, sector = key
        found = self._run.execute(
            "SELECT id FROM place WHERE x = ? AND z = ? AND y IS ? AND sector IS ?", (x, z, y, sector)
        ).fetchone()
        if found is None:
            place = self._take("place")
            self._new_places.append((place, *key))
            return place, []
        clusters = {}
        for id, happened, seen, size in self._run.execute(
            "SELECT id, happened, seen, size FROM cluster WHERE place = ? ORDER BY id", (found[0],)
        ):
            clusters[id] = cluster = Cluster(id, happened, frozenset(self._wordings.names(seen)))
            cluster.size = size
        for id, frame, count in self._run.execute(
            "SELECT record.cluster, frame, count(*) FROM record JOIN cluster ON cluster.id = record.cluster"
            " WHERE cluster.place = ? AND frame IS NOT NULL GROUP BY 1, 2",
            (found[0],),
        ):
            clusters[id].frames[frame] = count
        return found[0], list(clusters.values())

    def _make_room(self, grown: Cluster, capacity: int) -> None:
        if self._largest is None:
            sizes = dict(self._run.execute("SELECT id, size FROM cluster"))
            sizes.update({id: cluster.size for id, (_, cluster) in self._touched.items()})
            self._largest = [(-size, id) for id, size in sizes.items()]
            heapq.heapify(self._largest)
        else:
            heapq.heappush(self._largest, (-grown.size, grown.id))
        while self._kept > capacity:
            size, id = heapq.heappop(self._largest)
            cluster = self._by_id(id)
            if cluster.size == -size and size:
                self._drop_oldest(cluster)
                heapq.heappush(self._largest, (-cluster.size, id))

    def _drop_oldest(self, cluster: Cluster) -> None:
        if cluster.records is None:
            held = self._run.execute("SELECT id FROM record WHERE cluster = ? ORDER BY id", (cluster.id,))
            fresh = [record for record, line in self._pending.items() if line[1] == cluster.id]
            cluster.records = deque([*(line[0] for line in held), *fresh])
        record = cluster.records.popleft()
        pending = self._pending.pop(record, None)
        if pending is None:
            self._dropped.append((record,))
            frame = self._run.execute("SELECT frame FROM record WHERE id = ?", (record,)).fetchone()[0]
        else:
            frame = pending[3]
        if frame is not None and isinstance(frame, str):
            cluster.frames[frame] -= 1
            if not cluster.frames[frame]:
                del cluster.frames[frame]
        cluster.size -= 1
        self._kept -= 1

    def _by_id(self, id: int) -> Cluster:
        if id not in self._touched:
            x, y, z, sector, place = self._run.execute(
                "SELECT x, y, z, sector, place.id FROM place JOIN cluster ON cluster.place = place.id"
                " WHERE cluster.id = ?",
                (id,),
            ).fetchone()
            _, clusters = self._place((x, y, z, sector))
            self._touched[id] = (place, next(cluster for cluster in clusters if cluster.id == id))
        return self._touched[id][1]


class Wordings:
    """Gives each set of names a number and keeps both in the table `wording`."""

    def __init__(self, run: sqlite3.Connection) -> None:
        """Prepare; sets are read as they are needed."""
        self._run = run
        self._numbers: dict[Names, int] = {}
        self._new: list[tuple[int, str]] = []
        self._next: int = (run.execute("SELECT max(id) FROM wording").fetchone()[0] or 0) + 1

    def number(self, names: Iterable[int]) -> int:
        """Return the number of a set of names."""
        key = tuple(sorted(frozenset(names)))
        found = self._numbers.get(key)
        if found is None:
            text = json.dumps(key)
            held = self._run.execute("SELECT id FROM wording WHERE names = ?", (text,)).fetchone()
            if held is None:
                found, self._next = self._next, self._next + 1
                self._new.append((found, text))
            else:
                found = int(held[0])
            self._numbers[key] = found
        return found

    def names(self, number: int) -> Names:
        """Return the set with that number."""
        text = self._run.execute("SELECT names FROM wording WHERE id = ?", (number,)).fetchone()[0]
        return tuple(json.loads(text))

    def flush(self) -> None:
        """Put the new sets into the table."""
        self._run.executemany("INSERT INTO wording VALUES (?, ?)", self._new)
        self._new = []

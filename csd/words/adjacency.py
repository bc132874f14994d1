"""The graph of a whole bank, as an open words file holds it."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from csd.axes import AXES, Axis
from csd.nodes import LOCAL
from csd.words.search import number_list

_Place = tuple[int, int]
"""A node's number and the row it is of, 0 for a node that all rows share."""

_EDGES = (
    "SELECT edge.row, axis, place, source.key, predicate.name, target.key, amount FROM edge "
    "JOIN node source ON source.node = source JOIN node target ON target.node = target "
    "JOIN predicate USING (predicate) "
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RowEdge:
    """One statement of a bank as an edge; its evidence is in the record."""

    row: int
    axis: Axis
    place: int
    """Position of the statement on its axis, from 0."""
    source: str
    """Node key of the subject."""
    predicate: str
    target: str
    """Node key of the value."""
    amount: int | None
    """How many of `target`, where the statement says."""


def mentioning(run: sqlite3.Connection, node: str) -> list[int]:
    """Return the rows whose graph holds `node`, ascending."""
    number = _number(run, node)
    found = run.execute(
        "SELECT row FROM edge WHERE source = ?1 UNION SELECT row FROM edge WHERE target = ?1 ORDER BY row",
        (number,),
    )
    return [row for (row,) in found]


def edges(run: sqlite3.Connection, rows: Collection[int]) -> Iterator[RowEdge]:
    """Yield the edges of `rows` by row, axis and place."""
    sql = f"{_EDGES} WHERE edge.row IN (SELECT value FROM json_each(?)) ORDER BY edge.row, axis, place"
    for row, axis, place, source, predicate, target, amount in run.execute(sql, (number_list(rows),)):
        yield RowEdge(
            row=row,
            axis=AXES[axis],
            place=place,
            source=source,
            predicate=predicate,
            target=target,
            amount=amount,
        )


def neighbours(run: sqlite3.Connection, node: str, hops: int, limit: int) -> dict[str, int]:
    """Return what is within `hops` edges of `node`, whichever way they point, and how far each is.

    Returns:
        Node key -> hops, nearest first, then by key; `node` itself at 0; empty where no row mentions it.
        Keys are those of `csd.graph.joined_graph`: letters and step numbers carry their descriptor's id.
    """
    number = _number(run, node.rpartition("@")[0] if _is_local(node) else node)
    if number is None or not limit:
        return {}
    start = (number, 0)
    if _is_local(node):
        row = run.execute("SELECT row FROM held WHERE id = ?", (node.rpartition("@")[2],)).fetchone()
        start = (number, row[0] if row else -1)
    distance: dict[_Place, int] = {}
    told: dict[str, int] = {}
    reached = [start] if _is_mentioned(run, start) else []
    for hop in range(hops + 1):
        fresh = _told(run, [place for place in reached if place not in distance])
        distance.update((place, hop) for _, place in fresh)
        told.update((key, hop) for key, _ in fresh[: limit - len(told)])
        if not fresh or hop == hops or len(told) >= limit:
            break
        reached = list(dict.fromkeys(_next_to(run, [place for _, place in fresh])))
    return told


def among(run: sqlite3.Connection, nodes: Collection[str]) -> list[int]:
    """Return the rows that have an edge between two of `nodes`, or a letter or step among them, ascending."""
    numbers = [_number(run, node) for node in nodes if not _is_local(node)]
    shared = number_list([number for number in numbers if number is not None])
    found = run.execute(
        "SELECT DISTINCT row FROM edge WHERE source IN (SELECT value FROM json_each(?1)) "
        "AND target IN (SELECT value FROM json_each(?1))",
        (shared,),
    ).fetchall()
    for id in dict.fromkeys(node.rpartition("@")[2] for node in nodes if _is_local(node)):
        found.extend(run.execute("SELECT row FROM held WHERE id = ?", (id,)))
    return sorted(dict.fromkeys(row for (row,) in found))


def sharing(run: sqlite3.Connection, rows: Collection[int], least: int, limit: int) -> list[int]:
    """Return other rows that share at least `least` named things with one of `rows` or several together.

    Returns:
        Those that share most first, ties by row, at most `limit`.
    """
    found = run.execute(
        "WITH given AS (SELECT value AS row FROM json_each(?1)), thing AS ("
        "SELECT source AS node FROM edge WHERE row IN given "
        "UNION SELECT target FROM edge WHERE row IN given), "
        "named AS (SELECT node FROM thing JOIN node USING (node) WHERE key GLOB 'thing:*'), "
        "mention AS (SELECT row, source AS node FROM edge WHERE source IN named "
        "UNION SELECT row, target FROM edge WHERE target IN named) "
        "SELECT row FROM mention WHERE row NOT IN given GROUP BY row HAVING count(*) >= ?2 "
        "ORDER BY count(*) DESC, row LIMIT ?3",
        (number_list(rows), least, limit),
    )
    return [row for (row,) in found]


def _number(run: sqlite3.Connection, key: str) -> int | None:
    found = run.execute("SELECT node FROM node WHERE key = ?", (key,)).fetchone()
    return None if found is None else int(found[0])


def _is_local(key: str) -> bool:
    return key.partition(":")[0] in LOCAL


def _is_mentioned(run: sqlite3.Connection, place: _Place) -> bool:
    node, row = place
    test = "AND row = ?2" if row else "AND ?2 = 0"
    for end in ("source", "target"):
        if run.execute(f"SELECT 1 FROM edge WHERE {end} = ?1 {test} LIMIT 1", (node, row)).fetchone():
            return True
    return False


def _told(run: sqlite3.Connection, places: list[_Place]) -> list[tuple[str, _Place]]:
    """Return the places with their keys, sorted by key."""
    numbers = number_list(dict.fromkeys(node for node, _ in places))
    keys = dict(
        run.execute("SELECT node, key FROM node WHERE node IN (SELECT value FROM json_each(?))", (numbers,))
    )
    rows = number_list(dict.fromkeys(row for _, row in places if row))
    ids = dict(run.execute("SELECT row, id FROM held WHERE row IN (SELECT value FROM json_each(?))", (rows,)))
    return sorted((f"{keys[node]}@{ids[row]}" if row else keys[node], (node, row)) for node, row in places)


def _next_to(run: sqlite3.Connection, places: Iterable[_Place]) -> Iterator[_Place]:
    shared = number_list([node for node, row in places if not row])
    scoped = [place for place in places if place[1]]
    local = " OR ".join(f"key GLOB '{kind}:*'" for kind in LOCAL)
    for end, other in (("source", "target"), ("target", "source")):
        yield from run.execute(
            f"SELECT DISTINCT {other}, CASE WHEN {local} THEN row ELSE 0 END "
            f"FROM edge JOIN node ON node = {other} WHERE {end} IN (SELECT value FROM json_each(?))",
            (shared,),
        )
        for node, row in scoped:
            yield from run.execute(
                f"SELECT DISTINCT {other}, CASE WHEN {local} THEN row ELSE 0 END "
                f"FROM edge JOIN node ON node = {other} WHERE row = ? AND {end} = ?",
                (row, node),
            )

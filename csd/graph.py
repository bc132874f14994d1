"""The symbolic graph of descriptors: names as nodes, statements as edges with axis and evidence.

A node's key is its kind and its name ('thing:oak_planks', 'role:head', 'letter:A'). Small graphs - one
descriptor, a neighbourhood - are networkx multigraphs; the edges of a whole bank stay in its SQLite file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from csd.axes import AXES, Axis
from csd.descriptor import Csd, Evidence, Statement, canonical_json

if TYPE_CHECKING:
    import networkx

_ENDS: dict[Axis, dict[str, tuple[str, str]]] = {
    Axis.STRUCT: {
        "grid": ("thing", "pattern"),
        "fills": ("thing", "letter"),
        "cells": ("thing", "amount"),
        "part": ("thing", "place"),
        "above": ("letter", "letter"),
        "beside": ("letter", "letter"),
        "symmetry": ("thing", "symmetry"),
        "slot": ("thing", "slot"),
        "lies": ("thing", "place"),
        "near": ("thing", "thing"),
    },
    Axis.ATTR: {
        "colour": ("thing", "colour"),
        "stack_size": ("thing", "amount"),
        "placeable": ("thing", "truth"),
        "dig_ticks": ("thing", "ticks"),
        "yielded_to": ("thing", "thing"),
        "refused": ("thing", "thing"),
        "drops": ("thing", "thing"),
        "wears": ("thing", "truth"),
        "edible": ("thing", "truth"),
        "burns": ("thing", "truth"),
    },
    Axis.PROC: {
        "made_by": ("thing", "verb"),
        "consumes": ("thing", "thing"),
        "yields": ("thing", "amount"),
        "after": ("thing", "thing"),
        "step": ("order", "action"),
        "ticks": ("thing", "ticks"),
    },
    Axis.FUNC: {
        "plays": ("thing", "role"),
        "supports": ("thing", "thing"),
        "serves": ("thing", "thing"),
        "opens": ("thing", "thing"),
        "affords": ("thing", "affordance"),
    },
    Axis.INTER: {
        "tried": ("action", "outcome"),
        "feedback": ("action", "change"),
        "failed": ("action", "message"),
        "station": ("thing", "thing"),
    },
}
"""Axis -> predicate -> what kind of node its subject and its value are."""

_LOCAL = ("letter", "order")
"""Kinds that mean nothing outside their descriptor; a graph of several keeps them apart by its id."""

_AMOUNT = re.compile(r"^(?P<name>\S+) x(?P<amount>\d+)$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Edge:
    """One statement as an edge of the graph."""

    axis: Axis
    place: int
    """Position of the statement on its axis, from 0."""
    source: str
    """Node key of the subject."""
    predicate: str
    target: str
    """Node key of the value."""
    amount: int | None
    """How many of `target`, where the statement says ('oak_planks x3')."""
    evidence: tuple[Evidence, ...]


def value_kind(axis: Axis, predicate: str) -> str:
    """Return what kind of node the value of a statement is: 'thing', 'letter', 'amount', 'role', ..."""
    return _ENDS[axis][predicate][1]


def edges_of(csd: Csd) -> tuple[Edge, ...]:
    """Return one edge for each statement of `csd`, axes in canonical order, statements in their own."""
    return tuple(
        _edge(axis, place, statement) for axis in AXES for place, statement in enumerate(csd.axis(axis))
    )


def _edge(axis: Axis, place: int, statement: Statement) -> Edge:
    subject_kind, value_kind = _ENDS[axis][statement.predicate]
    value, amount = statement.value, None
    name = value if isinstance(value, str) else canonical_json(value)
    if value_kind == "thing" and (counted := _AMOUNT.match(name)):
        name, amount = counted["name"], int(counted["amount"])
    return Edge(
        axis=axis,
        place=place,
        source=f"{subject_kind}:{statement.subject}",
        predicate=statement.predicate,
        target=f"{value_kind}:{name}",
        amount=amount,
        evidence=statement.evidence,
    )


def csd_graph(csd: Csd) -> networkx.MultiDiGraph:
    """Return the graph of one descriptor; see `joined_graph` for its attributes."""
    return _graph([(csd, "")])


def joined_graph(csds: Iterable[Csd]) -> networkx.MultiDiGraph:
    """Return one graph of several descriptors, joined where they speak of the same names.

    Letters and step numbers mean something in their own descriptor only: their keys carry its id
    ('letter:A@csd_...').

    Returns:
        Nodes have `kind` and `name`; edges have the key '<id>/<axis>/<place>' and `csd`, `axis`,
        `place`, `predicate`, `amount` (or None) and `evidence` (JSON objects). Both in the order of the
        statements, so equal input gives equal graphs.
    """
    return _graph([(csd, f"@{csd.id}") for csd in csds])


def neighbourhood(csds: Iterable[Csd], centre: str, hops: int = 1) -> networkx.MultiDiGraph:
    """Return the part of the joined graph within `hops` edges of `centre`, whichever way they point.

    Args:
        csds: the descriptors to join, such as those of `Bank.mentioning(centre)`.
        centre: a node key such as 'thing:oak_planks'.
        hops: how far, >= 0.

    Returns:
        An empty graph where no descriptor mentions `centre`.

    Raises:
        ValueError: on negative `hops`.
    """
    if hops < 0:
        raise ValueError(f"expected hops >= 0; got {hops}.")
    graph = joined_graph(csds)
    distance = {centre: 0} if centre in graph else {}
    frontier = list(distance)
    for hop in range(1, hops + 1):
        reached = [
            next_to for node in frontier for next_to in (*graph.successors(node), *graph.predecessors(node))
        ]
        frontier = [node for node in dict.fromkeys(reached) if node not in distance]
        distance.update(dict.fromkeys(frontier, hop))
    return graph.subgraph(distance).copy()


def to_node_link(graph: networkx.MultiDiGraph) -> dict[str, Any]:
    """Return `graph` as a JSON object in networkx's node-link form, edges under 'edges'.

    Written here rather than by networkx, whose name for the list of edges changed between versions.
    """
    return {
        "directed": True,
        "multigraph": True,
        "graph": dict(graph.graph),
        "nodes": [{"id": node, **attributes} for node, attributes in graph.nodes(data=True)],
        "edges": [
            {"source": source, "target": target, "key": key, **attributes}
            for source, target, key, attributes in graph.edges(keys=True, data=True)
        ],
    }


def from_node_link(data: dict[str, Any]) -> networkx.MultiDiGraph:
    """Return the graph that `to_node_link` wrote.

    Raises:
        ValueError: if `data` is not a directed multigraph in node-link form, naming what is missing.
    """
    import networkx

    if data.get("directed") is not True or data.get("multigraph") is not True:
        raise ValueError(
            f"expected a node-link object with 'directed' and 'multigraph' true; got "
            f"{data.get('directed')!r} and {data.get('multigraph')!r}. Export it with csd.graph.to_node_link."
        )
    graph = networkx.MultiDiGraph(**data.get("graph", {}))
    try:
        for node in data["nodes"]:
            graph.add_node(node["id"], **_without(node, ("id",)))
        for edge in data["edges"]:
            unknown = [end for end in (edge["source"], edge["target"]) if end not in graph]
            if unknown:
                raise ValueError(
                    f"expected edges between listed nodes; got {unknown[0]!r} in edge {edge['key']!r}."
                )
            rest = _without(edge, ("source", "target", "key"))
            graph.add_edge(edge["source"], edge["target"], key=edge["key"], **rest)
    except KeyError as error:
        raise ValueError(
            f"expected the field {error.args[0]!r} in a node-link object; got none. "
            f"Export it with csd.graph.to_node_link."
        ) from error
    return graph


def _graph(scoped: Sequence[tuple[Csd, str]]) -> networkx.MultiDiGraph:
    import networkx

    graph = networkx.MultiDiGraph()
    for csd, scope in scoped:
        id = csd.id
        for edge in edges_of(csd):
            ends = []
            for key in (edge.source, edge.target):
                kind, name = key.split(":", 1)
                node = key + scope if kind in _LOCAL else key
                graph.add_node(node, kind=kind, name=name)
                ends.append(node)
            graph.add_edge(
                *ends,
                key=f"{id}/{edge.axis.value}/{edge.place}",
                csd=id,
                axis=edge.axis.value,
                place=edge.place,
                predicate=edge.predicate,
                amount=edge.amount,
                evidence=[one.model_dump(mode="json") for one in edge.evidence],
            )
    return graph


def _without(record: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}

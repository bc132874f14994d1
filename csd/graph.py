"""The symbolic graph of descriptors: names as nodes, statements as edges with axis and evidence.

A node's key is its kind and its name ('thing:oak_planks', 'role:head', 'letter:A'). Small graphs - one
descriptor, a neighbourhood - are networkx multigraphs; the edges of a whole bank stay in SQLite
(`csd.words`). `csd.graph_files` writes them to files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from csd.axes import AXES, Axis
from csd.descriptor import Csd, Evidence, Statement
from csd.nodes import ENDS, LOCAL, ends

if TYPE_CHECKING:
    import networkx


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
    return ENDS[axis][predicate][1]


def edges_of(csd: Csd) -> tuple[Edge, ...]:
    """Return one edge for each statement of `csd`, axes in canonical order, statements in their own."""
    return tuple(
        _edge(axis, place, statement) for axis in AXES for place, statement in enumerate(csd.axis(axis))
    )


def _edge(axis: Axis, place: int, statement: Statement) -> Edge:
    source, target, amount = ends(axis, statement.subject, statement.predicate, statement.value)
    return Edge(
        axis=axis,
        place=place,
        source=source,
        predicate=statement.predicate,
        target=target,
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


def _graph(scoped: Sequence[tuple[Csd, str]]) -> networkx.MultiDiGraph:
    import networkx

    graph = networkx.MultiDiGraph()
    for csd, scope in scoped:
        id = csd.id
        for edge in edges_of(csd):
            ends = []
            for key in (edge.source, edge.target):
                kind, name = key.split(":", 1)
                node = key + scope if kind in LOCAL else key
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

"""Small graphs out of a whole bank: the words say which descriptors they take, the bank gives these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from csd.descriptor import Csd
from csd.graph import joined_graph, neighbourhood

if TYPE_CHECKING:
    import networkx

    from csd.words.words import Words

Read = Callable[[Sequence[int]], Iterable[Csd]]
"""Gives the descriptors of rows of a bank, in their order."""

_NODES = 10_000


def bank_neighbourhood(
    words: Words, read: Read, centre: str, hops: int = 1, *, limit: int = 200
) -> networkx.MultiDiGraph:
    """Return the part of a bank's joined graph within `hops` edges of `centre`.

    Args:
        words: refreshed words of the bank.
        read: gives descriptors.
        centre: a node key such as 'thing:oak_planks'.
        hops: how far, >= 0.
        limit: how many descriptors it may take.

    Returns:
        What `csd.graph.neighbourhood` makes of the whole bank, out of the descriptors that have a part in it.

    Raises:
        ValueError: on negative `hops`, or where it would take more descriptors or nodes.
    """
    near = words.neighbours(centre, hops, limit=_NODES)
    rows = words.among(near) or words.mentioning(centre)[:1]
    if len(near) == _NODES or len(rows) > limit:
        raise ValueError(
            f"expected a neighbourhood of fewer than {_NODES} nodes in at most {limit} descriptors; got "
            f"{len(near)} in {len(rows)} within {hops} hops of {centre!r}. Ask for fewer hops."
        )
    return neighbourhood(read(rows), centre, hops)


def bank_cluster(
    words: Words, read: Read, rows: Sequence[int], *, least: int = 2, limit: int = 20
) -> networkx.MultiDiGraph:
    """Return the joined graph of `rows` and those that share most named things with them.

    Args:
        words: refreshed words of the bank.
        read: gives descriptors.
        rows: where to start.
        least: how many named things a descriptor must share with them together, >= 1.
        limit: how many descriptors are added at most.

    Raises:
        ValueError: if `least` is below 1 or `limit` negative.
    """
    return joined_graph(read([*rows, *words.sharing(rows, least=least, limit=limit)]))

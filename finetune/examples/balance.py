"""Choosing rows so that no kind of episode crowds out the others."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

Thing = TypeVar("Thing")


def in_turns(queues: Mapping[str, Sequence[Thing]]) -> Iterator[Thing]:
    """Yield one thing of each queue in turn, queues in their order, until all are used up.

    The first so many of what is yielded are therefore spread as evenly over the queues as they allow: a
    large one gets no more than a small one before that is empty.

    >>> "".join(in_turns({"a": "aaaa", "b": "b", "c": "cc"}))
    'abcacaa'
    """
    places = {name: 0 for name, queue in queues.items() if queue}
    while places:
        for name in list(places):
            yield queues[name][places[name]]
            places[name] += 1
            if places[name] == len(queues[name]):
                del places[name]


def shuffled(things: Sequence[Thing], generator: np.random.Generator) -> list[Thing]:
    """Return `things` in a random order."""
    return [things[index] for index in generator.permutation(len(things))]


def parts(rows: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Divide `rows` by shares that add up to 1 or less; what is left over goes to the first name.

    >>> parts(100, {"write": 0, "repair": 0.15, "refuse": 0.04})
    {'write': 81, 'repair': 15, 'refuse': 4}
    """
    found = {name: round(rows * share) for name, share in shares.items()}
    first = next(iter(found))
    found[first] = rows - sum(count for name, count in found.items() if name != first)
    return found


def fewer(wanted: Mapping[str, int], made: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Return how many rows of each kind still to be made keep to their shares of fewer rows than wanted.

    Args:
        wanted: kind -> rows.
        made: rows of the other kinds, of which there are no more.
        shares: of the kinds still to be made, together below 1.

    >>> fewer({"write": 820, "repair": 150, "refuse": 30}, 140, {"repair": 0.15, "refuse": 0.03})
    {'write': 820, 'repair': 26, 'refuse': 5}
    """
    rows = made / (1 - sum(shares.values()))
    return {**wanted, **{kind: min(wanted[kind], round(rows * share)) for kind, share in shares.items()}}


def generator_for(seed: int, purpose: str) -> np.random.Generator:
    """Return the generator of one purpose: what is drawn for one does not change what is drawn for others."""
    return np.random.default_rng(np.random.SeedSequence([seed, zlib.crc32(purpose.encode())]))

"""Which rows stand in which batch, epoch by epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

GROUP = 16
"""Batches' worth of rows among which those of like length are put together: large enough to save most of the
padding, small enough that batches differ from epoch to epoch."""


class Batches:
    """The batches of an epoch, the same ones for the same seed and epoch: a run that goes on finds its place.

    A batch sampler for torch's DataLoader.
    """

    def __init__(self, lengths: Sequence[int], rows: int, *, seed: int, by_length: bool = True) -> None:
        """Prepare batches of `rows` out of rows with `lengths`; the last of an epoch may be smaller."""
        self._lengths = np.asarray(lengths)
        self.batch_size = rows
        self.drop_last = False
        self._seed = seed
        self._by_length = by_length
        self.epoch = 0
        """Which epoch the next pass is, from 0."""

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch the next pass is."""
        self.epoch = epoch

    def __len__(self) -> int:
        """Return how many batches an epoch has."""
        return -(-len(self._lengths) // self.batch_size)

    def __iter__(self) -> Iterator[list[int]]:
        """Yield the rows of each batch, by their places."""
        rng = np.random.default_rng([self._seed, self.epoch])
        order = rng.permutation(len(self._lengths))
        if not self._by_length:
            yield from self._cut(order)
            return
        batches: list[list[int]] = []
        for first in range(0, len(order), GROUP * self.batch_size):
            group = order[first : first + GROUP * self.batch_size]
            batches += self._cut(group[np.argsort(-self._lengths[group], kind="stable")])
        for place in rng.permutation(len(batches)):
            yield batches[place]

    def _cut(self, order: np.ndarray[tuple[int, ...], np.dtype[np.intp]]) -> Iterator[list[int]]:
        for first in range(0, len(order), self.batch_size):
            yield [int(place) for place in order[first : first + self.batch_size]]


def cut(lengths: Sequence[int], most: int) -> list[list[int]]:
    """Cut a batch of rows, padded to the longest of each part, into parts of up to `most` tokens.

    Args:
        lengths: of the rows, in tokens; one of more than `most` is a part alone.
        most: tokens of a part, padding included.

    Returns:
        Places of the rows in each part, the longest rows first.

    >>> cut([3, 9, 4, 2], 8)
    [[1], [2, 0], [3]]
    """
    parts: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lambda place: (-lengths[place], place)):
        if parts and (len(parts[-1]) + 1) * lengths[parts[-1][0]] <= most:
            parts[-1].append(place)
        else:
            parts.append([place])
    return parts


def packed(lengths: Sequence[int], most: int) -> list[list[int]]:
    """Put rows together so that no sum of lengths is over `most`: longest first, each where it first fits.

    Args:
        lengths: of the rows, each at most `most`.
        most: tokens a row of packed ones may have.

    Returns:
        Places of the rows in each pack, ascending.

    >>> packed([5, 3, 4, 2], 7)
    [[0, 3], [1, 2]]
    """
    packs: list[list[int]] = []
    room: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: (-lengths[place], place)):
        fits = next((i for i, free in enumerate(room) if free >= lengths[place]), None)
        if fits is None:
            packs.append([place])
            room.append(most - lengths[place])
        else:
            packs[fits].append(place)
            room[fits] -= lengths[place]
    return [sorted(pack) for pack in packs]

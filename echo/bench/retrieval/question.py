"""What goes into an engine and what is asked of it: columns of records, weighted questions, filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES
from csd.descriptor import Csd

Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, slots=True)
class Facets:
    """Circumstances of n records, by column."""

    success: NDArray[np.bool_]
    step: NDArray[np.int64]
    verb: list[str]
    world: list[str]
    biome: list[str]

    def cut(self, start: int, stop: int) -> Facets:
        """Return the facets of records `start` to `stop`."""
        return Facets(
            success=self.success[start:stop],
            step=self.step[start:stop],
            verb=self.verb[start:stop],
            world=self.world[start:stop],
            biome=self.biome[start:stop],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """Records that are added together."""

    csds: list[Csd]
    ids: list[str]
    records: list[str]
    """Their canonical JSON."""
    vectors: Floats
    """(n, 5, d) unit length; an axis without content is a row of zeros."""
    facets: Facets

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.ids)

    def one(self, n: int) -> Batch:
        """Return record `n` alone."""
        return Batch(
            csds=[self.csds[n]],
            ids=[self.ids[n]],
            records=[self.records[n]],
            vectors=self.vectors[n : n + 1],
            facets=self.facets.cut(n, n + 1),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Filter:
    """Which records take part: only successes that began before a world step."""

    before_step: int

    def passes(self, facets: Facets) -> NDArray[np.bool_]:
        """Return which records take part, (n,) bool."""
        return facets.success & (facets.step < self.before_step)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One search: the score of a record is the weighted sum of its cosines."""

    vectors: Floats
    """(5, d) unit length; an axis that is not asked is a row of zeros."""
    weights: Floats
    """(5,) >= 0, sum 1, 0 where nothing is asked."""
    texts: tuple[str, ...]
    """The five texts, for what compares words."""
    where: Filter | None = None

    @property
    def joined(self) -> Floats:
        """The weighted axes side by side, (5 d,): its product with a record's five vectors is the score."""
        product: Floats = (self.weights[:, None] * self.vectors).reshape(-1)
        return product


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """One record found, with the evidence for it."""

    id: str
    cosines: tuple[float, ...]
    """Five, in axis order; 0 where the record or the question has nothing."""


def hits(ids: Sequence[str], vectors: Floats, question: Question) -> list[Hit]:
    """Return the evidence for found records, computed from their vectors (n, 5, d) or (n, 5 d)."""
    rows = np.asarray(vectors, dtype=np.float32).reshape(len(ids), len(AXES), -1)
    cosines = np.einsum("nad,ad->na", rows, question.vectors).tolist()
    return [Hit(id=id, cosines=tuple(each)) for id, each in zip(ids, cosines, strict=True)]


class Data(Protocol):
    """Records in a fixed order, made or read block by block, so that a million need not fit in memory."""

    @property
    def size(self) -> int:
        """How many records there are."""
        ...

    @property
    def dimension(self) -> int:
        """Length of one axis' vector."""
        ...

    def vectors(self, start: int, stop: int) -> Floats:
        """Return (stop - start, 5, d) vectors."""
        ...

    def facets(self, start: int, stop: int) -> Facets:
        """Return circumstances."""
        ...

    def records(self, start: int, stop: int) -> list[str]:
        """Return canonical JSON."""
        ...

    def held_out(self, count: int) -> Batch:
        """Return up to `count` records of the same kind that are not among these."""
        ...


def batch_of(data: Data, start: int, stop: int) -> Batch:
    """Return records `start` to `stop` of `data`."""
    return make_batch(data.records(start, stop), data.vectors(start, stop), data.facets(start, stop))


def make_batch(records: list[str], vectors: Floats, facets: Facets) -> Batch:
    """Return records with their descriptors and ids."""
    csds = [Csd.from_json(record) for record in records]
    return Batch(
        csds=csds,
        ids=[csd.id for csd in csds],
        records=records,
        vectors=vectors,
        facets=facets,
    )

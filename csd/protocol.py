"""What every memory bank can do, whatever holds its records: a file on this machine or a cluster.

The tests of the contract run over every implementation, so that a caller may change banks by changing
one `open`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES, Axis
from csd.descriptor import Csd
from csd.encode import Encoder
from csd.score import Match, Vector

if TYPE_CHECKING:
    from csd.store.where import Where

Query = Csd | Mapping[Axis, str | Vector]
"""What is asked: a descriptor, or a text or unit vector on each asked axis; a blank text asks nothing."""

Vectors = Sequence[Mapping[Axis, Vector]] | NDArray[np.float32]
"""Vectors of several descriptors: for each, axis -> (d,) float32 unit vector on exactly the axes that have
content; or one (n, 5, d) float32 array with zeros where an axis has none, which is quicker."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Filing:
    """Who remembers a descriptor, and under which tags; not part of its content.

    The same content filed by a second agent, or in a second life, is one record with two filings. One
    that files it again adds its new tags; the time of the first filing stays.
    """

    agent: str = ""
    life: str = ""
    tags: tuple[str, ...] = ()
    recorded: datetime | None = None
    """When it was filed, with a time zone; None is now."""

    def __post_init__(self) -> None:
        """Refuse a time without a zone: it would mean another moment on another machine.

        Raises:
            ValueError: on a naive `recorded`, or a text where a tuple of texts is due.
        """
        if isinstance(self.tags, str) or not all(isinstance(one, str) for one in self.tags):
            raise ValueError(f"expected a tuple of texts in Filing.tags; got {self.tags!r}.")
        if self.recorded is not None and self.recorded.utcoffset() is None:
            raise ValueError(
                f"expected a time with a zone; got {self.recorded.isoformat()}. "
                f"Add one, such as datetime.now(UTC)."
            )

    def moment(self) -> datetime:
        """Return when it was filed, in UTC."""
        return datetime.now(UTC) if self.recorded is None else self.recorded.astimezone(UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """One state of a belief that was corrected, and when it held."""

    id: str
    valid_from: int
    """World step from which it holds."""
    superseded_step: int | None
    """World step from which it holds no more; None while it is current."""
    superseded_by: str | None
    """What took its place; None while it is current, or after that one was removed."""
    recorded: datetime
    """When it was first filed, UTC."""
    superseded_at: datetime | None
    """When it was superseded, UTC; None while it is current."""


class DescriptorBank(Protocol):
    """Descriptors with one vector an axis, found by weighted similarity under conditions."""

    @property
    def encoder(self) -> Encoder:
        """The encoder that makes this bank's vectors."""
        ...

    def close(self) -> None:
        """Let go of what the bank holds open; it cannot be used afterwards."""
        ...

    def __enter__(self) -> Self:
        """Return the bank."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the bank."""
        ...

    def __len__(self) -> int:
        """Return how many descriptors are held, superseded ones too."""
        ...

    def __contains__(self, id: str) -> bool:
        """Return whether descriptor `id` is held."""
        ...

    def ids(self) -> list[str]:
        """Return the ids of all that are held, sorted."""
        ...

    def get(self, id: str) -> Csd:
        """Return descriptor `id`.

        Raises:
            BankError: on an unknown id, or a record that is damaged or was altered.
        """
        ...

    def vectors(self, id: str) -> dict[Axis, Vector]:
        """Return the stored vectors of `id` in axis order, without the empty axes.

        Returns:
            axis -> (d,) float32 holding the float16 values that are kept.

        Raises:
            BankError: on an unknown id.
        """
        ...

    def add(
        self,
        csd: Csd,
        *,
        vectors: Mapping[Axis, Vector] | None = None,
        filing: Filing | None = None,
        derived_from: Sequence[str] = (),
    ) -> str:
        """Remember `csd` and return its id; one that is held already gains at most a filing.

        Args:
            csd: the descriptor.
            vectors: axis -> (d,) float32 unit vector for exactly the axes that have content; None embeds.
            filing: who remembers it; None files a new descriptor under no one, and leaves a held one.
            derived_from: ids of descriptors in the bank that it was made from.

        Raises:
            ValueError: on a vector too many or too few, or one that is no finite unit vector.
            BankError: on an unknown id in `derived_from`, an oversized record, or a failing store.
        """
        ...

    def add_many(
        self,
        csds: Sequence[Csd],
        *,
        vectors: Vectors | None = None,
        filing: Filing | None = None,
    ) -> list[str]:
        """Remember several descriptors and return their ids, in the given order; see `add`."""
        ...

    def supersede(
        self,
        old_id: str,
        csd: Csd,
        *,
        at_step: int | None = None,
        vectors: Mapping[Axis, Vector] | None = None,
        filing: Filing | None = None,
    ) -> str:
        """Put `csd` in the place of `old_id` and return its id; the old one stays readable.

        The old one is found from then on only with `Where(as_of=...)` before that step.

        Args:
            old_id: a current descriptor.
            csd: the correction; another content.
            at_step: world step from which it holds; None is the step of `csd`, or of the old one if later.
            vectors: as in `add`.
            filing: as in `add`.

        Raises:
            ValueError: on an `at_step` before the old one held, or bad vectors.
            BankError: on an unknown `old_id`, one that is superseded already, the same content, or a
                correction that is itself superseded.
        """
        ...

    def versions(self, id: str) -> list[Version]:
        """Return all states of the belief that `id` is one of, oldest first, ties by id.

        Raises:
            BankError: on an unknown id.
        """
        ...

    def remove(self, id: str) -> bool:
        """Forget `id` and return whether it was held; what it superseded stays superseded."""
        ...

    def recall(
        self,
        query: Query,
        *,
        k: int,
        weights: Mapping[Axis, float] | None = None,
        where: Where | None = None,
        exact: bool = False,
    ) -> list[Match]:
        """Return the `k` best descriptors for `query`.

        A descriptor takes part if it has a vector on at least one asked axis of weight above 0.

        Args:
            query: what is asked.
            k: how many at most.
            weights: axis -> weight >= 0; None weighs all asked axes alike; a missing axis weighs 0.
            where: which descriptors to choose from, before the best are chosen; None for all current.
            exact: whether nothing may be missed, at any price.

        Returns:
            Best score first, ties by id; cosines are those of the stored vectors, in float64. None
            stands for an axis that was not asked, weighs 0, or has no vector.

        Raises:
            ValueError: on a name that is no axis, a negative `k`, a bad weight or a bad vector.
        """
        ...

    def digest(self) -> str:
        """Return `content_digest` of all that is held."""
        ...


def content_digest(held: Iterable[tuple[str, str, Mapping[Axis, Vector]]]) -> str:
    """Return the digest of records and vectors that is equal for equal content in every bank.

    Filings, versions and links are left out: they say what became of the memory, not what it holds.

    Args:
        held: (id, canonical record, axis -> (d,) vector), ordered by id.
    """
    total = hashlib.sha256()
    for id, record, vectors in held:
        total.update(f"{id}\0{record}\0".encode())
        for axis in AXES:
            if axis in vectors:
                total.update(axis.value.encode() + vectors[axis].astype("<f2").tobytes())
    return total.hexdigest()

"""What a Milvus collection holds, read back descriptor by descriptor."""

from __future__ import annotations

import re
from collections.abc import Sequence

from csd.axes import AXES, Axis
from csd.descriptor import Csd
from csd.milvus.collection import Collection
from csd.milvus.layout import VERSION, Row, filings_of, record_of, vectors_of, version_of
from csd.protocol import Filing, Version, content_digest
from csd.score import Vector
from csd.store.errors import BankError
from csd.store.rows import parse

_VECTORS = (*AXES, *(f"has_{axis}" for axis in AXES))


class MilvusRecords:
    """The descriptors in a collection, with vectors, filings and versions."""

    def __init__(self, collection: Collection) -> None:
        """Read from an opened collection."""
        self._collection = collection

    def __len__(self) -> int:
        """Return how many descriptors are held, superseded ones too."""
        return self._collection.count()

    def __contains__(self, id: str) -> bool:
        """Return whether descriptor `id` is held."""
        return self._found(id, ["id"]) is not None

    def ids(self) -> list[str]:
        """Return the ids of all that are held, sorted."""
        return [row["id"] for batch in self._collection.scan("", ["id"]) for row in batch]

    def get(self, id: str) -> Csd:
        """Return descriptor `id`.

        Raises:
            BankError: on an unknown id, or a record that is damaged or was altered.
        """
        return parse(id, record_of(self._one(id, ["id", "record"])), self._collection.where)

    def vectors(self, id: str) -> dict[Axis, Vector]:
        """Return the stored vectors of `id` in axis order, without the empty axes.

        Returns:
            axis -> (d,) float32 holding the float16 values that are kept.

        Raises:
            BankError: on an unknown id.
        """
        return vectors_of(self._one(id, ["id", *_VECTORS]))

    def filings(self, id: str) -> list[Filing]:
        """Return who remembers `id`, by agent and life.

        Raises:
            BankError: on an unknown id.
        """
        return filings_of(self._one(id, ["id", "filings"]))

    def derived_from(self, id: str) -> list[str]:
        """Return the ids of the held descriptors that `id` was made from, sorted.

        Raises:
            BankError: on an unknown id.
        """
        sources = self._one(id, ["id", "derived_from"])["derived_from"]
        return sorted(row["id"] for row in self._collection.rows(sources, ["id"]))

    def versions(self, id: str) -> list[Version]:
        """Return all states of the belief that `id` is one of, oldest first, ties by id.

        Raises:
            BankError: on an unknown id.
        """
        newest = version_of(self._one(id, VERSION))
        while newest.superseded_by is not None:
            newest = version_of(self._one(newest.superseded_by, VERSION))
        ages = [[newest]]
        while ages[-1]:
            later = [one.id for one in ages[-1]]
            older = map(version_of, self._collection.rows(later, VERSION, key="superseded_by"))
            ages.append(sorted(older, key=lambda one: one.id))
        return [one for age in reversed(ages) for one in age]

    def digest(self) -> str:
        """Return `content_digest` of all that is held."""
        return content_digest(
            (row["id"], record_of(row), vectors_of(row))
            for batch in self._collection.scan("", ["id", "record", *_VECTORS])
            for row in batch
        )

    def _found(self, id: str, fields: Sequence[str]) -> Row | None:
        # Nothing but an id gets into an expression.
        if not re.fullmatch(r"csd_[0-9a-f]{16}", id):
            return None
        rows = self._collection.rows([id], fields)
        return rows[0] if rows else None

    def _one(self, id: str, fields: Sequence[str]) -> Row:
        found = self._found(id, fields)
        if found is None:
            raise BankError(
                f"expected the id of a descriptor in the bank at {self._collection.where}; got {id!r}. "
                f"It was never added, or has been removed."
            )
        return found

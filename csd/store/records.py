"""What a bank holds, read back record by record."""

from __future__ import annotations

import sqlite3

from csd.axes import Axis
from csd.descriptor import Csd
from csd.protocol import content_digest
from csd.score import Vector
from csd.store.errors import BankError
from csd.store.file import BankFile, moment
from csd.store.rows import parse, read_vectors


class Records(BankFile):
    """The descriptors in a bank file, and their vectors."""

    def __init__(self, connection: sqlite3.Connection, where: str, dimension: int) -> None:
        """Read through `connection`; `where` names the file in messages, vectors have `dimension` values."""
        super().__init__(connection, where)
        self._dimension = dimension

    def __len__(self) -> int:
        """Return how many descriptors the bank holds, superseded ones too."""
        count: int = self._fetch("SELECT count(*) FROM csd")[0][0]
        return count

    def __contains__(self, id: str) -> bool:
        """Return whether descriptor `id` is in the bank."""
        return bool(self._fetch("SELECT 1 FROM csd WHERE id = ?", (id,)))

    def ids(self) -> list[str]:
        """Return the ids of all descriptors, sorted."""
        return [id for (id,) in self._fetch("SELECT id FROM csd ORDER BY id")]

    def get(self, id: str) -> Csd:
        """Return descriptor `id`.

        Raises:
            BankError: on an unknown id, or a record that is damaged or was altered.
        """
        record: str = self._one("SELECT record FROM csd WHERE id = ?", id)[0]
        return parse(id, record, self._where)

    def vectors(self, id: str) -> dict[Axis, Vector]:
        """Return the vectors of descriptor `id` in canonical axis order, without the empty axes.

        Returns:
            axis -> (d,) float32 holding the float16 values that are kept.

        Raises:
            BankError: on an unknown id, or vectors that are missing or damaged.
        """
        present, blob, checksum = self._one(
            "SELECT present, halves, checksum FROM csd LEFT JOIN vector USING (row) WHERE id = ?", id
        )
        if blob is None:
            raise BankError(
                f"expected vectors of {id} in {self._where}; got none. The file is damaged: "
                f"echo-memory doctor {self._where} --repair."
            )
        return read_vectors(blob, present, self._dimension, id, self._where, checksum)

    def digest(self) -> str:
        """Return a digest of all records and vectors, whatever the order in which they came.

        Credit, failures, filings and links are left out: they say what became of the memory, not what
        it holds.
        """
        with moment(self._connection, self._where):
            return content_digest(
                (id, record, self.vectors(id))
                for id, record in self._fetch("SELECT id, record FROM csd ORDER BY id")
            )

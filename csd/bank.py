"""The memory bank: descriptors, their vectors and links in one SQLite file, searchable by axis.

The file is the truth; the vector index is a cache that catches up from the file's change sequence, so a
process that is killed, or another one that writes, can never leave the two out of step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from csd import render
from csd.axes import AXES, Axis, known_order
from csd.descriptor import Csd
from csd.encode import Encoder
from csd.index import Entry, VectorIndex
from csd.ledger import Ledger
from csd.links import Links
from csd.rows import ENTRIES, Where, entries, insert, parse
from csd.score import Match, Vector, unit_rows
from csd.tables import BankError, Identity, connect, make_file, transaction

MAX_RECORD_BYTES = 4 * 1024 * 1024
"""Longest canonical JSON of a descriptor; a rule-built one has a few kilobytes."""


class Bank(Ledger, Links):
    """Descriptors with their vectors, graph edges, links, credit and failures.

    Use `open`; a bank is a context manager. One instance belongs to one thread. Several processes may
    open one file: each sees the others' finished changes at its next search.
    """

    def __init__(self, path: Path | None, encoder: Encoder, *, durable: bool = True) -> None:
        """Open the existing file `path`; see `open`."""
        connection = connect(path, _identity(encoder), durable=durable)
        super().__init__(connection, "memory" if path is None else str(path))
        self._encoder = encoder
        self._index: VectorIndex | None = None
        self._seen = 0

    @classmethod
    def open(
        cls, path: str | Path | None, encoder: Encoder, *, create: bool = True, durable: bool = True
    ) -> Self:
        """Open the bank at `path`, or one in memory for None.

        Args:
            path: the SQLite file; made where there is none, in a folder that must be there.
            encoder: makes the vectors; must be the one that filled the file.
            create: whether a file may be made; one that is there is never made into a bank.
            durable: whether a finished change must survive a power cut too; without it a change costs
                a quarter on a busy disk and still survives the death of the process.

        Raises:
            BankError: if the file is missing and may not or cannot be made, is empty, is no bank, is
                damaged or of another format, or was filled by another encoder.
        """
        place = None if path is None else Path(path)
        if place is not None and not place.exists():
            if not create:
                raise BankError(
                    f"expected a memory bank at {place}; got no file there. Check the path, or run "
                    f"something that fills a bank first."
                )
            make_file(place, _identity(encoder))
        return cls(place, encoder, durable=durable)

    def __enter__(self) -> Self:
        """Return the bank."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the bank."""
        self.close()

    def close(self) -> None:
        """Close the file; the bank cannot be used afterwards."""
        self._connection.close()

    @property
    def encoder(self) -> Encoder:
        """The encoder that makes this bank's vectors."""
        return self._encoder

    @property
    def sequence(self) -> int:
        """Number of the newest change to descriptors, 0 for a bank that never held one."""
        newest: int = self._fetch("SELECT coalesce(max(sequence), 0) FROM change")[0][0]
        return newest

    def __len__(self) -> int:
        """Return how many descriptors the bank holds."""
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
        row = self._row(id)
        return parse(id, self._fetch("SELECT record FROM csd WHERE row = ?", (row,))[0][0], self._where)

    def vectors(self, id: str) -> dict[Axis, Vector]:
        """Return the vectors of descriptor `id`, in canonical axis order, without the empty axes.

        Raises:
            BankError: on an unknown id.
        """
        return {
            axis: vector
            for entry in self._entries("= ?", self._row(id))
            for axis, vector in entry.vectors.items()
        }

    def add(self, csd: Csd, *, derived_from: Sequence[str] = ()) -> str:
        """Remember `csd` and return its id; one that is there already changes nothing.

        Record, graph edges, links and vectors become durable together or not at all.

        Args:
            csd: the descriptor.
            derived_from: ids of descriptors in the bank that it was made from.

        Raises:
            BankError: on an unknown id in `derived_from`, an oversized record, or a failing disk.
        """
        return self._remember([csd], derived_from)[0]

    def add_many(self, csds: Sequence[Csd]) -> list[str]:
        """Remember several descriptors in one transaction and return their ids, in the given order.

        Raises:
            BankError: on an oversized record or a failing disk; none was added then.
        """
        return self._remember(csds, ())

    def remove(self, id: str) -> bool:
        """Forget descriptor `id` with all that hangs on it, and return whether it was there.

        Episodes, and failures that name it, stay.
        """
        with transaction(self._connection, self._where):
            found = self._fetch("DELETE FROM csd WHERE id = ? RETURNING row", (id,))
            for (row,) in found:
                self._connection.execute(
                    "INSERT INTO change (kind, row, id) VALUES ('remove', ?, ?)", (row, id)
                )
        return bool(found)

    def search(
        self,
        queries: Mapping[Axis, Vector],
        *,
        k: int,
        weights: Mapping[Axis, float] | None = None,
        where: Where | None = None,
    ) -> list[Match]:
        """Return the `k` best descriptors for the query vectors, exactly; see `VectorIndex.search`.

        Args:
            queries: axis -> (d,) float32 unit vector; an axis left out is not asked.
            k: how many at most.
            weights: axis -> weight >= 0; None weighs all asked axes alike.
            where: which descriptors to choose from; None for all.

        Returns:
            Best score first, ties by id. Empty where nothing is asked or nothing takes part.

        Raises:
            ValueError: on a name that is no axis, a negative `k`, a bad weight or a bad vector.
            BankError: if the file is damaged.
        """
        _check_axes([*queries, *(weights or {})])
        index = self._current_index()
        rows = None if where is None else [row for (row,) in self._fetch(*where.sql())]
        return index.search(queries, k=k, weights=weights, rows=rows)

    def query_text(
        self,
        texts: Mapping[Axis, str],
        *,
        k: int,
        weights: Mapping[Axis, float] | None = None,
        where: Where | None = None,
    ) -> list[Match]:
        """Return the `k` best descriptors for a text on each axis; a blank text asks nothing.

        Raises:
            ValueError: on a name that is no axis, a negative `k` or a bad weight.
            BankError: if the file is damaged.
        """
        _check_axes(texts)
        asked = {axis: texts[axis] for axis in AXES if texts.get(axis, "").strip()}
        rows = self._encoder.encode(list(asked.values()))
        return self.search(dict(zip(asked, rows, strict=True)), k=k, weights=weights, where=where)

    def digest(self) -> str:
        """Return a digest of all records and vectors, whatever the order in which they came.

        Credit, failures and links between descriptors are left out: they say what became of the
        memory, not what it holds.
        """
        total = hashlib.sha256()
        for id, record in self._fetch("SELECT id, record FROM csd ORDER BY id"):
            total.update(f"{id}\0{record}\0".encode())
            for axis, vector in self.vectors(id).items():
                total.update(axis.value.encode() + vector.tobytes())
        return total.hexdigest()

    def index_digest(self) -> str:
        """Return a digest of what can be found; equal before and after `rebuild_index`."""
        return self._current_index().digest()

    def rebuild_index(self) -> None:
        """Throw the vector index away and build it again from the file."""
        self._index, self._seen = None, 0
        self._current_index()

    def _remember(self, csds: Sequence[Csd], derived_from: Sequence[str]) -> list[str]:
        ids = [csd.id for csd in csds]
        fresh = {id: csd for id, csd in zip(ids, csds, strict=True) if id not in self}
        records = {id: self._record(csd) for id, csd in fresh.items()}
        # Embedding is the slow part: done before the write lock is taken.
        vectors = self._embed(fresh)
        if fresh or derived_from:
            with transaction(self._connection, self._where):
                for id, csd in fresh.items():
                    insert(self._connection, id, csd, records[id], vectors[id])
                for id in ids:
                    for source in derived_from:
                        self._link(id, "derived_from", source)
        return ids

    def _record(self, csd: Csd) -> str:
        record = csd.canonical()
        if len(record) > MAX_RECORD_BYTES:
            raise BankError(
                f"expected a descriptor of at most {MAX_RECORD_BYTES} bytes; got {len(record)} bytes "
                f"(task {csd.meta.task[:60]!r}). Describe a shorter episode."
            )
        return record

    def _embed(self, csds: Mapping[str, Csd]) -> dict[str, dict[Axis, Vector]]:
        texts = {(id, axis): render.render_axis(csd, axis) for id, csd in csds.items() for axis in AXES}
        said = {place: text for place, text in texts.items() if text}
        distinct = list(dict.fromkeys(said.values()))
        # Checked here too: a vector that is no unit vector must not get into the file.
        encoded = unit_rows(self._encoder.encode(distinct), self._encoder.dimension, self._encoder.name)
        rows = dict(zip(distinct, encoded, strict=True))
        vectors: dict[str, dict[Axis, Vector]] = {id: {} for id in csds}
        for (id, axis), text in said.items():
            vectors[id][axis] = rows[text]
        return vectors

    def _current_index(self) -> VectorIndex:
        newest = self.sequence
        if self._index is None or newest < self._seen:
            self._index, self._seen = VectorIndex(self._encoder.dimension), 0
        if newest > self._seen:
            changes = self._fetch(
                "SELECT sequence, kind, row FROM change WHERE sequence > ? ORDER BY sequence", (self._seen,)
            )
            for _, kind, row in changes:
                if kind == "remove":
                    self._index.remove(row)
            added = [row for _, kind, row in changes if kind == "add"]
            if added:
                # Rows only grow, so this range holds every new one that still exists.
                self._index.add(self._entries(">= ?", min(added)))
            self._seen = changes[-1][0]
        return self._index

    def _entries(self, test: str, row: int) -> list[Entry]:
        return entries(self._fetch(ENTRIES.format(test), (row,)), self._encoder.dimension, self._where)


def _identity(encoder: Encoder) -> Identity:
    return Identity(encoder=encoder.name, dimension=encoder.dimension, rendering=render.FORMAT)


def _check_axes(names: Iterable[str]) -> None:
    unknown = [str(name) for name in names if name not in AXES]
    if unknown:
        raise ValueError(f"expected axes out of {', '.join(known_order())}; got {', '.join(unknown)}.")

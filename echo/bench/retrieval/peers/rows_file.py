"""A plain SQLite file of records and vectors, for libraries that search but do not store."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np

from csd.axes import AXES
from echo.bench.retrieval.question import Batch, Filter, Floats


class RowsFile:
    """Records on disk, and the columns that filters look at in memory, by position; positions never move."""

    def __init__(self, folder: Path, dimension: int) -> None:
        """Open or make the file and read the columns."""
        self.dimension = dimension
        self._file = sqlite3.connect(folder / "rows.db", isolation_level=None)
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = FULL")
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS rows (place INTEGER PRIMARY KEY, id TEXT UNIQUE, "
            "success, step, verb, world, biome, record, vectors BLOB)"
        )
        held = self._file.execute("SELECT id, success, step FROM rows ORDER BY place").fetchall()
        self.ids: list[str] = []
        self._success, self._step = np.zeros(1024, dtype=np.bool_), np.zeros(1024, dtype=np.int64)
        self.alive = np.ones(1024, dtype=np.bool_)
        self.place: dict[str, int] = {}
        # Places of deleted rows are closed up: the file is read in order.
        for id, _, _ in held:
            self._take(id)
        self._success[: len(held)] = [success for _, success, _ in held]
        self._step[: len(held)] = [step for _, _, step in held]

    def __len__(self) -> int:
        """Return how many places are in use, deleted ones among them."""
        return len(self.ids)

    def load(self) -> Floats:
        """Return all vectors, (n, 5, d), in order of place."""
        vectors = np.empty((len(self), len(AXES), self.dimension), dtype=np.float32)
        for row, (blob,) in enumerate(self._file.execute("SELECT vectors FROM rows ORDER BY place")):
            vectors[row] = np.frombuffer(blob, dtype=np.float32).reshape(len(AXES), -1)
        return vectors

    def records(self) -> list[str]:
        """Return all records in order of place."""
        return [record for (record,) in self._file.execute("SELECT record FROM rows ORDER BY place")]

    def add(self, batch: Batch) -> None:
        """Write a batch in one transaction."""
        facets = batch.facets
        rows = zip(
            batch.ids, facets.success.tolist(), facets.step.tolist(), facets.verb, facets.world, facets.biome,
            batch.records, (row.tobytes() for row in batch.vectors), strict=True,
        )  # fmt: skip
        self._file.execute("BEGIN IMMEDIATE")
        self._file.executemany("INSERT INTO rows VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._file.execute("COMMIT")
        start = len(self)
        for id in batch.ids:
            self._take(id)
        self._success[start : len(self)] = facets.success
        self._step[start : len(self)] = facets.step

    def delete(self, id: str) -> int:
        """Delete a row and return the place that it had."""
        self._file.execute("DELETE FROM rows WHERE id = ?", (id,))
        place = self.place.pop(id)
        self.alive[place] = False
        return place

    def passing(self, where: Filter) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return the places of the rows that pass, in order."""
        n = len(self)
        passes = self.alive[:n] & self._success[:n] & (self._step[:n] < where.before_step)
        return np.flatnonzero(passes)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _take(self, id: str) -> None:
        self.place[id] = len(self.ids)
        self.ids.append(id)
        if len(self.ids) > self._success.size:
            self._success = np.pad(self._success, (0, self._success.size))
            self._step = np.pad(self._step, (0, self._step.size))
            self.alive = np.pad(self.alive, (0, self.alive.size), constant_values=True)

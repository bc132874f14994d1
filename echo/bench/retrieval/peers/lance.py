"""LanceDB, in process: flat or with its IVF_RQ index.

Source: LanceDB's documentation: no vector index up to about 100,000 rows, IVF_RQ with metadata filters,
scalar indexes on filtered columns, inner product for unit vectors, `optimize` after many small writes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from csd.axes import AXES
from echo.bench.retrieval.question import Batch, Hit, Question, hits

REFINE = 50
"""How many times k candidates are scored anew from full vectors."""


class Lance:
    """One table with a column of the five vectors side by side."""

    def __init__(self, folder: Path, dimension: int, *, indexed: bool) -> None:
        """Open or make the table."""
        import lancedb
        import pyarrow as pa

        self._pa: Any = pa
        self._indexed = indexed
        self._width = len(AXES) * dimension
        database = lancedb.connect(str(folder))
        schema = pa.schema(
            [("id", pa.string()), ("success", pa.bool_()), ("step", pa.int64())]
            + [(name, pa.string()) for name in ("verb", "world", "biome", "record")]
            + [("vectors", pa.list_(pa.float32(), self._width))]
        )
        self._table: Any = database.create_table("records", schema=schema, exist_ok=True)

    def add(self, batch: Batch) -> None:
        """Append a batch: a new version of the table."""
        facets, pa = batch.facets, self._pa
        flat = pa.array(batch.vectors.reshape(-1))
        columns = [
            batch.ids, facets.success, facets.step, facets.verb, facets.world, facets.biome, batch.records,
            pa.FixedSizeListArray.from_arrays(flat, self._width),
        ]  # fmt: skip
        self._table.add(pa.table(columns, schema=self._table.schema))

    def finish(self) -> None:
        """Build the indexes where they are not yet, and compact."""
        from lancedb.index import Bitmap, BTree, IvfRq

        if not self._table.list_indices():
            for column, index in (("id", BTree()), ("step", BTree()), ("success", Bitmap())):
                self._table.create_index(column, config=index)
            if self._indexed:
                self._table.create_index("vectors", config=IvfRq(distance_type="dot"))
        self._table.optimize()

    def search(self, question: Question, k: int) -> list[Hit]:
        """Search, filtering first."""
        query = self._table.search(question.joined, vector_column_name="vectors").distance_type("dot")
        if self._indexed:
            query = query.refine_factor(REFINE)
        if question.where is not None:
            query = query.where(f"success = true AND step < {question.where.before_step}", prefilter=True)
        found = query.select(["id", "vectors", "_distance"]).limit(k).to_arrow()
        vectors = found["vectors"].combine_chunks().flatten().to_numpy()
        return hits(found["id"].to_pylist(), np.asarray(vectors), question)

    def delete(self, id: str) -> None:
        """Delete by id."""
        self._table.delete(f"id = '{id}'")

    def close(self) -> None:
        """Everything is on disk already."""

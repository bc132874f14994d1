"""Milvus in process (milvus-lite), with its HNSW or its flat index.

Source: Milvus' documentation: M 16 and efConstruction 200, ef a few times k, an inverted index on filtered
columns, load after the indexes are made.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from csd.axes import AXES
from echo.bench.retrieval.question import Batch, Hit, Question, hits

NAME = "records"
EF = 192


class Milvus:
    """One collection; one vector field holds the five vectors side by side."""

    def __init__(self, folder: Path, dimension: int, *, index: str) -> None:
        """Open or make the collection and load it."""
        from pymilvus import MilvusClient

        self._hnsw = index == "HNSW"
        self._client: Any = MilvusClient(str(folder / "milvus.db"))
        if not self._client.has_collection(NAME):
            self._make(len(AXES) * dimension, index)
        self._client.load_collection(NAME)

    def add(self, batch: Batch) -> None:
        """Insert a batch."""
        facets = batch.facets
        self._client.insert(
            NAME,
            [
                {"id": id, "success": success, "step": step, "verb": verb, "world": world, "biome": biome,
                 "record": record, "vectors": vectors}
                for id, success, step, verb, world, biome, record, vectors in zip(
                    batch.ids, facets.success.tolist(), facets.step.tolist(), facets.verb, facets.world,
                    facets.biome, batch.records, batch.vectors.reshape(len(batch), -1), strict=True,
                )
            ],
        )  # fmt: skip

    def finish(self) -> None:
        """Seal what was inserted, so that it is indexed."""
        self._client.flush(NAME)
        self._client.load_collection(NAME)

    def search(self, question: Question, k: int) -> list[Hit]:
        """Search, filtering first."""
        where = question.where
        found = self._client.search(
            NAME,
            data=[question.joined],
            limit=k,
            filter="" if where is None else f"success == true and step < {where.before_step}",
            output_fields=["vectors"],
            search_params={"params": {"ef": EF} if self._hnsw else {}},
        )[0]
        vectors = np.array([hit["entity"]["vectors"] for hit in found], dtype=np.float32)
        return hits([hit["id"] for hit in found], vectors, question)

    def delete(self, id: str) -> None:
        """Delete by id."""
        self._client.delete(NAME, ids=[id])

    def close(self) -> None:
        """Close the client, which stops the engine."""
        self._client.close()

    def _make(self, width: int, index: str) -> None:
        from pymilvus import DataType

        schema = self._client.create_schema(auto_id=False)
        schema.add_field("id", DataType.VARCHAR, is_primary=True, max_length=64)
        schema.add_field("success", DataType.BOOL)
        schema.add_field("step", DataType.INT64)
        for column in ("verb", "world", "biome"):
            schema.add_field(column, DataType.VARCHAR, max_length=256)
        schema.add_field("record", DataType.VARCHAR, max_length=65_535)
        schema.add_field("vectors", DataType.FLOAT_VECTOR, dim=width)
        indexes = self._client.prepare_index_params()
        settings = {"M": 16, "efConstruction": 200} if self._hnsw else {}
        indexes.add_index("vectors", index_type=index, metric_type="IP", params=settings)
        indexes.add_index("step", index_type="INVERTED")
        self._client.create_collection(NAME, schema=schema, index_params=indexes)

"""Chroma's persistent client with its HNSW index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from echo.bench.retrieval.question import Batch, Hit, Question, hits

CONFIGURATION = {"hnsw": {"space": "ip", "ef_search": 200, "num_threads": 1}}
"""As documented; ef_search is raised from 100, which the documentation advises where recall is low."""


class Chroma:
    """One collection; the embedding is the five vectors side by side, the document is the record."""

    def __init__(self, folder: Path) -> None:
        """Open or make the collection."""
        import chromadb

        settings = chromadb.Settings(anonymized_telemetry=False)
        self._client: Any = chromadb.PersistentClient(path=str(folder), settings=settings)
        self._collection: Any = self._client.get_or_create_collection(
            "records", embedding_function=None, configuration=CONFIGURATION
        )

    def add(self, batch: Batch) -> None:
        """Add a batch, at most 5,461 at once."""
        facets = batch.facets
        columns = zip(
            facets.success.tolist(),
            facets.step.tolist(),
            facets.verb,
            facets.world,
            facets.biome,
            strict=True,
        )
        names = ("success", "step", "verb", "world", "biome")
        self._collection.add(
            ids=batch.ids,
            embeddings=batch.vectors.reshape(len(batch), -1),
            metadatas=[dict(zip(names, values, strict=True)) for values in columns],
            documents=batch.records,
        )

    def finish(self) -> None:
        """The index is built as records come."""

    def search(self, question: Question, k: int) -> list[Hit]:
        """Search, filtering first."""
        where = question.where
        found = self._collection.query(
            query_embeddings=[question.joined],
            n_results=k,
            where=None
            if where is None
            else {"$and": [{"success": True}, {"step": {"$lt": where.before_step}}]},
            include=["embeddings"],
        )
        return hits(found["ids"][0], np.asarray(found["embeddings"][0]), question)

    def delete(self, id: str) -> None:
        """Delete by id."""
        self._collection.delete(ids=[id])

    def close(self) -> None:
        """Stop the client's system."""
        self._client.close()

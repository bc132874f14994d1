"""One Milvus collection: how it is opened, written, read and searched.

With `csd.milvus.schema` the one place that knows pymilvus. Every call is bounded in time, and what Milvus
says is turned into a `BankError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from csd.axes import AXES, Axis
from csd.milvus.layout import Row, size_of
from csd.milvus.local import check_folder, hold, let_go
from csd.milvus.schema import collection_schema, explained
from csd.score import Vector
from csd.store.errors import BankError

CONNECT_SECONDS = 10.0
CALL_SECONDS = 60.0
SETTLE_SECONDS = 600.0

REQUEST_BYTES = 16 * 1024 * 1024
"""A server takes no request above 64 MB."""

IDS_A_QUERY = 256
ROWS_A_READ = 1000
IDS_A_READ = 16_000
"""Rows that one request of a scan asks for at most, on average."""

SETTLE_ROWS = 1000
"""The local edition searches newer rows in Python, tenfold slower: this many are put into its index."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """One axis of a hybrid search."""

    axis: Axis
    query: Vector
    share: float
    condition: str


class Collection:
    """A collection that holds the entities of a bank."""

    def __init__(self, client: Any, name: str, where: str, local: Path | None) -> None:
        """Use collection `name` through `client`; see `connected`."""
        self._client = client
        self._name = name
        self._local = local
        self._unsettled = 0
        self.where = where
        """The bank's name in messages."""

    @classmethod
    def connected(cls, uri: str | Path, name: str, *, create: bool, token: str | None) -> Collection:
        """Connect to `uri`; whether the collection is there is asked with `described`.

        Raises:
            ValueError: on a name that Milvus does not take.
            BankError: where pymilvus is missing, the address cannot be read, or no server answers.
        """
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,254}", name):
            raise ValueError(f"expected letters, digits and '_' as the name of a collection; got {name!r}.")
        try:
            from pymilvus import MilvusClient
        except ImportError as error:
            raise BankError(
                f"expected the package pymilvus for the bank {uri}; got none. "
                f"pip install '.[milvus]' in a checkout"
            ) from error
        where = f"{uri} (collection {name})"
        local = None if re.match(r"(https?|tcp)://[^/:]+(:[0-9]+)?(/|$)|unix:", str(uri)) else Path(uri)
        if local is not None:
            check_folder(local, create=create)
        address = str(uri) if local is None else hold(local)
        try:
            with explained(where):
                client = MilvusClient(address, token=token or "", timeout=CONNECT_SECONDS)
        except BaseException:
            if local is not None:
                let_go(local)
            raise
        return cls(client, name, where, local)

    def close(self) -> None:
        """Let go of the server; a second call does nothing."""
        if self._client is None:
            return
        self._client.close()
        self._client = None
        if self._local is not None:
            let_go(self._local)

    @property
    def is_local(self) -> bool:
        """Whether Milvus runs in this process."""
        return self._local is not None

    def described(self) -> Mapping[str, Any] | None:
        """Return what Milvus says about the collection, None where there is none."""
        with self._explained() as client:
            if not client.has_collection(self._name, timeout=CALL_SECONDS):
                return None
            found: Mapping[str, Any] = client.describe_collection(self._name, timeout=CALL_SECONDS)
            return found

    def create(self, dimension: int, properties: Mapping[str, str]) -> None:
        """Make the collection; one that another process made first is kept."""
        from pymilvus import MilvusException

        schema = collection_schema(dimension, " ".join(properties.values()))
        with self._explained() as client:
            try:
                client.create_collection(
                    self._name,
                    schema=schema,
                    # What was acknowledged is found by the next question, from any process.
                    consistency_level="Strong",
                    num_shards=1,
                    properties=dict(properties),
                    timeout=CALL_SECONDS,
                )
            except MilvusException:
                if not client.has_collection(self._name, timeout=CALL_SECONDS):
                    raise

    def load(self) -> None:
        """Make the collection searchable; indexes that a killed creation left out are made."""
        with self._explained() as client:
            known = client.list_indexes(self._name, timeout=CALL_SECONDS)
            wanted = client.prepare_index_params()
            for axis in AXES:
                if axis.value not in known:
                    wanted.add_index(field_name=axis.value, metric_type="IP", **self._index())
            if len(wanted):
                client.create_index(self._name, wanted, timeout=CALL_SECONDS, sync=False)
            client.load_collection(self._name, timeout=CALL_SECONDS)

    def write(self, rows: Sequence[Row]) -> None:
        """Put entities in, each in the place of one with the same id; a request is seen whole."""
        batch: list[Row] = []
        size = 0
        for row in rows:
            if batch and size + size_of(row) > REQUEST_BYTES:
                self._upsert(batch)
                batch, size = [], 0
            batch.append(row)
            size += size_of(row)
        if batch:
            self._upsert(batch)
        if self.is_local and self._unsettled >= SETTLE_ROWS:
            with self._explained() as client:
                client.flush(self._name, timeout=SETTLE_SECONDS)
            self._unsettled = 0

    def delete(self, id: str) -> None:
        """Take an entity out; one that is not there is left so."""
        with self._explained() as client:
            client.delete(self._name, ids=[id], timeout=CALL_SECONDS)

    def count(self, condition: str = "") -> int:
        """Return how many entities meet `condition`."""
        return int(self.query(condition, ["count(*)"])[0]["count(*)"])

    def query(self, condition: str, fields: Sequence[str]) -> list[Row]:
        """Return `fields` of the entities that meet `condition`, in no order."""
        with self._explained() as client:
            found = client.query(
                self._name, filter=condition, output_fields=list(fields), timeout=CALL_SECONDS
            )
            return [dict(row) for row in found]

    def rows(self, ids: Sequence[str], fields: Sequence[str], key: str = "id") -> list[Row]:
        """Return `fields` of the entities whose `key` is one of `ids`, in no order."""
        found: list[Row] = []
        for start in range(0, len(ids), IDS_A_QUERY):
            listed = ", ".join(f'"{id}"' for id in ids[start : start + IDS_A_QUERY])
            found.extend(self.query(f"{key} in [{listed}]", fields))
        return found

    def scan(self, condition: str, fields: Sequence[str]) -> Iterator[list[Row]]:
        """Yield `fields` of all entities that meet `condition`, in ascending order of ids, some at a time.

        What other processes write meanwhile may be seen or not.
        """
        digits, total = 0, self.count(condition)
        some = IDS_A_READ if list(fields) == ["id"] else ROWS_A_READ
        # Ids are digests, so that those with the same first digits are equally many.
        while total > some * 16**digits:
            digits += 1
        edges = [f"csd_{place:0{digits}x}" for place in range(16**digits)] if digits else ["csd_"]
        for low, high in pairwise([*edges, "csd_g"]):
            part = f'id >= "{low}" and id < "{high}"'
            found = self.query(f"{part} and {condition}" if condition else part, fields)
            yield sorted(found, key=lambda row: str(row["id"]))

    def hybrid(self, routes: Sequence[Route], each: int, kept: int, fields: Sequence[str]) -> list[Row]:
        """Return `fields` of the best entities over several axes, about best first.

        Args:
            routes: the axes.
            each: how many of the best each axis gives.
            kept: how many of them remain after fusing, by the weighted sum of what each axis gave.
            fields: no vectors: the local edition would read those of all that any axis gives.
        """
        from pymilvus import AnnSearchRequest, WeightedRanker

        # A graph search finds little more with a longer list; a flat index takes no parameter.
        params = {} if self.is_local else {"ef": min(2 * each, 32_768)}
        requests = [
            AnnSearchRequest(
                data=[route.query],
                anns_field=route.axis.value,
                param={"metric_type": "IP", "params": params},
                limit=each,
                expr=route.condition,
            )
            for route in routes
        ]
        # Cosines are weighed as they are. The local edition normalises them all the same, which is one
        # reason why the order is made anew from the vectors.
        ranker = WeightedRanker(*(route.share for route in routes), norm_score=False)
        with self._explained() as client:
            found = client.hybrid_search(
                self._name,
                requests,
                ranker,
                limit=kept,
                output_fields=list(fields),
                timeout=CALL_SECONDS,
            )
            return [{"id": hit["id"], **hit["entity"]} for hit in found[0]]

    def _upsert(self, rows: list[Row]) -> None:
        with self._explained() as client:
            client.upsert(self._name, rows, timeout=CALL_SECONDS)
        self._unsettled += len(rows)

    def _index(self) -> dict[str, Any]:
        # The local edition filters after a graph search: with a filter of one in ten, half was missed.
        if self.is_local:
            return {"index_type": "FLAT", "params": {}}
        return {"index_type": "HNSW", "params": {"M": 16, "efConstruction": 200}}

    @contextmanager
    def _explained(self) -> Iterator[Any]:
        if self._client is None:
            raise BankError(f"expected an open bank at {self.where}; it was closed. Open it again.")
        with explained(self.where):
            yield self._client

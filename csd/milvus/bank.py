"""The memory bank over Milvus: the same protocol for memories that many machines share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from csd.axes import AXES, Axis
from csd.descriptor import Csd, canonical_json
from csd.embed import check_axes, embed_descriptors, embed_query, identity_for
from csd.encode import Encoder
from csd.milvus.collection import Collection
from csd.milvus.layout import FIELDS, VERSION, Row, file_under, new_row, version_of
from csd.milvus.records import MilvusRecords
from csd.milvus.schema import explained
from csd.milvus.search import search
from csd.protocol import Filing, Query, Vectors
from csd.score import Match, Vector, check_count, shares, unit_rows
from csd.store.errors import BankError
from csd.store.links import check_supersedable
from csd.store.rows import Draft, draft, given_halves
from csd.store.where import Where, microseconds

FORMAT = "1"
"""Version of the fields of a collection."""

DRAFTS_AT_ONCE = 4096
"""How many descriptors are made ready for writing at a time: some 40 MB."""

_PROPERTY = "echo_memory"
"""The property of a collection that says what its vectors were made with."""


class MilvusBank(MilvusRecords):
    """Descriptors in a Milvus collection; implements `csd.protocol.DescriptorBank`.

    Use `open`; a bank is a context manager. Several processes may use one collection of a server. Milvus
    has no transactions over several requests: `add`, `supersede` and `remove` are one request each for
    what can be found, `add_many` is several, and of two processes that file or supersede the same
    descriptor at the same moment the later one wins.
    """

    def __init__(self, collection: Collection, encoder: Encoder) -> None:
        """Use an opened collection; see `open`."""
        super().__init__(collection)
        self._encoder = encoder

    @classmethod
    def open(
        cls,
        uri: str | Path,
        encoder: Encoder,
        *,
        collection: str = "csd",
        create: bool = True,
        token: str | None = None,
    ) -> Self:
        """Open the bank in a collection, or make it.

        Args:
            uri: a server ('http://host:19530'), or a local path that ends with '.db', which is a folder
                that belongs to one process at a time.
            encoder: makes the vectors; must be the one that filled the collection.
            collection: its name.
            create: whether a collection (and a local folder) may be made.
            token: 'user:password' or an API key, where the server wants one.

        Raises:
            ValueError: on a name that Milvus does not take.
            BankError: if a package is missing, the address cannot be read, no server answers in ten
                seconds, or the collection is missing, no bank, or was filled by another encoder.
        """
        opened = Collection.connected(uri, collection, create=create, token=token)
        try:
            _agree(opened, encoder, create=create)
            opened.load()
        except BaseException:
            opened.close()
            raise
        return cls(opened, encoder)

    def __enter__(self) -> Self:
        """Return the bank."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the bank."""
        self.close()

    def close(self) -> None:
        """Let go of the server; the bank cannot be used afterwards."""
        self._collection.close()

    @property
    def encoder(self) -> Encoder:
        """The encoder that makes this bank's vectors."""
        return self._encoder

    def add(
        self,
        csd: Csd,
        *,
        vectors: Mapping[Axis, Vector] | None = None,
        filing: Filing | None = None,
        derived_from: Sequence[str] = (),
    ) -> str:
        """Remember `csd` and return its id; see `DescriptorBank.add`.

        Raises:
            ValueError: on a vector too many or too few, or one that is no finite unit vector.
            BankError: on an unknown id in `derived_from`, an oversized record, or a failing server.
        """
        one = draft(csd, self._collection.where)
        for source in derived_from:
            self._one(source, ["id"])
        halves = None if vectors is None else given_halves([one], [vectors], self._encoder)
        rows = self._rows([one], halves, filing)
        if derived_from:
            [row] = rows or [self._one(one.id, FIELDS)]
            row["derived_from"] = sorted({*row["derived_from"], *derived_from})
            rows = [row]
        self._collection.write(rows)
        return one.id

    def add_many(
        self,
        csds: Sequence[Csd],
        *,
        vectors: Vectors | None = None,
        filing: Filing | None = None,
    ) -> list[str]:
        """Remember several descriptors, some thousand a request, and return their ids, in the given order.

        Raises:
            ValueError: on a vector too many or too few, or one that is no finite unit vector; none was
                added then.
            BankError: on an oversized record (none was added then), or a failing server (what went
                before is there; the same call again adds the rest).
        """
        drafts = [draft(csd, self._collection.where) for csd in csds]
        halves = None if vectors is None else given_halves(drafts, vectors, self._encoder)
        for start in range(0, len(drafts), DRAFTS_AT_ONCE):
            some = slice(start, start + DRAFTS_AT_ONCE)
            self._collection.write(self._rows(drafts[some], halves and halves[some], filing))
        return [one.id for one in drafts]

    def supersede(
        self,
        old_id: str,
        csd: Csd,
        *,
        at_step: int | None = None,
        vectors: Mapping[Axis, Vector] | None = None,
        filing: Filing | None = None,
    ) -> str:
        """Put `csd` in the place of `old_id`, in one request; see `DescriptorBank.supersede`.

        Raises:
            ValueError: on an `at_step` before the old one held, or bad vectors.
            BankError: on an unknown `old_id`, one that is superseded already, the same content, or a
                correction that is itself superseded.
        """
        new = draft(csd, self._collection.where)
        old = self._one(old_id, FIELDS)
        before, held = version_of(old), self._found(new.id, VERSION)
        step = max(before.valid_from, csd.meta.step) if at_step is None else at_step
        check_supersedable(
            before, new.id, None if held is None else version_of(held), step, self._collection.where
        )
        halves = None if vectors is None else given_halves([new], [vectors], self._encoder)
        rows = self._rows([new], halves, filing, valid_from=step)
        at = rows[0]["recorded"] if held is None else microseconds((filing or Filing()).moment())
        old.update(superseded_step=step, superseded_by=new.id, superseded_at=at)
        self._collection.write([*rows, old])
        return new.id

    def remove(self, id: str) -> bool:
        """Forget `id` and return whether it was held; what it superseded stays superseded."""
        if id not in self:
            return False
        orphans = self._collection.rows([id], FIELDS, key="superseded_by")
        self._collection.write([{**row, "superseded_by": ""} for row in orphans])
        self._collection.delete(id)
        return True

    def recall(
        self,
        query: Query,
        *,
        k: int,
        weights: Mapping[Axis, float] | None = None,
        where: Where | None = None,
        exact: bool = False,
    ) -> list[Match]:
        """Return the `k` best descriptors for `query`; see `DescriptorBank.recall`.

        Milvus gives candidates, the best of each axis; what is returned is scored and ordered from the
        stored vectors. One that is among the best of no single axis can be missed, unless `exact`, which
        reads every descriptor that passes.

        Raises:
            ValueError: on a name that is no axis, a negative `k`, a bad weight or a bad vector.
            BankError: if the server fails.
        """
        check_count(k)
        check_axes(weights or {})
        vectors = embed_query(query, self._encoder)
        asked: dict[Axis, Vector] = {
            axis: unit_rows(np.atleast_2d(vectors[axis]), self._encoder.dimension, f"the {axis} query")[0]
            for axis in AXES
            if axis in vectors
        }
        share = shares(weights, asked)
        if k == 0 or not share:
            return []
        with explained(self._collection.where):
            return search(self._collection, asked, share, k, where, exact)

    def _rows(
        self,
        drafts: Sequence[Draft],
        halves: Sequence[bytes] | None,
        filing: Filing | None,
        valid_from: int | None = None,
    ) -> list[Row]:
        """Return the entities that remembering `drafts` writes: new ones, and those that gain a filing."""
        ids = list(dict.fromkeys(one.id for one in drafts))
        held = {row["id"]: row for row in self._collection.rows(ids, ["id"] if filing is None else FIELDS)}
        fresh = {one.id: place for place, one in enumerate(drafts) if one.id not in held}
        new = [drafts[place] for place in fresh.values()]
        if halves is None:
            embedded = embed_descriptors([one.csd for one in new], self._encoder)
            made = given_halves(new, embedded, self._encoder)
        else:
            made = [halves[place] for place in fresh.values()]
        said = filing or Filing()
        at = microseconds(said.moment())
        with explained(self._collection.where):
            rows = [
                new_row(one, blob, self._encoder.dimension, at, valid_from)
                for one, blob in zip(new, made, strict=True)
            ]
            for row in rows:
                file_under(row, said, at)
            if filing is not None:
                rows.extend(row for row in held.values() if file_under(row, filing, at))
        return rows


def _agree(opened: Collection, encoder: Encoder, *, create: bool) -> None:
    """Make the collection where there is none, and check that it belongs to `encoder`."""
    expected = {"format": FORMAT, **identity_for(encoder).meta()}
    described = opened.described()
    if described is None:
        if not create:
            raise BankError(
                f"expected a memory bank at {opened.where}; got no such collection. Check its name, or run "
                f"something that fills a bank first."
            )
        opened.create(encoder.dimension, {_PROPERTY: canonical_json(expected)})
        described = opened.described() or {}
    found = _identity(described)
    if found is None:
        raise BankError(
            f"expected a memory bank at {opened.where}; got a collection of another program. "
            f"Choose another name; the collection was left as it is."
        )
    if found != expected:
        raise BankError(
            f"expected a bank with {canonical_json(expected)} at {opened.where}; got "
            f"{canonical_json(found)}. Open it with the encoder {found.get('encoder')!r}, or fill another "
            f"collection with this one."
        )


def _identity(described: Mapping[str, Any]) -> dict[str, str] | None:
    # A server keeps the description, the local edition only the properties.
    said = (described.get("properties") or {}).get(_PROPERTY) or described.get("description") or ""
    try:
        found = json.loads(said)
    except ValueError:
        return None
    return found if isinstance(found, dict) and "encoder" in found else None

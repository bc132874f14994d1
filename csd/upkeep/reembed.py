"""Give a bank the vectors of another encoder, all of them or none.

Embedding takes long and changes nothing: it is done first, into the bank's cache of embeddings, and what is
done there survives a kill. Then one transaction puts all vectors in their place.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from csd.caches import embeddings_file
from csd.embed import embed_descriptors, identity_for
from csd.encode import Encoder
from csd.encode_store import EmbeddingStore
from csd.store.changes import vector_row
from csd.store.errors import explained
from csd.store.file import connect, set_identity, transaction
from csd.store.rows import draft_held, given_halves
from csd.upkeep.cache_files import drop_caches

Progress = Callable[[int, int], None]
"""Called with how many descriptors are done, and how many there are."""

_CHUNK = 64
"""Records read at a time: with five texts each, about one batch of the encoder."""


def reembed(path: str | Path, encoder: Encoder, *, progress: Progress | None = None) -> int:
    """Replace every vector in the bank at `path` by one of `encoder`, in one transaction.

    Until the end other processes see the old vectors and may write; what they add meanwhile is embedded
    too. A kill leaves the old vectors, and doing it again goes on where it was killed. Banks that are open
    on the file must be opened again afterwards.

    Args:
        path: an existing bank file, whatever its vectors were made with.
        encoder: makes the new vectors and becomes the bank's encoder.
        progress: called after each descriptor with how many are done and how many there are.

    Returns:
        How many descriptors were embedded.

    Raises:
        BankError: if the file is no bank, holds a damaged record, or cannot be written.
        ValueError: if the encoder gives a vector that is no finite unit vector.
    """
    path = Path(path)
    where = str(path)
    with (
        closing(connect(path, None)) as connection,
        closing(EmbeddingStore(encoder, embeddings_file(path))) as store,
    ):
        _embed_ahead(connection, store, where, progress)
        with transaction(connection, where):
            count = _replace_all(connection, store, where)
            drop_caches(path)
            return count


def _embed_ahead(
    connection: sqlite3.Connection, store: EmbeddingStore, where: str, progress: Progress | None
) -> None:
    with explained(where):
        (total,) = connection.execute("SELECT count(*) FROM csd").fetchone()
    done = 0
    for records in _chunks(connection, where):
        embed_descriptors([draft_held(id, record, where).csd for _, id, record in records], store)
        if progress is not None:
            for one in range(done + 1, done + len(records) + 1):
                progress(one, max(one, total))
        done += len(records)


def _replace_all(connection: sqlite3.Connection, store: EmbeddingStore, where: str) -> int:
    count = 0
    connection.execute("DELETE FROM vector")
    for records in _chunks(connection, where):
        drafts = [draft_held(id, record, where) for _, id, record in records]
        halves = given_halves(drafts, embed_descriptors([one.csd for one in drafts], store), store)
        connection.executemany(
            "INSERT INTO vector VALUES (?, ?, ?, ?)",
            [
                vector_row(row, one.present, blob)
                for (row, *_), one, blob in zip(records, drafts, halves, strict=True)
            ],
        )
        count += len(records)
    set_identity(connection, identity_for(store))
    return count


def _chunks(connection: sqlite3.Connection, where: str) -> Iterator[list[tuple[int, str, str]]]:
    last = 0
    while True:
        # No cursor stays open between: a long reading would keep the log from being taken in.
        with explained(where):
            found = connection.execute(
                "SELECT row, id, record FROM csd WHERE row > ? ORDER BY row LIMIT ?", (last, _CHUNK)
            ).fetchall()
        if not found:
            return
        yield found
        last = found[-1][0]

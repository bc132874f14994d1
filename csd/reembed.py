"""Give a bank the vectors of another encoder, all of them or none."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from csd import render
from csd.axes import AXES
from csd.encode import Encoder
from csd.rows import parse
from csd.score import unit_rows
from csd.tables import Identity, connect, explained, identity_meta, stored_identity, transaction


def reembed(path: str | Path, encoder: Encoder, *, progress: Callable[[int, int], None] | None = None) -> int:
    """Replace every vector in the bank at `path` by one of `encoder`, in one transaction.

    Until the end other processes see the old vectors, and a kill leaves them in place. Banks that are
    open on the file must be opened again afterwards.

    Args:
        path: an existing bank file.
        encoder: makes the new vectors and becomes the bank's encoder.
        progress: called after each descriptor with how many are done and how many there are.

    Returns:
        How many descriptors were embedded.

    Raises:
        BankError: if the file is no bank, is damaged, or cannot be written.
    """
    where = str(path)
    connection = connect(Path(path), stored_identity(Path(path)))
    try:
        with transaction(connection, where):
            return _replace_all(connection, encoder, where, progress)
    finally:
        with explained(where):
            connection.close()


def _replace_all(
    connection: sqlite3.Connection,
    encoder: Encoder,
    where: str,
    progress: Callable[[int, int], None] | None,
) -> int:
    records = connection.execute("SELECT row, id, record FROM csd ORDER BY row").fetchall()
    connection.execute("DELETE FROM vector")
    for done, (row, id, record) in enumerate(records, start=1):
        csd = parse(id, record, where)
        texts = {axis: text for axis in AXES if (text := render.render_axis(csd, axis))}
        vectors = unit_rows(encoder.encode(list(texts.values())), encoder.dimension, encoder.name)
        connection.executemany(
            "INSERT INTO vector VALUES (?, ?, ?)",
            [
                (row, axis.value, vector.astype("<f4").tobytes())
                for axis, vector in zip(texts, vectors, strict=True)
            ],
        )
        if progress is not None:
            progress(done, len(records))
    identity = Identity(encoder=encoder.name, dimension=encoder.dimension, rendering=render.FORMAT)
    connection.executemany("UPDATE meta SET value = ?2 WHERE key = ?1", identity_meta(identity).items())
    return len(records)

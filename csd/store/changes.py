"""The history of a bank, written with every change, and how caches read it."""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import zlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES
from csd.store.errors import BankError, explained
from csd.store.feed import Block, Change, Mark, Text

START = "0" * 16
"""Digest of no changes."""


def record_changes(connection: sqlite3.Connection, kind: str, touched: Sequence[tuple[int, str]]) -> None:
    """Add to the history, within the caller's transaction, what happened to (row, id) each in turn."""
    newest = connection.execute("SELECT chain FROM change ORDER BY sequence DESC LIMIT 1").fetchone()
    chain, told, salt = newest[0] if newest else START, [], secrets.randbits(62)
    for row, id in touched:
        chain = link_of(chain, kind, row, id, salt)
        told.append((kind, row, id, salt, chain))
    connection.executemany("INSERT INTO change (kind, row, id, salt, chain) VALUES (?, ?, ?, ?, ?)", told)


def link_of(chain: str, kind: str, row: int, id: str, salt: int) -> str:
    """Return the digest of all changes up to one, from `chain`, the digest of those before it."""
    return hashlib.blake2b(f"{chain}{kind}{row}{id}{salt}".encode(), digest_size=8).hexdigest()


def forget_changes(connection: sqlite3.Connection, mark: Mark) -> int:
    """Drop the history before `mark`, within the caller's transaction; return how many changes went.

    Caches that stand there or later can still follow; older ones are built again.
    """
    gone = connection.execute("DELETE FROM change WHERE sequence < ?", (mark.sequence,))
    return gone.rowcount


class BankFeed:
    """A bank file as caches follow it; all calls within one `moment` see the same bank."""

    def __init__(self, connection: sqlite3.Connection, dimension: int, where: str) -> None:
        """Read through `connection`; `where` names the file in messages."""
        self._connection = connection
        self._dimension = dimension
        self._where = where

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._dimension

    def mark(self) -> Mark:
        """Return where the bank stands."""
        with explained(self._where):
            (epoch,) = self._connection.execute("SELECT value FROM meta WHERE key = 'epoch'").fetchone()
            newest = self._connection.execute(
                "SELECT sequence, chain FROM change ORDER BY sequence DESC LIMIT 1"
            ).fetchone()
        sequence, chain = newest or (0, START)
        return Mark(epoch=epoch, sequence=sequence, chain=chain)

    def passed(self, mark: Mark) -> bool:
        """Return whether the bank's history leads through `mark` and is known from there on."""
        now = self.mark()
        if now == mark:
            return True
        if now.epoch != mark.epoch:
            return False
        with explained(self._where):
            if mark.sequence == 0:
                first = self._connection.execute("SELECT min(sequence) FROM change").fetchone()[0]
                return mark.chain == START and first == 1
            found = self._connection.execute(
                "SELECT chain FROM change WHERE sequence = ?", (mark.sequence,)
            ).fetchone()
        return found is not None and found[0] == mark.chain

    def changes(self, after: int) -> list[Change]:
        """Return the changes with a sequence above `after`, in order."""
        with explained(self._where):
            found = self._connection.execute(
                "SELECT sequence, kind, row FROM change WHERE sequence > ? ORDER BY sequence", (after,)
            ).fetchall()
        return [Change(sequence=sequence, kind=kind, row=row) for sequence, kind, row in found]

    def blocks(self, after_row: int = 0, size: int = 4096) -> Iterator[Block]:
        """Yield what is held in rows above `after_row`, at most `size` descriptors at a time.

        Raises:
            BankError: on vectors that are not as many bytes as their axes ask for.
        """
        while True:
            with explained(self._where):
                found = self._connection.execute(
                    "SELECT csd.row, id, superseded_at IS NOT NULL, present, halves, checksum FROM csd "
                    "JOIN vector USING (row) WHERE csd.row > ? ORDER BY csd.row LIMIT ?",
                    (after_row, size),
                ).fetchall()
            if not found:
                return
            yield self._block(found)
            after_row = found[-1][0]

    def texts(self, after_row: int = 0) -> Iterator[Text]:
        """Yield the records held in rows above `after_row`, ascending."""
        with explained(self._where):
            cursor = self._connection.execute(
                "SELECT row, id, superseded_at IS NOT NULL, record FROM csd WHERE row > ? ORDER BY row",
                (after_row,),
            )
            for row, id, retired, record in cursor:
                yield Text(row=row, id=id, retired=bool(retired), record=record)

    def _block(self, found: Sequence[tuple[int, str, int, int, bytes, int]]) -> Block:
        halves = np.zeros((len(found), len(AXES), self._dimension), dtype=np.float16)
        for place, (_, id, _, present, blob, checksum) in enumerate(found):
            halves[place, axes_in(present)] = read_halves(
                blob, present, self._dimension, id, self._where, checksum
            )
        return Block(
            rows=np.array([row for row, *_ in found], dtype=np.int64),
            keys=np.array([key_of(id) for _, id, *_ in found], dtype=np.uint64),
            present=np.array([present for _, _, _, present, *_ in found], dtype=np.uint8),
            retired=np.array([retired for _, _, retired, *_ in found], dtype=np.bool_),
            halves=halves,
        )


def vector_row(row: int, present: int, blob: bytes) -> tuple[int, int, bytes, int]:
    """Return what is written to the table `vector`."""
    return row, present, blob, zlib.crc32(blob)


def read_halves(
    blob: bytes, present: int, dimension: int, id: str, where: str, checksum: int | None = None
) -> NDArray[np.float16]:
    """Return the stored vectors of one descriptor, (axes present, d) float16.

    Args:
        blob: the vectors of its axes, one after another.
        present: bit a is set where axis `AXES[a]` has one.
        dimension: the length of each.
        id: whose they are, for the message.
        where: the bank's name in messages.
        checksum: what was written with them; None where nothing was.

    Raises:
        BankError: on another number of bytes than the axes ask for, or other ones than were written.
    """
    axes, wrong = present.bit_count(), ""
    if len(blob) != 2 * dimension * axes:
        wrong = f"expected {2 * dimension * axes} bytes in the vectors of {id} in {where}; got {len(blob)}."
    elif checksum is not None and zlib.crc32(blob) != checksum:
        wrong = f"expected the vectors of {id} in {where} as they were written; got altered ones."
    if wrong:
        raise BankError(
            f"{wrong} The file is damaged: restore it from a copy, or embed its records anew: "
            f"echo-memory reembed {where}."
        )
    return np.frombuffer(blob, dtype="<f2").reshape(axes, dimension)


def axes_in(present: int) -> list[int]:
    """Return the places in `AXES` whose bit is set in `present`."""
    return [place for place in range(len(AXES)) if present >> place & 1]


def key_of(id: str) -> int:
    """Return the digits of a descriptor's id as a number; order by key is order by id.

    >>> key_of("csd_00000000000000ff")
    255
    """
    return int(id[4:], 16)

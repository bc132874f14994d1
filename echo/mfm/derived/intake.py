"""Rows that an index has gained, and how a derived database takes them in."""

from __future__ import annotations

import os
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import BinaryIO

    from echo.mfm.derived.mark import Mark
    from echo.mfm.layout import Row

    Told = Callable[[int, int], None]
    """Progress: bytes of the index that are taken in, bytes there are."""

BATCH_BYTES = 1 << 20
"""About how much of the index is taken in at once, and kept if the process then dies. Four times as much
takes a third longer: more rows than fit into the processor's cache."""


class NewRow:
    """A row that the index has gained."""

    __slots__ = ("data", "offset", "row")

    def __init__(self, row: Row, offset: int, data: bytes) -> None:
        """Hold a row, where its line starts in the index, and the line without its line feed."""
        self.row = row
        self.offset = offset
        self.data = data

    @property
    def size(self) -> int:
        """Length of its line in bytes, without line feed."""
        return len(self.data)


class Schema:
    """What a derived database holds."""

    __slots__ = ("script", "take", "version")

    def __init__(
        self, version: int, script: str, take: Callable[[sqlite3.Connection, Sequence[NewRow]], None]
    ) -> None:
        """Describe a database.

        Args:
            version: Goes up whenever `take` does something else; older files are then made anew.
            script: The SQL that makes its tables, run once in an empty database. `followed` is taken.
            take: Puts new rows, in order, into the tables. It runs inside a transaction and must leave that
                to `follow`; what it raises ends `follow`, and its rows are offered again the next time.
        """
        self.version = version
        self.script = script
        self.take = take


def catch_up(run: sqlite3.Connection, index: BinaryIO, schema: Schema, mark: Mark, told: Told | None) -> None:
    """Take in what follows the mark, batch by batch, each with its mark in one transaction."""
    import gc

    index.seek(mark.taken)
    collecting = gc.isenabled()
    # Rows hold no circles; looking for some would take a third of the time.
    gc.disable()
    try:
        while _take_batch(run, index, schema, mark, told):
            pass
    finally:
        if collecting:
            gc.enable()


def _take_batch(
    run: sqlite3.Connection, index: BinaryIO, schema: Schema, mark: Mark, told: Told | None
) -> bool:
    """Take in one batch; return whether there may be more."""
    now = os.fstat(index.fileno())
    lines = index.readlines(BATCH_BYTES)
    mark.inode, mark.modified = now.st_ino, now.st_mtime_ns
    rows = list(_taken(lines, mark))
    mark.size = index.tell()
    run.execute("BEGIN IMMEDIATE")
    try:
        schema.take(run, rows)
        mark.write(run, schema)
        run.execute("COMMIT")
    except BaseException:
        if run.in_transaction:
            run.execute("ROLLBACK")
        raise
    if told is not None:
        told(mark.taken, max(mark.size, now.st_size))
    return bool(lines) and mark.size < now.st_size


def _taken(lines: Iterable[bytes], mark: Mark) -> Iterator[NewRow]:
    """Yield the rows that `lines` hold and move the mark behind them; an unfinished last line stays."""
    parse = _parser()
    for line in lines:
        data = line.removesuffix(b"\n")
        row = parse(data)
        if row is not None:
            yield NewRow(row, mark.taken, data)
        elif not line.endswith(b"\n"):
            # It is still being written, or its writer was killed; the next writer mends it.
            return
        elif data.strip():
            yield from _apart(data, mark)
        if data.strip() or len(mark.line) > BATCH_BYTES:
            mark.line_at, mark.line = mark.taken, line
        else:
            mark.line += line
        mark.sum = zlib.crc32(line, mark.sum)
        mark.taken += len(line)


def _parser() -> Callable[[bytes], Row | None]:
    """Return what `parse_row` does, in half the time for the lines that a recorder writes."""
    import json

    decode = json.JSONDecoder().raw_decode

    def parse(data: bytes) -> Row | None:
        try:
            row, end = decode(data.decode("ascii"))
            if end == len(data) and type(row) is dict and type(row.get("id")) is str:
                return row
        except (ValueError, RecursionError):
            pass
        if not data.strip():
            return None
        # Only now, for it loads what takes 15 ms.
        from echo.mfm.episodic.index import parse_row

        return parse_row(data)

    return parse


def _apart(data: bytes, mark: Mark) -> Iterator[NewRow]:
    """Yield the rows of one line that was torn, or glued to another."""
    from echo.mfm.episodic.index import Line, scan

    place = 0
    for part in scan(data):
        if isinstance(part, Line):
            place = data.index(part.data, place)
            yield NewRow(part.row, mark.taken + place, part.data)
            place += len(part.data)
        else:
            mark.torn += 1

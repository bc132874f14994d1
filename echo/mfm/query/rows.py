"""The rows of an index with the bytes that hold them, from its start or from its end, without any cache."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from echo.mfm.layout import Row

    Held = tuple[Row, bytes]
    """A row and its line, without line feed."""

_BLOCK = 1 << 16


class Torn:
    """Counts the stretches of an index that hold no row."""

    def __init__(self) -> None:
        """Start with none."""
        self.count = 0


def parse(data: bytes) -> Row | None:
    """Return the row that `data` holds from end to end, or None; as `echo.mfm.episodic.index.parse_row`."""
    try:
        row = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and isinstance(row.get("id"), str) else None


def rows_from_start(index: BinaryIO, torn: Torn) -> Iterator[Held]:
    """Yield all rows of an open index, in order."""
    index.seek(0)
    for line in index:
        yield from _rows_of(line, torn)


def rows_from_end(index: BinaryIO, torn: Torn) -> Iterator[Held]:
    """Yield all rows of an open index, the last one first, reading no more of it than is asked for."""
    for line in _lines_from_end(index):
        yield from reversed(list(_rows_of(line, torn)))


def _lines_from_end(index: BinaryIO) -> Iterator[bytes]:
    place = index.seek(0, os.SEEK_END)
    # What was read of a line whose start is not read yet, the last part first.
    parts: list[bytes] = []
    while place > 0:
        size = min(_BLOCK, place)
        place -= size
        index.seek(place)
        first, *lines = _split(index.read(size))
        if lines:
            yield lines[-1] + b"".join(reversed(parts))
            yield from reversed(lines[:-1])
            parts = []
        parts.append(first)
    if parts:
        yield b"".join(reversed(parts))


def _split(block: bytes) -> list[bytes]:
    """Return the pieces of `block`, cut behind each line feed; the last one may be empty."""
    pieces = block.split(b"\n")
    return [piece + b"\n" for piece in pieces[:-1]] + [pieces[-1]]


def _rows_of(line: bytes, torn: Torn) -> Iterator[Held]:
    data = line.removesuffix(b"\n")
    if not data.strip():
        return
    row = parse(data)
    if row is not None:
        yield row, data
    elif line.endswith(b"\n"):
        yield from _apart(data, torn)
    # Else it is still being written, or its writer was killed; the next writer mends it.


def _apart(data: bytes, torn: Torn) -> Iterator[Held]:
    """Yield the rows of one line that was torn, or glued to another."""
    from echo.mfm.episodic.index import Line, scan

    for part in scan(data):
        if isinstance(part, Line):
            yield part.row, part.data
        else:
            torn.count += 1

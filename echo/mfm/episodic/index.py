"""Read the bytes of index.jsonl: whole lines, torn ones, lines glued together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from echo.mfm.layout import Row


@dataclass(frozen=True, kw_only=True)
class Line:
    """One whole row with the bytes that hold it, without the line feed."""

    row: Row
    data: bytes


@dataclass(frozen=True, kw_only=True)
class Torn:
    """Bytes that hold no row."""

    offset: int
    """Where they start in the file, in bytes."""
    data: bytes


def parse_row(data: bytes) -> Row | None:
    """Return the row that `data` holds from end to end, or None where it holds none.

    A row is a JSON object in UTF-8 with a text `id`.
    """
    try:
        row = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and isinstance(row.get("id"), str) else None


def scan(data: bytes) -> Iterator[Line | Torn]:
    """Split the bytes of an index into rows and torn stretches, in order; blank lines are left out.

    A row whose line feed is missing is a row: rows glued together are taken apart, and a row glued
    behind a torn one is found again.
    """
    offset = 0
    for piece in data.split(b"\n"):
        if piece.strip():
            row = parse_row(piece)
            if row is not None:
                yield Line(row=row, data=piece)
            else:
                yield from _scan_glued(piece, offset)
        offset += len(piece) + 1


def _scan_glued(piece: bytes, offset: int) -> Iterator[Line | Torn]:
    # One character a byte: places in the text are places in the file, also behind half a character.
    text = piece.decode("latin-1")
    decoder = json.JSONDecoder()
    place = torn_from = 0
    while (place := text.find('{"', place)) >= 0:
        try:
            end = decoder.raw_decode(text, place)[1]
        except (ValueError, RecursionError):
            end = place
        row = parse_row(piece[place:end])
        if row is None:
            place += 1
            continue
        if piece[torn_from:place].strip():
            yield Torn(offset=offset + torn_from, data=piece[torn_from:place])
        yield Line(row=row, data=piece[place:end])
        place = torn_from = end
    if piece[torn_from:].strip():
        yield Torn(offset=offset + torn_from, data=piece[torn_from:])

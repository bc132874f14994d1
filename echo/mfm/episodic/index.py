"""Read the bytes of index.jsonl: whole lines, torn ones, lines glued together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from echo.mfm.layout import Row, episode_number

_MOST_FAILURES = 1000
"""Torn beginnings in one line that are looked behind; each costs a look at the whole line."""


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
    behind a torn one is found again where it looks like one (`_looks_like_row`). An object within another
    is never a row, even if the other is torn.
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
    torn_from = 0
    for place, end, cut_in in _objects(text):
        row = parse_row(piece[place:end])
        behind_row = not piece[torn_from:place].strip()
        if row is None or not (behind_row or _looks_like_row(row)):
            continue
        if _goes_on(text, end) or not (cut_in or _begins(text, place)):
            continue
        if not behind_row:
            yield Torn(offset=offset + torn_from, data=piece[torn_from:place])
        yield Line(row=row, data=piece[place:end])
        torn_from = end
    if piece[torn_from:].strip():
        yield Torn(offset=offset + torn_from, data=piece[torn_from:])


def _objects(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield start and end of the JSON objects in `text`, those within others left out, in one pass.

    Also whether one begins where nothing may within the torn one before it.
    """
    decoder = json.JSONDecoder()
    place = broken_at = failures = 0
    while failures < _MOST_FAILURES and (place := text.find('{"', place)) >= 0:
        try:
            end = decoder.raw_decode(text, place)[1]
        except json.JSONDecodeError as error:
            # What was well-formed up to here holds only objects within a torn one. A row glued on within
            # a text ends that text with its own first quote, two characters before the error.
            failures += 1
            broken_at = error.pos
            place = max(place + 1, error.pos - 2)
        except (ValueError, RecursionError):
            # Thousands of objects within each other, or of digits in a row: nothing that a recorder writes.
            return
        else:
            yield place, end, broken_at - 2 <= place <= broken_at
            place = end


def _begins(text: str, place: int) -> bool:
    """Whether what stands before an object cannot make it part of another."""
    return text[max(0, place - 64) : place].rstrip()[-1:] not in (":", ",", "[")


def _goes_on(text: str, end: int) -> bool:
    """Whether what stands behind an object makes it part of another."""
    return text[end : end + 64].lstrip()[:1] in (":", ",", "]", "}")


def _looks_like_row(row: Row) -> bool:
    """Whether an object behind torn bytes is an index row: it has an episode id, or says kind and place."""
    return episode_number(row["id"]) is not None or ("path" in row and "kind" in row)

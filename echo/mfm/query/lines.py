"""How a found episode is told: as a line of text, or as its line of the index."""

from __future__ import annotations

import json

from echo.mfm.plain_text import plain
from echo.mfm.query.files import OUTCOME, episode_path, read
from echo.mfm.query.filters import is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from echo.mfm.layout import Row
    from echo.mfm.query.files import Unread

NOTE_LIMIT = 220
"""Characters of a note that is taken from an outcome."""


def note_of(base: str, row: Row, unread: Unread) -> str | None:
    """Return the note of an episode: the row's own, else the first of its outcome, folded and cut.

    Args:
        base: The folder that the paths of rows start from.
        row: The row of the episode.
        unread: Takes outcome.json where it is there and cannot be read as JSON.
    """
    own = row.get("note")
    if own:
        return _told(own)
    path = episode_path(row)
    if path is None:
        return None
    file = f"{base}/{path}/{OUTCOME}"
    try:
        data = read(file)
        outcome = None if data is None else json.loads(data)
    except (OSError, ValueError, RecursionError):
        unread.add(file)
        return None
    notes = outcome.get("notes") if isinstance(outcome, dict) else None
    first = notes[0] if isinstance(notes, list) and notes else notes
    return folded(_told(first)) or None if first else None


def folded(text: str) -> str:
    """Return `text` with its white space folded, at most `NOTE_LIMIT` characters of it.

    >>> folded(" a  b ")
    'a b'
    """
    whole = " ".join(text.split())
    return whole if len(whole) <= NOTE_LIMIT else f"{whole[: NOTE_LIMIT - 3].rstrip()}..."


def text_line(row: Row, note: str | None) -> str:
    """Return the line that tells a row, without anything that would steer a terminal.

    >>> text_line({"id": "ep_000001", "tags": ["broke"], "x": 0.25, "z": 2}, "dark")
    'ep_000001  steps ?  tags=broke pos=(0.2,2.0)  action=-    note: dark  -> episodes/ep_000001/'
    """
    parts = [
        f"{row['id']}  steps {_steps(row)}  tags={_tags(row)}{_place(row)}",
        f"action={_told(row.get('action_kind')) or '-'}",
        _told(row.get("summary")),
        *(
            f"{word}: {_told(row.get(name))}"
            for word, name in (("saw", "perception"), ("effect", "effect"))
            if row.get(name)
        ),
        *([f"note: {note}"] if note else []),
        f"-> {episode_path(row) or _told(row.get('path')) or '?'}/",
    ]
    return plain("  ".join(parts))


def json_line(row: Row, data: bytes, note: str | None) -> bytes:
    r"""Return a row's line as it stands in the index, with a note put in as its last key if it has none.

    >>> json_line({"id": "ep_000001"}, b'{"id": "ep_000001"}', "é")
    b'{"id": "ep_000001", "note": "\\u00e9"}'
    """
    if not note or "note" in row:
        return data
    end = data.rindex(b"}")
    return b'%b, "note": %b%b' % (data[:end], json.dumps(note).encode("ascii"), data[end:])


def _steps(row: Row) -> str:
    first, last = row.get("first_step"), row.get("last_step")
    return "?" if first is None or last is None else f"{_told(first)}-{_told(last)}"


def _tags(row: Row) -> str:
    held = row.get("tags")
    return ",".join(map(_told, held)) if isinstance(held, list) and held else _told(held) or "-"


def _place(row: Row) -> str:
    x, z = row.get("x"), row.get("z")
    return f" pos=({_tenths(x)},{_tenths(z)})" if is_number(x) and is_number(z) else ""


def _tenths(number: float) -> str:
    try:
        return f"{number:.1f}"
    except OverflowError:
        # A whole number beyond any float.
        return f"{number}.0"


def _told(value: Any) -> str:
    """Return a JSON value as text: texts as they are, nothing for null and what is empty."""
    if isinstance(value, str):
        return value
    if type(value) is int:
        # The same as JSON, in a fifth of the time.
        return str(value)
    return "" if value is None or value in ([], {}) else json.dumps(value)

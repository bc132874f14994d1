"""One change of mine/ and the line of the log that holds it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from echo.mfm.layout import to_line

Author = Literal["agent", "person", "consolidation"]
AUTHORS: tuple[Author, ...] = get_args(Author)

Files = Mapping[str, tuple[str | None, str | None]]
"""Path -> digest before and after; None where there was, or is, no file."""

_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Change:
    """One change of mine/, of one file or of several at once."""

    number: int
    """From 1, in order of time."""
    time: datetime
    """UTC, aware; never before the time of the change before it."""
    by: Author
    why: str
    files: Files

    def line(self) -> bytes:
        """Return the line of the log that holds it."""
        return to_line(
            {
                "by": self.by,
                "files": {path: list(both) for path, both in self.files.items()},
                "number": self.number,
                "time": self.time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                "why": self.why,
            }
        )


def digest_of(data: bytes) -> str:
    """Return the name under which the bytes of a file are kept: their SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def parse_change(line: bytes) -> Change | None:
    """Return the change that one line of the log holds, or None where it holds none.

    >>> parse_change(b'{"by": "agent"}') is None
    True
    """
    try:
        held = json.loads(line)
        moment = datetime.fromisoformat(held["time"])
        files = {path: _both(both) for path, both in held["files"].items()}
        number, by, why = held["number"], held["by"], held["why"]
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return None
    if type(number) is not int or number < 1 or by not in AUTHORS or type(why) is not str:
        return None
    if moment.tzinfo is None:
        return None
    return Change(number=number, time=moment.astimezone(UTC), by=by, why=why, files=files)


def is_digest(text: object) -> bool:
    """Return whether `text` is a SHA-256 in lower-case hex."""
    return isinstance(text, str) and _DIGEST.fullmatch(text) is not None


def _both(both: Any) -> tuple[str | None, str | None]:
    before, after = both
    for digest in (before, after):
        if digest is not None and not is_digest(digest):
            raise ValueError(f"expected a digest, got {digest!r}")
    return before, after

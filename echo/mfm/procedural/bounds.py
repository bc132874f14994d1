"""How much of what a script sends is kept. The parent cuts: a script may have got at its own process."""

from __future__ import annotations

MOST_NOTE = 500
"""Characters of one remark."""

MOST_SAID = 4_000
"""Characters of what is printed between two answers."""

MOST_SAID_IN_ALL = 40_000
"""Characters of all remarks and everything printed in one run."""

MOST_NOTES = 100
"""Remarks, and times that something was printed, that are kept of one run."""

MOST_REASON = 1_000
"""Characters of the reason why a run ended, and of each text that says what surprised it."""

MOST_ACTION_BYTES = 8_192
"""Longest action with what is expected of it, as JSON; a remark may be longer and is cut."""

MOST_LINE = 1_000_000
"""Greatest number of a line in a script."""


def cut(text: str, most: int) -> str:
    """Return `text`, where it is longer cut to `most` characters with a word that says so.

    >>> cut("x" * 9_000, 40)
    'xxxxxxxxxxxxx... (cut at 40 characters)'
    """
    if len(text) <= most:
        return text
    told = f"... (cut at {most:,} characters)"
    return f"{text[: max(0, most - len(told))]}{told}"[:most]

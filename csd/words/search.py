"""Full-text search over an open words file.

Loads nothing but the standard library, for the sake of `echo-memory cue`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from csd.axes import AXES
from csd.words.plain import expression

RANKED = 10_000
"""How many are ranked at most, newest first: 1.2 us each. A cue that more answer to says next to nothing."""

_OPEN, _SHUT = "\x02", "\x03"
_NAMES = tuple(axis.value for axis in AXES)
_TEXTS = ", ".join(f"{name}, highlight(cue, {place}, ?2, ?3)" for place, name in enumerate(_NAMES))

Found = tuple[int, str, float, str, str, dict[str, str]]
"""Row, id, score, best axis, its matching clauses, and the text of each matching axis."""


def find(
    run: sqlite3.Connection,
    text: str,
    *,
    limit: int,
    rows: Collection[int] | None = None,
    axes: tuple[str, ...] | None = None,
) -> list[Found]:
    """Return what answers to `text` best; see `csd.words.plain.expression` for what a text asks.

    Args:
        run: an open words file.
        text: plain words.
        limit: how many at most.
        rows: choose from these, superseded ones too; None for all current ones.
        axes: names of axes that must hold every word between them; None for all.

    Returns:
        Best first, ties by row. The score is BM25 over the axes, >= 0, higher is better; the best axis is
        the one with the most matches, the first of them on a tie.

    Raises:
        ValueError: on a negative `limit` or a text that cannot be asked.
        sqlite3.Error, LookupError: if the file is damaged.
    """
    if limit < 0:
        raise ValueError(f"expected a limit >= 0; got {limit}.")
    asked = expression(text, axes)
    if asked is None or not limit or (rows is not None and not len(rows)):
        return []
    if rows is None:
        test, chosen = "rowid NOT IN (SELECT row FROM held WHERE retired)", ""
    else:
        # The plus keeps SQLite from asking the full text once for each row.
        test, chosen = "+rowid IN (SELECT value FROM json_each(?3))", number_list(rows)
    # A subquery with a limit of its own: what is ranked is bounded, and only what is shown is read.
    ranked = run.execute(
        f"SELECT found.rowid, rank, (SELECT id FROM held WHERE row = found.rowid) FROM ("
        f"SELECT rowid, rank FROM cue WHERE cue MATCH ?1 AND {test} "
        f"ORDER BY rowid DESC LIMIT {RANKED}) found ORDER BY rank, found.rowid LIMIT ?2",
        (asked, min(limit, RANKED)) if rows is None else (asked, min(limit, RANKED), chosen),
    ).fetchall()
    return [(row, id, -rank, *_matches(run, asked, row)) for row, rank, id in ranked]


def number_list(numbers: Collection[int]) -> str:
    """Return `numbers` as a JSON array, as `json_each` takes them."""
    return f"[{','.join(str(int(number)) for number in numbers)}]"


def _matches(run: sqlite3.Connection, asked: str, row: int) -> tuple[str, str, dict[str, str]]:
    found = run.execute(
        f"SELECT {_TEXTS} FROM cue WHERE cue MATCH ?1 AND rowid = ?4", (asked, _OPEN, _SHUT, row)
    ).fetchone()
    if found is None:
        raise LookupError(f"expected row {row} in the full text that it was found in; got none.")
    marked = {
        name: (text, lit)
        for name, text, lit in zip(_NAMES, found[::2], found[1::2], strict=True)
        if lit.count(_OPEN) > text.count(_OPEN)
    }
    best = max(marked, key=lambda name: marked[name][1].count(_OPEN))
    clauses = [clause for clause in marked[best][1].split("; ") if _OPEN in clause]
    told = "; ".join(clauses).replace(_OPEN, "").replace(_SHUT, "")
    return best, told, {name: text for name, (text, _) in marked.items()}

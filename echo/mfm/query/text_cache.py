"""The texts of episodes beside the memory: small letters to look through, trigrams and words to find them by.

Episodes lie in groups of `GROUP`, whose names and keys are mostly the same, so that trigrams are kept once
a group. Trigrams only say where to look; whether an episode has what is sought is seen in its text. One or
two characters are found as the beginnings of trigrams, for which each group ends in two signs more.
Episodes whose files were not all there, or hold what separates texts here, are read again each time.
"""

from __future__ import annotations

import json

from echo.mfm.derived.intake import Schema
from echo.mfm.query.files import Unread, searched_texts
from echo.mfm.query.words import TABLE, episode_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from typing import Any

    from echo.mfm.derived.intake import NewRow

NAME = "query_texts"
GROUP = 16

BETWEEN_TEXTS, BETWEEN_EPISODES = "\x1e", "\x1d"
SEPARATORS = (BETWEEN_TEXTS, BETWEEN_EPISODES, "\0")
"""What no text in the cache holds by itself."""
_END = 2 * BETWEEN_EPISODES


def texts(base: str) -> Schema:
    """Return the schema for an index whose paths start from `base`.

    Places count rows from 1 in the order of the index; the group with number g holds the places from
    (g - 1) * `GROUP` + 1 to g * `GROUP`, and is made when it is full. The last ones lie in `loose`.
    """

    def take(run: sqlite3.Connection, rows: Sequence[NewRow]) -> None:
        _take(run, rows, base)

    return Schema(
        2,
        f"""CREATE TABLE grouped (number INTEGER PRIMARY KEY, texts TEXT);
        CREATE TABLE loose (place INTEGER PRIMARY KEY, texts TEXT);
        CREATE TABLE unsure (place INTEGER PRIMARY KEY);
        CREATE VIRTUAL TABLE trigrams USING fts5(
            texts, content='', detail=none, columnsize=0, tokenize='trigram case_sensitive 1'
        );
        CREATE VIRTUAL TABLE trigram USING fts5vocab(trigrams, row);
        {TABLE};""",
        take,
    )


def lowered(line: bytes, documents: Sequence[str | None]) -> list[str]:
    """Return the texts of an episode in small letters, each by itself, as `--grep` compares them."""
    return [
        line.decode("utf-8", "replace").lower(),
        *(text.lower() for text in documents if text is not None),
    ]


def read_documents(documents: Sequence[str | None]) -> list[Any]:
    """Return what the JSON files of an episode hold; one that is missing or no JSON holds no words."""
    held = []
    for text in documents:
        try:
            held.append(None if text is None else json.loads(text))
        except (ValueError, RecursionError):
            held.append(None)
    return held


def _take(run: sqlite3.Connection, rows: Sequence[NewRow], base: str) -> None:
    loose: list[tuple[int, str]] = run.execute("SELECT place, texts FROM loose ORDER BY place").fetchall()
    last = loose[-1][0] if loose else GROUP * _groups(run)
    words, unsure, filled = [], [], []
    for place, new in enumerate(rows, start=last + 1):
        documents = searched_texts(base, new.row, Unread())
        told = lowered(new.data, documents)
        joined = BETWEEN_TEXTS.join(told)
        if (
            None in documents
            or joined.count(BETWEEN_TEXTS) >= len(told)
            or _has(joined, BETWEEN_EPISODES, "\0")
        ):
            unsure.append((place,))
            joined = ""
        else:
            words.append((place, episode_words(new.row, read_documents(documents))))
        loose.append((place, joined))
        if place % GROUP == 0:
            filled.append((place // GROUP, BETWEEN_EPISODES.join(texts for _, texts in loose[-GROUP:])))
            loose = []
    run.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", words)
    run.executemany("INSERT INTO unsure VALUES (?)", unsure)
    run.executemany("INSERT INTO grouped VALUES (?, ?)", filled)
    ended = ((number, texts + _END) for number, texts in filled)
    run.executemany("INSERT INTO trigrams (rowid, texts) VALUES (?, ?)", ended)
    run.execute("DELETE FROM loose")
    run.executemany("INSERT INTO loose VALUES (?, ?)", loose)


def _has(text: str, *parts: str) -> bool:
    return any(part in text for part in parts)


def _groups(run: sqlite3.Connection) -> int:
    number: int = run.execute("SELECT coalesce(max(number), 0) FROM grouped").fetchone()[0]
    return number

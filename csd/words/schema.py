"""The tables of a words file: the full text and the graph of a whole bank, both made from its records.

Loads nothing but the standard library, for the sake of `echo-memory cue`.
"""

from __future__ import annotations

from csd.axes import AXES
from csd.phrases import WORDING

APPLICATION_ID = 0x45434D57
"""'ECMW' in the file header: tells a words file from any other SQLite file."""

FORMAT = 1000 * WORDING + 1
"""Version of the wording and of the tables, kept as `user_version`; a file of another one is made anew."""

PAGE_BYTES = 8192

_TEXTS = ", ".join(axis.value for axis in AXES)

# Marks (M*) and symbols (So) are parts of words: without them Devanagari falls apart and emoji vanish.
TABLES = f"""
CREATE TABLE mark (epoch TEXT NOT NULL, sequence INTEGER NOT NULL, chain TEXT NOT NULL) STRICT;
CREATE TABLE held (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    retired INTEGER NOT NULL,
    unreadable TEXT
) STRICT;
CREATE INDEX held_id ON held (id);
CREATE INDEX held_retired ON held (row) WHERE retired;
CREATE TABLE node (node INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE predicate (predicate INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE edge (
    row INTEGER NOT NULL,
    axis INTEGER NOT NULL,
    place INTEGER NOT NULL,
    source INTEGER NOT NULL,
    predicate INTEGER NOT NULL,
    target INTEGER NOT NULL,
    amount INTEGER,
    PRIMARY KEY (row, axis, place)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE cue USING fts5 (
    {_TEXTS}, tokenize = "unicode61 remove_diacritics 2 categories 'L* N* M* Co So'"
);
"""
"""`edge.axis` is a place in `AXES`; `held.unreadable` says why nothing was made of a record."""

INDEXES = """
CREATE INDEX edge_source ON edge (source, target);
CREATE INDEX edge_target ON edge (target, source);
"""
"""Made last where a file is filled at once: sorting is twice as fast as inserting in no order."""

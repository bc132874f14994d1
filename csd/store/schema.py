"""The tables of a bank file.

Only what cannot be made again is here: records, vectors, who filed what and when, links, credit, failures,
and the history that caches follow. The symbolic graph and the full text are made from the records
(`csd.words`).
"""

from __future__ import annotations

BANK_FILE = "bank.sqlite"
"""Name of the bank in a memory folder."""

APPLICATION_ID = 0x45434D42
"""'ECMB' in the file header: tells a bank from any other SQLite file."""

FORMAT = 2
"""Version of the tables, kept as `user_version`."""


SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE csd (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    success INTEGER NOT NULL,
    task TEXT NOT NULL,
    verb TEXT NOT NULL,
    product TEXT,
    world TEXT NOT NULL,
    biome TEXT NOT NULL,
    step INTEGER NOT NULL,
    x REAL NOT NULL,
    z REAL NOT NULL,
    recorded INTEGER NOT NULL,
    valid_from INTEGER NOT NULL,
    superseded_step INTEGER,
    superseded_by TEXT,
    superseded_at INTEGER,
    record TEXT NOT NULL
) STRICT;
CREATE INDEX csd_facets ON csd (success, step, verb, product, biome, world, recorded, superseded_step);
CREATE INDEX csd_step ON csd (step, success, superseded_step);
CREATE INDEX csd_product ON csd (product);
CREATE INDEX csd_task ON csd (task);
CREATE INDEX csd_place ON csd (x, z);
CREATE INDEX csd_superseded ON csd (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE TABLE vector (
    row INTEGER PRIMARY KEY REFERENCES csd (row) ON DELETE CASCADE,
    present INTEGER NOT NULL CHECK (present BETWEEN 1 AND 31),
    halves BLOB NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;
CREATE TABLE episode (
    row INTEGER NOT NULL REFERENCES csd (row) ON DELETE CASCADE,
    episode TEXT NOT NULL,
    PRIMARY KEY (row, episode)
) STRICT, WITHOUT ROWID;
CREATE INDEX episode_name ON episode (episode);
CREATE TABLE filing (
    row INTEGER NOT NULL REFERENCES csd (row) ON DELETE CASCADE,
    agent TEXT NOT NULL,
    life TEXT NOT NULL,
    recorded INTEGER NOT NULL,
    PRIMARY KEY (row, agent, life)
) STRICT, WITHOUT ROWID;
CREATE INDEX filing_who ON filing (agent, life);
CREATE TABLE tag (
    row INTEGER NOT NULL REFERENCES csd (row) ON DELETE CASCADE,
    agent TEXT NOT NULL,
    life TEXT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (row, agent, life, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_name ON tag (tag);
CREATE TABLE link (
    source INTEGER NOT NULL REFERENCES csd (row) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    target INTEGER NOT NULL REFERENCES csd (row) ON DELETE CASCADE,
    PRIMARY KEY (source, kind, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_target ON link (target);
CREATE TABLE credit (
    row INTEGER NOT NULL REFERENCES csd (row) ON DELETE CASCADE,
    axis TEXT NOT NULL,
    successes REAL NOT NULL,
    failures REAL NOT NULL,
    PRIMARY KEY (row, axis)
) STRICT, WITHOUT ROWID;
CREATE TABLE failure (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    conditions TEXT NOT NULL,
    step INTEGER NOT NULL,
    used TEXT NOT NULL
) STRICT;
CREATE INDEX failure_key ON failure (key, conditions);
CREATE TABLE change (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('add', 'retire', 'remove')),
    row INTEGER NOT NULL,
    id TEXT NOT NULL,
    salt INTEGER NOT NULL,
    chain TEXT NOT NULL
) STRICT;
"""
"""Times are microseconds since 1970 UTC; `step` and `valid_from` are world steps. The halves of a vector row
are little-endian float16: the axes whose bit is set in `present` (bit a for axis `AXES[a]`), one after
another; `checksum` is their CRC-32. `salt` is random for each transaction, so that two banks that were one
until a copy was put back never have the same `chain` again."""

"""The tables of cache/places.db, which is derived from the episodes and may be deleted."""

from __future__ import annotations

from dataclasses import dataclass

VERSION = 2
"""Goes up whenever something else is put into the tables."""

SCRIPT = """
-- Names and ids as JSON texts, so that a lone surrogate does no harm.
CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE episode (id INTEGER PRIMARY KEY, text TEXT NOT NULL, first_step INTEGER, last_step INTEGER);
-- The world the life lives in, one line as soon as an episode tells it; and episodes of other ones.
CREATE TABLE home (source TEXT NOT NULL);
CREATE TABLE elsewhere (source TEXT PRIMARY KEY, episodes INTEGER NOT NULL);
CREATE TABLE unread (id INTEGER PRIMARY KEY, episode INTEGER NOT NULL, file TEXT NOT NULL, why TEXT NOT NULL);

-- A time without a break in one block cell. Steps may be null.
CREATE TABLE stay (
    id INTEGER PRIMARY KEY, x INTEGER NOT NULL, y INTEGER, z INTEGER NOT NULL, moments INTEGER NOT NULL,
    first_episode INTEGER NOT NULL, first_step INTEGER, last_episode INTEGER NOT NULL, last_step INTEGER
);
CREATE INDEX stay_place ON stay (x, z);

-- From where something was looked at: creature 0 a block cell, 1 a place cell.
CREATE TABLE spot (
    id INTEGER PRIMARY KEY, creature INTEGER NOT NULL, x INTEGER NOT NULL, y INTEGER, z INTEGER NOT NULL,
    first_step INTEGER, last_episode INTEGER NOT NULL, last_step INTEGER
);
CREATE INDEX spot_place ON spot (creature, x, z);

-- A new line only where count or nearest cell differ from the line before of the same spot and name, so
-- that a line holds until the next one; count 0: no longer in sight. For creatures the cell of the body.
CREATE TABLE sighting (
    id INTEGER PRIMARY KEY, spot INTEGER NOT NULL, name INTEGER NOT NULL, count INTEGER NOT NULL,
    x INTEGER, y INTEGER, z INTEGER, episode INTEGER NOT NULL, step INTEGER
);
CREATE INDEX sighting_spot ON sighting (spot, name);
CREATE INDEX sighting_name ON sighting (name, x, z);

-- What stood in a block cell. how: 0 seen as the nearest of its kind, 1 within reach to be used, 2 placed.
CREATE TABLE thing (
    x INTEGER NOT NULL, y INTEGER NOT NULL, z INTEGER NOT NULL, name INTEGER NOT NULL,
    how INTEGER NOT NULL, offers TEXT, first_episode INTEGER NOT NULL, first_step INTEGER,
    last_episode INTEGER NOT NULL, last_step INTEGER, gone_episode INTEGER, gone_step INTEGER, gone_how TEXT,
    PRIMARY KEY (x, z, y, name)
) WITHOUT ROWID;
CREATE INDEX thing_name ON thing (name);

CREATE TABLE happening (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name INTEGER, amount REAL, during INTEGER,
    x INTEGER, y INTEGER, z INTEGER, body_x REAL NOT NULL, body_y REAL, body_z REAL NOT NULL,
    episode INTEGER NOT NULL, step INTEGER
);
CREATE INDEX happening_kind ON happening (kind, name);
CREATE INDEX happening_place ON happening (body_x);

-- What-where-when: place cells, event clusters in them, records in these.
CREATE TABLE place (
    id INTEGER PRIMARY KEY, x INTEGER NOT NULL, y INTEGER, z INTEGER NOT NULL, sector INTEGER
);
CREATE INDEX place_cell ON place (x, z);
CREATE TABLE wording (id INTEGER PRIMARY KEY, names TEXT NOT NULL UNIQUE);
CREATE TABLE cluster (
    id INTEGER PRIMARY KEY, place INTEGER NOT NULL, happened INTEGER NOT NULL, seen INTEGER NOT NULL,
    size INTEGER NOT NULL
);
CREATE INDEX cluster_place ON cluster (place);
CREATE TABLE record (
    id INTEGER PRIMARY KEY, cluster INTEGER NOT NULL, seen INTEGER NOT NULL, frame TEXT,
    episode INTEGER NOT NULL, step INTEGER, x REAL NOT NULL, y REAL, z REAL NOT NULL, yaw REAL
);
CREATE INDEX record_cluster ON record (cluster);
"""


LEAST_SIZE = 0.01
"""Smallest edge of a cell in blocks: with smaller ones the farthest cell would have no number."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlaceOptions:
    """How places are told apart, and how much is kept of each.

    Raises:
        ValueError: if a value is out of range.
    """

    size: float = 8.0
    """Edge of a place cell in blocks, `LEAST_SIZE` to 2^20."""
    sectors: int = 4
    """Directions of view that are told apart in a cell: 4 is south, west, north, east. From 1 to 360."""
    alike: float = 0.5
    """Share of common names, 0 to 1, from which two views are of one event cluster."""
    capacity: int | None = None
    """Records kept in all, at least 1; beyond that the oldest of the largest event cluster is dropped."""

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        for name, value, holds, expected in (
            ("size", self.size, LEAST_SIZE <= self.size <= 2.0**20, f"{LEAST_SIZE} to 2^20 blocks"),
            ("sectors", self.sectors, 1 <= self.sectors <= 360, "1 to 360"),
            ("alike", self.alike, 0 <= self.alike <= 1, "0 to 1"),
            ("capacity", self.capacity, self.capacity is None or self.capacity >= 1, "at least 1, or None"),
        ):
            if not holds:
                raise ValueError(f"expected {expected} for {name} of places, got {value!r}.")

    @property
    def database(self) -> str:
        """Name of the derived database: 'places' for the defaults, one of its own for other options."""
        if self == PlaceOptions():
            return "places"
        kept = "all" if self.capacity is None else f"{self.capacity}"
        return f"places-{self.size!r}-{self.sectors}-{self.alike!r}-{kept}"

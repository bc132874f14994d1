from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.descriptor import Csd
from csd.encode import HashingEncoder
from csd.graph import edges_of
from csd.render import render_axis
from csd.store.errors import BankError
from csd.store.ledger import Credit
from csd.store.schema import APPLICATION_ID
from csd.store.where import Where
from tests.csd.descriptors import digging, playing, wooden_pickaxe

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE csd (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    success INTEGER NOT NULL,
    verb TEXT NOT NULL,
    product TEXT,
    world TEXT NOT NULL,
    biome TEXT NOT NULL,
    step INTEGER NOT NULL,
    record TEXT NOT NULL
) STRICT;
CREATE INDEX csd_facets ON csd (success, verb, product, world, biome, step);
CREATE TABLE vector (
    row INTEGER NOT NULL REFERENCES csd (row) ON DELETE CASCADE,
    axis TEXT NOT NULL CHECK (axis IN ('struct', 'attr', 'proc', 'func', 'inter')),
    vector BLOB NOT NULL,
    PRIMARY KEY (row, axis)
) STRICT, WITHOUT ROWID;
CREATE TABLE edge (
    row INTEGER NOT NULL REFERENCES csd (row) ON DELETE CASCADE,
    axis TEXT NOT NULL,
    place INTEGER NOT NULL,
    source TEXT NOT NULL,
    predicate TEXT NOT NULL,
    target TEXT NOT NULL,
    PRIMARY KEY (row, axis, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX edge_source ON edge (source);
CREATE INDEX edge_target ON edge (target);
CREATE TABLE episode (
    row INTEGER NOT NULL REFERENCES csd (row) ON DELETE CASCADE,
    episode TEXT NOT NULL,
    PRIMARY KEY (row, episode)
) STRICT, WITHOUT ROWID;
CREATE INDEX episode_name ON episode (episode);
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
    kind TEXT NOT NULL CHECK (kind IN ('add', 'remove')),
    row INTEGER NOT NULL,
    id TEXT NOT NULL
) STRICT;
"""
"""The tables as the first release made them."""

HELD = (wooden_pickaxe(), digging("sand", step=7, success=False), playing("coal", "fuel"))


def fill(connection: sqlite3.Connection) -> None:
    """Write what the first release would have written for `HELD`, and one descriptor that was removed."""
    identity = {"encoder": "hashing-256", "dimension": "256", "rendering": "1"}
    connection.executemany("INSERT INTO meta VALUES (?, ?)", identity.items())
    for row, csd in enumerate(HELD, start=2):
        _write(connection, row, csd)
    connection.execute("INSERT INTO change VALUES (5, 'remove', 9, 'csd_gone')")
    connection.execute("UPDATE sqlite_sequence SET seq = 9 WHERE name = 'csd'")
    connection.execute("INSERT INTO link VALUES (3, 'derived_from', 2)")
    connection.execute("INSERT INTO credit VALUES (2, 'func', 1.5, 0.5)")
    connection.execute("INSERT INTO failure VALUES (4, 'craft A', '{}', 12, '[\"csd_gone\"]')")


def _write(connection: sqlite3.Connection, row: int, csd: Csd) -> None:
    meta = csd.meta
    facets = (meta.success, meta.verb, meta.product, meta.world, meta.biome, meta.step)
    connection.execute(
        "INSERT INTO csd VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (row, csd.id, *facets, csd.canonical())
    )
    for axis in AXES:
        if text := render_axis(csd, axis):
            blob = HashingEncoder().encode([text])[0].astype("<f4").tobytes()
            connection.execute("INSERT INTO vector VALUES (?, ?, ?)", (row, axis.value, blob))
    for edge in edges_of(csd):
        told = (edge.axis.value, edge.place, edge.source, edge.predicate, edge.target)
        connection.execute("INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?)", (row, *told))
    connection.execute("INSERT INTO episode VALUES (?, 'ep_000001')", (row,))
    connection.execute("INSERT INTO change (kind, row, id) VALUES ('add', ?, ?)", (row, csd.id))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(SCHEMA)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("PRAGMA journal_mode = WAL")
        fill(connection)
    return path


def test_a_bank_of_format_1_is_brought_up_to_date_with_all_that_it_held(old: Path) -> None:
    began = datetime.now(UTC)
    with Bank.open(old, HashingEncoder(), create=False) as bank, Bank.open(None, HashingEncoder()) as fresh:
        pickaxe, sand, _ = fresh.add_many(HELD)
        assert bank.ids() == fresh.ids()
        assert [bank.get(csd.id) for csd in HELD] == list(HELD)
        assert bank.digest() == fresh.digest()
        assert bank.index_digest() == fresh.index_digest()
        assert bank.links(sand) == [(sand, "derived_from", pickaxe)]
        assert bank.credits(pickaxe)[Axis.FUNC] == Credit(successes=1.5, failures=0.5)
        assert [(one.number, one.key, one.step, one.used) for one in bank.failures()] == [
            (4, "craft A", 12, ("csd_gone",))
        ]
        assert bank.describing("ep_000001") == fresh.ids()
        assert bank.mentioning("thing:oak_planks") == [pickaxe]
        [version] = bank.versions(sand)
        assert (version.valid_from, version.superseded_step, version.superseded_by) == (7, None, None)
        assert began.replace(microsecond=0) <= version.recorded <= datetime.now(UTC)


def test_every_condition_holds_in_a_bank_that_was_brought_up_to_date(old: Path) -> None:
    sand = digging("sand").id
    with Bank.open(old, HashingEncoder()) as bank, Bank.open(None, HashingEncoder()) as fresh:
        fresh.add_many(HELD)
        for where in (
            Where(success=False),
            Where(tasks=("dig",)),
            Where(biomes=("forest",), verbs=("craft",)),
            Where(near=(0.5, -3.5, 0.0)),
            Where(from_step=7),
            Where(agent="", life=""),
            Where(as_of=6),
        ):
            query = {Axis.ATTR: "sand drops sand"}
            assert bank.recall(query, k=9, where=where) == fresh.recall(query, k=9, where=where)
        assert sand not in [
            match.id for match in bank.recall({Axis.ATTR: "sand"}, k=9, where=Where(success=True))
        ]


def test_rows_are_not_used_again_after_bringing_up_to_date(old: Path) -> None:
    with Bank.open(old, HashingEncoder()) as bank:
        bank.add(digging("clay"))
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("SELECT max(row) FROM csd").fetchone() == (10,)
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)


def test_two_that_bring_one_bank_up_to_date_find_it_done(old: Path) -> None:
    with Bank.open(old, HashingEncoder()) as one, Bank.open(old, HashingEncoder()) as other:
        one.add(digging("clay"))
        assert other.ids() == one.ids()
        assert len(other) == 4


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        ("UPDATE csd SET record = '{' WHERE row = 3", r"record of descriptor csd_\w+ in .*old.db"),
        ("UPDATE csd SET record = '{}' WHERE row = 3", r"record of descriptor csd_\w+ in .*old.db"),
        ("UPDATE vector SET vector = x'00' WHERE row = 3", "whole float32 vectors in .*old.db; got 1 bytes"),
    ],
)
def test_a_bank_that_cannot_be_brought_up_to_date_is_left_as_it_is(
    old: Path, damage: str, complaint: str
) -> None:
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute(damage)
    with closing(sqlite3.connect(old)) as connection:
        before = list(connection.iterdump())
    with pytest.raises(BankError, match=complaint):
        Bank.open(old, HashingEncoder())
    with closing(sqlite3.connect(old)) as connection:
        assert list(connection.iterdump()) == before
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)


def test_vectors_of_another_encoder_are_refused_in_an_old_bank_too(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("UPDATE meta SET value = 'other' WHERE key = 'encoder'")
    with pytest.raises(BankError, match="got encoder 'other'"):
        Bank.open(old, HashingEncoder())


def test_vectors_are_rounded_once(old: Path) -> None:
    with Bank.open(old, HashingEncoder()) as bank:
        encoded = HashingEncoder().encode([render_axis(HELD[2], Axis.FUNC)])[0]
        assert np.array_equal(
            bank.vectors(HELD[2].id)[Axis.FUNC], encoded.astype(np.float16).astype(np.float32)
        )

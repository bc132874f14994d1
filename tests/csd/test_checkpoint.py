from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from csd.store.checkpoint import LARGE, PAGES, Checkpoints

MEGABYTES = 8
"""Twice as much as SQLite leaves in the log by itself."""


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "file", isolation_level=None)) as opened:
        opened.execute("PRAGMA journal_mode = WAL")
        opened.execute("CREATE TABLE content (value BLOB)")
        yield opened


def fill(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO content VALUES (zeroblob(?))", (MEGABYTES << 20,))


def test_a_large_change_is_in_the_log_when_it_is_made_and_in_the_file_soon_after(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    checkpoints = Checkpoints(connection)
    with checkpoints.put_off(LARGE):
        fill(connection)
        assert (tmp_path / "file-wal").stat().st_size > MEGABYTES << 20
        assert (tmp_path / "file").stat().st_size < 1 << 20
    checkpoints.wait()
    assert (tmp_path / "file").stat().st_size > MEGABYTES << 20
    assert connection.execute("PRAGMA wal_autocheckpoint").fetchone() == (PAGES,)


def test_smaller_changes_are_copied_as_sqlite_does_it(connection: sqlite3.Connection, tmp_path: Path) -> None:
    checkpoints = Checkpoints(connection)
    with checkpoints.put_off(LARGE - 1):
        fill(connection)
        assert (tmp_path / "file").stat().st_size > MEGABYTES << 20
    checkpoints.wait()


def test_a_change_that_fails_leaves_copying_as_it_was(connection: sqlite3.Connection) -> None:
    checkpoints = Checkpoints(connection)
    with pytest.raises(sqlite3.OperationalError), checkpoints.put_off(LARGE):
        connection.execute("INSERT INTO nothing VALUES (1)")
    assert connection.execute("PRAGMA wal_autocheckpoint").fetchone() == (PAGES,)
    checkpoints.wait()


def test_a_bank_in_memory_has_nothing_to_copy() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        checkpoints = Checkpoints(connection)
        with checkpoints.put_off(LARGE):
            connection.execute("CREATE TABLE content (value BLOB)")
        checkpoints.wait()


def test_a_log_that_cannot_be_copied_now_is_told_and_kept(
    connection: sqlite3.Connection, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    checkpoints = Checkpoints(connection)
    with caplog.at_level(logging.WARNING), checkpoints.put_off(LARGE):
        fill(connection)
        (tmp_path / "file").rename(tmp_path / "elsewhere")
    checkpoints.wait()
    assert "is not copied yet: unable to open database file" in caplog.text
    assert connection.execute("SELECT length(value) FROM content").fetchone() == (MEGABYTES << 20,)

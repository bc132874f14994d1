from __future__ import annotations

import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest

from echo.mfm.derived.follow import CannotKeep, discard, follow
from echo.mfm.derived.intake import NewRow, Schema
from echo.mfm.derived.place import Place, take_turn
from echo.mfm.layout import MfmError

SCRIPT = "CREATE TABLE seen (id TEXT, offset INTEGER, size INTEGER)"


def line(number: int) -> bytes:
    return json.dumps({"id": f"ep_{number:06d}"}).encode() + b"\n"


class Taking:
    """Writes rows down and remembers how many it was given at a time."""

    def __init__(self, version: int = 1, script: str = SCRIPT) -> None:
        self.counts: list[int] = []
        self.schema = Schema(version, script, self.take)

    def take(self, run: sqlite3.Connection, rows: Sequence[NewRow]) -> None:
        self.counts.append(len(rows))
        run.executemany("INSERT INTO seen VALUES (?, ?, ?)", [(r.row["id"], r.offset, r.size) for r in rows])

    def numbers(self, root: Path) -> list[int]:
        """Follow `root` and return the numbers of the episodes seen, each found where it is said to be."""
        index = (root / "index.jsonl").read_bytes()
        with follow(root, "seen", self.schema) as run:
            seen = run.execute("SELECT id, offset, size FROM seen ORDER BY rowid").fetchall()
        for name, offset, size in seen:
            assert json.loads(index[offset : offset + size])["id"] == name
        return [int(name[3:]) for name, _, _ in seen]


def torn(root: Path, taking: Taking) -> int:
    with follow(root, "seen", taking.schema) as run:
        return run.execute("SELECT torn FROM followed").fetchone()[0]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    # Signs that mean something in an address, and letters that need more than one byte.
    root = tmp_path / "é ?#%20"
    root.mkdir()
    (root / "index.jsonl").write_bytes(b"".join(map(line, range(5))))
    return root


def append(root: Path, data: bytes) -> None:
    with (root / "index.jsonl").open("ab") as index:
        index.write(data)


def test_only_new_rows_are_taken_in(root: Path):
    taking = Taking()
    assert taking.numbers(root) == [0, 1, 2, 3, 4]
    assert taking.numbers(root) == [0, 1, 2, 3, 4]
    append(root, line(5) + line(6))
    assert taking.numbers(root) == [0, 1, 2, 3, 4, 5, 6]
    assert taking.counts == [5, 2]


def test_an_empty_index_gives_an_empty_database(root: Path):
    (root / "index.jsonl").write_bytes(b"")
    assert Taking().numbers(root) == []


def test_an_unfinished_last_line_waits_until_it_is_finished(root: Path):
    taking = Taking()
    append(root, b'{"id": "ep_0000')
    assert taking.numbers(root) == [0, 1, 2, 3, 4]
    append(root, b'05"}\n')
    assert taking.numbers(root) == [0, 1, 2, 3, 4, 5]


def test_a_whole_last_line_without_its_line_feed_is_taken_once(root: Path):
    taking = Taking()
    append(root, line(5).rstrip())
    assert taking.numbers(root) == [0, 1, 2, 3, 4, 5]
    append(root, b"\n" + line(6))
    assert taking.numbers(root) == [0, 1, 2, 3, 4, 5, 6]


def test_torn_and_glued_lines_are_taken_apart_and_counted(root: Path):
    taking = Taking()
    append(root, b'{"id": "a' + line(5).rstrip() + line(6) + b"\n  \n[1]\n" + line(7))
    assert taking.numbers(root) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert torn(root, taking) == 2


def test_a_batch_ends_at_a_line(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("echo.mfm.derived.intake.BATCH_BYTES", 30)
    taking, told = Taking(), []
    with follow(root, "seen", taking.schema, lambda done, of: told.append((done, of))) as run:
        assert run.execute("SELECT count(*) FROM seen").fetchone() == (5,)
    assert taking.counts == [2, 2, 1]
    assert told == [(40, 100), (80, 100), (100, 100)]


@pytest.mark.parametrize(
    "change",
    [
        lambda index: index.write_bytes(line(1)),
        lambda index: index.write_bytes(index.read_bytes().replace(b"ep_000004", b"ep_000009") + line(6)),
        lambda index: index.write_bytes(index.read_bytes().replace(b"ep_000001", b"ep_000009")),
        lambda index: index.write_bytes(b""),
    ],
    ids=["shrunk", "other last line", "changed in the middle", "emptied"],
)
def test_an_index_that_is_not_continued_is_followed_anew(root: Path, change):
    taking = Taking()
    taking.numbers(root)
    change(root / "index.jsonl")
    expected = [int(json.loads(row)["id"][3:]) for row in (root / "index.jsonl").read_bytes().splitlines()]
    assert taking.numbers(root) == expected
    assert taking.counts == [5, len(expected)]


def test_a_copy_of_a_memory_is_followed_on(root: Path, tmp_path: Path):
    Taking().numbers(root)
    (tmp_path / "copy" / "cache").mkdir(parents=True)
    for name in ("index.jsonl", "cache/seen.db"):
        (tmp_path / "copy" / name).write_bytes((root / name).read_bytes())
    taking = Taking()
    append(tmp_path / "copy", line(5))
    assert taking.numbers(tmp_path / "copy") == [0, 1, 2, 3, 4, 5]
    assert taking.counts == [1]


@pytest.mark.parametrize("other", [Taking(version=2), Taking(script=SCRIPT + "; CREATE TABLE more (one)")])
def test_another_schema_makes_it_anew(root: Path, other: Taking):
    Taking().numbers(root)
    assert other.numbers(root) == [0, 1, 2, 3, 4]
    assert other.counts == [5]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"no database" * 1000,
        lambda data: data[: len(data) // 2],
        lambda data: data[:100] + b"\xff" * (len(data) - 100),
        lambda data: b"",
    ],
    ids=["foreign", "cut", "scrambled", "emptied"],
)
def test_a_damaged_file_is_made_anew(root: Path, damage):
    Taking().numbers(root)
    file = root / "cache" / "seen.db"
    file.write_bytes(damage(file.read_bytes()))
    assert Taking().numbers(root) == [0, 1, 2, 3, 4]


def test_damage_that_shows_in_the_block_is_gone_the_next_time(root: Path):
    taking = Taking()
    taking.numbers(root)
    with sqlite3.connect(root / "cache" / "seen.db") as run:
        (page,) = run.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'seen'").fetchone()
    file = root / "cache" / "seen.db"
    data = bytearray(file.read_bytes())
    data[4096 * (page - 1) : 4096 * page] = b"\xa5" * 4096
    file.write_bytes(data)
    with pytest.raises(sqlite3.DatabaseError, match="malformed"):
        taking.numbers(root)
    assert taking.numbers(root) == [0, 1, 2, 3, 4]


def test_what_take_raises_goes_on_and_nothing_is_kept_of_its_rows(root: Path):
    def fail(run: sqlite3.Connection, rows: Sequence[NewRow]) -> None:
        Taking().take(run, rows)
        raise KeyError("no such thing")

    with pytest.raises(KeyError, match="no such thing"), follow(root, "seen", Schema(1, SCRIPT, fail)):
        pass
    assert Taking().numbers(root) == [0, 1, 2, 3, 4]


def test_a_mistake_in_sql_is_no_damage(root: Path):
    def fail(run: sqlite3.Connection, rows: Sequence[NewRow]) -> None:
        run.execute("INSERT INTO nowhere VALUES (1)")

    with (
        pytest.raises(sqlite3.OperationalError, match="no such table"),
        follow(root, "seen", Schema(1, SCRIPT, fail)),
    ):
        pass


def test_the_database_is_for_reading(root: Path):
    with (
        follow(root, "seen", Taking().schema) as run,
        pytest.raises(sqlite3.OperationalError, match="readonly"),
    ):
        run.execute("DELETE FROM seen")


def test_the_block_sees_one_moment(root: Path):
    taking = Taking()
    with follow(root, "seen", taking.schema) as run:
        append(root, line(5))
        assert run.execute("SELECT count(*) FROM seen").fetchone() == (5,)
    assert taking.numbers(root) == [0, 1, 2, 3, 4, 5]


def test_where_nothing_can_be_written_it_lies_in_memory(root: Path):
    (root / "cache").write_bytes(b"in the way")
    taking = Taking()
    assert taking.numbers(root) == [0, 1, 2, 3, 4]
    with pytest.raises(CannotKeep, match=r"expected to write .*seen\.db"):
        follow(root, "seen", taking.schema, in_memory=False).__enter__()
    assert (root / "cache").read_bytes() == b"in the way"


def test_a_folder_in_the_place_of_the_file_is_gone_around(root: Path):
    (root / "cache" / "seen.db").mkdir(parents=True)
    assert Taking().numbers(root) == [0, 1, 2, 3, 4]


def test_a_file_that_another_process_holds_is_begun_from_in_memory(root: Path, monkeypatch):
    monkeypatch.setattr("echo.mfm.derived.place.BUSY_SECONDS", 0.05)
    taking = Taking()
    taking.numbers(root)
    append(root, line(5))
    turn = take_turn(Place(str(root), "seen"))
    assert turn is not None
    try:
        assert taking.numbers(root) == [0, 1, 2, 3, 4, 5]
    finally:
        os.close(turn)
    assert taking.counts == [5, 1]
    assert taking.numbers(root) == [0, 1, 2, 3, 4, 5]
    assert taking.counts == [5, 1, 1]


def test_no_index_is_refused(tmp_path: Path):
    with pytest.raises(MfmError, match=r"expected the index of a memory at .*index\.jsonl, got no file"):
        follow(tmp_path, "seen", Taking().schema).__enter__()
    assert not (tmp_path / "cache").exists()


def test_discard_removes_the_file_and_may_be_repeated(root: Path):
    Taking().numbers(root)
    discard(root, "seen")
    discard(root, "seen")
    assert not (root / "cache" / "seen.db").exists()


def test_a_kill_while_rows_are_taken_in_loses_nothing(root: Path):
    program = textwrap.dedent(
        f"""
        import os, sys
        import echo.mfm.derived.intake as intake
        from echo.mfm.derived.follow import follow
        from echo.mfm.derived.intake import Schema
        intake.BATCH_BYTES = 30
        def take(run, rows):
            held = [(new.row["id"], new.offset, new.size) for new in rows]
            run.executemany("INSERT INTO seen VALUES (?, ?, ?)", held)
            if rows[0].row["id"] == "ep_000002":
                os._exit(9)
        with follow(sys.argv[1], "seen", Schema(1, {SCRIPT!r}, take)):
            pass
        """
    )
    done = subprocess.run([sys.executable, "-c", program, root], check=False)
    assert done.returncode == 9
    taking = Taking()
    assert taking.numbers(root) == [0, 1, 2, 3, 4]
    assert taking.counts == [3]


def _follow_while_it_grows(root: Path, rounds: int) -> None:
    taking = Taking()
    for _ in range(rounds):
        numbers = taking.numbers(root)
        assert numbers == list(range(len(numbers)))


def test_several_processes_follow_a_growing_index(root: Path):
    start = multiprocessing.get_context("spawn")
    readers = [start.Process(target=_follow_while_it_grows, args=(root, 30)) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(5, 105):
        append(root, line(number))
    for reader in readers:
        reader.join()
    assert [reader.exitcode for reader in readers] == [0, 0, 0]
    assert Taking().numbers(root) == list(range(105))

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from csd.encode import EncodeError, HashingEncoder
from csd.encode_store import BATCH, EmbeddingStore, check_store
from tests.csd.other_encoder import FixedEncoder, ReversedEncoder


class CountingEncoder:
    """Hashing vectors, and a list of all texts that were asked for, a list a call."""

    name = "hashing-256"
    dimension = 256

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(list(texts))
        return HashingEncoder().encode(texts)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bank.db.cache" / "embeddings.db"


def same(found: NDArray[np.float32], texts: Sequence[str]) -> bool:
    return bool(np.array_equal(found, HashingEncoder().encode(texts))) and found.dtype == np.float32


def execute(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(sql)


def test_a_text_is_embedded_once_in_all_lives_of_the_store(path: Path) -> None:
    first, second = CountingEncoder(), CountingEncoder()
    assert same(EmbeddingStore(first, path).encode(["oak", "coal", "oak"]), ["oak", "coal", "oak"])
    assert same(EmbeddingStore(second, path).encode(["coal", "sand", "oak"]), ["coal", "sand", "oak"])
    assert first.calls == [["oak", "coal"]]
    assert second.calls == [["sand"]]
    assert check_store(path) == []


def test_no_texts_are_no_rows(path: Path) -> None:
    assert EmbeddingStore(HashingEncoder(), path).encode([]).shape == (0, 256)


def test_encoders_do_not_share_their_vectors(path: Path) -> None:
    plain = EmbeddingStore(HashingEncoder(), path).encode(["oak"])
    backwards = EmbeddingStore(ReversedEncoder(), path).encode(["oak"])
    assert np.array_equal(backwards, plain[:, ::-1])
    assert not np.array_equal(backwards, plain)


def test_missing_texts_are_embedded_and_kept_a_batch_at_a_time(path: Path) -> None:
    texts = [f"text {number}" for number in range(2 * BATCH + 1)]

    class Dying(CountingEncoder):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if len(self.calls) == 2:
                raise KeyboardInterrupt
            return super().encode(texts)

    with pytest.raises(KeyboardInterrupt):
        EmbeddingStore(Dying(), path).encode(texts)
    again = CountingEncoder()
    assert same(EmbeddingStore(again, path).encode(texts), texts)
    assert again.calls == [[texts[-1]]]


def test_bad_texts_are_refused_as_by_the_encoder(path: Path) -> None:
    store = EmbeddingStore(HashingEncoder(), path)
    with pytest.raises(EncodeError, match="visible characters"):
        store.encode(["oak", "  "])
    with pytest.raises(EncodeError, match="whole Unicode"):
        store.encode(["\ud83c"])


def test_a_bad_vector_is_refused_and_not_kept(path: Path) -> None:
    with pytest.raises(ValueError, match="unit length from hashing-256"):
        EmbeddingStore(FixedEncoder([0.0, 0.0], "hashing-256"), path).encode(["oak"])
    with pytest.raises(ValueError, match="unit length from hashing-256"):
        EmbeddingStore(FixedEncoder([float("nan"), 0.0], "hashing-256"), path).encode(["oak"])
    encoder = CountingEncoder()
    EmbeddingStore(encoder, path).encode(["oak"])
    assert encoder.calls == [["oak"]]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE embedding SET vector = zeroblob(1024)",
        "UPDATE embedding SET vector = substr(vector, 1, 1000)",
        "UPDATE embedding SET checksum = checksum + 1",
    ],
)
def test_a_damaged_vector_is_named_and_embedded_again(path: Path, damage: str) -> None:
    EmbeddingStore(HashingEncoder(), path).encode(["oak"])
    execute(path, damage)
    assert check_store(path) == ["a damaged vector of hashing-256"]
    encoder = CountingEncoder()
    assert same(EmbeddingStore(encoder, path).encode(["oak"]), ["oak"])
    assert encoder.calls == [["oak"]]
    assert check_store(path) == []


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_set_aside_and_made_anew(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    assert len(check_store(path)) == 1
    assert same(EmbeddingStore(HashingEncoder(), path).encode(["oak"]), ["oak"])
    assert path.with_name("embeddings.db.torn").read_bytes() == content
    assert check_store(path) == []


def test_a_database_of_another_program_is_set_aside_as_it_is(path: Path) -> None:
    path.parent.mkdir()
    execute(path, "CREATE TABLE embedding (mine TEXT)")
    before = path.read_bytes()
    assert "another program" in check_store(path)[0]
    assert same(EmbeddingStore(HashingEncoder(), path).encode(["oak"]), ["oak"])
    assert path.with_name("embeddings.db.torn").read_bytes() == before


def test_a_file_torn_in_the_middle_is_no_error(path: Path) -> None:
    texts = [f"text {number}" for number in range(400)]
    store = EmbeddingStore(HashingEncoder(), path)
    store.encode(texts)
    store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert check_store(path)
    for _ in range(2):
        assert same(EmbeddingStore(HashingEncoder(), path).encode(texts), texts)
    assert check_store(path) == []


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    encoder = CountingEncoder()
    store = EmbeddingStore(encoder, tmp_path / "file" / "embeddings.db")
    for _ in range(2):
        assert same(store.encode(["oak"]), ["oak"])
    assert encoder.calls == [["oak"], ["oak"]]


def test_the_folder_may_be_deleted_at_any_time(path: Path) -> None:
    store = EmbeddingStore(HashingEncoder(), path)
    store.encode(["oak"])
    shutil.rmtree(path.parent)
    assert same(store.encode(["oak", "coal"]), ["oak", "coal"])
    store.close()
    assert same(store.encode(["oak", "coal"]), ["oak", "coal"])


def test_another_thread_embeds_without_the_file_and_takes_it_from_nobody(path: Path) -> None:
    encoder = CountingEncoder()
    store = EmbeddingStore(encoder, path)
    store.encode(["oak"])
    with ThreadPoolExecutor(1) as pool:
        assert same(pool.submit(store.encode, ["oak", "coal"]).result(), ["oak", "coal"])
    assert sorted(file.name for file in path.parent.iterdir() if file.suffix == ".torn") == []
    store.encode(["oak"])
    assert encoder.calls == [["oak"], ["oak", "coal"]]
    store.close()
    assert check_store(path) == []


CHILD = """
import sys
from pathlib import Path
from csd.encode import HashingEncoder
from csd.encode_store import EmbeddingStore
store = EmbeddingStore(HashingEncoder(), Path(sys.argv[1]))
print("ready", flush=True)
for round in range(10_000):
    store.encode([f"{sys.argv[2]} {round} {number}" for number in range(20)] + ["shared"])
    print(round, flush=True)
"""


def test_processes_share_a_store_and_a_kill_loses_no_finished_batch(path: Path) -> None:
    children = [
        subprocess.Popen([sys.executable, "-c", CHILD, str(path), name], stdout=subprocess.PIPE, text=True)
        for name in ("a", "b")
    ]
    for child in children:
        assert child.stdout is not None
        for _ in range(6):
            child.stdout.readline()
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
    encoder = CountingEncoder()
    texts = [f"{name} {round} {number}" for name in "ab" for round in range(5) for number in range(20)]
    assert same(EmbeddingStore(encoder, path).encode(texts), texts)
    assert encoder.calls == []
    assert check_store(path) == []

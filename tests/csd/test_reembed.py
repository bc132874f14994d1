from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from csd.axes import AXES
from csd.bank import Bank
from csd.encode import HashingEncoder
from csd.encode_store import check_store
from csd.protocol import Filing
from csd.store.errors import BankError
from csd.store.file import stored_identity
from csd.store.where import Where
from csd.upkeep.reembed import reembed
from tests.csd.descriptors import digging, wooden_pickaxe
from tests.csd.other_encoder import FixedEncoder, ReversedEncoder


class CountingEncoder(ReversedEncoder):
    """The second encoder, and every text it was asked for."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        return super().encode(texts)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Bank.open(tmp_path / "bank.db", HashingEncoder()) as bank:
        bank.add(wooden_pickaxe(), filing=Filing(agent="ann"))
        bank.add(digging("sand"))
    return tmp_path / "bank.db"


def test_reembedding_gives_the_bank_that_the_new_encoder_would_have_filled(path: Path) -> None:
    seen: list[tuple[int, int]] = []
    assert reembed(path, ReversedEncoder(), progress=lambda done, total: seen.append((done, total))) == 2
    assert seen == [(1, 2), (2, 2)]
    with Bank.open(path, ReversedEncoder()) as bank, Bank.open(None, ReversedEncoder()) as fresh:
        fresh.add_many([wooden_pickaxe(), digging("sand")])
        assert bank.digest() == fresh.digest()
        asked = wooden_pickaxe()
        assert bank.recall(asked, k=9) == fresh.recall(asked, k=9)
        assert [match.id for match in bank.recall(asked, k=9, where=Where(agent="ann"))] == [asked.id]
    with pytest.raises(BankError, match="got encoder 'reversed-256'"):
        Bank.open(path, HashingEncoder())


def test_a_bank_that_was_open_says_that_it_must_be_opened_again(path: Path) -> None:
    with Bank.open(path, HashingEncoder()) as bank:
        reembed(path, ReversedEncoder())
        with pytest.raises(BankError, match="embedded anew"):
            bank.recall(wooden_pickaxe(), k=1)
        with pytest.raises(BankError, match="embedded anew"):
            bank.add(digging("clay"))
    with Bank.open(path, ReversedEncoder()) as bank:
        assert digging("clay").id not in bank


def test_another_length_of_vectors_is_no_obstacle(path: Path) -> None:
    reembed(path, FixedEncoder([0.6, 0.8], "two"))
    assert stored_identity(path).dimension == 2
    with Bank.open(path, FixedEncoder([0.6, 0.8], "two")) as bank:
        assert list(bank.vectors(wooden_pickaxe().id)) == list(AXES)
        assert bank.recall(wooden_pickaxe(), k=1)[0].score == pytest.approx(1.0, abs=1e-3)
    assert reembed(path, HashingEncoder()) == 2
    with Bank.open(path, HashingEncoder()) as bank:
        assert bank.recall(wooden_pickaxe(), k=1)[0].id == wooden_pickaxe().id


def test_damaged_and_missing_vectors_are_made_anew(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE vector SET halves = x'00', present = 3 WHERE row = 1")
        connection.execute("DELETE FROM vector WHERE row = 2")
    assert reembed(path, HashingEncoder()) == 2
    with Bank.open(path, HashingEncoder()) as bank, Bank.open(None, HashingEncoder()) as fresh:
        fresh.add_many([wooden_pickaxe(), digging("sand")])
        assert bank.digest() == fresh.digest()


def test_what_others_add_meanwhile_is_embedded_too(path: Path) -> None:
    late = digging("late")
    with Bank.open(path, HashingEncoder()) as other:
        assert reembed(path, ReversedEncoder(), progress=lambda done, total: other.add(late)) == 3
    with Bank.open(path, ReversedEncoder()) as bank:
        assert bank.recall(late, k=1)[0].score == pytest.approx(1.0, abs=1e-3)


def test_a_bad_encoder_leaves_the_old_vectors(path: Path) -> None:
    with pytest.raises(ValueError, match="unit length from fixed"):
        reembed(path, FixedEncoder([0.0, 0.0]))
    with Bank.open(path, HashingEncoder()) as bank:
        assert bank.recall(wooden_pickaxe(), k=1)[0].id == wooden_pickaxe().id


def test_a_damaged_record_is_named_and_nothing_is_changed(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE csd SET record = replace(record, 'sand', 'gold') WHERE row = 2")
    with pytest.raises(BankError, match=f"record of descriptor {digging('sand').id}"):
        reembed(path, ReversedEncoder())
    assert stored_identity(path).encoder == "hashing-256"


def test_what_is_no_bank_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    for name, complaint in (("none.db", "got no file there"), ("empty.db", "got an empty file")):
        with pytest.raises(BankError, match=complaint):
            reembed(tmp_path / name, HashingEncoder())


def test_what_was_embedded_before_an_interruption_is_not_embedded_again(path: Path) -> None:
    with Bank.open(path, HashingEncoder()) as bank:
        bank.add_many([digging(f"block {number}") for number in range(600)])

    def interrupt(done: int, total: int) -> None:
        if done == 300:
            raise KeyboardInterrupt

    first, second, third = CountingEncoder(), CountingEncoder(), CountingEncoder()
    with pytest.raises(KeyboardInterrupt):
        reembed(path, first, progress=interrupt)
    assert stored_identity(path).encoder == "hashing-256"
    assert reembed(path, second) == 602
    assert sorted(first.texts + second.texts) == sorted(set(first.texts + second.texts))
    assert len(first.texts) >= 300
    assert reembed(path, third) == 602
    assert third.texts == []
    assert check_store(path.with_name("bank.db.cache") / "embeddings.db") == []


KILLED = """
import os, signal, sqlite3, sys
from csd.encode import HashingEncoder
from csd.upkeep.reembed import reembed
from tests.csd.other_encoder import ReversedEncoder
count, connect = 0, sqlite3.connect
def counted(statement):
    global count
    count += 1
    if count == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
def watched(*arguments, **settings):
    connection = connect(*arguments, **settings)
    connection.set_trace_callback(counted)
    return connection
sqlite3.connect = watched
reembed(sys.argv[1], ReversedEncoder())
"""


@pytest.mark.parametrize("statement", [12, 24, 36, 48])
def test_a_kill_leaves_all_old_vectors_or_all_new_ones(path: Path, statement: int) -> None:
    child = subprocess.run([sys.executable, "-c", KILLED, path, str(statement)], check=False)
    encoder = HashingEncoder() if stored_identity(path).encoder == "hashing-256" else ReversedEncoder()
    assert child.returncode == (-9 if encoder.name == "hashing-256" else 0)
    with Bank.open(path, encoder) as bank, Bank.open(None, encoder) as fresh:
        fresh.add_many([wooden_pickaxe(), digging("sand")])
        assert bank.digest() == fresh.digest()
        assert bank.recall(digging("sand"), k=9) == fresh.recall(digging("sand"), k=9)

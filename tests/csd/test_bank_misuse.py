"""What a bank says to callers that use it wrongly."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from csd.axes import Axis
from csd.bank import Bank
from csd.caches import cache_folder
from csd.encode import HashingEncoder
from csd.protocol import Filing
from csd.store.errors import BankError, explained
from csd.store.file import identity_of, stored_identity
from csd.vectors.sizes import Sizes
from csd.words.words import Words
from tests.csd.descriptors import digging, wooden_pickaxe
from tests.csd.words_feed import FakeBank

EVERYTHING: dict[str, Callable[[Bank, Path], Any]] = {
    "recall": lambda bank, _: bank.recall({Axis.ATTR: "sand"}, k=1),
    "cue": lambda bank, _: bank.cue("sand"),
    "mentioning": lambda bank, _: bank.mentioning("thing:sand"),
    "stats": lambda bank, _: bank.stats(),
    "export": lambda bank, folder: bank.export(folder / "bank.jsonl"),
    "versions": lambda bank, _: bank.versions(digging("sand").id),
    "compact": lambda bank, _: bank.compact(),
    "rebuild": lambda bank, _: bank.rebuild(),
    "digest": lambda bank, _: bank.digest(),
    "index_digest": lambda bank, _: bank.index_digest(),
    "add": lambda bank, _: bank.add(digging("clay")),
    "remove": lambda bank, _: bank.remove(digging("sand").id),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Bank.open(tmp_path / "bank.db", HashingEncoder()) as bank:
        bank.add_many([wooden_pickaxe(), digging("sand")])
    return tmp_path / "bank.db"


@pytest.mark.parametrize("name", EVERYTHING)
def test_a_closed_bank_says_so_whatever_it_is_asked(path: Path, name: str) -> None:
    bank = Bank.open(path, HashingEncoder())
    bank.cue("sand")
    bank.close()
    bank.close()
    with pytest.raises(
        BankError, match=r"expected an open bank.*; got Cannot operate on a closed database\. O"
    ):
        EVERYTHING[name](bank, path.parent)
    assert not (path.parent / "bank.jsonl").exists()


def test_another_thread_is_told_and_the_bank_goes_on_in_its_own(path: Path) -> None:
    with Bank.open(path, HashingEncoder()) as bank, ThreadPoolExecutor(1) as pool:
        expected = [hit.id for hit in bank.cue("sand")]
        asks = [partial(ask, bank, path.parent) for ask in EVERYTHING.values()]
        for ask in [*asks, bank.close]:
            with pytest.raises(BankError, match=r"used by the thread that opened it.*thread id \d+\. Open"):
                pool.submit(ask).result()
        assert [hit.id for hit in bank.cue("sand")] == expected == [digging("sand").id]
        assert len(bank) == 2


@pytest.mark.parametrize("kept", [True, False])
def test_words_of_another_thread_are_refused_and_stay_as_they_are(
    tmp_path: Path, kept: bool, caplog: pytest.LogCaptureFixture
) -> None:
    feed = FakeBank()
    feed.add(digging("sand"))
    with Words(tmp_path / "words.db" if kept else None) as words, ThreadPoolExecutor(1) as pool:
        words.refresh(feed)
        for ask in (partial(words.refresh, feed), partial(words.cue, "sand", limit=1), words.close):
            with pytest.raises(BankError, match="used by the thread that opened it"):
                pool.submit(ask).result()
        assert [hit.id for hit in words.cue("sand", limit=1)] == [digging("sand").id]
        assert words.in_memory is not kept
    assert caplog.records == []


def test_a_relative_path_is_the_same_file_after_a_change_of_folder(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    for bank in (Bank.open("bank.db", HashingEncoder()), Bank(Path("bank.db"), HashingEncoder())):
        with bank:
            monkeypatch.chdir(tmp_path / "elsewhere")
            assert bank.path == path
            bank.add(digging("clay"))
            assert [hit.id for hit in bank.cue("clay")] == [digging("clay").id]
            bank.compact()
            monkeypatch.chdir(tmp_path)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert (cache_folder(path) / "words.db").exists()


@pytest.mark.parametrize(
    ("change", "got"),
    [
        ("DELETE FROM meta WHERE key = 'encoder'", "got no 'encoder'"),
        ("UPDATE meta SET value = 'many' WHERE key = 'dimension'", "'many'"),
    ],
)
def test_a_bank_that_does_not_say_what_made_its_vectors_is_refused(path: Path, change: str, got: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(change)
        with pytest.raises(ValueError, match="in the table meta of"):
            identity_of(connection)
    told = rf"in the table meta of .*bank\.db; .*{got}.*echo-memory doctor .*bank\.db"
    with pytest.raises(BankError, match=told):
        Bank.open(path, HashingEncoder())
    with pytest.raises(BankError, match=told):
        stored_identity(path)


@pytest.mark.parametrize("k", [1.5, None, "3", -1])
def test_a_count_that_is_none_is_refused_and_yes_is_one(path: Path, k: Any) -> None:
    with Bank.open(path, HashingEncoder()) as bank:
        with pytest.raises(ValueError, match=r"expected a whole number k >= 0; got "):
            bank.recall({Axis.ATTR: "sand"}, k=k)
        with pytest.raises(ValueError, match=r"expected a whole number k >= 0; got "):
            bank.cue("sand", k=k)
        assert len(bank.recall({Axis.ATTR: "sand"}, k=True)) == len(bank.cue("sand", k=True)) == 1
        assert len(bank.cue("sand", k=10**30)) == 1


@pytest.mark.parametrize("said", [None, 3.5, b"sand"])
def test_what_is_neither_text_nor_vector_is_refused_with_its_axis(path: Path, said: Any) -> None:
    with (
        Bank.open(path, HashingEncoder()) as bank,
        pytest.raises(ValueError, match="expected a text or a vector on axis func; got "),
    ):
        bank.recall({Axis.ATTR: "sand", Axis.FUNC: said}, k=1)


def test_a_complex_query_vector_is_refused(path: Path) -> None:
    with (
        Bank.open(path, HashingEncoder()) as bank,
        pytest.raises(ValueError, match="expected real vectors from the func query"),
    ):
        bank.recall({Axis.FUNC: np.eye(256, dtype=np.complex64)[0]}, k=1)


def test_only_descriptors_are_remembered(path: Path) -> None:
    wrong: Any = digging("clay").canonical()
    with Bank.open(path, HashingEncoder()) as bank:
        for add in (
            bank.add,
            lambda one: bank.add_many([one]),
            lambda one: bank.supersede(bank.ids()[0], one),
        ):
            with pytest.raises(TypeError, match=r"expected a descriptor, .*; got str"):
                add(wrong)
        assert len(bank) == 2


@pytest.mark.parametrize("tags", ["tools", (1,), ("tools", None)])
def test_tags_that_are_no_tuple_of_texts_are_refused(tags: Any) -> None:
    with pytest.raises(ValueError, match=r"expected a tuple of texts in Filing\.tags; got"):
        Filing(tags=tags)


def test_what_sqlite_says_ends_in_one_full_stop() -> None:
    with pytest.raises(BankError, match=r"got torn\. Restore"), explained("here"):
        raise sqlite3.DatabaseError("torn.")


def test_a_rebuild_that_is_killed_leaves_no_damaged_snapshot(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def killed(folder: Path, **_: object) -> None:
        next(file for file in sorted(Path(folder).iterdir()) if file.name != "state.json").unlink()
        raise KeyboardInterrupt

    vectors = cache_folder(path) / "vectors"
    with Bank.open(path, HashingEncoder(), sizes=Sizes(publish_rows=1)) as bank:
        bank.compact()
        expected = bank.index_digest()
        assert (vectors / "state.json").exists()
        monkeypatch.setattr(shutil, "rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            bank.rebuild()
    monkeypatch.undo()
    assert list(vectors.iterdir())
    with caplog.at_level(logging.WARNING), Bank.open(path, HashingEncoder()) as bank:
        assert bank.index_digest() == expected
    assert caplog.records == []

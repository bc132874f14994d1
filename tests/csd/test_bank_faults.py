from __future__ import annotations

import hashlib
import json
import math
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from csd.axes import Axis
from csd.bank import Bank
from csd.caches import cache_folder
from csd.descriptor import canonical_json
from csd.encode import HashingEncoder
from csd.store.errors import BankError
from csd.store.file import Identity, make_file
from tests.csd.descriptors import axes_of, digging, wooden_pickaxe
from tests.csd.other_encoder import FixedEncoder, ReversedEncoder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Bank.open(tmp_path / "bank.db", HashingEncoder()) as bank:
        bank.add_many([wooden_pickaxe(), digging("sand")])
    return tmp_path / "bank.db"


def execute(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def test_a_bank_of_another_encoder_is_refused_and_left_alone(path: Path) -> None:
    with pytest.raises(
        BankError,
        match=r"encoder 'reversed-256', .* at .*bank.db; got encoder 'hashing-256', .*echo-memory reembed",
    ):
        Bank.open(path, ReversedEncoder())
    with Bank.open(path, HashingEncoder()) as bank:
        assert len(bank) == 2


def test_vectors_of_another_length_are_refused_even_under_the_same_name(path: Path) -> None:
    with pytest.raises(BankError, match=r"dimension '3'.*got .*dimension '256'"):
        Bank.open(path, FixedEncoder([1.0, 0.0, 0.0], name="hashing-256"))


def test_an_empty_bank_keeps_its_encoder_too(tmp_path: Path) -> None:
    Bank.open(tmp_path / "bank.db", HashingEncoder()).close()
    with pytest.raises(BankError, match="got encoder 'hashing-256'"):
        Bank.open(tmp_path / "bank.db", ReversedEncoder())


def test_vectors_of_an_older_wording_are_refused(path: Path) -> None:
    execute(path, "UPDATE meta SET value = '0' WHERE key = 'rendering'")
    with pytest.raises(BankError, match=r"rendering '1'.*got .*rendering '0'"):
        Bank.open(path, HashingEncoder())


def test_a_newer_format_is_refused(path: Path) -> None:
    execute(path, "PRAGMA user_version = 99")
    with pytest.raises(
        BankError, match=r"expected bank format 2 at .*; got format 99.*release that wrote it"
    ):
        Bank.open(path, HashingEncoder())


def test_the_file_of_another_program_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    execute(path, "CREATE TABLE note (text TEXT)")
    before = path.read_bytes()
    with pytest.raises(BankError, match="SQLite file of another program"):
        Bank.open(path, HashingEncoder())
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"this is no database at all, but long enough to look at " * 40, b"{}"])
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bank.db"
    path.write_bytes(content)
    with pytest.raises(BankError, match=r"bank.db; got file is not a database"):
        Bank.open(path, HashingEncoder())
    assert path.read_bytes() == content


@pytest.mark.parametrize("share", [0.9, 0.5, 0.1])
def test_a_truncated_file_is_refused_not_read_as_empty(path: Path, share: float) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(BankError, match="got database disk image is malformed"):
        Bank.open(path, HashingEncoder())


@pytest.mark.parametrize(
    ("blob", "complaint"),
    [
        ("zeroblob(8)", "expected 512 bytes in the vectors of csd_.*; got 8"),
        ("zeroblob(512)", "vectors of csd_.* as they were written; got altered ones"),
    ],
)
def test_a_damaged_vector_is_named_and_not_read(path: Path, blob: str, complaint: str) -> None:
    execute(path, f"UPDATE vector SET halves = {blob} WHERE present = 2")
    with Bank.open(path, HashingEncoder()) as bank, pytest.raises(BankError, match=complaint):
        bank.vectors(digging("sand").id)


def test_vectors_of_the_wrong_length_are_named_not_searched(path: Path) -> None:
    execute(path, "UPDATE vector SET halves = zeroblob(8) WHERE present = 2")
    with (
        Bank.open(path, HashingEncoder()) as bank,
        pytest.raises(BankError, match=r"expected 512 bytes in the vectors of csd_\w+ in .*bank.db; got 8"),
    ):
        bank.recall({Axis.FUNC: "stick plays handle"}, k=1)


@pytest.mark.parametrize("alter", ["zeroblob(512)", "CAST(x'ffff' || substr(halves, 3) AS BLOB)"])
def test_an_altered_vector_in_the_file_is_named_not_ranked(path: Path, alter: str) -> None:
    execute(path, f"UPDATE vector SET halves = {alter} WHERE present = 2")
    with (
        Bank.open(path, HashingEncoder()) as bank,
        pytest.raises(BankError, match=r"as they were written; got altered ones.*echo-memory reembed"),
    ):
        bank.recall({Axis.ATTR: "sand drops sand"}, k=1)


def test_a_copy_put_back_that_goes_on_alike_is_not_searched_through_the_caches_of_the_other(
    tmp_path: Path,
) -> None:
    path, copy = tmp_path / "bank.db", tmp_path / "copy.db"
    one, other = np.eye(256, dtype=np.float32)[:2]
    with Bank.open(path, HashingEncoder()) as bank:
        bank.add_many([digging(f"stone{number}") for number in range(10)])
    shutil.copy(path, copy)
    late = digging("late")
    with Bank.open(path, HashingEncoder()) as bank:
        bank.add(late, vectors=dict.fromkeys(axes_of(late), one))
        bank.compact()
    put_back(copy, path)
    with Bank.open(path, HashingEncoder()) as bank:
        bank.add(late, vectors=dict.fromkeys(axes_of(late), other))
        (best,) = bank.recall({Axis.ATTR: other}, k=1, exact=True)
        assert (best.id, best.cosines[Axis.ATTR]) == (late.id, 1.0)


def test_missing_vectors_are_named_with_the_repair(path: Path) -> None:
    execute(path, "DELETE FROM vector WHERE present = 2")
    complaint = r"expected vectors of csd_\w+ in .*bank.db; got none.*doctor .*--repair"
    with Bank.open(path, HashingEncoder()) as bank, pytest.raises(BankError, match=complaint):
        bank.vectors(digging("sand").id)


def test_a_missing_file_is_not_made_by_who_only_reads(tmp_path: Path) -> None:
    with pytest.raises(BankError, match="got no file there"):
        Bank.open(tmp_path / "deep" / "bank.db", HashingEncoder(), create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_named_and_not_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "file", tmp_path / "deep" / "er"):
        with pytest.raises(
            BankError, match=rf"expected a folder at {folder} to make the bank bank.db in; got none"
        ):
            Bank.open(folder / "bank.db", HashingEncoder())
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


def test_a_folder_that_nothing_can_be_written_to_is_named() -> None:
    with pytest.raises(BankError, match=r"expected a folder at /proc that a bank can be made in; got "):
        Bank.open("/proc/bank.db", HashingEncoder())


def test_a_bank_that_another_process_made_in_the_meantime_is_kept(path: Path) -> None:
    make_file(path, Identity(encoder="reversed-256", dimension=256, rendering=1))
    with Bank.open(path, HashingEncoder(), create=False) as bank:
        assert len(bank) == 2


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BankError, match="got unable to open database file"):
        Bank.open(tmp_path, HashingEncoder())


@pytest.mark.parametrize("value", [0.0, math.nan, math.inf, 3.0])
def test_what_an_encoder_must_not_give_does_not_get_into_the_file(value: float) -> None:
    with Bank.open(None, FixedEncoder([value, 0.0])) as bank:
        with pytest.raises(ValueError, match="unit length from fixed"):
            bank.add(digging("sand"))
        assert len(bank) == 0


@pytest.mark.parametrize("create", [True, False])
def test_an_empty_file_is_refused_not_taken_for_a_new_bank(tmp_path: Path, create: bool) -> None:
    (tmp_path / "bank.db").touch()
    with pytest.raises(BankError, match=r"bank at .*bank.db; got an empty file.*remove it to start anew"):
        Bank.open(tmp_path / "bank.db", HashingEncoder(), create=create)
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("bank.db", b"")]


@pytest.mark.parametrize(
    "alter",
    [
        "substr(record, 1, 200)",
        "''",
        "'{}'",
        "replace(record, 'forest', 'desert')",
        "record || ' '",
    ],
)
def test_a_record_that_is_not_what_its_id_was_made_from_is_named(path: Path, alter: str) -> None:
    id, other = wooden_pickaxe().id, digging("sand").id
    execute(path, f"UPDATE csd SET record = {alter} WHERE id = '{id}'")
    with Bank.open(path, HashingEncoder()) as bank:
        with pytest.raises(
            BankError, match=rf"record of descriptor {id} in .*bank.db as it was written; .*altered: restore"
        ):
            bank.get(id)
        assert bank.get(other) == digging("sand")


def test_a_record_under_the_id_of_another_is_named(path: Path) -> None:
    id = digging("sand").id
    execute(path, f"UPDATE csd SET id = 'csd_{'0' * 16}' WHERE id = '{id}'")
    complaint = rf"descriptor csd_0{{16}} in .*content has the id {id}"
    with Bank.open(path, HashingEncoder()) as bank, pytest.raises(BankError, match=complaint):
        bank.get("csd_" + "0" * 16)


def test_a_whole_record_of_another_release_says_which_field_is_not_known(path: Path) -> None:
    record = canonical_json({**json.loads(digging("sand").canonical()), "mood": "calm"})
    id = f"csd_{hashlib.sha256(record.encode()).hexdigest()[:16]}"
    execute(path, f"UPDATE csd SET id = '{id}', record = '{record}' WHERE id = '{digging('sand').id}'")
    complaint = rf"(?s)record of descriptor {id} in .*mood.*release that wrote"
    with Bank.open(path, HashingEncoder()) as bank, pytest.raises(BankError, match=complaint):
        bank.get(id)


def filled(path: Path, *blocks: str) -> None:
    """Add `blocks` to the bank at `path`, with published vectors and words."""
    with Bank.open(path, HashingEncoder()) as bank:
        bank.add_many([digging(block) for block in blocks])
        bank.compact()
        bank.cue("drops")


def answers(path: Path, text: str) -> tuple[list[str], list[str], list[str]]:
    """Return what search, full text and the graph find for a block."""
    with Bank.open(path, HashingEncoder()) as bank:
        matches = bank.recall({Axis.ATTR: f"{text} drops {text}"}, k=99)
        hits = bank.cue(text)
        return [match.id for match in matches], [hit.id for hit in hits], bank.mentioning(f"thing:{text}")


def put_back(old: Path, path: Path) -> None:
    """Put the bank file `old` in the place of `path`, as a user would, and leave the caches."""
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    shutil.copy(old, path)


def test_an_older_copy_of_the_file_is_not_searched_through_newer_caches(tmp_path: Path) -> None:
    path, old = tmp_path / "bank.db", tmp_path / "copy.db"
    filled(path, "sand", "dirt")
    shutil.copy(path, old)
    with Bank.open(path, HashingEncoder()) as bank:
        bank.remove(digging("sand").id)
    filled(path, "clay")
    put_back(old, path)
    sand, dirt = digging("sand").id, digging("dirt").id
    assert answers(path, "sand") == ([sand, dirt], [sand], [sand])
    assert answers(path, "clay")[1:] == ([], [])
    # A change of its own makes the history fork where the caches stood.
    with Bank.open(path, HashingEncoder()) as bank:
        bank.add_many([digging("coal"), digging("gravel")])
    assert answers(path, "clay")[1:] == ([], [])
    assert answers(path, "coal")[1:] == ([digging("coal").id], [digging("coal").id])


def test_a_newer_file_is_not_searched_through_older_caches(tmp_path: Path) -> None:
    path, old = tmp_path / "bank.db", tmp_path / "old.cache"
    filled(path, "sand", "dirt")
    shutil.copytree(cache_folder(path), old)
    with Bank.open(path, HashingEncoder()) as bank:
        bank.remove(digging("sand").id)
        bank.add(digging("clay"))
        bank.compact()
        bank.cue("clay")
    shutil.rmtree(cache_folder(path))
    shutil.copytree(old, cache_folder(path))
    clay, dirt = digging("clay").id, digging("dirt").id
    found, hits, mentioned = answers(path, "clay")
    assert (sorted(found), hits, mentioned) == (sorted([clay, dirt]), [clay], [clay])
    assert answers(path, "sand")[1:] == ([], [])


def test_the_caches_of_another_bank_are_not_searched(tmp_path: Path) -> None:
    path, other = tmp_path / "bank.db", tmp_path / "other.db"
    filled(path, "sand", "dirt")
    filled(other, "clay", "coal")
    shutil.rmtree(cache_folder(path))
    shutil.copytree(cache_folder(other), cache_folder(path))
    sand, dirt = digging("sand").id, digging("dirt").id
    assert answers(path, "sand") == ([sand, dirt], [sand], [sand])
    assert answers(path, "clay")[1:] == ([], [])


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_caches_that_are_cut_off_anywhere_are_done_without(tmp_path: Path, share: float) -> None:
    path, kept = tmp_path / "bank.db", tmp_path / "kept.cache"
    filled(path, "sand", "dirt")
    shutil.copytree(cache_folder(path), kept)
    sand, dirt = digging("sand").id, digging("dirt").id
    names = sorted(file.relative_to(kept) for file in kept.rglob("*") if file.is_file())
    assert len(names) >= 4
    for name in names:
        shutil.rmtree(cache_folder(path))
        shutil.copytree(kept, cache_folder(path))
        content = (kept / name).read_bytes()
        (cache_folder(path) / name).write_bytes(content[: int(share * len(content))])
        assert answers(path, "sand") == ([sand, dirt], [sand], [sand]), name


def test_a_file_in_the_place_of_the_cache_folder_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / "bank.db"
    filled(path, "sand", "dirt")
    shutil.rmtree(cache_folder(path))
    cache_folder(path).write_text("in the way")
    sand, dirt = digging("sand").id, digging("dirt").id
    assert answers(path, "sand") == ([sand, dirt], [sand], [sand])
    assert cache_folder(path).read_text() == "in the way"

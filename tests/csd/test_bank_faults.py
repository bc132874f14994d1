from __future__ import annotations

import hashlib
import json
import math
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.descriptor import canonical_json
from csd.encode import Encoder, HashingEncoder
from csd.reembed import reembed
from csd.render import render_axis
from csd.tables import BankError, Identity, make_file
from tests.csd.descriptors import axes_of, digging, playing, wooden_pickaxe
from tests.csd.other_encoder import FixedEncoder, ReversedEncoder

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.csd.bank_processes", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def answer(process: subprocess.Popen[str]) -> object:
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return json.loads(output)


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
        match=r"encoder 'reversed-256', .* at .*bank.db; got encoder 'hashing-256', .*csd.reembed.reembed",
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
        BankError, match=r"expected bank format 1 at .*; got format 99.*release that wrote it"
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
        ("zeroblob(8)", "expected 1024 bytes in the attr vector of csd_.*; got 8"),
        ("zeroblob(1024)", "squared length 0.0"),
    ],
)
def test_a_damaged_vector_is_named_not_searched(path: Path, blob: str, complaint: str) -> None:
    execute(path, f"UPDATE vector SET vector = {blob} WHERE axis = 'attr'")
    with Bank.open(path, HashingEncoder()) as bank, pytest.raises(BankError, match=complaint):
        bank.query_text({Axis.FUNC: "stick plays handle"}, k=1)


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


def test_reembedding_gives_the_bank_that_the_new_encoder_would_have_filled(path: Path) -> None:
    seen: list[tuple[int, int]] = []
    assert reembed(path, ReversedEncoder(), progress=lambda done, total: seen.append((done, total))) == 2
    assert seen == [(1, 2), (2, 2)]
    with Bank.open(path, ReversedEncoder()) as bank, Bank.open(None, ReversedEncoder()) as fresh:
        fresh.add_many([wooden_pickaxe(), digging("sand")])
        assert bank.digest() == fresh.digest()
        assert bank.index_digest() == fresh.index_digest()
    with pytest.raises(BankError, match="got encoder 'reversed-256'"):
        Bank.open(path, HashingEncoder())


def test_reembedding_by_a_bad_encoder_leaves_the_old_vectors(path: Path) -> None:
    with pytest.raises(ValueError, match="unit length from fixed"):
        reembed(path, FixedEncoder([0.0, 0.0]))
    with Bank.open(path, HashingEncoder()) as bank:
        assert list(bank.vectors(wooden_pickaxe().id)) == list(AXES)


def test_reembedding_what_is_no_bank_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    for name, complaint in (("none.db", "got no file there"), ("empty.db", "got an empty file")):
        with pytest.raises(BankError, match=complaint):
            reembed(tmp_path / name, HashingEncoder())


def whole(bank: Bank, encoder: Encoder) -> None:
    """Check that every descriptor in `bank` is complete and that search agrees with the records."""
    for id in bank.ids():
        csd = bank.get(id)
        assert csd.id == id
        assert bank.describing("ep_000001") == bank.ids()
        assert list(bank.vectors(id)) == axes_of(csd)
        for axis in axes_of(csd):
            [vector] = encoder.encode([render_axis(csd, axis)])
            assert np.array_equal(bank.vectors(id)[axis], vector)
            assert id in bank.mentioning(f"thing:{csd.axis(axis)[-1].subject}") or axis is Axis.INTER
            matches = bank.search({axis: vector}, k=1)
            assert matches[0].score == pytest.approx(1.0, abs=1e-6)
    assert len(bank.search({Axis.ATTR: encoder.encode(["any"])[0]}, k=99)) == sum(
        bool(bank.get(id).attr) for id in bank.ids()
    )


STATES: dict[str, list[set[str]]] = {
    "": [set()],
    "made": [set(), {"pickaxe"}],
    "pickaxe": [{"pickaxe"}, {"pickaxe", "sand", "coal"}],
    "two more": [{"pickaxe", "sand", "coal"}, {"sand", "coal"}],
    "removed": [{"sand", "coal"}, {"sand", "coal", "clay"}],
    "clay": [{"sand", "coal", "clay"}],
}
"""Last change acknowledged -> what the bank may hold: the change under way is there or it is not."""

NAMES = {
    wooden_pickaxe().id: "pickaxe",
    digging("sand").id: "sand",
    playing("coal", "fuel").id: "coal",
    digging("clay").id: "clay",
}


def test_a_kill_before_any_statement_leaves_acknowledged_changes_whole_and_others_absent(
    tmp_path: Path,
) -> None:
    count = answer(run("deaths", str(tmp_path), "0", "3"))
    killed = [done.with_suffix(".db") for done in sorted(tmp_path.glob("*.done"))[:-1]]
    assert len(killed) == count
    assert len(killed) >= 20
    for path in killed:
        done = path.with_suffix(".done").read_text().split("\n")[:-1]
        encoder: Encoder = HashingEncoder()
        try:
            bank = Bank.open(path, encoder)
        except BankError:
            # All the new vectors and the new name of the encoder, or none of them.
            assert done[-1:] == ["clay"]
            encoder = ReversedEncoder()
            bank = Bank.open(path, encoder)
        with bank:
            assert {NAMES[id] for id in bank.ids()} in STATES[done[-1] if done else ""]
            clay, sand = digging("clay").id, digging("sand").id
            if clay in bank:
                assert bank.links(clay) == [(clay, "derived_from", sand)]
            whole(bank, encoder)
            bank.add(digging("gravel"))
            whole(bank, encoder)


def test_a_full_disk_is_an_error_that_says_so_and_loses_nothing(tmp_path: Path) -> None:
    told = answer(run("full", str(tmp_path)))
    assert isinstance(told, dict)
    assert "permissions and free space" in told["error"]
    assert len(told["added"]) > 5
    assert told["readable"] == told["added"]
    with Bank.open(tmp_path / "full.db", HashingEncoder()) as bank:
        assert bank.ids() == sorted(told["added"])
        whole(bank, HashingEncoder())


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    writers = [run("write", str(tmp_path), name) for name in ("north", "south")]
    added = [id for writer in writers for id in answer(writer)]
    with Bank.open(tmp_path / "shared.db", HashingEncoder()) as bank:
        assert bank.ids() == sorted(added)
        assert len(added) == 40

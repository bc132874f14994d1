"""What is particular to the bank over Milvus: its addresses, its errors, its candidates."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from csd.axes import Axis
from csd.descriptor import Csd
from csd.encode import HashingEncoder
from csd.milvus import search
from csd.milvus.bank import MilvusBank
from csd.milvus.condition import FOREVER, expression, inside, mark, token
from csd.milvus.layout import file_under
from csd.milvus.local import hold, let_go
from csd.protocol import Filing
from csd.store.errors import BankError
from csd.store.where import Where
from tests.csd.descriptors import digging, meta, playing, wooden_pickaxe

needs_milvus = pytest.mark.skipif(
    find_spec("pymilvus") is None or find_spec("milvus_lite") is None,
    reason="needs the `milvus` extra (pymilvus, milvus-lite)",
)


@pytest.mark.parametrize(
    "text", ["", "*", "%", "a|b", 'say "hi"', "back\\slash", "line\nfeed", "木", "x" * 999]
)
def test_a_token_needs_no_quoting_and_is_no_mark(text: str) -> None:
    said = token(text)
    assert said.isascii()
    assert said.isprintable()
    assert not set(said) & set("\"'\\|*")
    assert len(said) <= 240
    assert said != token(None)


def test_long_texts_that_differ_at_the_end_have_different_tokens() -> None:
    assert token("x" * 999) != token("x" * 998 + "y")
    assert token("x" * 240) == "x" * 240
    assert token("x" * 241).startswith("%%")


def test_half_a_surrogate_pair_has_no_token() -> None:
    with pytest.raises(UnicodeEncodeError):
        token("\ud83c")


def test_marks_leave_open_what_is_not_asked() -> None:
    assert mark("ada", "1", "night") == "ada|1|night"
    assert mark(None, "1") == "*|1"
    assert mark("*", None, "a|b") == "%2A|*|a%7Cb"


def test_conditions_become_one_expression() -> None:
    assert expression(None) == expression(Where()) == f"superseded_step == {FOREVER}"
    where = Where(success=True, verbs=("craft", "mine"), products=(), before_step=7, as_of=-3, agent="ada")
    assert expression(where) == (
        'success == true and verb in ["craft", "mine"] and id == "" and step < 7 '
        'and valid_from <= -3 and superseded_step > -3 and array_contains_all(filed, ["ada|*"])'
    )


def test_a_circle_is_asked_as_the_square_just_around_it() -> None:
    where = Where(near=(0.5, -2.0, 1.5))
    low, high = math.nextafter(-1.0, -2.0), math.nextafter(2.0, 3.0)
    assert f"x >= {low!r} and x <= {high!r}" in expression(where)
    assert inside(where, 2.0, -2.0)
    assert not inside(where, 2.0, -3.5)
    assert inside(None, 2.0, -3.5)


def test_more_filings_than_an_entity_holds_are_refused() -> None:
    row = {"id": "csd_0", "filings": "[]", "filed": []}
    assert file_under(row, Filing(agent="ada", tags=("night",)), 0)
    assert set(row["filed"]) == {
        f"{agent}|{life}{tag}" for agent in ("ada", "*") for life in ("", "*") for tag in ("", "|night")
    }
    assert not file_under(row, Filing(agent="ada"), 5)
    with pytest.raises(BankError, match="expected filings of csd_0 that fit 65535 bytes and 4096 marks"):
        file_under(row, Filing(agent="ada", tags=tuple(f"tag {n}" for n in range(1024))), 5)


@needs_milvus
@pytest.mark.parametrize(
    ("uri", "complaint"),
    [
        ("bank.sqlite", "that ends with .db; got 'bank.sqlite'"),
        ("localhost:19530", "expected the address of a Milvus server"),
        ("nowhere/bank.db", "expected a folder at nowhere"),
        ("http://127.0.0.1:1", "expected a Milvus server that answers at http://127.0.0.1:1"),
        ("http://host:port", "expected the address of a Milvus server"),
    ],
)
def test_an_address_without_a_bank_is_refused(
    uri: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BankError, match=complaint):
        MilvusBank.open(uri, HashingEncoder())
    assert list(tmp_path.iterdir()) == []


@needs_milvus
def test_nothing_is_made_where_nothing_may_be(tmp_path: Path) -> None:
    path = tmp_path / "bank.db"
    with pytest.raises(BankError, match=r"expected a local Milvus bank at .*; got nothing there"):
        MilvusBank.open(path, HashingEncoder(), create=False)
    assert not path.exists()
    MilvusBank.open(path, HashingEncoder()).close()
    with pytest.raises(BankError, match=r"collection other\); got no such collection"):
        MilvusBank.open(path, HashingEncoder(), collection="other", create=False)
    MilvusBank.open(path, HashingEncoder(), create=False).close()


@needs_milvus
def test_a_file_in_the_place_of_the_folder_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "bank.db"
    path.write_bytes(b"SQLite format 3\0")
    with pytest.raises(BankError, match="expected a folder of milvus-lite 3"):
        MilvusBank.open(path, HashingEncoder())
    assert path.read_bytes() == b"SQLite format 3\0"


@needs_milvus
def test_a_collection_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    from pymilvus import MilvusClient

    path = tmp_path / "bank.db"
    address = hold(path)
    client = MilvusClient(address)
    client.create_collection("csd", dimension=4)
    with pytest.raises(BankError, match="got a collection of another program"):
        MilvusBank.open(path, HashingEncoder())
    assert client.describe_collection("csd")["fields"][1]["name"] == "vector"
    client.close()
    let_go(path)


@needs_milvus
def test_a_name_that_milvus_does_not_take_is_refused(tmp_path: Path) -> None:
    for name in ("", "a b", "1st", "x" * 256, "säulen"):
        with pytest.raises(ValueError, match="expected letters, digits and '_'"):
            MilvusBank.open(tmp_path / "bank.db", HashingEncoder(), collection=name)


@pytest.mark.parametrize("package", ["pymilvus", "milvus_lite.server_manager"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if package != "pymilvus" and find_spec("pymilvus") is None:
        pytest.skip("needs pymilvus")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(BankError, match=r"pip install '\.\[milvus\]' in a checkout"):
        MilvusBank.open(tmp_path / "bank.db", HashingEncoder())


OTHER_PROCESS = """
import sys
from csd.encode import HashingEncoder
from csd.milvus.bank import MilvusBank
from csd.store.errors import BankError
for line in sys.stdin:
    try:
        with MilvusBank.open(line.strip(), HashingEncoder()) as bank: print(*bank.ids(), flush=True)
    except BankError as error: print(error, flush=True)
"""


@needs_milvus
def test_a_closed_bank_says_so_and_lets_another_process_have_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "bank.db"
    bank = MilvusBank.open(path, HashingEncoder())
    id = bank.add(digging("sand"))
    with subprocess.Popen(
        [sys.executable, "-c", OTHER_PROCESS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as other:
        assert other.stdin
        assert other.stdout
        print(path, file=other.stdin, flush=True)
        assert "that no other process uses; milvus-lite did not start" in other.stdout.readline()
        bank.close()
        bank.close()
        with pytest.raises(BankError, match=r"expected an open bank at .*; it was closed"):
            bank.ids()
        print(path, file=other.stdin, flush=True)
        assert other.stdout.readline().split() == [id]
        other.stdin.close()


@needs_milvus
def test_a_server_is_used_by_its_address_and_a_graph_index_finds_the_same(tmp_path: Path) -> None:
    address = hold(tmp_path / "server.db")
    with MilvusBank.open(address, HashingEncoder(), token="root:Milvus") as bank:
        ids = bank.add_many([wooden_pickaxe(), digging("sand"), playing("coal", "fuel")])
        found = bank.recall({Axis.ATTR: "sand drops sand"}, k=3)
        assert [match.id for match in found] == [ids[1], ids[0]]
    let_go(tmp_path / "server.db")
    with pytest.raises(BankError, match="expected a Milvus server that answers"):
        MilvusBank.open(address, HashingEncoder(), create=False)


@needs_milvus
def test_two_collections_in_one_place_are_two_banks(tmp_path: Path) -> None:
    path = tmp_path / "bank.db"
    with (
        MilvusBank.open(path, HashingEncoder(), collection="one") as one,
        MilvusBank.open(path, HashingEncoder(), collection="two") as two,
    ):
        id = one.add(digging("sand"))
        assert two.ids() == []
        one.close()
        assert id not in two


@needs_milvus
def test_who_filed_and_what_it_came_from_can_be_read(tmp_path: Path) -> None:
    with MilvusBank.open(tmp_path / "bank.db", HashingEncoder()) as bank:
        source = bank.add(digging("sand"), filing=Filing(agent="bob", tags=("b", "a", "a")))
        bank.add(digging("sand"), filing=Filing(agent="ada", life="2"))
        assert [(one.agent, one.life, one.tags) for one in bank.filings(source)] == [
            ("ada", "2", ()),
            ("bob", "", ("a", "b")),
        ]
        made = bank.add(playing("sand", "body"), derived_from=[source])
        bank.add(playing("sand", "body"), derived_from=[source, source])
        assert bank.derived_from(made) == [source]
        bank.remove(source)
        assert bank.derived_from(made) == []


@needs_milvus
def test_a_step_beyond_64_bits_is_refused(tmp_path: Path) -> None:
    with MilvusBank.open(tmp_path / "bank.db", HashingEncoder()) as bank:
        with pytest.raises(BankError, match="expected steps within 64 bits"):
            bank.add(digging("sand", step=2**63))
        assert len(bank) == 0


@needs_milvus
def test_many_rows_are_scanned_in_parts_settled_and_found_exactly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(150, HashingEncoder.dimension))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    csds = [digging("sand").model_copy(update={"meta": meta(f"dig {n}")}) for n in range(150)]
    monkeypatch.setattr("csd.milvus.collection.ROWS_A_READ", 10)
    monkeypatch.setattr("csd.milvus.collection.IDS_A_READ", 10)
    monkeypatch.setattr("csd.milvus.collection.SETTLE_ROWS", 100)
    monkeypatch.setattr("csd.milvus.collection.REQUEST_BYTES", 300_000)
    with MilvusBank.open(tmp_path / "bank.db", HashingEncoder()) as bank:
        ids = bank.add_many(csds, vectors=[{Axis.ATTR: row} for row in rows])
        assert bank.ids() == sorted(ids)
        stored = rows.astype(np.float16).astype(np.float64)
        best = np.argsort(-(stored @ rows[7].astype(np.float64)))[:10]
        for exact in (True, False):
            found = bank.recall({Axis.ATTR: rows[7]}, k=10, exact=exact)
            assert [match.id for match in found] == [ids[place] for place in best]
        monkeypatch.setattr(search, "DEEPEST", 5)
        assert [match.id for match in bank.recall({Axis.ATTR: rows[7]}, k=10)] == [
            ids[place] for place in best
        ]


@needs_milvus
def test_candidates_in_the_corners_around_a_circle_are_passed_over_until_there_are_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at(name: str, x: float) -> Csd:
        csd = digging("sand", task=name)
        return csd.model_copy(update={"meta": csd.meta.model_copy(update={"position": (x, 64.0, x)})})

    monkeypatch.setattr(search, "LOCAL", search.Breadth(each=2, kept=4))
    with MilvusBank.open(tmp_path / "bank.db", HashingEncoder()) as bank:
        bank.add_many([at(f"corner {n}", 7.0) for n in range(20)])
        far = bank.add(at("inside", 6.0), vectors={Axis.ATTR: np.eye(256, dtype=np.float32)[3]})
        texts = {Axis.ATTR: "sand drops sand"}
        assert [match.id for match in bank.recall(texts, k=1, where=Where(near=(0.0, 0.0, 9.0)))] == [far]
        monkeypatch.setattr(search, "DEEPEST", 8)
        assert [match.id for match in bank.recall(texts, k=1, where=Where(near=(0.0, 0.0, 9.0)))] == [far]

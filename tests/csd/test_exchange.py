from __future__ import annotations

import base64
import gzip
import hashlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csd.axes import Axis
from csd.bank import Bank
from csd.descriptor import canonical_json
from csd.encode import HashingEncoder
from csd.protocol import Filing
from csd.store.errors import BankError
from csd.store.where import Where
from csd.upkeep.doctor import examine
from csd.upkeep.exchange import Exported, export_bank
from csd.upkeep.intake import import_archive
from csd.upkeep.tally import Imported, Tally
from tests.csd.descriptors import digging, playing, wooden_pickaxe
from tests.csd.other_encoder import ReversedEncoder

MONDAY = datetime(2026, 3, 2, 7, 30, tzinfo=UTC)
PICKAXE, SAND, CLAY, COAL = (
    csd.id for csd in (wooden_pickaxe(), digging("sand"), digging("clay", step=9), playing("coal", "fuel"))
)


def fill(path: Path) -> Path:
    """Make a bank that has something of everything."""
    with Bank.open(path, HashingEncoder()) as bank:
        monday = Filing(agent="ann", life="l1", tags=("tools", "wood ⛏ 𝒳"), recorded=MONDAY)
        bank.add(wooden_pickaxe(), filing=monday)
        later = datetime(2026, 3, 3, 7, tzinfo=timezone(timedelta(hours=2)))
        bank.add(wooden_pickaxe(), filing=Filing(agent="bob", recorded=later))
        bank.add(digging("sand"), filing=Filing(recorded=MONDAY), derived_from=[PICKAXE])
        bank.supersede(SAND, digging("clay", step=9), filing=Filing(recorded=MONDAY))
        bank.add(playing("coal", "fuel"), filing=Filing(recorded=MONDAY))
        bank.link(COAL, "contradicts", PICKAXE)
        bank.credit(PICKAXE, {Axis.STRUCT: 0.1, Axis.FUNC: 0.2}, success=True)
        bank.credit(PICKAXE, {Axis.FUNC: 0.7}, success=False)
        for _ in range(2):
            bank.log_failure("craft", {"grid": [None, "é"], "half": "\ud83c"}, step=4, used=[PICKAXE])
        bank.log_failure("dig", {}, step=5)
    return path


def export(path: Path, target: Path) -> Exported:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return export_bank(connection, str(path), target)


def all_rows(path: Path) -> dict[str, list[Any]]:
    """Return everything in a bank but its history, whose rows are new in each."""
    sql = {
        "csd": "SELECT * FROM csd ORDER BY id",
        "vector": "SELECT id, present, halves FROM vector JOIN csd USING (row) ORDER BY id",
        "episode": "SELECT id, episode FROM episode JOIN csd USING (row) ORDER BY 1, 2",
        "filing": "SELECT id, agent, life, f.recorded FROM filing f JOIN csd USING (row) ORDER BY 1, 2, 3",
        "tag": "SELECT id, agent, life, tag FROM tag JOIN csd USING (row) ORDER BY 1, 2, 3, 4",
        "link": "SELECT a.id, kind, b.id FROM link JOIN csd a ON a.row = source JOIN csd b ON b.row = target "
        "ORDER BY 1, 2, 3",
        "credit": "SELECT id, axis, successes, failures FROM credit JOIN csd USING (row) ORDER BY 1, 2",
        "failure": "SELECT * FROM failure ORDER BY number",
    }
    with closing(sqlite3.connect(path)) as connection:
        return {name: connection.execute(query).fetchall() for name, query in sql.items()}


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    return fill(tmp_path / "bank.db")


@pytest.fixture
def archive(bank: Path, tmp_path: Path) -> Path:
    export(bank, tmp_path / "bank.jsonl")
    return tmp_path / "bank.jsonl"


def rewritten(archive: Path, change: Callable[[list[Any]], object]) -> Path:
    """Write the archive again after `change` to its parsed lines, with a digest that fits."""
    lines = [json.loads(line) for line in archive.read_bytes().splitlines()][:-1]
    change(lines)
    data = b"".join(canonical_json(line).encode() + b"\n" for line in lines)
    end = canonical_json({"end": hashlib.sha256(data).hexdigest()}).encode()
    target = archive.with_name("rewritten.jsonl")
    target.write_bytes(data + end + b"\n")
    return target


def refused(archive: Path, path: Path, complaint: str, **how: Any) -> None:
    """Check that the archive is refused and that the folder is as it was."""
    before = {file: file.read_bytes() for file in sorted(path.parent.iterdir()) if file.is_file()}
    rows = all_rows(path) if path.exists() else None
    with pytest.raises(BankError, match=complaint):
        import_archive(archive, path, **how)
    assert {file: file.read_bytes() for file in sorted(path.parent.iterdir()) if file.is_file()} == before
    assert (all_rows(path) if path.exists() else None) == rows


def test_an_archive_holds_all_and_gives_the_same_bank_again(
    bank: Path, archive: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    found = import_archive(archive, copy)
    assert found == Imported(
        descriptors=Tally(new=4),
        filings=Tally(new=5),
        links=Tally(new=2),
        credit=Tally(new=2),
        failures=Tally(new=3),
        conflicts=(),
        dry_run=False,
    )
    assert all_rows(copy) == all_rows(bank)
    assert export(copy, tmp_path / "again.jsonl") == Exported(descriptors=4, links=2, credit=2, failures=3)
    assert (tmp_path / "again.jsonl").read_bytes() == archive.read_bytes()
    with Bank.open(bank, HashingEncoder()) as old, Bank.open(copy, HashingEncoder()) as new:
        assert new.digest() == old.digest()
        assert new.versions(CLAY) == old.versions(CLAY)
        assert new.links(CLAY) == old.links(CLAY) == [(CLAY, "supersedes", SAND)]
        for where in (None, Where(as_of=8), Where(agent="ann"), Where(tags=("wood ⛏ 𝒳",))):
            asked = digging("sand")
            assert new.recall(asked, k=9, where=where) == old.recall(asked, k=9, where=where)


def test_an_archive_can_be_read_by_a_person(archive: Path) -> None:
    lines = [json.loads(line) for line in archive.read_text().splitlines()]
    assert lines[0]["encoder"] == {"name": "hashing-256", "dimension": 256, "rendering": 1}
    assert lines[0]["counts"] == {"descriptors": 4, "links": 2, "credit": 2, "failures": 3}
    assert [line.get("csd") for line in lines[1:5]] == [PICKAXE, SAND, CLAY, COAL]
    assert lines[1]["record"]["meta"]["task"] == "make a wooden_pickaxe"
    assert lines[1]["filings"][0] == {
        "agent": "ann",
        "life": "l1",
        "recorded": "2026-03-02T07:30:00+00:00",
        "tags": ["tools", "wood ⛏ 𝒳"],
    }
    assert lines[2]["superseded"] == {"at": "2026-03-02T07:30:00+00:00", "by": CLAY, "step": 9}
    assert len(base64.b64decode(lines[4]["vectors"]["func"])) == 2 * 256
    assert lines[5] == {"link": [SAND, "derived_from", PICKAXE]}
    assert {"credit": PICKAXE, "axis": "func", "successes": 0.2, "failures": 0.7} in lines
    assert list(lines[-1]) == ["end"]


TEXT = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
FILINGS = st.builds(
    Filing,
    agent=TEXT,
    life=TEXT,
    tags=st.lists(TEXT, max_size=3).map(tuple),
    recorded=st.datetimes(min_value=datetime(1900, 1, 1), timezones=st.just(UTC)),
)
STORIES = st.lists(
    st.tuples(
        st.sampled_from(["sand", "clay", "é𝒳"]), st.integers(0, 3), FILINGS, st.dictionaries(TEXT, JSON)
    ),
    max_size=6,
)


@settings(max_examples=12)
@given(stories=STORIES)
def test_whatever_a_bank_holds_comes_back_and_is_written_the_same_again(
    tmp_path_factory: pytest.TempPathFactory, stories: list[tuple[str, int, Filing, dict[str, Any]]]
) -> None:
    folder = tmp_path_factory.mktemp("story")
    with Bank.open(folder / "bank.db", HashingEncoder(), durable=False) as bank:
        last = None
        for block, step, filing, conditions in stories:
            csd = digging(block, step=step)
            if last not in (None, csd.id) and bank.versions(last)[-1].id == last and csd.id not in bank:
                bank.supersede(last, csd, filing=filing, at_step=bank.versions(last)[-1].valid_from + step)
            last = bank.add(csd, filing=filing)
            bank.credit(last, {Axis.ATTR: step / 3}, success=bool(step % 2))
            bank.log_failure(filing.agent, conditions, step=step, used=[last, filing.life])
        bank.export(folder / "a.jsonl")
    import_archive(folder / "a.jsonl", folder / "copy.db")
    assert all_rows(folder / "copy.db") == all_rows(folder / "bank.db")
    export(folder / "copy.db", folder / "b.jsonl")
    assert (folder / "b.jsonl").read_bytes() == (folder / "a.jsonl").read_bytes()
    assert import_archive(folder / "a.jsonl", folder / "copy.db").conflicts == ()
    assert all_rows(folder / "copy.db") == all_rows(folder / "bank.db")
    assert examine(folder / "copy.db").sound


def test_a_compressed_archive_has_the_same_lines_and_always_the_same_bytes(
    bank: Path, archive: Path, tmp_path: Path
) -> None:
    export(bank, tmp_path / "a.jsonl.gz")
    export(bank, tmp_path / "b.jsonl.gz")
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()) == archive.read_bytes()
    import_archive(tmp_path / "a.jsonl.gz", tmp_path / "copy.db")
    assert all_rows(tmp_path / "copy.db") == all_rows(bank)


def test_taking_an_archive_twice_is_taking_it_once(bank: Path, archive: Path) -> None:
    before = all_rows(bank)
    found = import_archive(archive, bank)
    assert found == Imported(
        descriptors=Tally(same=4),
        filings=Tally(same=5),
        links=Tally(same=2),
        credit=Tally(same=2),
        failures=Tally(same=3),
        conflicts=(),
        dry_run=False,
    )
    assert all_rows(bank) == before


def test_an_empty_bank_can_be_carried_too(tmp_path: Path) -> None:
    Bank.open(tmp_path / "empty.db", HashingEncoder()).close()
    export(tmp_path / "empty.db", tmp_path / "empty.jsonl")
    assert import_archive(tmp_path / "empty.jsonl", tmp_path / "copy.db").descriptors == Tally()
    with Bank.open(tmp_path / "copy.db", HashingEncoder(), create=False) as bank:
        assert len(bank) == 0


def test_a_dry_run_counts_and_leaves_no_trace(bank: Path, archive: Path, tmp_path: Path) -> None:
    assert import_archive(archive, tmp_path / "new.db", dry_run=True).descriptors == Tally(new=4)
    assert not (tmp_path / "new.db").exists()
    with Bank.open(bank, HashingEncoder()) as opened:
        opened.remove(COAL)
        opened.credit(PICKAXE, {Axis.FUNC: 1.0}, success=True)
    before = all_rows(bank)
    found = import_archive(archive, bank, dry_run=True)
    assert found.descriptors == Tally(new=1, same=3)
    assert found.credit == Tally(same=1, conflicting=1)
    assert found.conflicts == (f"{PICKAXE} func: credit (0.2, 0.7), not (1.2, 0.7)",)
    assert found.dry_run
    assert all_rows(bank) == before


def test_two_banks_are_joined_and_what_only_one_has_stays(archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with Bank.open(path, HashingEncoder()) as bank:
        bank.add(digging("gravel"), filing=Filing(agent="cid", recorded=MONDAY))
        early = MONDAY - timedelta(days=1)
        bank.add(wooden_pickaxe(), filing=Filing(agent="ann", life="l1", tags=("mine",), recorded=early))
        bank.credit(PICKAXE, {Axis.PROC: 1.0}, success=True)
        bank.log_failure("dig", {}, step=5)
        bank.log_failure("swim", {}, step=6)
    found = import_archive(archive, path)
    assert found.descriptors == Tally(new=3, same=1)
    assert found.failures == Tally(new=2, same=1)
    with Bank.open(path, HashingEncoder()) as bank:
        assert len(bank) == 5
        assert bank.versions(PICKAXE)[0].recorded == early
        assert bank.credits(PICKAXE)[Axis.PROC].successes == 1.0
        assert bank.credits(PICKAXE)[Axis.FUNC].failures == 0.7
        assert [one.key for one in bank.failures()] == ["dig", "swim", "craft", "craft"]
        for tag in ("mine", "tools"):
            assert [match.id for match in bank.recall(wooden_pickaxe(), k=9, where=Where(tags=(tag,)))] == [
                PICKAXE
            ]
    rows = all_rows(path)
    import_archive(archive, path)
    assert all_rows(path) == rows


def differ_in_credit(bank: Bank) -> None:
    bank.credit(PICKAXE, {Axis.FUNC: 1.0}, success=True)


def differ_in_state(bank: Bank) -> None:
    bank.supersede(COAL, playing("charcoal", "fuel"), filing=Filing(recorded=MONDAY))


def differ_in_vectors(bank: Bank) -> None:
    vectors = bank.vectors(COAL)
    bank.remove(COAL)
    [vectors[Axis.FUNC]] = HashingEncoder().encode(["something else"])
    bank.add(playing("coal", "fuel"), vectors=vectors, filing=Filing(recorded=MONDAY))
    bank.link(COAL, "contradicts", PICKAXE)


DIFFERENCES = {
    "credit": (differ_in_credit, r"csd_\w+ func .*credit \(0.2, 0.7\), not \(1.2, 0.7\)"),
    "state": (differ_in_state, f"{COAL} .*another state"),
    "vectors": (differ_in_vectors, f"{COAL} .*other vectors"),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_what_differs_is_refused_kept_or_taken(bank: Path, archive: Path, name: str) -> None:
    change, complaint = DIFFERENCES[name]
    original = all_rows(bank)
    with Bank.open(bank, HashingEncoder()) as opened:
        change(opened)
    ours = all_rows(bank)
    refused(archive, bank, f"expected {complaint}.*--on-conflict")
    kept = import_archive(archive, bank, on_conflict="keep")
    assert all_rows(bank) == ours
    taken = import_archive(archive, bank, on_conflict="theirs")
    assert kept.conflicts == taken.conflicts != ()
    table = {"credit": "credit", "state": "link", "vectors": "vector"}[name]
    assert all_rows(bank)[table] == original[table]
    assert import_archive(archive, bank, on_conflict="refuse").conflicts == ()
    with Bank.open(bank, HashingEncoder()) as opened:
        best = opened.recall(playing("coal", "fuel"), k=1)[0]
        assert (best.id, best.score) == (COAL, pytest.approx(1.0, abs=1e-3))


def test_a_correction_made_elsewhere_is_found_at_once_by_a_bank_that_is_open(
    bank: Path, archive: Path, tmp_path: Path
) -> None:
    import_archive(archive, tmp_path / "copy.db")
    with Bank.open(bank, HashingEncoder()) as opened:
        opened.supersede(COAL, playing("charcoal", "fuel"), at_step=20)
    export(bank, tmp_path / "newer.jsonl")
    with Bank.open(tmp_path / "copy.db", HashingEncoder()) as copy:
        assert copy.recall(playing("coal", "fuel"), k=1)[0].id == COAL
        import_archive(tmp_path / "newer.jsonl", tmp_path / "copy.db", on_conflict="theirs")
        assert copy.recall(playing("coal", "fuel"), k=1)[0].id == playing("charcoal", "fuel").id
        assert copy.recall(playing("coal", "fuel"), k=1, where=Where(as_of=19))[0].id == COAL
        assert [version.id for version in copy.versions(COAL)] == [COAL, playing("charcoal", "fuel").id]


def test_an_unknown_rule_is_refused(archive: Path, bank: Path) -> None:
    with pytest.raises(ValueError, match="rule out of keep, theirs, refuse; got 'sum'"):
        import_archive(archive, bank, on_conflict="sum")


def test_vectors_of_another_encoder_are_refused_or_made_anew(archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "reversed.db"
    with Bank.open(path, ReversedEncoder()) as bank:
        bank.add(wooden_pickaxe())
    refused(archive, path, "expected vectors of 'reversed-256' .*got those of 'hashing-256'")
    refused(archive, path, "expected vectors of 'reversed-256'", encoder=HashingEncoder())
    found = import_archive(archive, path, encoder=ReversedEncoder())
    assert found.descriptors == Tally(new=3, same=1)
    import_archive(archive, tmp_path / "new.db", encoder=ReversedEncoder())
    with (
        Bank.open(path, ReversedEncoder()) as bank,
        Bank.open(tmp_path / "new.db", ReversedEncoder()) as new,
        Bank.open(None, ReversedEncoder()) as fresh,
    ):
        fresh.add_many([wooden_pickaxe(), digging("sand"), digging("clay", step=9), playing("coal", "fuel")])
        assert bank.digest() == new.digest() == fresh.digest()


def test_every_archive_that_is_cut_off_is_refused(archive: Path, bank: Path, tmp_path: Path) -> None:
    whole = archive.read_bytes()
    cuts = [0, 1, len(whole) // 2, len(whole) - 2]
    starts = [place + 1 for place, byte in enumerate(whole[:-1]) if byte == ord("\n")]
    for cut in [*cuts, *starts, *(start + 1 for start in starts)]:
        archive.write_bytes(whole[:cut])
        refused(
            archive, bank, r"expected .* in line \d+ of .*got .*Nothing was changed", on_conflict="theirs"
        )
        refused(archive, tmp_path / "new.db", r"in line \d+ of")
    archive.write_bytes(whole)
    packed = gzip.compress(whole)
    for cut in (3, 20, len(packed) // 2, len(packed) - 1):
        archive.write_bytes(packed[:cut])
        refused(archive, bank, r"in line \d+ of")


def test_every_byte_that_is_altered_is_noticed(archive: Path, bank: Path) -> None:
    whole = archive.read_bytes()
    for place in range(0, len(whole) - 1, 997):
        archive.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(BankError, match=r"(in line \d+ of|archive format 1)"):
            import_archive(archive, bank, on_conflict="theirs")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"hello",
        b"[1, 2]",
        b"{}",
        b'{"archive": "mine"}',
        b"\xff\xfe\x00",
        b"[" * 9000,
        b"\x1f\x8bno",
    ],
)
def test_a_foreign_file_is_refused(bank: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "foreign").write_bytes(content)
    refused(tmp_path / "foreign", bank, "in line 1 of .*no archive of a bank")


def test_a_missing_archive_and_a_bank_in_its_place_are_refused(bank: Path, tmp_path: Path) -> None:
    refused(tmp_path / "none.jsonl", bank, "archive that can be read at .*none.jsonl; got .*No such file")
    refused(bank, bank, "one JSON object in line 1 of")
    refused(tmp_path, bank, "archive that can be read")


def test_an_archive_of_another_format_names_both(archive: Path, bank: Path) -> None:
    refused(
        rewritten(archive, lambda lines: lines[0].update(format=2)),
        bank,
        "archive format 1 in .*got format 2",
    )


def altered(change: Callable[[list[Any]], object], complaint: str) -> Any:
    return pytest.param(change, complaint, id=complaint)


def test_half_a_character_in_a_record_is_refused_even_under_its_own_id(archive: Path, tmp_path: Path) -> None:
    def halve(lines: list[Any]) -> None:
        lines[4]["record"]["meta"]["task"] = "\ud83c"
        text = canonical_json(lines[4]["record"])
        lines[4]["csd"] = "csd_" + hashlib.sha256(text.encode()).hexdigest()[:16]

    refused(rewritten(archive, halve), tmp_path / "new.db", "(?s)record of csd_.* in line 5 of")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        altered(
            lambda lines: lines[1]["record"]["meta"].update(task="steal"), "record of csd_.* in line 2 of"
        ),
        altered(lambda lines: lines.insert(2, lines[1]), "got '?csd_.*second time"),
        altered(lambda lines: lines.insert(6, lines[5]), "line 7 of .*second time"),
        altered(lambda lines: lines[1]["record"].update(mood="calm"), "record of csd_.* in line 2 of"),
        altered(lambda lines: lines[1]["filings"][0]["tags"].append("\ud83c"), "line 2 of .*surrogates"),
        altered(lambda lines: lines[1].update(mood=1), "line of the kind 'csd' in line 2 of"),
        altered(lambda lines: lines[1].update(valid_from=1 << 70), "in line 2 of"),
        altered(lambda lines: lines[1].update(recorded="2026-01-01"), "line 2 of .*without a zone"),
        altered(lambda lines: lines[1].update(recorded="noon"), "line 2 of .*noon"),
        altered(lambda lines: lines[1]["vectors"].pop("func"), "line 2 of .*vectors on attr"),
        altered(lambda lines: lines[1]["vectors"].update(func="AAAA"), "line 2 of .*numbers instead of 256"),
        altered(lambda lines: lines[1]["vectors"].update(func="?"), "line 2 of .*got"),
        altered(
            lambda lines: lines[1]["vectors"].update(func=base64.b64encode(bytes(512)).decode()),
            "line 2 of .*unit length",
        ),
        altered(lambda lines: lines.pop(4), "in line 6 of .*no descriptor of the archive"),
        altered(lambda lines: lines.pop(), "expected the counts .*failures': 2"),
        altered(lambda lines: lines.append(lines[1]), "a line that follows 'failure' in line 13 of"),
        altered(lambda lines: lines.append(lines[0]), "a line that follows 'failure' in line 13 of"),
        altered(lambda lines: lines[5].update(link=[COAL, "loves", SAND]), "line 6 of .*link"),
        altered(lambda lines: lines[5].update(link=[COAL, "supersedes", SAND]), "line 6 of .*link"),
        altered(lambda lines: lines[7].update(axis="mood"), "line 8 of .*mood"),
        altered(lambda lines: lines[7].update(failures=-1.0), "line 8 of .*credit"),
        altered(
            lambda lines: lines[4].update(
                superseded={"at": "2026-03-02T07:30:00+00:00", "by": "csd_0", "step": 1}
            ),
            "what superseded csd_.*got no csd_0",
        ),
        altered(
            lambda lines: lines[3].update(
                superseded={"at": "2026-03-02T07:30:00+00:00", "by": SAND, "step": 9}
            ),
            "got a circle of csd_",
        ),
    ],
)
def test_an_archive_that_was_altered_with_its_digest_is_refused(
    archive: Path, tmp_path: Path, change: Callable[[list[Any]], object], complaint: str
) -> None:
    altered = archive.with_name("rewritten.jsonl")
    lines = [json.loads(line) for line in archive.read_bytes().splitlines()][:-1]
    change(lines)
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    altered.write_bytes(data + json.dumps({"end": hashlib.sha256(data).hexdigest()}).encode())
    refused(altered, tmp_path / "new.db", f"(?s){complaint}")


def test_an_export_replaces_an_older_one_and_nothing_else(bank: Path, archive: Path, tmp_path: Path) -> None:
    with Bank.open(bank, HashingEncoder()) as opened:
        opened.remove(COAL)
    assert export(bank, archive).descriptors == 3
    (tmp_path / "notes.txt").write_text("mine")
    for other in (tmp_path / "notes.txt", bank):
        before = other.read_bytes()
        with pytest.raises(BankError, match=r"a new file or an archive to replace at .*left as it is"):
            export(bank, other)
        assert other.read_bytes() == before
    with pytest.raises(BankError, match=r"written to at .*none"):
        export(bank, tmp_path / "none" / "a.jsonl")
    assert not list(tmp_path.glob(".*"))


def test_a_damaged_bank_is_not_exported_as_if_it_were_whole(
    bank: Path, archive: Path, tmp_path: Path
) -> None:
    before = archive.read_bytes()
    for damage in (
        f"UPDATE csd SET record = replace(record, 'coal', 'cola') WHERE id = '{COAL}'",
        "DELETE FROM vector",
        "UPDATE vector SET halves = zeroblob(512)",
        f"UPDATE csd SET superseded_at = NULL WHERE id = '{SAND}'",
        "UPDATE failure SET conditions = '{'",
    ):
        damaged = tmp_path / "damaged.db"
        damaged.write_bytes(bank.read_bytes())
        with closing(sqlite3.connect(damaged, isolation_level=None)) as connection:
            connection.execute(damage)
        with pytest.raises(BankError, match=r"damaged"):
            export(damaged, archive)
        assert archive.read_bytes() == before
    assert not list(tmp_path.glob(".*"))


def test_an_export_is_one_moment_of_the_bank(bank: Path, archive: Path, tmp_path: Path) -> None:
    with (
        Bank.open(bank, HashingEncoder()) as writer,
        closing(sqlite3.connect(bank, isolation_level=None)) as reader,
    ):
        export_bank(
            reader,
            "bank",
            tmp_path / "moment.jsonl",
            progress=lambda done, total: writer.add(digging(f"block {done} of {total}")),
        )
        assert len(writer) == 8
    assert (tmp_path / "moment.jsonl").read_bytes() == archive.read_bytes()


KILLED = """
import os, signal, sqlite3, sys
from pathlib import Path
from csd.upkeep.intake import import_archive
count, connect = 0, sqlite3.connect
def counted(statement):
    global count
    count += 1
    if count == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
def watched(*arguments, **settings):
    connection = connect(*arguments, **settings)
    connection.set_trace_callback(counted)
    return connection
sqlite3.connect = watched
import_archive(sys.argv[1], sys.argv[2], on_conflict="theirs")
"""


@pytest.mark.parametrize("statement", [20, 50, 80])
def test_an_import_that_is_killed_never_happened(
    bank: Path, archive: Path, tmp_path: Path, statement: int
) -> None:
    with Bank.open(bank, HashingEncoder()) as opened:
        opened.remove(PICKAXE)
        opened.remove(COAL)
    before = all_rows(bank)
    for target in (bank, tmp_path / "new.db"):
        child = subprocess.run([sys.executable, "-c", KILLED, archive, target, str(statement)], check=False)
        assert child.returncode == -9
    assert all_rows(bank) == before
    assert not (tmp_path / "new.db").exists()
    assert import_archive(archive, tmp_path / "new.db").descriptors == Tally(new=4)


def test_a_full_disk_leaves_the_older_archive(bank: Path, archive: Path) -> None:
    before = archive.read_bytes()
    with Bank.open(bank, HashingEncoder()) as opened:
        opened.add_many([digging(f"block {number}") for number in range(60)])
    script = (
        "import resource, sqlite3, sys\n"
        "from pathlib import Path\n"
        "from csd.upkeep.exchange import export_bank\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))\n"
        "export_bank(sqlite3.connect(sys.argv[1], isolation_level=None), 'bank', Path(sys.argv[2]))\n"
    )
    child = subprocess.run(
        [sys.executable, "-c", script, bank, archive], capture_output=True, text=True, check=False
    )
    assert "expected a place that an archive can be written to" in child.stderr
    assert "File too large" in child.stderr
    assert archive.read_bytes() == before
    assert not list(archive.parent.glob(".*"))


def test_results_can_be_written_as_json(archive: Path, bank: Path) -> None:
    found = asdict(import_archive(archive, bank))
    assert json.loads(json.dumps(found))["descriptors"] == {"new": 0, "same": 4, "conflicting": 0}

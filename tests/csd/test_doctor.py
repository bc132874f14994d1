from __future__ import annotations

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from csd.axes import Axis
from csd.bank import Bank
from csd.caches import cache_folder
from csd.descriptor import canonical_json
from csd.encode import Encoder, HashingEncoder
from csd.encode_store import EmbeddingStore
from csd.protocol import Filing
from csd.store.errors import BankError
from csd.upkeep.doctor import examine, repair
from csd.upkeep.exchange import export_bank
from csd.upkeep.findings import Repaired
from csd.upkeep.reembed import reembed
from tests.csd.descriptors import digging, playing, wooden_pickaxe
from tests.csd.other_encoder import ReversedEncoder

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
PICKAXE, SAND, CLAY, COAL = (
    csd.id for csd in (wooden_pickaxe(), digging("sand"), digging("clay", step=9), playing("coal", "fuel"))
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Make a bank that has something of everything."""
    path = tmp_path / "bank.db"
    with Bank.open(path, HashingEncoder()) as bank:
        bank.add(wooden_pickaxe(), filing=Filing(agent="ann", tags=("tools",), recorded=NOON))
        bank.add(digging("sand"), derived_from=[PICKAXE])
        bank.supersede(SAND, digging("clay", step=9), filing=Filing(recorded=NOON))
        bank.add(playing("coal", "fuel"))
        bank.credit(PICKAXE, {Axis.FUNC: 0.5}, success=True)
        bank.log_failure("craft", {"grid": "A"}, step=4, used=[PICKAXE])
    return path


def damage(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def one(path: Path, sql: str) -> object:
    with closing(sqlite3.connect(path)) as connection:
        found: object = connection.execute(sql).fetchone()[0]
        return found


def kinds(path: Path, encoder: Encoder | None = None) -> list[str]:
    return [finding.kind for finding in examine(path, encoder=encoder).findings]


def mended(path: Path, expected: list[str], encoder: Encoder | None = None) -> Repaired:
    """Check that exactly `expected` is found, all of it is mended, and the bank works and can be exported."""
    assert kinds(path, encoder) == expected
    repaired = repair(path, encoder=encoder, now=NOON)
    assert [finding.kind for finding in repaired.found] == expected
    assert repaired.left == ()
    assert repaired.done
    assert examine(path).sound
    again = repair(path, encoder=encoder)
    assert (again.found, again.done, again.left, again.aside) == ((), (), (), None)
    with Bank.open(path, HashingEncoder()) as bank:
        for id in bank.ids():
            assert bank.get(id).id == id
            bank.vectors(id)
            bank.versions(id)
        assert len(bank.recall(wooden_pickaxe(), k=99)) == len(
            bank.recall(wooden_pickaxe(), k=99, exact=True)
        )
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        export_bank(connection, str(path), path.with_name("mended.jsonl"))
    return repaired


def aside(repaired: Repaired) -> list[dict[str, object]]:
    assert repaired.aside is not None
    assert repaired.aside.name == "bank.db.damaged-20260302T120000Z.jsonl"
    return [json.loads(line) for line in repaired.aside.read_text().splitlines()]


def test_a_sound_bank_is_left_alone(path: Path) -> None:
    before = path.read_bytes()
    assert examine(path).sound
    assert repair(path, encoder=HashingEncoder()) == Repaired(found=(), done=(), left=(), aside=None)
    assert path.read_bytes() == before


def test_what_is_no_bank_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    damage(tmp_path / "other.db", "CREATE TABLE mine (x)")
    for name, complaint in (("none", "no file"), ("empty", "empty file"), ("other", "another program")):
        with pytest.raises(BankError, match=complaint):
            examine(tmp_path / f"{name}.db")
        with pytest.raises(BankError, match=complaint):
            repair(tmp_path / f"{name}.db")


def test_a_damaged_record_is_put_aside_with_all_that_hung_on_it(path: Path) -> None:
    damage(path, f"UPDATE csd SET record = replace(record, 'oak', 'elm') WHERE id = '{PICKAXE}'")
    finding = examine(path).findings[0]
    assert (finding.kind, finding.where) == ("damaged record", PICKAXE)
    assert "content has the id" in finding.what
    kept = aside(mended(path, ["damaged record"]))
    assert kept[0]["what"] == "damaged record"
    assert "elm_planks" in str(kept[0]["record"])
    assert {str(line["what"]).removesuffix(f" of {PICKAXE}") for line in kept[1:]} == {
        "vector",
        "episode",
        "filing",
        "tag",
        "credit",
        "link",
    }
    with Bank.open(path, HashingEncoder()) as bank:
        assert bank.ids() == sorted([SAND, CLAY, COAL])
        assert bank.add(wooden_pickaxe()) == PICKAXE


def test_a_damaged_correction_leaves_the_old_one_superseded(path: Path) -> None:
    damage(path, f"UPDATE csd SET record = '' WHERE id = '{CLAY}'")
    kept = aside(mended(path, ["damaged record"]))
    assert {"what": f"superseded by {CLAY}", "id": SAND, "superseded_by": CLAY} in kept
    with Bank.open(path, HashingEncoder()) as bank:
        version = bank.versions(SAND)[0]
        assert (version.superseded_step, version.superseded_by) == (9, None)


def test_a_record_under_the_id_of_another_is_put_aside(path: Path) -> None:
    damage(path, f"UPDATE csd SET id = 'csd_{'0' * 16}' WHERE id = '{COAL}'")
    assert aside(mended(path, ["damaged record", "history"]))[0]["id"] == "csd_" + "0" * 16


def test_a_whole_record_of_another_release_is_left(path: Path) -> None:
    record = canonical_json({**json.loads(playing("coal", "fuel").canonical()), "mood": "calm"})
    id = f"csd_{hashlib.sha256(record.encode()).hexdigest()[:16]}"
    damage(path, f"UPDATE csd SET id = '{id}', record = '{record}' WHERE id = '{COAL}'")
    repaired = repair(path)
    assert [finding.kind for finding in repaired.left] == ["unknown record"]
    assert "another release" in repaired.left[0].repair
    assert one(path, f"SELECT record FROM csd WHERE id = '{id}'") == record
    assert repair(path).done == ()


def test_columns_that_differ_from_the_record_are_written_anew(path: Path) -> None:
    damage(path, f"UPDATE csd SET success = 0, biome = 'moon', x = 9 WHERE id = '{PICKAXE}'")
    assert "columns success, biome, x" in examine(path).findings[0].what
    mended(path, ["columns"])
    assert one(path, f"SELECT success || biome || x FROM csd WHERE id = '{PICKAXE}'") == "1forest0.5"


@pytest.mark.parametrize(
    "statement", ["DELETE FROM episode WHERE row = 1", "INSERT INTO episode VALUES (1, 'ep_000099')"]
)
def test_episode_rows_that_differ_from_the_record_are_written_anew(path: Path, statement: str) -> None:
    damage(path, statement)
    mended(path, ["episode rows"])
    assert one(path, "SELECT group_concat(episode) FROM episode WHERE row = 1") == "ep_000001"


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("DELETE FROM vector WHERE row = 1", "missing vector"),
        ("UPDATE vector SET present = 1 WHERE row = 1", "vector axes"),
        ("UPDATE vector SET halves = zeroblob(2560) WHERE row = 1", "damaged vector"),
        ("UPDATE vector SET halves = substr(halves, 1, 2559) WHERE row = 1", "damaged vector"),
        ("UPDATE vector SET halves = x'' WHERE row = 1", "damaged vector"),
        ("UPDATE vector SET halves = substr(halves, 1, 1280) WHERE row = 1", "wrong dimension"),
        (
            "UPDATE vector SET halves = CAST(x'007c' || substr(halves, 3) AS BLOB) WHERE row = 1",
            "damaged vector",
        ),
    ],
)
def test_vectors_are_made_anew_by_the_encoder_of_the_bank_alone(
    path: Path, statement: str, kind: str
) -> None:
    with Bank.open(path, HashingEncoder()) as bank:
        digest = bank.digest()
    damage(path, statement)
    for encoder in (None, ReversedEncoder()):
        repaired = repair(path, encoder=encoder)
        assert [finding.kind for finding in repaired.left] == [kind]
        assert "left: it takes the encoder 'hashing-256'" in repaired.left[0].repair
        assert repaired.done == ()
    mended(path, [kind], HashingEncoder())
    with Bank.open(path, HashingEncoder()) as bank:
        assert bank.digest() == digest


def test_a_bank_that_is_open_notices_that_its_vectors_were_made_anew(path: Path) -> None:
    with Bank.open(path, HashingEncoder()) as bank:
        damage(path, "DELETE FROM vector WHERE row = 1")
        repair(path, encoder=HashingEncoder())
        with pytest.raises(BankError, match="open it again"):
            bank.recall(wooden_pickaxe(), k=1)


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("INSERT INTO link VALUES (1, 'derived_from', 99)", "dangling link"),
        ("INSERT INTO link VALUES (99, 'derived_from', 1)", "dangling link"),
        ("INSERT INTO vector VALUES (99, 1, x'00', 0)", "vector of no descriptor"),
        ("INSERT INTO episode VALUES (99, 'ep_000001')", "episode of no descriptor"),
        ("INSERT INTO filing VALUES (99, '', '', 0)", "filing of no descriptor"),
        ("INSERT INTO tag VALUES (99, '', '', 'a')", "tag of no descriptor"),
        ("INSERT INTO credit VALUES (99, 'func', 1, 1)", "credit of no descriptor"),
        ("INSERT INTO link VALUES (1, 'loves', 2)", "unknown link"),
        ("INSERT INTO link VALUES (1, 'contradicts', 1)", "unknown link"),
        ("INSERT INTO credit VALUES (1, 'mood', 1, 1)", "impossible credit"),
        ("UPDATE credit SET failures = -1", "impossible credit"),
        ("UPDATE credit SET successes = 9e999", "impossible credit"),
        ("UPDATE failure SET conditions = '{'", "unreadable failure"),
        ("UPDATE failure SET conditions = '[]'", "unreadable failure"),
        ("UPDATE failure SET used = '[1]'", "unreadable failure"),
    ],
)
def test_what_cannot_be_is_taken_out_and_kept(path: Path, statement: str, kind: str) -> None:
    damage(path, statement)
    kept = aside(mended(path, [kind]))
    assert len(kept) == 1


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (["DELETE FROM filing WHERE row = 4"], (f"{COAL}", "", 0)),
        (["DELETE FROM filing WHERE row = 1"], (PICKAXE, "ann", 1)),
    ],
)
def test_what_no_one_filed_is_filed(
    path: Path, statements: list[str], expected: tuple[str, str, int]
) -> None:
    damage(path, *statements)
    mended(path, ["missing filing"])
    id, agent, tags = expected
    assert one(path, f"SELECT agent FROM filing JOIN csd USING (row) WHERE id = '{id}'") == agent
    assert one(path, f"SELECT count(*) FROM tag JOIN csd USING (row) WHERE id = '{id}'") == tags


@pytest.mark.parametrize(
    ("statement", "expected", "version"),
    [
        (
            f"UPDATE csd SET superseded_by = 'csd_0' WHERE id = '{SAND}'",
            ["lost correction", "wrong link"],
            (9, None),
        ),
        (f"UPDATE csd SET superseded_step = NULL WHERE id = '{SAND}'", ["half superseded"], (9, CLAY)),
        (
            f"UPDATE csd SET superseded_at = NULL WHERE id = '{SAND}'",
            ["half superseded", "history"],
            (9, CLAY),
        ),
        (
            f"UPDATE csd SET superseded_at = NULL, superseded_by = NULL WHERE id = '{SAND}'",
            ["half superseded", "wrong link", "history"],
            (None, None),
        ),
        ("DELETE FROM link WHERE kind = 'supersedes'", ["missing link"], (9, CLAY)),
        ("INSERT INTO link VALUES (1, 'supersedes', 2)", ["wrong link"], (9, CLAY)),
    ],
)
def test_corrections_that_are_half_there_are_completed_or_cut(
    path: Path, statement: str, expected: list[str], version: tuple[int | None, str | None]
) -> None:
    damage(path, statement)
    mended(path, expected)
    with Bank.open(path, HashingEncoder()) as bank:
        [found] = [one for one in bank.versions(SAND) if one.id == SAND]
        assert (found.superseded_step, found.superseded_by) == version
        links = [(CLAY, "supersedes", SAND)] if version[1] else []
        assert [link for link in bank.links(SAND) if link[1] == "supersedes"] == links


def test_a_circle_of_corrections_is_opened_where_it_was_closed_last(path: Path) -> None:
    damage(
        path,
        f"UPDATE csd SET superseded_at = superseded_at - 1000000 WHERE id = '{SAND}'",
        f"UPDATE csd SET superseded_step = 9, superseded_at = recorded, superseded_by = '{SAND}' "
        f"WHERE id = '{CLAY}'",
    )
    mended(path, ["circle", "missing link", "history"])
    with Bank.open(path, HashingEncoder()) as bank:
        assert [(one.id, one.superseded_by) for one in bank.versions(SAND)] == [(SAND, CLAY), (CLAY, None)]


def test_steps_and_times_that_cannot_be_are_left_with_the_reason(path: Path) -> None:
    damage(
        path, f"UPDATE csd SET valid_from = 99 WHERE id = '{SAND}'", "UPDATE filing SET recorded = -1 << 62"
    )
    repaired = repair(path)
    assert {finding.kind for finding in repaired.left} == {"state in disorder", "impossible time"}
    assert all("not known" in finding.repair for finding in repaired.left)
    assert repaired.done == ()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE change SET chain = 'ffffffffffffffff' WHERE sequence = 2",
        "UPDATE change SET row = 77 WHERE sequence = 2",
        "DELETE FROM change WHERE sequence = 3",
        "DELETE FROM change WHERE sequence > 4",
        "DELETE FROM change",
        "UPDATE change SET kind = 'remove' WHERE sequence = 5",
    ],
)
def test_a_history_that_is_not_what_happened_is_told_anew(path: Path, statement: str) -> None:
    with Bank.open(path, HashingEncoder()) as bank:
        before = bank.recall(wooden_pickaxe(), k=9)
    epoch = one(path, "SELECT value FROM meta WHERE key = 'epoch'")
    damage(path, statement)
    assert set(kinds(path)) <= {"history", "row counter"}
    repair(path)
    assert examine(path).sound
    assert one(path, "SELECT value FROM meta WHERE key = 'epoch'") != epoch
    with Bank.open(path, HashingEncoder()) as bank:
        assert bank.recall(wooden_pickaxe(), k=9) == before
        bank.add(digging("gravel"))
        assert len(bank.recall(digging("gravel"), k=9)) == 3
    assert examine(path).sound


def test_a_history_of_which_the_old_part_was_forgotten_is_sound(path: Path) -> None:
    with Bank.open(path, HashingEncoder()) as bank:
        bank.compact()
        bank.add(digging("gravel"))
    assert examine(path).sound


def test_a_row_counter_that_was_set_back_is_set_right(path: Path) -> None:
    damage(path, "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'csd'")
    mended(path, ["row counter"])
    with Bank.open(path, HashingEncoder()) as bank:
        bank.add(digging("gravel"))
    assert one(path, "SELECT max(row) FROM csd") == 5


def test_missing_indexes_and_derived_tables_are_made_anew(path: Path) -> None:
    damage(path, "DROP INDEX csd_place", "DROP TABLE episode", "DROP TABLE vector")
    found = kinds(path, HashingEncoder())
    assert found[:4] == ["missing index", "missing table", "missing table", "missing index"]
    assert "unreadable" in found
    repaired = repair(path, encoder=HashingEncoder())
    assert repaired.left == ()
    with Bank.open(path, HashingEncoder()) as bank:
        assert bank.describing("ep_000001") == bank.ids()
        assert bank.recall(wooden_pickaxe(), k=1)[0].id == PICKAXE


def test_a_table_that_another_program_altered_is_left(path: Path) -> None:
    damage(path, "ALTER TABLE failure ADD COLUMN mood TEXT")
    assert "altered table" in [finding.kind for finding in repair(path).left]


def test_what_the_vectors_were_made_with_must_be_known(path: Path) -> None:
    damage(path, "DELETE FROM meta WHERE key = 'dimension'")
    repaired = repair(path)
    assert [finding.kind for finding in repaired.left] == ["identity"]
    assert "reembed" in repaired.left[0].repair
    reembed(path, HashingEncoder())
    assert examine(path).sound


def test_a_missing_epoch_is_given_anew_and_another_wording_is_left(path: Path) -> None:
    damage(path, "DELETE FROM meta WHERE key = 'epoch'")
    mended(path, ["epoch"])
    damage(path, "UPDATE meta SET value = '0' WHERE key = 'rendering'")
    repaired = repair(path, encoder=HashingEncoder())
    assert [finding.kind for finding in repaired.left] == ["wording"]


def test_an_index_that_lost_entries_is_built_anew(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_schema SET sql = 'CREATE INDEX csd_task ON csd (task) WHERE task = 0' "
            "WHERE name = 'csd_task'"
        )
    damage(path, "REINDEX csd_task")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_schema SET sql = 'CREATE INDEX csd_task ON csd (task)' WHERE name = 'csd_task'"
        )
    found = examine(path).findings
    assert {finding.kind for finding in found} == {"file"}
    assert "csd_task" in found[0].what
    repaired = repair(path)
    assert repaired.left == ()
    assert "built the indexes of the file anew" in repaired.done


def test_pages_that_are_damaged_are_named_and_left(path: Path) -> None:
    with Bank.open(path, HashingEncoder()) as bank:
        bank.add_many([digging(f"block {number}") for number in range(200)])
    whole = path.read_bytes()
    middle = len(whole) // 8192 // 2 * 8192
    path.write_bytes(whole[:middle] + os.urandom(8192) + whole[middle + 8192 :])
    repaired = repair(path)
    assert repaired.done == ()
    assert {finding.kind for finding in repaired.left} & {"file", "unreadable"}
    assert any("restore" in finding.repair for finding in repaired.left)
    path.write_bytes(whole[:middle])
    assert not examine(path).sound
    path.write_bytes(whole[:100] + bytes(len(whole) - 100))
    assert [finding.kind for finding in repair(path).left] == ["file"]


def test_an_embedding_cache_that_is_torn_is_thrown_away(path: Path) -> None:
    store = EmbeddingStore(HashingEncoder(), cache_folder(path) / "embeddings.db")
    store.encode(["oak"])
    store.close()
    assert examine(path).sound
    cache = cache_folder(path) / "embeddings.db"
    cache.write_bytes(cache.read_bytes()[:5000])
    assert set(kinds(path)) == {"cache"}
    repaired = repair(path)
    assert repaired.left == ()
    assert not cache.exists()


@pytest.mark.parametrize("name", ["state.json", "*.flat", "*.about", "*.standing"])
@pytest.mark.parametrize("lost", [1, 1 << 20])
def test_published_vectors_that_are_torn_are_thrown_away(path: Path, name: str, lost: int) -> None:
    with Bank.open(path, HashingEncoder()) as bank:
        bank.recall(wooden_pickaxe(), k=1)
        bank.compact()
    assert examine(path).sound
    [file] = (cache_folder(path) / "vectors").glob(name)
    file.write_bytes(file.read_bytes()[:-lost])
    finding = examine(path).findings[0]
    assert (finding.kind, finding.where) == ("cache", str(cache_folder(path) / "vectors"))
    mended(path, ["cache"])


def test_vectors_and_words_that_are_out_of_step_are_thrown_away(path: Path) -> None:
    with Bank.open(path, HashingEncoder()) as bank:
        bank.compact()
        assert bank.mentioning("thing:coal") == [COAL]
    assert examine(path).sound
    for name in ("vectors", "words.db"):
        assert (cache_folder(path) / name).exists()
    damage(path, "UPDATE meta SET value = 'another' WHERE key = 'epoch'")
    assert [Path(finding.where).name for finding in examine(path).findings] == ["vectors", "words.db"]
    mended(path, ["cache", "cache"])
    with Bank.open(path, HashingEncoder()) as bank:
        assert bank.mentioning("thing:coal") == [COAL]


def test_a_words_file_that_says_something_else_is_thrown_away(path: Path) -> None:
    with Bank.open(path, HashingEncoder()) as bank:
        assert bank.mentioning("thing:coal") == [COAL]
    words = cache_folder(path) / "words.db"
    whole = words.read_bytes()
    damage(words, "DELETE FROM edge")
    assert set(kinds(path)) == {"cache"}
    assert repair(path).left == ()
    with Bank.open(path, HashingEncoder()) as bank:
        assert bank.mentioning("thing:coal") == [COAL]
    words.write_bytes(whole[:5000])
    assert set(kinds(path)) == {"cache"}
    assert repair(path).left == ()


def test_what_no_cache_can_follow_leaves_none_behind(path: Path) -> None:
    changes: tuple[Callable[[], object], ...] = (
        lambda: reembed(path, HashingEncoder()),
        lambda: (damage(path, "DELETE FROM change"), repair(path)),
    )
    for change in changes:
        with Bank.open(path, HashingEncoder()) as bank:
            bank.compact()
            bank.mentioning("thing:coal")
        change()
        assert examine(path).sound


def test_drafts_of_long_ago_are_removed_and_those_of_now_left_alone(path: Path) -> None:
    old = [path.with_name(".bank.db.x1y2"), path.with_name(".all.jsonl.0a.archive-part")]
    new = path.with_name(".bank.db.young")
    old[0].mkdir()
    (old[0] / "draft").touch()
    old[1].touch()
    new.mkdir()
    mine = path.with_name(".profile")
    mine.touch()
    for one in (old[0] / "draft", *old, mine):
        os.utime(one, (time.time() - 7200,) * 2)
    (cache_folder(path)).mkdir(exist_ok=True)
    (cache_folder(path) / "embeddings.db.torn").touch()
    mended(path, ["left file"] * 3)
    assert not any(one.exists() for one in old)
    assert new.exists()
    assert mine.exists()


def test_episodes_that_are_gone_are_named_and_left(path: Path) -> None:
    asked: list[str] = []

    def gone(episode: str) -> str | None:
        asked.append(episode)
        return f"expected the folder of {episode}; got none"

    repaired = repair(path, episodes=gone)
    assert [(finding.kind, finding.where) for finding in repaired.left] == [("episode", "ep_000001")]
    assert "Restore the episode" in repaired.left[0].repair
    assert asked == ["ep_000001"]
    assert examine(path, episodes=lambda episode: None).sound


def test_many_faults_at_once_are_mended_together(path: Path) -> None:
    damage(
        path,
        f"UPDATE csd SET record = '{{}}', superseded_by = '{COAL}' WHERE id = '{CLAY}'",
        "DELETE FROM vector WHERE row = 1",
        "DELETE FROM change WHERE sequence = 1",
        "INSERT INTO link VALUES (1, 'derived_from', 99)",
        "UPDATE failure SET used = ''",
        "UPDATE csd SET verb = 'place'",
    )
    assert len(kinds(path)) >= 8
    repaired = repair(path, encoder=HashingEncoder(), now=NOON)
    assert repaired.left == ()
    assert len(aside(repaired)) >= 8
    with Bank.open(path, HashingEncoder()) as bank:
        assert bank.ids() == sorted([PICKAXE, SAND, COAL])
        assert bank.recall(wooden_pickaxe(), k=1)[0].id == PICKAXE


KILLED = """
import os, signal, sqlite3, sys
from csd.encode import HashingEncoder
from csd.upkeep.doctor import repair
count, connect = 0, sqlite3.connect
def counted(statement):
    global count
    count += "DELETE" in statement or "COMMIT" in statement
    if count == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
def watched(*arguments, **settings):
    connection = connect(*arguments, **settings)
    connection.set_trace_callback(counted)
    return connection
sqlite3.connect = watched
repair(sys.argv[1], encoder=HashingEncoder())
"""


@pytest.mark.parametrize("statement", [3, 8])
def test_a_repair_that_is_killed_loses_nothing(path: Path, statement: int) -> None:
    damage(path, f"UPDATE csd SET record = '' WHERE id = '{COAL}'", "DELETE FROM vector WHERE row = 1")
    child = subprocess.run([sys.executable, "-c", KILLED, path, str(statement)], check=False)
    assert child.returncode == -signal.SIGKILL
    assert one(path, "SELECT count(*) FROM csd") == 4
    mended(path, ["missing vector", "damaged record"], HashingEncoder())

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from csd.bank import Bank
from csd.caches import cache_folder
from csd.encode import HashingEncoder
from echo.mfm.episodic.recorder import Recorder
from tests.cli.bank_samples import call, failed_dig, make_bank, stone_pickaxe, told
from tests.csd.descriptors import wooden_pickaxe
from tests.mfm.episodic.sample_steps import craft_planks, seen


@pytest.fixture
def bank(tmp_path):
    return make_bank(tmp_path / "bank.sqlite")


def damage(bank, sql):
    with sqlite3.connect(bank) as connection:
        connection.execute(sql)


def test_a_sound_bank_is_called_sound(bank):
    done = call("doctor", bank)
    assert done.exit_code == 0
    assert done.stdout.startswith("sound:  nothing inconsistent in")
    assert told("doctor", bank)["found"] == []


def test_findings_are_named_with_their_repair_and_end_with_1(bank):
    damage(bank, "UPDATE csd SET record = 'torn' WHERE row = 3")
    damage(bank, "DELETE FROM vector WHERE row = 1")
    done = call("doctor", bank)
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[0].startswith("2 findings  in")
    assert f"damaged record:  {failed_dig().id}" in lines
    assert f"missing vector:  {wooden_pickaxe().id}" in lines
    assert "  repair: embed its texts anew" in lines
    assert lines[-1] == "2 can be mended: give the same command with --repair"
    assert max(len(line) for line in lines if str(bank) not in line) <= 80


def test_a_repair_mends_keeps_what_it_takes_out_and_is_done_once(bank):
    damage(bank, "UPDATE csd SET record = 'torn' WHERE row = 3")
    damage(bank, "DELETE FROM vector WHERE row = 1")
    mended = told("doctor", bank, "--repair")
    assert mended["sound"]
    assert {one["kind"] for one in mended["found"]} == {"damaged record", "missing vector"}
    assert mended["left"] == []
    assert "torn" in Path(mended["aside"]).read_text()
    assert told("doctor", bank)["found"] == []
    with Bank.open(bank, HashingEncoder()) as memory:
        assert memory.ids() == sorted([wooden_pickaxe().id, stone_pickaxe().id])
        assert [one.id for one in memory.recall(wooden_pickaxe(), k=1)] == [wooden_pickaxe().id]


def test_a_missing_episode_is_found_and_left(bank, tmp_path):
    memory = tmp_path / "memory"
    with Recorder.open(memory, source="s") as recorder:
        recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))
    assert call("doctor", bank, "--episodes", memory).exit_code == 0
    shutil.rmtree(memory / "episodes" / "ep_000001")
    done = call("doctor", bank, "--episodes", memory, "--repair", "--json")
    assert done.exit_code == 1
    report = json.loads(done.stdout)
    assert [(one["kind"], one["where"]) for one in report["left"]] == [("episode", "ep_000001")]
    assert not report["sound"]


def test_a_folder_without_episodes_is_told(bank, tmp_path):
    done = call("doctor", bank, "--episodes", tmp_path)
    assert done.exit_code == 1
    assert "expected a memory folder with episodes/ in it" in done.stderr


def test_many_findings_of_a_kind_are_cut_short(tmp_path):
    from tests.csd.descriptors import digging

    path = tmp_path / "bank.sqlite"
    with Bank.open(path, HashingEncoder(), durable=False) as memory:
        memory.add_many([digging(f"block_{number}") for number in range(5)])
    damage(path, "DELETE FROM vector")
    lines = call("doctor", path).stdout.splitlines()
    assert sum(line.startswith("missing vector:  csd_") for line in lines) == 3
    assert "missing vector: 2 more, --json tells all" in lines


@pytest.mark.parametrize("command", ["doctor", "stats", "rebuild", "compact"])
def test_the_bank_is_named_once_either_way(bank, command):
    assert call(command, bank).exit_code == call(command, "--bank", bank.parent).exit_code == 0
    for words in ((), (bank, "--bank", bank)):
        done = call(command, *words)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "expected one bank; got" in done.stderr


@pytest.mark.parametrize("command", ["doctor", "stats", "rebuild", "compact"])
def test_where_no_bank_is_none_is_made(tmp_path, command):
    done = call(command, tmp_path / "none.sqlite")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "expected a memory bank at" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_rebuild_gives_the_same_index(bank):
    first = told("rebuild", bank)
    shutil.rmtree(cache_folder(bank), ignore_errors=True)
    assert told("rebuild", bank) == first
    assert first["descriptors"] == 3
    assert call("rebuild", bank).stdout == f"rebuilt for 3 descriptors, index {first['index_digest'][:16]}\n"


def test_compacting_tells_the_sizes(bank):
    sizes = told("compact", bank)
    assert sizes["bytes_after"] > 0
    assert call("compact", bank).stdout.startswith("compacted: ")


def test_the_counts_are_told_in_eighty_columns(bank):
    done = call("stats", bank)
    lines = done.stdout.splitlines()
    assert "descriptors  3: 3 current, 0 superseded" in lines
    assert "goal         succeeded 2, failed 1" in lines
    assert "filed by     no one 1, ada 2" in lines
    assert max(len(line) for line in lines if str(bank)[:10] not in line) <= 80
    counts = told("stats", bank)
    assert (counts["descriptors"], counts["tags"], counts["links"]) == (3, {"tools": 1}, {"derived_from": 1})
    assert counts["encoder"] == "hashing-256"


def test_embedding_anew_with_the_same_encoder_changes_no_vector(bank):
    with Bank.open(bank, HashingEncoder()) as memory:
        before = memory.digest()
    assert told("reembed", bank, "--encoder", "hashing-256") == {
        "bank": str(bank),
        "encoder": "hashing-256",
        "descriptors": 3,
    }
    with Bank.open(bank, HashingEncoder()) as memory:
        assert memory.digest() == before


def test_an_encoder_must_be_named_to_embed_anew(bank):
    assert call("reembed", bank).exit_code == 2

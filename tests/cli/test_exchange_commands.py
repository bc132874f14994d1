from __future__ import annotations

import json

import pytest

from csd.axes import Axis
from csd.bank import Bank
from csd.encode import HashingEncoder
from tests.cli.bank_samples import call, make_bank, stone_pickaxe, told
from tests.csd.descriptors import wooden_pickaxe


@pytest.fixture
def bank(tmp_path):
    return make_bank(tmp_path / "bank.sqlite")


def test_a_bank_exported_and_imported_holds_the_same(bank, tmp_path):
    archive = tmp_path / "memory.jsonl.gz"
    made = told("export", archive, "--bank", bank)
    assert {made[name] for name in ("descriptors",)} == {3}
    assert (made["links"], made["credit"], made["failures"]) == (1, 0, 0)
    assert made["bytes"] == archive.stat().st_size
    taken = told("import", archive, "--bank", tmp_path / "new.sqlite")
    assert taken["descriptors"] == {"new": 3, "same": 0, "conflicting": 0}
    with (
        Bank.open(bank, HashingEncoder()) as one,
        Bank.open(tmp_path / "new.sqlite", HashingEncoder()) as two,
    ):
        assert one.digest() == two.digest()
        assert one.links(wooden_pickaxe().id) == two.links(wooden_pickaxe().id)


def test_an_export_in_words_names_counts_and_place(bank, tmp_path):
    done = call("export", tmp_path / "memory.jsonl", "--bank", bank.parent)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == "3 descriptors, 1 links, 0 credits, 0 failures"
    assert done.stdout.splitlines()[1].startswith(f"archive: {tmp_path}/memory.jsonl (")


def test_a_dry_run_counts_and_changes_nothing(bank, tmp_path):
    archive = tmp_path / "memory.jsonl"
    call("export", archive, "--bank", bank)
    taken = told("import", archive, "--bank", tmp_path / "new.sqlite", "--dry-run")
    assert (taken["dry_run"], taken["descriptors"]["new"]) == (True, 3)
    assert not (tmp_path / "new.sqlite").exists()


def test_the_same_archive_twice_brings_nothing_new(bank, tmp_path):
    archive = tmp_path / "memory.jsonl"
    call("export", archive, "--bank", bank)
    done = call("import", archive, "--bank", bank)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[:2] == [
        "taken        new  same  conflicting",
        "descriptors    0     3            0",
    ]


def test_a_conflict_is_refused_shown_and_decided_by_a_rule(bank, tmp_path):
    archive = tmp_path / "memory.jsonl"
    id = stone_pickaxe().id
    call("export", archive, "--bank", bank)
    with Bank.open(bank, HashingEncoder()) as memory:
        memory.credit(id, {Axis.FUNC: 1.0}, success=True)
    later = tmp_path / "later.jsonl"
    call("export", later, "--bank", bank)
    with Bank.open(bank, HashingEncoder()) as memory:
        memory.credit(id, {Axis.FUNC: 1.0}, success=True)
    refused = call("import", later, "--bank", bank)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert id in refused.stderr
    dry = call("import", later, "--bank", bank, "--dry-run")
    assert dry.exit_code == 0
    assert "would be taken" in dry.stdout
    assert "conflicts, refused: nothing is changed without --on-conflict" in dry.stdout
    assert max(map(len, dry.stdout.splitlines())) <= 80
    assert told("import", later, "--bank", bank, "--on-conflict", "theirs")["credit"]["conflicting"] == 1
    with Bank.open(bank, HashingEncoder()) as memory:
        assert memory.credits(id)[Axis.FUNC].successes == 1.0


def test_an_archive_that_is_cut_off_changes_nothing(bank, tmp_path):
    archive = tmp_path / "memory.jsonl"
    call("export", archive, "--bank", bank)
    archive.write_bytes(archive.read_bytes()[:-200])
    done = call("import", archive, "--bank", tmp_path / "new.sqlite")
    assert (done.exit_code, done.stdout) == (1, "")
    assert str(archive) in done.stderr
    assert not (tmp_path / "new.sqlite").exists()


def test_an_encoder_is_for_embedding_anew(bank, tmp_path):
    archive = tmp_path / "memory.jsonl"
    call("export", archive, "--bank", bank)
    done = call("import", archive, "--bank", bank, "--encoder", "hashing-256")
    assert done.exit_code == 2
    assert "expected --reembed with --encoder" in done.stderr


def test_an_archive_of_another_encoder_is_embedded_anew_when_asked(bank, tmp_path):
    archive = tmp_path / "memory.jsonl"
    call("export", archive, "--bank", bank)
    lines = archive.read_text().splitlines()
    assert json.loads(lines[0])["encoder"]["name"] == "hashing-256"
    words = ("import", archive, "--bank", tmp_path / "new.sqlite")
    assert told(*words, "--reembed", "--encoder", "hashing-256")["descriptors"]["new"] == 3

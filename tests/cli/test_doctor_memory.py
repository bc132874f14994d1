from __future__ import annotations

import json
import sqlite3

import pytest

from echo.mfm.episodic.begin import begin_life
from echo.mfm.episodic.recorder import Recorder
from tests.cli.bank_samples import call, make_bank, told
from tests.mfm.episodic.sample_steps import craft_planks, seen


@pytest.fixture
def memory(tmp_path):
    """A memory folder of two lives, without a bank."""
    for life in range(2):
        if life:
            begin_life(tmp_path)
        with Recorder.open(tmp_path, source="s") as recorder:
            recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))
    return tmp_path


def test_a_memory_without_a_bank_is_called_sound(memory):
    done = call("doctor", memory)
    assert done.exit_code == 0
    assert done.stdout.startswith("sound:  nothing inconsistent in")
    assert "(2 episodes, 1 earlier life)" in " ".join(done.stdout.split())
    report = told("doctor", memory)
    assert (report["bank"], report["sound"]) == (None, True)
    assert report["memory"]["episodes"] == 2


def test_an_altered_file_is_named_in_whatever_life(memory):
    (memory / "previous/life_1/episodes/ep_000001/action.json").write_bytes(b"{}")
    done = call("doctor", memory, "--repair")
    assert done.exit_code == 1
    assert "altered episode:  life_1/ep_000001" in done.stdout.splitlines()
    report = json.loads(call("doctor", memory, "--json").stdout)
    assert [one["where"] for one in report["memory"]["left"]] == ["life_1/ep_000001"]
    assert not report["sound"]


def test_a_torn_index_is_mended_with_repair_only(memory):
    index = memory / "index.jsonl"
    whole = index.read_bytes()
    index.write_bytes(whole[:-9])
    done = call("doctor", memory)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1] == "2 can be mended: give the same command with --repair"
    assert index.read_bytes() == whole[:-9]
    mended = call("doctor", memory, "--repair")
    assert mended.exit_code == 0
    assert "put ep_000002 into the index, which had lost it" in " ".join(mended.stdout.split())
    assert index.read_bytes() == whole


def test_a_memory_with_a_bank_has_both_looked_at(memory):
    make_bank(memory / "bank.sqlite")
    report = told("doctor", memory)
    assert report["bank"] == str(memory / "bank.sqlite")
    assert report["sound"]
    assert report["memory"]["sound"]
    with sqlite3.connect(memory / "bank.sqlite") as connection:
        connection.execute("UPDATE csd SET record = 'torn' WHERE row = 3")
    done = call("doctor", memory)
    assert done.exit_code == 1
    assert "1 finding  in" in done.stdout
    assert "nothing inconsistent in" in done.stdout


def test_text_from_files_does_not_steer_the_terminal(memory):
    index = memory / "index.jsonl"
    index.write_bytes(index.read_bytes() + b'{"id": "\\u001b[31m"}\n')
    done = call("doctor", memory)
    assert "\x1b" not in done.stdout
    assert "\\x1b[31m" in done.stdout

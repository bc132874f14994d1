from __future__ import annotations

import json
import sqlite3

import pytest

from echo.mfm.episodic.begin import begin_life
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.mine.writable import Mine
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


def test_unreadable_lines_of_the_logs_are_named_and_harm_nothing_else(memory):
    Mine(memory).write("notes.md", "Sand falls.\n", by="agent", why="learned")
    for log in ("turns.jsonl", "runs.jsonl", "history/changes.jsonl"):
        with (memory / log).open("ab") as file:
            file.write(b'garbage\n\n{"some": "thing"}\n\xff\n{"torn')
    for words in ((), ("--repair",)):
        done = call("doctor", memory, *words, "--json")
        report = json.loads(done.stdout)
        assert (done.exit_code, report["sound"], report["memory"]["sound"]) == (1, False, False)
        assert [(one["kind"], one["where"], one["mendable"]) for one in report["memory"]["left"]] == [
            ("unreadable lines", "runs.jsonl", False),
            ("unreadable lines", "turns.jsonl", False),
            ("unreadable lines", "history/changes.jsonl", False),
        ]
    what = report["memory"]["left"][2]["what"]
    assert what == "expected a change of mine/ in each line, got 4 lines without"
    assert "unreadable lines:  runs.jsonl" in call("doctor", memory).stdout.splitlines()


def test_the_next_change_of_mine_mends_its_history(memory):
    mine = Mine(memory)
    mine.write("notes.md", "Sand falls.\n", by="agent", why="learned")
    with (memory / "history/changes.jsonl").open("ab") as file:
        file.write(b"garbage\n")
    assert call("doctor", memory).exit_code == 1
    Mine(memory).write("notes.md", "Sand falls down.\n", by="agent", why="clearer")
    assert call("doctor", memory).exit_code == 0
    assert [change.why for change in Mine(memory).history()] == ["learned", "clearer"]


@pytest.mark.parametrize(
    ("folder", "got"), [("mine", "only mine/, which makes no memory"), ("other", "neither")]
)
def test_a_folder_that_is_no_memory_is_told_how_to_become_one(tmp_path, folder, got):
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "notes.md").write_text("Sand falls.\n")
    done = call("doctor", tmp_path)
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"got {got}." in done.stderr
    assert f"echo-memory begin {tmp_path}" in done.stderr
    assert call("begin", tmp_path).exit_code == 0
    assert call("doctor", tmp_path).exit_code == 0
    assert (tmp_path / folder / "notes.md").read_text() == "Sand falls.\n"

"""`echo-memory consolidate`: what it prints, what it writes, and its exit codes."""

import json
import shutil
import sys

import pytest

from echo.mfm.mine.writable import Mine
from tests.cli.bank_samples import call
from tests.mfm.consolidation.small_lives import Life, lines_of, mine_texts, stick_episodes

SCRIPT = "procedures/get_stick_by_collect_craft_craft.py"


@pytest.fixture
def root(tmp_path):
    stick_episodes(tmp_path, 3)
    return tmp_path


def test_it_says_what_it_wrote_and_then_that_there_is_nothing_new(root):
    done = call("consolidate", "--root", root)
    assert (done.exit_code, done.stderr) == (0, "")
    first, *files = done.stdout.splitlines()
    assert first == "wrote 8 findings from 3 episodes (change 1, take it back with --undo)"
    assert [line.split()[0] for line in files] == [
        "mine/digest.md",
        "mine/notes.md",
        "mine/places.md",
        "mine/procedures/get_stick_by_collect_craft_craft.py",
    ]
    assert call("consolidate", "--root", root).stdout == "nothing new in 3 episodes\n"


def test_a_dry_run_prints_the_diff_alone_on_standard_output(root):
    done = call("consolidate", "--root", root, "--dry-run")
    assert done.exit_code == 0
    assert done.stdout.startswith("--- /dev/null\n+++ b/mine/digest.md\n")
    assert done.stderr.startswith("would write 8 findings from 3 episodes\n")
    assert mine_texts(root) == {}


def test_one_episode_is_told_in_the_singular(tmp_path):
    stick_episodes(tmp_path, 1)
    done = call("consolidate", "--root", tmp_path)
    assert done.stdout.splitlines()[0].startswith("wrote 6 findings from 1 episode (change 1, ")
    assert call("consolidate", "--root", tmp_path).stdout == "nothing new in 1 episode\n"
    assert "  digging  from 1 episode\n" in call("consolidate", "--root", tmp_path, "--log").stdout


def test_it_says_so_where_lines_are_only_taken_out(root):
    call("consolidate", "--root", root)
    (root / "episodes").rename(root / "elsewhere")
    shutil.rmtree(root / "cache")
    would = call("consolidate", "--root", root, "--dry-run").stderr.splitlines()[0]
    assert would == "would take out 7 lines that the episodes no longer bear out"
    done = call("consolidate", "--root", root)
    assert done.stdout.splitlines()[0] == (
        "took out 7 lines that the episodes no longer bear out (change 2, take it back with --undo)"
    )


def test_it_counts_the_lines_taken_out_beside_those_written(tmp_path):
    life = Life(tmp_path)
    for _ in range(3):
        life.dig("grass").end()
    call("consolidate", "--root", tmp_path)
    life.dig("grass", wheat_seeds=1).end()
    done = json.loads(call("consolidate", "--root", tmp_path, "--dry-run", "--json").stdout)
    assert done["removed"] == 3
    assert call("consolidate", "--root", tmp_path).stdout.splitlines()[0] == (
        "wrote 3 findings from 4 episodes, 3 lines taken out (change 2, take it back with --undo)"
    )


def test_undo_and_log_tell_the_story(root):
    call("consolidate", "--root", root)
    log = call("consolidate", "--root", root, "--log").stdout.splitlines()
    assert log[0].startswith("change 1  ")
    assert log[0].endswith(" UTC  through ep_000003")
    assert log[1] == "  notes.md#digging  digging  from 3 episodes"
    assert log[2].startswith("    - digging with an empty hand: always gave the block itself: oak_log (3)")
    done = call("consolidate", "--root", root, "--undo")
    assert done.stdout.splitlines()[0] == "undo of change 1 done as change 2"
    assert mine_texts(root) == {}
    log = call("consolidate", "--root", root, "--log").stdout.splitlines()
    assert log[0].endswith(" UTC  through ep_000003  (undone)")
    done = call("consolidate", "--root", root, "--undo")
    assert done.exit_code == 1
    assert "to take back, got none in its history" in done.stderr


def test_undo_leaves_what_was_written_since_and_its_dry_run_writes_nothing(root):
    call("consolidate", "--root", root)
    mine = Mine(root)
    mine.write("notes.md", mine.read("notes.md") + "- Mine [ep_000001].\n", by="agent", why="t")
    mine.write(SCRIPT, "# mine\n", by="agent", why="t")
    before = mine_texts(root)
    told = call("consolidate", "--root", root, "--undo", "--dry-run")
    assert told.stdout.startswith("--- a/mine/digest.md\n+++ /dev/null\n")
    kept = f"left as it is: mine/{SCRIPT} was changed since\n"
    assert told.stderr == (
        "would take back change 1\n"
        "  mine/digest.md  (deleted)\n  mine/notes.md\n  mine/places.md  (deleted)\n" + kept
    )
    assert mine_texts(root) == before
    done = call("consolidate", "--root", root, "--undo")
    assert (done.exit_code, done.stderr) == (0, kept)
    assert done.stdout == (
        "undo of change 1 done as change 4\n"
        "  mine/digest.md  (deleted)\n  mine/notes.md\n  mine/places.md  (deleted)\n"
    )
    assert mine_texts(root) == {"notes.md": b"- Mine [ep_000001].\n", SCRIPT: b"# mine\n"}


def test_an_undo_in_json_names_the_change_the_files_and_what_was_left(root):
    call("consolidate", "--root", root)
    Mine(root).write(SCRIPT, "# mine\n", by="agent", why="t")
    files = ["digest.md", "notes.md", "places.md"]
    left = [{"path": SCRIPT, "reason": "was changed since"}]
    told = json.loads(call("consolidate", "--root", root, "--undo", "--dry-run", "--json").stdout)
    assert (told["dry_run"], told["undone"], told["change"]) == (True, 1, None)
    assert (told["files"], told["kept"]) == (files, left)
    done = json.loads(call("consolidate", "--root", root, "--undo", "--json").stdout)
    assert (done["change"], done["files"], done["kept"]) == (3, files, left)


def test_an_empty_log_says_so(root):
    done = call("consolidate", "--root", root, "--log")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "(no consolidation so far)\n")


def test_json_holds_files_findings_and_log(root):
    held = json.loads(call("consolidate", "--root", root, "--json").stdout)
    assert (held["episodes"], held["change"], held["writer"], held["unreadable"]) == (3, 1, None, [])
    assert held["files"][0]["path"] == "digest.md"
    assert held["files"][0]["before"] is None
    assert held["findings"][0]["episodes"] == ["ep_000001", "ep_000002", "ep_000003"]
    log = json.loads(call("consolidate", "--root", root, "--log", "--json").stdout)
    assert [entry["change"] for entry in log["consolidations"]] == [1]
    undone = json.loads(call("consolidate", "--root", root, "--undo", "--json").stdout)
    assert undone["change"] == 2
    assert "notes.md" in undone["files"]


def test_a_program_may_write_lessons_and_its_failure_is_told(root):
    program = f"\"{sys.executable}\" -c \"print('- Logs: good [ep_000001]'); print('- Elves sing')\""
    done = call("consolidate", "--root", root, "--writer", program)
    assert "writer: kept 1 lesson, dropped 1\n" in done.stdout
    assert done.stderr == "dropped: Elves sing: cites no episode\n"
    assert lines_of(root, "notes.md")[-1] == "- Logs: good [ep_000001]"
    stick_episodes(root, 1)
    done = call("consolidate", "--root", root, "--writer", f'"{sys.executable}" -c "raise SystemExit(3)"')
    assert done.exit_code == 0
    assert "got 3; what the rules found is written all the same" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("--undo", "--log"), 2, "expected --log alone, got --undo with it"),
        (("--since", "ep_000077"), 1, "expected an episode of this memory, got 'ep_000077'"),
        (("--least", "1"), 2, "least"),
    ],
)
def test_wrong_use_and_failures_have_their_exit_codes(root, words, code, text):
    done = call("consolidate", "--root", root, *words)
    assert done.exit_code == code
    assert text in done.stderr
    assert mine_texts(root) == {}


def test_no_memory_is_a_failure(tmp_path):
    done = call("consolidate", "--root", tmp_path)
    assert done.exit_code == 1
    assert "expected the index of a memory" in done.stderr


def test_what_cannot_be_read_is_told_beside_the_result(root):
    (root / "episodes" / "ep_000002" / "steps.json").write_text("{")
    done = call("consolidate", "--root", root)
    assert done.exit_code == 0
    assert done.stderr.startswith("left out ep_000002: expected JSON in ")


@pytest.mark.parametrize(
    ("command", "told"),
    [("no-such-program", "got no such program"), ("", "got an empty text"), ("'", "expected a command")],
)
def test_a_writer_that_is_not_there_is_an_error_before_anything_is_written(root, command, told):
    done = call("consolidate", "--root", root, "--writer", command)
    assert (done.exit_code, mine_texts(root)) == (1, {})
    assert told in done.stderr

"""`echo-memory consolidate`: what it prints, what it writes, and its exit codes."""

import json
import sys

import pytest

from tests.cli.bank_samples import call
from tests.mfm.consolidation.small_lives import lines_of, mine_texts, stick_episodes


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
    assert "writer: kept 1 lessons, dropped 1\n" in done.stdout
    assert done.stderr == "dropped: Elves sing: cites no episode\n"
    assert lines_of(root, "notes.md")[-1] == "- Logs: good [ep_000001]"
    stick_episodes(root, 1)
    done = call("consolidate", "--root", root, "--writer", f'"{sys.executable}" -c "raise SystemExit(3)"')
    assert done.exit_code == 0
    assert "got 3; what the rules found is written all the same" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("--undo", "--log"), 2, "expected one of --dry-run, --undo and --log, got --undo and --log"),
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

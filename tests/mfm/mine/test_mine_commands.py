"""``echo-memory notes`` and ``echo-memory file``: what is printed, and exit codes."""

import json

import pytest
from typer.testing import CliRunner

from echo.cli.app import app
from echo.mfm.mine.writable import Mine
from tests.mfm.mine.evidence_samples import evidence


@pytest.fixture
def memory(tmp_path):
    return evidence(tmp_path / "memory")


def run(*words, code=0, **more):
    result = CliRunner().invoke(app, [str(word) for word in words], **more)
    assert result.exit_code == code, result.output
    return result.output


def test_a_sound_memory_passes_and_a_wrong_claim_fails_with_its_evidence(memory):
    assert run("notes", "check", "--root", memory) == (
        "0 files, 0 claims: 0 supported, 0 contradicted, 0 not checkable; 0 findings\n"
    )
    Mine(memory).write("notes.md", "- It gave 9 oak_log [ep_000001].\n- \x1b[31mred\n", by="agent", why="t")
    assert run("notes", "check", "--root", memory, code=1) == (
        "contradicted:  notes.md:1 It gave 9 oak_log [ep_000001].\n"
        "               says gain of 9 oak_log, but ep_000001: inventory_delta oak_log +1\n\n"
        "uncited:  notes.md:2 \\x1b[31mred\n"
        "          cite the episode that shows it, such as [ep_000123]\n\n"
        "1 file, 2 claims: 0 supported, 1 contradicted, 1 not checkable; 2 findings\n"
    )
    told = json.loads(run("notes", "check", "--root", memory, "--json", code=1))
    assert [each["fault"] for each in told["findings"]] == ["contradicted", "uncited"]
    assert told["claims"][0]["statements"] == [
        {
            "says": "gain of 9 oak_log",
            "verdict": "contradicted",
            "evidence": "ep_000001: inventory_delta oak_log +1",
        }
    ]
    assert "notes.md:1  It gave 9 oak_log [ep_000001].\n            contradicted\n" in run(
        "notes", "check", "--root", memory, "--claims", code=1
    )


def test_one_of_each_is_told_in_the_singular(memory):
    run("notes", "add", "It gave 9 oak_log.", "--cite", "ep_000001", "--root", memory)
    assert run("notes", "check", "--root", memory, code=1).endswith(
        "\n1 file, 1 claim: 0 supported, 1 contradicted, 0 not checkable; 1 finding\n"
    )


def test_a_note_that_its_evidence_contradicts_is_added_and_said_so_first_on_standard_error(memory):
    words = ["notes", "add", "It gave 9 oak_log.", "--cite", "ep_000001", "--root", str(memory)]
    done = CliRunner().invoke(app, words)
    said = "says gain of 9 oak_log, but ep_000001: inventory_delta oak_log +1"
    assert (done.exit_code, done.stderr) == (0, f"contradicted by its evidence: {said}\n")
    assert done.stdout.startswith("added     - It gave 9 oak_log. [ep_000001]\nevidence  contradicted\n")
    told = CliRunner().invoke(app, [*words, "--json"])
    assert json.loads(told.stdout)["verdict"] == "contradicted"
    assert told.stderr == done.stderr


def test_a_strict_add_refuses_what_its_evidence_contradicts_and_nothing_else(memory):
    words = ["notes", "add", "It gave 9 oak_log.", "--cite", "ep_000001", "--root", str(memory), "--strict"]
    done = CliRunner().invoke(app, words)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "got one that it contradicts: says gain of 9 oak_log, but ep_000001: inv" in done.stderr
    assert not (memory / "mine").exists()
    for text in ("It gave 1 oak_log.", "Logs are brown."):
        run("notes", "add", text, "--cite", "ep_000001", "--root", memory, "--strict")
    assert Mine(memory).read("notes.md").count("[ep_000001]") == 2


def test_notes_are_added_shown_listed_and_undone(memory):
    shown = run("notes", "add", "It gave 1 oak_log.", "--cite", "ep_000001", "--root", memory)
    assert "added     - It gave 1 oak_log. [ep_000001]\nevidence  supported" in shown
    assert "there already" in run("notes", "add", "It gave 1 oak_log. [ep_000001]", "--root", memory)
    assert (
        run("notes", "show", "notes.md", "--root", memory) == "# Notes\n\n- It gave 1 oak_log. [ep_000001]\n"
    )
    assert run("notes", "show", "--root", memory).split() == ["42", "notes.md"]
    assert json.loads(run("notes", "show", "--root", memory, "--json"))["files"] == {"notes.md": 42}
    assert "by person: remember: It gave 1 oak_log." in run("notes", "history", "--root", memory)
    diff = run("notes", "history", "--number", 1, "--root", memory)
    assert "+- It gave 1 oak_log. [ep_000001]\n" in diff
    assert "notes.md (deleted)" in run("notes", "undo", 1, "--root", memory)
    (latest, first) = json.loads(run("notes", "history", "--root", memory, "--json"))["changes"]
    assert (latest["number"], latest["why"], first["files"]["notes.md"]["before"]) == (
        2,
        "undo of change 1",
        None,
    )
    assert "notes.md (new)" in run("notes", "undo", 2, "--root", memory)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("notes", "add", "It falls."), "expected a note that cites the episodes"),
        (("notes", "show", "../index.jsonl"), "leads out of it"),
        (("notes", "show", "none.md"), "expected a file at mine/none.md"),
        (("notes", "undo", "7"), "expected the number of a change"),
        (("notes", "history", "--number", "7"), "expected the number of a change"),
        (
            ("file", '{"command": "view", "path": "/memories/none"}'),
            "The path /memories/none does not exist.",
        ),
    ],
)
def test_what_fails_says_why_and_exits_with_1(memory, words, message):
    assert message in run(*words, "--root", memory, code=1)


@pytest.mark.parametrize("words", [("notes", "show"), ("notes", "check"), ("file", '{"command": "view"}')])
def test_a_folder_that_is_no_memory_is_an_error(tmp_path, words):
    assert "expected" in run(*words, "--root", tmp_path / "none", code=1)


@pytest.mark.parametrize(
    "words",
    [
        ("file", '{"command": "create", "path": "/memories/a.md", "file_text": "a"}'),
        ("notes", "add", "It fell.", "--cite", "ep_000001"),
        ("notes", "undo", "1"),
    ],
)
def test_a_folder_that_holds_no_memory_is_not_written_into(tmp_path, words):
    (tmp_path / "letters").mkdir()
    done = CliRunner().invoke(app, [*words, "--root", str(tmp_path / "letters")])
    assert done.exit_code == 1
    assert f"`echo-memory begin {tmp_path / 'letters'}` makes one" in done.stderr.replace("\n", " ")
    assert list((tmp_path / "letters").iterdir()) == []


def test_the_history_lists_what_is_whole_and_tells_how_many_lines_are_damaged(memory):
    run("notes", "add", "It gave 1 oak_log.", "--cite", "ep_000001", "--root", memory)
    log = memory / "history/changes.jsonl"
    log.write_bytes(b"garbage\n" + log.read_bytes() + b"\xff\n")
    done = CliRunner().invoke(app, ["notes", "history", "--root", str(memory)])
    assert (done.exit_code, done.stderr) == (
        0,
        "history/changes.jsonl: 2 lines hold no change, left out here; the next change keeps such in "
        "mended/\n",
    )
    assert done.stdout.startswith("1  ")
    told = json.loads(CliRunner().invoke(app, ["notes", "history", "--root", str(memory), "--json"]).stdout)
    assert ([each["number"] for each in told["changes"]], told["damaged_lines"]) == ([1], 2)


def test_a_file_command_is_read_from_the_argument_or_from_standard_input(memory):
    command = {"command": "create", "path": "/memories/a.md", "file_text": "x\ud83c\udf78"}
    assert (
        run("file", json.dumps(command), "--root", memory) == "File created successfully at: /memories/a.md\n"
    )
    assert Mine(memory).read("a.md") == "x🍸"
    view = '{"command": "view", "path": "/memories/a.md"}'
    told = json.loads(run("file", "--json", "--root", memory, input=view))
    assert told == {
        "text": "Here's the content of /memories/a.md with line numbers:\n     1\tx🍸",
        "is_error": False,
    }
    assert json.loads(run("file", "--schema"))["name"] == "memory"


@pytest.mark.parametrize("command", ["", "{", "[]", "3", '"view"', "[" * 100_000])
def test_what_is_no_json_object_is_wrong_use(memory, command):
    assert "expected a" in run("file", "--root", memory, input=command, code=2)

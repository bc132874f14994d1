"""The file tool answers as Anthropic's memory tool does, and stays in mine/."""

import json
import threading

import pytest

from echo.mfm.mine.filetool import FileTool
from echo.mfm.mine.tool_schema import COMMANDS, tool_schema
from echo.mfm.mine.writable import Mine
from echo.mfm.options import MemoryOptions, save_options

LISTED = (
    "Here're the files and directories up to 2 levels deep in {}, excluding hidden items and node_modules:"
)


@pytest.fixture
def memory(tmp_path):
    mine = Mine(tmp_path)
    mine.write("notes.md", "one\ntwo\nthree\nfour\nfive\n", by="agent", why="t")
    mine.write("skills/smelt/SKILL.md", "x" * 5632, by="agent", why="t")
    return tmp_path


def run(memory, command, **parameters):
    return FileTool(memory).run({"command": command, **parameters})


def text(memory, path="notes.md"):
    return Mine(memory).read(path)


def test_a_folder_is_listed_two_levels_deep_with_sizes_and_without_hidden_things(memory):
    Mine(memory).write("skills/node_modules/x", "x", by="agent", why="t")
    (memory / "mine/.hidden").write_text("x")
    assert run(memory, "view", path="/memories") == (
        LISTED.format("/memories") + "\n5.5K\t/memories\n24B\t/memories/notes.md\n5.5K\t/memories/skills/"
        "\n5.5K\t/memories/skills/smelt/"
    )
    assert run(memory, "view", path="/memories/skills/", view_range=[1, 10]) == (
        LISTED.format("/memories/skills")
        + "\n5.5K\t/memories/skills\n5.5K\t/memories/skills/smelt/\n5.5K\t/memories/skills/smelt/SKILL.md"
    )


def test_a_memory_to_which_nothing_was_written_is_an_empty_folder(tmp_path):
    assert run(tmp_path, "view", path="/memories") == LISTED.format("/memories") + "\n0B\t/memories"
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_shown_with_line_numbers(memory):
    assert run(memory, "view", path="/memories/notes.md") == (
        "Here's the content of /memories/notes.md with line numbers:\n"
        "     1\tone\n     2\ttwo\n     3\tthree\n     4\tfour\n     5\tfive\n     6\t"
    )


@pytest.mark.parametrize(
    ("view_range", "lines"),
    [
        ([2, 3], "     2\ttwo\n     3\tthree"),
        ([5, -1], "     5\tfive\n     6\t"),
        ([0, 1], "     1\tone"),
        ([5, 99], "     5\tfive\n     6\t"),
        ([2.0, 2.0], "     2\ttwo"),
    ],
)
def test_a_range_of_lines_is_shown_with_their_own_numbers(memory, view_range, lines):
    shown = run(memory, "view", path="/memories/notes.md", view_range=view_range)
    assert shown == f"Here's the content of /memories/notes.md with line numbers:\n{lines}"


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (
            {"command": "view", "path": "/memories/none.md"},
            "The path /memories/none.md does not exist. Please provide a valid path.",
        ),
        (
            {"command": "view", "path": "/memories/notes.md", "view_range": [7, 9]},
            "Error: Invalid `view_range` parameter: [7, 9]. It should be within the range of lines of the "
            "file: [1, 6], the first not behind the second; -1 is the last one.",
        ),
        (
            {"command": "create", "path": "/memories/notes.md", "file_text": "x"},
            "Error: File /memories/notes.md already exists",
        ),
        (
            {"command": "str_replace", "path": "/memories/none.md", "old_str": "a", "new_str": "b"},
            "Error: The path /memories/none.md does not exist. Please provide a valid path.",
        ),
        (
            {"command": "str_replace", "path": "/memories/skills", "old_str": "a", "new_str": "b"},
            "Error: The path /memories/skills does not exist. Please provide a valid path.",
        ),
        (
            {"command": "str_replace", "path": "/memories/notes.md", "old_str": "six", "new_str": "6"},
            "No replacement was performed, old_str `six` did not appear verbatim in /memories/notes.md.",
        ),
        (
            {"command": "str_replace", "path": "/memories/notes.md", "old_str": "", "new_str": "6"},
            "No replacement was performed, old_str `` did not appear verbatim in /memories/notes.md.",
        ),
        (
            {"command": "str_replace", "path": "/memories/notes.md", "old_str": "e\n", "new_str": "6"},
            "No replacement was performed. Multiple occurrences of old_str `e\n` in lines: 1, 3, 5. "
            "Please ensure it is unique",
        ),
        (
            {"command": "str_replace", "path": "/memories/skills/smelt/SKILL.md", "old_str": "x" * 5631},
            f"No replacement was performed. Multiple occurrences of old_str `{'x' * 5631}` in lines: 1, 1. "
            "Please ensure it is unique",
        ),
        (
            {"command": "insert", "path": "/memories/none.md", "insert_line": 0, "insert_text": "x"},
            "Error: The path /memories/none.md does not exist",
        ),
        (
            {"command": "insert", "path": "/memories/skills", "insert_line": 0, "insert_text": "x"},
            "Error: The path /memories/skills does not exist",
        ),
        (
            {"command": "insert", "path": "/memories/notes.md", "insert_line": 6, "insert_text": "x"},
            "Error: Invalid `insert_line` parameter: 6. It should be within the range of lines of the file: "
            "[0, 5]",
        ),
        (
            {"command": "insert", "path": "/memories/notes.md", "insert_line": -1, "insert_text": "x"},
            "Error: Invalid `insert_line` parameter: -1. It should be within the range of lines of the file: "
            "[0, 5]",
        ),
        (
            {"command": "delete", "path": "/memories/none.md"},
            "Error: The path /memories/none.md does not exist",
        ),
        ({"command": "delete", "path": "/memories"}, "Error: Cannot delete the /memories directory itself"),
        ({"command": "delete", "path": "/memories/."}, "Error: Cannot delete the /memories directory itself"),
        (
            {"command": "rename", "old_path": "/memories", "new_path": "/memories/x"},
            "Error: Cannot rename the /memories directory itself",
        ),
        (
            {"command": "rename", "old_path": "/memories/none.md", "new_path": "/memories/x.md"},
            "Error: The path /memories/none.md does not exist",
        ),
        (
            {"command": "rename", "old_path": "/memories/notes.md", "new_path": "/memories/skills"},
            "Error: The destination /memories/skills already exists",
        ),
        (
            {"command": "view", "path": "/memoriesx/notes.md"},
            "Error: Path must start with /memories, got: /memoriesx/notes.md",
        ),
        ({"command": "view", "path": "notes.md"}, "Error: Path must start with /memories, got: notes.md"),
        (
            {"command": "undo", "path": "/memories"},
            "Error: Unknown command: undo. It should be one of view, create, str_replace, insert, delete, "
            "rename.",
        ),
        (
            {"path": "/memories"},
            "Error: Unknown command: None. It should be one of view, create, str_replace, insert, delete, "
            "rename.",
        ),
        ({"command": "view"}, "Error: Missing required parameter `path` of view."),
        (
            {"command": "insert", "path": "/memories/notes.md", "insert_line": True, "insert_text": "x"},
            "Error: Invalid `insert_line` parameter: True. It should be an integer.",
        ),
        (
            {"command": "view", "path": "/memories/notes.md", "view_range": [1]},
            "Error: Invalid `view_range` parameter: [1]. It should be a list of two integers.",
        ),
        (
            {"command": "create", "path": "/memories/x", "file_text": ["x"]},
            "Error: Invalid `file_text` parameter: ['x']. It should be text.",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_the_published_words_and_changes_nothing(memory, command, answer):
    before = Mine(memory).history()
    said = FileTool(memory).answer(command)
    assert (said.text, said.is_error) == (answer, True)
    assert Mine(memory).history() == before


@pytest.mark.parametrize(
    "path", ["/memories/../index.jsonl", "/memories/%2e%2e/x", "/memories/a\\..\\b", "/memories/.x"]
)
def test_a_path_that_leads_out_is_refused_by_every_command(memory, path):
    (memory / "index.jsonl").write_text("secret")
    for command, parameters in COMMANDS.items():
        given = {each.name: path for each in parameters if each.name.endswith("path")}
        rest = {"file_text": "x", "old_str": "secret", "new_str": "x", "insert_line": 0, "insert_text": "x"}
        answer = FileTool(memory).answer({"command": command, **rest, **given})
        assert answer.is_error
        assert "expected a path in mine/" in answer.text
        assert "secret" not in answer.text
    assert (memory / "index.jsonl").read_text() == "secret"


@pytest.mark.parametrize("command", ["view", 3, None, [], ["command", "view"]])
def test_what_is_no_command_is_answered(memory, command):
    assert FileTool(memory).run(command).startswith("Error: Unknown command: None.")


def test_a_file_is_created_with_the_folders_above_it(memory):
    assert run(memory, "create", path="/memories/a/b.txt", file_text="é\r\n") == (
        "File created successfully at: /memories/a/b.txt"
    )
    assert (memory / "mine/a/b.txt").read_bytes() == "é\r\n".encode()


def test_a_replacement_answers_with_the_lines_around_it(memory):
    answer = run(memory, "str_replace", path="/memories/notes.md", old_str="three\n", new_str="3\n3b\n")
    assert answer == (
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     1\tone\n     2\ttwo\n     3\t3\n     4\t3b\n     5\tfour\n     6\tfive\n     7\t"
    )
    assert text(memory) == "one\ntwo\n3\n3b\nfour\nfive\n"


def test_a_replacement_without_new_text_deletes(memory):
    run(memory, "str_replace", path="/memories/notes.md", old_str="two\n")
    assert text(memory) == "one\nthree\nfour\nfive\n"


@pytest.mark.parametrize(
    ("held", "line", "inserted", "after"),
    [
        ("a\nb\n", 0, "x\n", "x\na\nb\n"),
        ("a\nb\n", 1, "x", "a\nx\nb\n"),
        ("a\nb\n", 2, "x\n\n", "a\nb\nx\n\n"),
        ("a\nb", 2, "x", "a\nb\nx\n"),
        ("", 0, "x", "x\n"),
        ("a\r\nb\r\n", 1, "x", "a\r\nx\r\nb\r\n"),
        ("a\x0cb\u2028c\n", 1, "x", "a\x0cb\u2028c\nx\n"),
    ],
)
def test_text_is_inserted_on_lines_of_its_own_and_the_rest_stays_as_it_was(
    tmp_path, held, line, inserted, after
):
    Mine(tmp_path).write("f", held, by="agent", why="t")
    answer = run(tmp_path, "insert", path="/memories/f", insert_line=line, insert_text=inserted)
    assert answer == "The file /memories/f has been edited."
    assert text(tmp_path, "f") == after


def test_files_and_folders_are_deleted_and_renamed(memory):
    assert run(memory, "rename", old_path="/memories/skills", new_path="/memories/done/skills") == (
        "Successfully renamed /memories/skills to /memories/done/skills"
    )
    assert Mine(memory).paths() == ["done/skills/smelt/SKILL.md", "notes.md"]
    assert run(memory, "delete", path="/memories/done") == "Successfully deleted /memories/done"
    assert Mine(memory).paths() == ["notes.md"]


def test_a_file_of_too_many_lines_is_not_shown(tmp_path):
    Mine(tmp_path).write("f", "\n" * 999_999, by="agent", why="t")
    answer = run(tmp_path, "view", path="/memories/f")
    assert answer == "File /memories/f exceeds maximum line limit of 999,999 lines."
    Mine(tmp_path).write("f", "\n" * 999_998, by="agent", why="t")
    assert run(tmp_path, "view", path="/memories/f", view_range=[999_999, -1]).endswith("\n999999\t")


def test_half_a_character_in_a_command_is_answered_as_text_that_can_be_sent(memory):
    answer = run(memory, "str_replace", path="/memories/notes.md", old_str="\ud83c", new_str="x")
    assert answer.encode() == (
        b"No replacement was performed, old_str `\\ud83c` did not appear verbatim in /memories/notes.md."
    )
    answer = run(memory, "create", path="/memories/x", file_text="\ud83c")
    assert answer.startswith("Error: expected whole characters for mine/x")


def test_with_procedures_switched_off_their_folders_are_refused_and_not_listed(memory):
    Mine(memory).write("procedures/a.py", "x", by="agent", why="t")
    save_options(memory, MemoryOptions(procedures=False))
    refused = "Error: /memories/{} cannot be used: procedures are switched off in this memory."
    assert run(memory, "view", path="/memories/procedures/a.py") == refused.format("procedures")
    assert run(memory, "create", path="/memories/Reflexes/a.py", file_text="x") == refused.format("reflexes")
    assert run(memory, "rename", old_path="/memories/notes.md", new_path="/memories/procedures/b") == (
        refused.format("procedures")
    )
    assert "procedures" not in run(memory, "view", path="/memories")
    save_options(memory, MemoryOptions())
    assert "procedures/a.py" in run(memory, "view", path="/memories")


def test_unreadable_options_are_an_answer_not_an_exception(memory):
    (memory / "options.json").write_text("{")
    assert run(memory, "view", path="/memories").startswith("Error: expected JSON in")


def test_edits_of_one_file_from_many_threads_all_arrive(tmp_path):
    Mine(tmp_path).write("f", "", by="agent", why="t")

    def work(place):
        for number in range(8):
            run(tmp_path, "insert", path="/memories/f", insert_line=0, insert_text=f"{place} {number}")

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(text(tmp_path, "f").splitlines()) == sorted(f"{a} {b}" for a in range(4) for b in range(8))


def test_the_history_names_command_and_author(memory):
    FileTool(memory, by="person").run({"command": "delete", "path": "/memories/notes.md"})
    change = Mine(memory).history()[-1]
    assert (change.by, change.why) == ("person", "delete /memories/notes.md")


def test_the_schema_is_json_and_names_every_parameter():
    schema = json.loads(json.dumps(tool_schema()))
    assert schema["name"] == "memory"
    assert schema["input_schema"]["required"] == ["command"]
    assert schema["input_schema"]["properties"]["command"]["enum"] == list(COMMANDS)
    assert sorted(schema["input_schema"]["properties"]) == [
        "command",
        "file_text",
        "insert_line",
        "insert_text",
        "new_path",
        "new_str",
        "old_path",
        "old_str",
        "path",
        "view_range",
    ]

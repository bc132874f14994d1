"""Every tool, called by the SDK's own client in the same process."""

from __future__ import annotations

import base64
import io
import shutil
from pathlib import Path

import pytest
from PIL import Image

from echo.experiments.results import memory_folder
from echo.experiments.spec import UnlockSpec
from echo.experiments.trial import run_trial
from echo.mfm.mine.writable import Mine
from echo.mfm.options import MemoryOptions, save_options
from tests.experiments.fakes import play_fake
from tests.serve.memory_samples import call, make_bank, make_memory, refusal, text_of, with_client


@pytest.fixture(scope="module")
def recorded(tmp_path_factory) -> Path:
    return make_memory(tmp_path_factory.mktemp("serve") / "memory")


@pytest.fixture
def memory(recorded, tmp_path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "memory"))


def picture_of(result) -> Image.Image:
    (content,) = [each for each in result.content if each.type == "image"]
    assert content.mime_type == "image/png"
    return Image.open(io.BytesIO(base64.b64decode(content.data)))


def test_a_query_tells_lines_as_the_command_does_and_the_rows(recorded):
    done = call(recorded, "query", {"tag": "damage"})
    assert text_of(done) == (
        "ep_000002  steps 3-3  tags=inventory_changed,broke,damage pos=(1.5,-3.2)  action=collect  "
        "log: collect oak_log ok, +1 oak_log  -> episodes/ep_000002/"
    )
    assert [row["id"] for row in done.structured_content["rows"]] == ["ep_000002"]
    assert done.structured_content["more"] is False


def test_the_note_of_an_episode_comes_with_its_row(recorded):
    (row,) = call(recorded, "query", {"action": "craft"}).structured_content["rows"]
    assert row["note"] == "planks from a log"


@pytest.mark.parametrize(
    ("cues", "found"),
    [
        ({}, ["ep_000000", "ep_000001", "ep_000002"]),
        ({"last": 2}, ["ep_000001", "ep_000002"]),
        ({"limit": 2}, ["ep_000000", "ep_000001"]),
        ({"steps": [3, 2]}, ["ep_000001", "ep_000002"]),
        ({"near": [1.5, -3.25], "radius": 0}, ["ep_000000", "ep_000001", "ep_000002"]),
        ({"near": [90, 90]}, []),
        ({"grep": "OAK_PLANKS"}, ["ep_000001"]),
        ({"text": "planks"}, ["ep_000001"]),
        ({"same_screen": "ep_000002"}, ["ep_000002"]),
        ({"previous": True}, []),
        ({"tag": "inventory_changed", "action": "collect", "last": 5}, ["ep_000002"]),
    ],
)
def test_each_cue_keeps_what_meets_it(recorded, cues, found):
    done = call(recorded, "query", cues)
    assert [row["id"] for row in done.structured_content["rows"]] == found
    assert found or text_of(done) == "(no matching episodes)"


def test_of_many_episodes_the_newest_are_told_with_a_word_that_there_are_more(memory):
    line = '{"id": "ep_%06d", "path": "episodes/ep_%06d", "summary": "s"}\n'
    with (memory / "index.jsonl").open("a") as index:
        index.writelines(line % (number, number) for number in range(3, 103))
    done = call(memory, "query")
    rows = done.structured_content["rows"]
    assert (len(rows), rows[0]["id"], rows[-1]["id"]) == (100, "ep_000003", "ep_000102")
    assert done.structured_content["more"] is True
    assert text_of(done).startswith("(the newest 100 of more;")


@pytest.mark.parametrize(
    ("cues", "found"),
    [
        ({"similar_to": "ep_000001", "limit": 1}, ["ep_000001"]),
        ({"similar_to": "ep_000001", "tag": "damage"}, ["ep_000002"]),
    ],
)
def test_pictures_are_ordered_by_likeness_among_what_meets_the_cues(recorded, cues, found):
    done = call(recorded, "query", cues)
    assert [row["id"] for row in done.structured_content["rows"]] == found


def test_likeness_is_asked_one_way_at_a_time(recorded):
    said = refusal(call(recorded, "query", {"similar": "wood", "similar_to": "ep_000001"}))
    assert said.startswith("expected similar or similar_to; got both")


def test_a_sheet_shows_the_matching_frames(recorded):
    done = call(recorded, "query", {"sheet": True})
    assert picture_of(done).width > 3 * 128


def test_an_episode_is_told_with_its_neighbours(recorded):
    done = call(recorded, "inspect", {"episode": "ep_000001"})
    told = done.structured_content
    assert told["state"]["inventory"] == {"oak_log": 1}
    assert told["outcome"]["inventory_delta"] == {"oak_log": -1, "oak_planks": 4}
    assert [one["episode"] for one in told["before"] + told["after"]] == ["ep_000000", "ep_000002"]
    assert told["folder"] == "episodes/ep_000001"
    assert str(recorded) not in text_of(done)


def test_a_frame_is_shown_magnified_and_a_part_of_it_at_its_scale(recorded):
    assert picture_of(call(recorded, "inspect", {"episode": "ep_000001", "frame": True})).size == (384, 512)
    part = picture_of(call(recorded, "inspect", {"episode": "ep_000001", "crop": [1, 2, 3, 4], "scale": 10}))
    assert part.size == (30, 40)


def test_an_inspection_that_cannot_be_is_refused_with_what_to_do(recorded):
    for asked, said in (
        ({"episode": "ep_000009"}, "expected an episode of"),
        ({"episode": "../ep_000001"}, "expected an episode id such as 'ep_000012'"),
        ({"episode": "ep_000001", "place": 4}, "those recorded are: 0"),
        ({"episode": "ep_000001", "crop": [5, 0, 9, 9]}, "expected a part within the picture, 0,0,6,8"),
    ):
        assert said in refusal(call(recorded, "inspect", asked))


def test_two_frames_are_shown_side_by_side(recorded):
    done = call(recorded, "then_now", {"then": "ep_000000", "now": "ep_000001", "question": "the same?"})
    picture = picture_of(done)
    assert picture.width > picture.height
    assert text_of(done) == ("THEN ep_000000 step 0 at (2,-3) | NOW ep_000001 step 2 at (2,-3). Q: the same?")


def test_the_newest_frame_is_told_with_its_episode_step_and_place(recorded):
    told = text_of(call(recorded, "then_now", {"then": "ep_000000"}))
    assert told == "THEN ep_000000 step 0 at (2,-3) | NOW ep_000002 step 3 at (2,-3). Q: -"


def test_a_sheet_is_refused_where_frames_are_switched_off_as_the_command_refuses_it(memory):
    save_options(memory, MemoryOptions(frames=False))
    assert "expected a memory with frames, got" in refusal(call(memory, "query", {"sheet": True}))
    assert "ep_000001" in text_of(call(memory, "query", {}))


def test_places_are_told_with_their_evidence(recorded):
    near = text_of(call(recorded, "places_near", {"x": 1, "z": -3}))
    assert "seen: oak_log x2 (seen) at (1, 64, -4)" in near
    assert "[ep_000002]" in near
    nearest = call(recorded, "places_nearest", {"x": 1, "z": -3, "name": "sheep"})
    assert nearest.structured_content["found"][0]["name"] == "sheep"
    assert text_of(call(recorded, "places_changed", {"since": 1})).startswith("changed: dug oak_log")
    assert text_of(call(recorded, "places_known", {"kind": "hazards"})).startswith("hazard: damage by")
    assert text_of(call(recorded, "places_known", {"kind": "containers"})) == "no containers known"
    assert "found oak_log standing at" in text_of(call(recorded, "places_known", {"kind": "points"}))
    cells = call(recorded, "places_known", {"kind": "cells"})
    assert "dug oak_log" in text_of(cells)
    assert cells.structured_content["cells"][0]["clusters"][0]["episodes"]
    asked = {"words": "sheep nothing_such", "x": 0, "z": 0, "limit": 1}
    held = call(recorded, "places_remembered", asked).structured_content["remembered"]
    assert [(one["score"], "sheep" in one["seen"]) for one in held] == [(0.5, True)]
    assert text_of(call(recorded, "places_remembered", {**asked, "words": "wug"})) == (
        "no view holds half of the words wug"
    )
    assert "There are: none" in refusal(call(recorded, "places_known", {"kind": "points", "life": 2}))


def test_recall_without_a_bank_says_what_to_do(recorded):
    said = refusal(call(recorded, "recall", {"func": "handle"}))
    assert "nothing can be recalled on axes. Search the episodes with the tool query instead" in said


def test_recall_finds_what_resembles_texts_and_says_on_which_axes(memory):
    make_bank(memory / "bank.sqlite")
    done = call(memory, "recall", {"func": "stick plays handle", "k": 2})
    best, second = done.structured_content["results"]
    assert {best["task"], second["task"]} == {"make a wooden_pickaxe", "make a stone_pickaxe"}
    assert best["cosines"]["func"] == best["score"]
    assert best["cosines"]["proc"] is None
    only = call(memory, "recall", {"func": "stick plays handle", "products": ["stone_pickaxe"]})
    assert [one["task"] for one in only.structured_content["results"]] == ["make a stone_pickaxe"]
    assert "func: " in text_of(only)


def test_recall_like_a_descriptor_leaves_that_one_out_and_loads_no_encoder(memory):
    make_bank(memory / "bank.sqlite")
    found = call(memory, "recall", {"struct": "AAA/.B./.B.", "k": 1}).structured_content["results"][0]
    like = call(memory, "recall", {"like": found["id"], "k": 3}).structured_content["results"]
    assert found["id"] not in [one["id"] for one in like]
    assert like


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "got neither"),
        ({"func": "   "}, "got neither"),
        ({"func": "handle", "like": "x"}, "got both"),
        ({"func": "handle", "weights": {"fun": 1}}, "expected weights >= 0 by axis"),
        ({"func": "handle", "weights": {"struct": 1}}, "one above 0 on an axis that is asked"),
        ({"func": "handle", "weights": {"func": -1}}, "expected weights >= 0 by axis"),
        ({"like": "csd-nowhere"}, "csd-nowhere"),
        ({"func": "handle", "near": [0, 0, -1]}, "radius >= 0"),
    ],
)
def test_a_recall_that_asks_nothing_clear_is_refused(memory, asked, said):
    make_bank(memory / "bank.sqlite")
    assert said in refusal(call(memory, "recall", asked))


def test_why_asks_for_the_memory_of_a_run(recorded):
    assert "expected the memory of a recorded run" in refusal(call(recorded, "why", {"item": "stick"}))


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    """Return the memory folder of a recorded run."""
    out = tmp_path_factory.mktemp("runs")
    spec = UnlockSpec(agent="echo", steps=300, encoder="hashing")
    run_trial(spec, out, play_fake, "", lambda *_: None)
    return memory_folder(out, spec.name)


def test_why_tells_the_thread_of_an_unlock_with_its_episodes(played):
    done = call(played, "why", {"item": "stick"})
    thread = done.structured_content["thread"]
    assert thread["item"] == "stick"
    assert thread["parents"][0]["item"] == "oak_planks"
    first, *rest = text_of(done).splitlines()
    assert first.startswith("stick  (action ")
    assert any(line.startswith("  oak_planks  (action ") for line in rest)
    (episode,) = thread["parents"][0]["parents"][0]["episodes"]
    assert f"seen in [{episode['id']}]: get oak_log: collect; oak_log +1" in text_of(done)
    assert not call(played, "inspect", {"episode": episode["id"]}).is_error
    assert "expected an item out of the" in refusal(call(played, "why", {"item": "elytra"}))


def test_the_bank_of_a_run_is_recalled_with_the_episodes_behind_it(played):
    done = call(played, "recall", {"proc": "made by craft", "k": 1})
    (best,) = done.structured_content["results"]
    assert f"[{best['episodes'][0]}]" in text_of(done)


def test_a_lesson_is_added_once_with_its_evidence(memory):
    asked = {"text": "A log gives\nfour planks.", "episodes": ["ep_000001", "ep_000001"]}
    line = "- A log gives four planks. [ep_000001]"
    added = call(memory, "remember", asked)
    assert text_of(added).startswith(f"not checkable against its evidence, added to notes.md: {line}")
    assert added.structured_content["line"] == line
    again = text_of(call(memory, "remember", asked))
    assert again == f"not checkable against its evidence, there already: {line}"
    assert text_of(call(memory, "remember", {"text": "It hurts [ep_000002].", "file": "hurts.md"}))
    mine = Mine(memory)
    assert mine.read("notes.md") == f"# Notes\n\n{line}\n"
    assert mine.read("hurts.md").endswith("- It hurts [ep_000002].\n")
    assert [change.by for change in mine.history()] == ["agent", "agent"]


def test_a_lesson_that_its_evidence_contradicts_is_told_at_once_and_by_the_check(memory):
    asked = {"text": "Crafting oak_log gives 9 oak_planks.", "episodes": ["ep_000001"]}
    told = call(memory, "remember", asked)
    checked = call(memory, "notes_check").structured_content
    verdict = told.structured_content["verdict"]
    assert text_of(told).splitlines()[0] == (
        "contradicted by its evidence, added to notes.md: - Crafting oak_log gives 9 oak_planks. [ep_000001]"
    )
    assert checked["claims"][verdict] == 1
    assert checked["sound"] is (verdict != "contradicted")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"text": "Logs burn."}, "expected a note that cites the episodes"),
        ({"text": "  ", "episodes": ["ep_000001"]}, "expected a note of 1 to 2,000 letters, got 0"),
        ({"text": "Logs burn.", "episodes": ["ep_000077"]}, "ep_000077"),
        ({"text": "Logs burn.", "episodes": ["the second"]}, "the second"),
        ({"text": "Logs burn [ep_000077]."}, "ep_000077"),
        ({"text": "Logs burn [ep_1].", "episodes": ["ep_000001"]}, "got [ep_1]"),
        ({"text": "Logs burn [ep_000001].", "file": "../notes.md"}, "leads out of it"),
        ({"text": "Logs burn [ep_000001].", "file": "procedures/burn.py"}, "expected a Markdown file"),
        ({"text": "x" * 2_001, "episodes": ["ep_000001"]}, "got 2,001"),
    ],
)
def test_a_lesson_without_evidence_is_refused_and_nothing_is_written(memory, asked, said):
    assert said in refusal(call(memory, "remember", asked))
    assert not (memory / "mine").exists()


def test_a_check_of_notes_names_what_is_wrong_and_where(memory):
    assert call(memory, "notes_check").structured_content["sound"] is True
    Mine(memory).write("notes.md", "Logs burn.\nSand falls [ep_000077].\n", by="person", why="test")
    done = call(memory, "notes_check")
    assert [(one["line"], one["fault"]) for one in done.structured_content["findings"]] == [
        (1, "uncited"),
        (2, "missing episode"),
    ]
    assert text_of(done).startswith("uncited: notes.md:1 Logs burn.")


def test_the_working_memory_is_written_and_read(memory):
    assert text_of(call(memory, "working_read")) == "no plan yet"
    asked = {"plan": "Get iron.", "subgoal": "Find a cave.", "ask": ["Is there coal?", "Is it night?"]}
    assert not call(memory, "working_write", asked).is_error
    answered = call(memory, "working_write", {"answer": {"Is there coal?": "Yes [ep_000001]."}})
    assert answered.structured_content == {
        "plan": "Get iron.",
        "subgoal": "Find a cave.",
        "questions": [
            {"question": "Is there coal? Yes [ep_000001].", "answered": True},
            {"question": "Is it night?", "answered": False},
        ],
    }
    assert call(memory, "working_read").structured_content == answered.structured_content
    assert "Is it night?" in refusal(call(memory, "working_write", {"answer": {"Why?": "So."}}))
    assert "expected a plan, a subgoal" in refusal(call(memory, "working_write"))
    assert "at most 4,000 characters" in refusal(call(memory, "working_write", {"plan": "x" * 5_000}))


def test_a_consolidation_shows_a_diff_first_and_then_writes_the_same(memory):
    dry = call(memory, "consolidate")
    assert not (memory / "mine").exists()
    done = call(memory, "consolidate", {"dry_run": False})
    assert done.structured_content["files"] == dry.structured_content["files"] == Mine(memory).paths()
    assert done.structured_content["change"] == 1
    again = call(memory, "consolidate", {"dry_run": False})
    assert again.structured_content["files"] == []
    assert again.structured_content["change"] is None


def test_a_map_is_a_picture(recorded):
    done = call(recorded, "map", {"layers": ["path", "stations"]})
    assert picture_of(done).width > 200
    assert "3 episodes" in text_of(done)


def test_notes_are_listed_and_read_whole_or_by_lines(memory):
    assert text_of(call(memory, "notes_list")) == "no notes yet"
    Mine(memory).write("a/b.md", "one\ntwo\nthree", by="person", why="test")
    assert call(memory, "notes_list").structured_content == {"files": [{"path": "a/b.md", "bytes": 13}]}
    assert text_of(call(memory, "notes_read", {"path": "a/b.md"})) == "one\ntwo\nthree"
    assert text_of(call(memory, "notes_read", {"path": "/memories/a/b.md", "lines": [2, -1]})) == "two\nthree"
    assert "expected lines within 1 to 3" in refusal(
        call(memory, "notes_read", {"path": "a/b.md", "lines": [4, 9]})
    )


@pytest.mark.parametrize(
    "path", ["../index.jsonl", "/etc/passwd", "..%2findex.jsonl", ".hidden", "nothing.md"]
)
def test_nothing_outside_the_notes_is_read(memory, path):
    refusal(call(memory, "notes_read", {"path": path}))


def test_the_file_tool_answers_as_the_memory_tool_does(memory):
    def edit(**asked):
        return call(memory, "memory", asked)

    done = edit(command="create", path="/memories/plan.md", file_text="go\n")
    assert text_of(done) == "File created successfully at: /memories/plan.md"
    assert refusal(edit(command="create", path="/memories/plan.md", file_text="x")).endswith("already exists")
    edit(command="str_replace", path="/memories/plan.md", old_str="go", new_str="come")
    edit(command="insert", path="/memories/plan.md", insert_line=1, insert_text="home\n")
    assert text_of(edit(command="view", path="/memories/plan.md")).endswith(
        "     1\tcome\n     2\thome\n     3\t"
    )
    edit(command="rename", old_path="/memories/plan.md", new_path="/memories/done.md")
    assert Mine(memory).paths() == ["done.md"]
    edit(command="delete", path="/memories/done.md")
    assert Mine(memory).paths() == []


@pytest.mark.parametrize("text", ["[1, 2]", '{"a": 1}', "null", "true", "12", '"quoted"', "", "  lead\n\n"])
def test_a_text_that_looks_like_json_is_written_as_it_is(memory, text):
    call(memory, "memory", {"command": "create", "path": "/memories/a.json", "file_text": text})
    assert Mine(memory).read("a.json") == text


PROCEDURE = '''"""Make planks."""

PROCEDURE = {
    "name": "make_planks",
    "about": "Make planks from a log.",
    "parameters": {},
    "needs": {"inventory": {"oak_log": 1}},
    "expects": {"gained": {"oak_planks": 4}},
    "evidence": ["ep_000001"],
}


def run(seen):
    yield craft([["oak_log"]])
'''


def test_a_procedure_is_saved_listed_and_shown_and_one_with_flaws_is_refused(memory):
    assert text_of(call(memory, "procedures_list")) == "no procedures yet"
    saved = call(memory, "procedure_save", {"name": "make_planks", "text": PROCEDURE, "why": "it worked"})
    assert text_of(saved).startswith("saved make_planks as v1 (")
    assert text_of(call(memory, "procedures_list")) == (
        "make_planks  0 runs, 0 successes  Make planks from a log."
    )
    shown = call(memory, "procedure_show", {"name": "make_planks"})
    assert shown.structured_content["text"] == PROCEDURE
    assert shown.structured_content["flaws"] == []
    flawed = PROCEDURE.replace("def run(seen):", "import os\n\n\ndef run(seen):")
    refusal(call(memory, "procedure_save", {"name": "make_planks", "text": flawed, "why": "try"}))
    assert Mine(memory).read("procedures/make_planks.py") == PROCEDURE
    assert "expected a procedure" in refusal(call(memory, "procedure_show", {"name": "fly"}))


def test_the_example_that_a_model_is_shown_can_be_saved(memory):
    async def described(client):
        (tool,) = [one for one in (await client.list_tools()).tools if one.name == "procedure_save"]
        return tool.description.split("Example:\n", 1)[1]

    text = with_client(memory, described)
    assert text_of(call(memory, "procedure_save", {"name": "make_planks", "text": text, "why": "example"}))


def test_a_damaged_picture_is_told_and_its_episode_stays_readable(memory):
    image = memory / "episodes" / "ep_000001" / "observation" / "image.png"
    for data in (b"", b"\x89PNG\r\n\x1a\n" + b"\0" * 40, b"text"):
        image.write_bytes(data)
        assert str(image) not in text_of(call(memory, "inspect", {"episode": "ep_000002"}))
        assert "expected a picture in the frame" in refusal(
            call(memory, "inspect", {"episode": "ep_000001", "frame": True})
        )
        told = call(memory, "inspect", {"episode": "ep_000001"})
        assert told.structured_content["outcome"]["notes"] == ["planks from a log"]
        assert len(told.structured_content["problems"]) == 1
        assert picture_of(call(memory, "query", {"sheet": True})).width > 100


def test_a_torn_index_is_searched_as_far_as_it_goes(memory):
    index = memory / "index.jsonl"
    lines = index.read_bytes().splitlines(keepends=True)
    index.write_bytes(lines[0] + b'{"id": "ep_0000\xff\n' + lines[1] + lines[2][:40])
    done = call(memory, "query")
    assert [row["id"] for row in done.structured_content["rows"]] == ["ep_000000", "ep_000001"]
    assert "(passed over 1 place of the index that hold no row)" in text_of(done)


def test_half_a_character_in_a_row_comes_as_a_mark(memory):
    with (memory / "index.jsonl").open("a") as index:
        index.write('{"id": "ep_000009", "summary": "\\ud83c", "tags": ["\\ud83c\\udf78"], "x": NaN}\n')
    done = call(memory, "query", {"last": 1})
    (row,) = done.structured_content["rows"]
    assert (row["summary"], row["tags"], row["x"]) == ("\ufffd", ["\N{COCKTAIL GLASS}"], "NaN")


@pytest.mark.parametrize(("cue", "rows"), [({"text": "  "}, 0), ({"grep": ""}, 3)])
def test_a_blank_text_finds_nothing_and_an_empty_grep_everything_as_in_the_command(recorded, cue, rows):
    assert len(call(recorded, "query", cue).structured_content["rows"]) == rows


def test_likeness_to_nothing_is_refused(recorded):
    assert "expected a text with visible characters" in refusal(call(recorded, "query", {"similar": "  "}))


def test_a_switch_that_is_off_is_told_by_the_tool_that_needs_it(memory):
    (memory / "options.json").write_text('{"frames": false, "index": false, "procedures": false}')
    assert "switched off" in refusal(call(memory, "query"))
    assert "switched off" in refusal(call(memory, "procedures_list"))
    assert "switched off" in refusal(call(memory, "inspect", {"episode": "ep_000001", "frame": True}))
    assert "frames: switched off in this memory" in text_of(call(memory, "inspect", {"episode": "ep_000001"}))

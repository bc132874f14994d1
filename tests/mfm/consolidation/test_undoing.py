"""Taking a consolidation back: what it wrote goes, what was written since stays, as one change."""

import re

import pytest

from echo.mfm.consolidation.consolidate import consolidate
from echo.mfm.consolidation.restoring import restored
from echo.mfm.consolidation.sections import line_mark
from echo.mfm.consolidation.undoing import undo_last
from echo.mfm.layout import MfmError
from echo.mfm.mine.remember import remember
from echo.mfm.mine.writable import Mine
from tests.mfm.consolidation.small_lives import Life, lines_of, mine_texts, stick_episodes

SCRIPT = "procedures/get_stick_by_collect_craft_craft.py"


@pytest.fixture
def life(tmp_path) -> Life:
    life = stick_episodes(tmp_path, 3)
    consolidate(tmp_path)
    return life


def test_a_note_that_was_added_since_stays_and_all_else_goes(tmp_path, life):
    remember(tmp_path, "Sticks are light.", cites=["ep_000001"])
    done = undo_last(tmp_path)
    assert mine_texts(tmp_path) == {"notes.md": b"- Sticks are light. [ep_000001]\n"}
    assert (done.consolidation, done.kept) == (1, ())
    assert [(file.path, file.after) for file in done.files] == [
        ("digest.md", None),
        ("notes.md", "- Sticks are light. [ep_000001]\n"),
        ("places.md", None),
        (SCRIPT, None),
    ]
    last = Mine(tmp_path).history()[-1]
    assert (last.number, last.by, last.why) == (3, "person", "undo of change 1")
    assert sorted(last.files) == [file.path for file in done.files]


def test_text_around_the_sections_is_left_to_the_letter(tmp_path):
    stick_episodes(tmp_path, 3)
    mine = Mine(tmp_path)
    mine.write("notes.md", "# Mine\n\nBefore.\n", by="agent", why="first")
    consolidate(tmp_path)
    text = mine.read("notes.md").replace("Before.", "Before, and better.") + "\nBehind.\n"
    mine.write("notes.md", text, by="agent", why="second")
    undo_last(tmp_path)
    assert mine.read("notes.md") == "# Mine\n\nBefore, and better.\n\nBehind.\n"


def test_the_lines_that_a_consolidation_replaced_come_back(tmp_path, life):
    first = mine_texts(tmp_path)
    life.log().end()
    consolidate(tmp_path)
    remember(tmp_path, "Logs float.", cites=["ep_000001"])
    undo_last(tmp_path)
    note = b"- Logs float. [ep_000001]\n"
    assert mine_texts(tmp_path) == {**first, "notes.md": first["notes.md"] + note}
    undo_last(tmp_path)
    assert mine_texts(tmp_path) == {"notes.md": note}
    with pytest.raises(MfmError, match=r"a consolidation of .* to take back, got none in its history"):
        undo_last(tmp_path)


def test_a_line_changed_by_hand_stays_in_its_section_and_speaks_for_its_subject(tmp_path, life):
    life.log().planks().sticks().end()
    consolidate(tmp_path)
    mine = Mine(tmp_path)
    changed = mine.read("notes.md").replace("- crafting A/A: oak_planks", "- crafting A/A: my oak_planks")
    mine.write("notes.md", changed, by="agent", why="mine")
    undo_last(tmp_path)
    lines = lines_of(tmp_path, "notes.md")
    assert [line for line in lines if "A/A" in line] == [
        "- crafting A/A: my oak_planks gave 4 stick (4 of 4) [ep_000001, ep_000002, ep_000003] and 1 more"
    ]
    assert "- crafting A: oak_log gave 4 oak_planks (3 of 3) [ep_000001, ep_000002, ep_000003]" in lines
    undo_last(tmp_path)
    text = mine.read("notes.md")
    assert [line.split(" <!--")[0] for line in text.split("\n") if line.startswith("- ")] == [
        "- crafting A/A: my oak_planks gave 4 stick (4 of 4) [ep_000001, ep_000002, ep_000003] and 1 more"
    ]
    assert re.findall("<!-- .* -->", text) == ["<!-- consolidated: crafting -->", "<!-- end: crafting -->"]


def test_a_line_that_was_taken_out_by_hand_does_not_come_back(tmp_path, life):
    life.log().planks().end()
    consolidate(tmp_path)
    mine = Mine(tmp_path)
    text = "".join(
        line for line in mine.read("notes.md").splitlines(keepends=True) if "crafting A:" not in line
    )
    mine.write("notes.md", text, by="person", why="known")
    undo_last(tmp_path)
    assert not any("crafting A:" in line for line in lines_of(tmp_path, "notes.md"))


def test_a_procedure_that_was_changed_since_stays_and_is_named(tmp_path, life):
    mine = Mine(tmp_path)
    mine.write(SCRIPT, "# mine\n" + mine.read(SCRIPT), by="agent", why="better")
    done = undo_last(tmp_path)
    assert done.kept == ((SCRIPT, "was changed since"),)
    assert list(mine_texts(tmp_path)) == [SCRIPT]
    with pytest.raises(MfmError, match="got none in its history"):
        undo_last(tmp_path)


def test_where_nothing_of_the_latest_stands_the_one_before_is_taken_back(tmp_path, life):
    life.dig("stone").end()
    consolidate(tmp_path)
    mine = Mine(tmp_path)
    with mine.batch(by="person", why="back by hand"):
        for path, (before, _) in mine.history()[1].files.items():
            mine.write(path, mine.text_at(before))
    assert undo_last(tmp_path).consolidation == 1
    assert mine_texts(tmp_path) == {}


def test_where_only_what_was_changed_is_left_the_error_names_it(tmp_path, life):
    mine = Mine(tmp_path)
    with mine.batch(by="person", why="no"):
        for path in mine.paths():
            mine.delete(path)
        mine.write(SCRIPT, "mine\n")
    with pytest.raises(MfmError, match=rf"{SCRIPT} stays, for it was changed since\. Nothing was changed"):
        undo_last(tmp_path)


def test_a_dry_run_tells_all_and_writes_nothing(tmp_path, life):
    remember(tmp_path, "Sticks are light.", cites=["ep_000001"])
    before = mine_texts(tmp_path), len(Mine(tmp_path).history())
    told = undo_last(tmp_path, dry_run=True)
    assert (mine_texts(tmp_path), len(Mine(tmp_path).history())) == before
    assert told.change is None
    assert told.diff.startswith("--- a/mine/digest.md\n+++ /dev/null\n")
    done = undo_last(tmp_path)
    assert (done.files, done.kept) == (told.files, told.kept)


def test_lines_moved_out_of_their_section_stay_and_the_file_is_named(tmp_path, life):
    mine = Mine(tmp_path)
    text = mine.read("places.md")
    line = next(line for line in text.split("\n") if line.startswith("- "))
    mine.write("places.md", f"{line}\n\n{text.replace(line, '')}", by="agent", why="order")
    done = undo_last(tmp_path)
    assert done.kept == (("places.md", "holds lines of it outside the markers of their section"),)
    assert mine.read("places.md") == f"{line}\n"


def test_a_consolidation_after_an_undo_writes_the_same_again(tmp_path, life):
    first = mine_texts(tmp_path)
    undo_last(tmp_path)
    consolidate(tmp_path)
    assert mine_texts(tmp_path) == first


def section(*lines: str, end: str = "") -> str:
    told = "".join(f"{line} <!--{line_mark('s', line)}-->\n" for line in lines)
    return f"<!-- consolidated: s -->\n## S\n\n{told}<!-- end: s{end} -->\n"


def test_order_and_the_count_of_what_was_left_out_are_those_of_before():
    before, after = (
        section("- b: 1", "- a: 1"),
        section("- a: 2", "- c: 1", "- b: 1", end="; 1 of less weight left out"),
    )
    now = after.replace("- b: 1", "- by hand\n- b: 1") + "Behind.\n"
    made = restored(now, before, after)
    # It stood behind what is said of a, once c is gone.
    assert made.text == before.replace("<!-- end", "- by hand\n<!-- end") + "Behind.\n"
    assert made.whole


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_ends_stay(ending):
    after = section("- a: 1").replace("\n", ending)
    now = f"Mine.{ending}{ending}{after}More.{ending}"
    assert (
        restored(now, f"Mine.{ending}", f"Mine.{ending}{ending}{after}").text == f"Mine.{ending}More.{ending}"
    )


def test_a_section_without_its_last_marker_is_left_and_told():
    after = section("- a: 1")
    now = after.replace("<!-- end: s -->\n", "")
    made = restored(now, "", after)
    assert (made.text, made.whole) == (now, False)

"""A whole consolidation: one change of mine/, idempotent, incremental, undoable; episodes only read."""

import hashlib
import json
import os
import shutil
import subprocess
import sys

import pytest

from csd.episode import Craft, Equip
from echo.mfm.consolidation.batches import Consolidator
from echo.mfm.consolidation.consolidate import consolidate
from echo.mfm.consolidation.evidence import read_evidence
from echo.mfm.consolidation.journal import JOURNAL, read_journal
from echo.mfm.consolidation.undoing import undo_last
from echo.mfm.layout import MfmError
from echo.mfm.mine.check import check_notes
from echo.mfm.mine.writable import Mine
from echo.mfm.options import MemoryOptions, save_options
from tests.mfm.consolidation.small_lives import (
    FURNACE,
    PICKAXE,
    TABLE,
    Life,
    foreign_episode,
    lines_of,
    mine_texts,
    stick_episodes,
)


def full_life(root) -> Life:
    """Return a life in which most rules have something to say."""
    life = stick_episodes(root, 3)
    life.dig("stone").dig("coal_ore").end()
    life.stations = (TABLE, FURNACE)
    life.do(Equip(item="wooden_pickaxe")).dig("stone", cell=(7, 60, 7), cobblestone=1).end()
    life.items = {"oak_planks": 9, "stick": 9, "raw_iron": 3}
    for _ in range(3):
        life.do(Craft(grid=PICKAXE), oak_planks=-3, stick=-2, wooden_pickaxe=1).end()
        life.dig("stone", cobblestone=1).smelt("raw_iron", raw_iron=-1, iron_ingot=1, oak_planks=-1).end()
        life.smelt("stick", "no_result").dig("obsidian", hurt=0).end()
    life.do(Equip(item=None), hurt=2.0).do(Equip(item=None), hurt=1.0).end()
    return life


def tree(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_everything_is_one_change_and_a_second_run_changes_no_byte(tmp_path):
    full_life(tmp_path)
    done = consolidate(tmp_path)
    assert done.change == 1
    assert [file.path for file in done.files if "/" not in file.path] == [
        "digest.md",
        "hazards.md",
        "notes.md",
        "places.md",
    ]
    before = tree(tmp_path)
    again = consolidate(tmp_path)
    assert (again.change, again.files, again.findings, again.diff) == (None, (), (), "")
    assert tree(tmp_path) == before


def test_what_is_written_passes_the_check_of_notes(tmp_path):
    full_life(tmp_path)
    consolidate(tmp_path)
    report = check_notes(tmp_path)
    assert report.findings == ()
    assert report.count("supported") > 10


def test_episodes_and_index_are_only_read(tmp_path):
    full_life(tmp_path)
    before = tree(tmp_path / "episodes"), (tmp_path / "index.jsonl").read_bytes()
    consolidate(tmp_path)
    undo_last(tmp_path)
    assert (tree(tmp_path / "episodes"), (tmp_path / "index.jsonl").read_bytes()) == before


def test_without_what_it_remembers_it_says_the_same(tmp_path):
    full_life(tmp_path)
    consolidate(tmp_path)
    before = mine_texts(tmp_path)
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "history" / JOURNAL).unlink()
    assert consolidate(tmp_path).change is None
    assert mine_texts(tmp_path) == before


def test_only_new_episodes_are_opened(tmp_path):
    life = stick_episodes(tmp_path, 2)
    consolidate(tmp_path)
    for name in ("ep_000001", "ep_000002"):
        shutil.rmtree(tmp_path / "episodes" / name)
    life.dig("stone").end()
    evidence = read_evidence(tmp_path)
    assert (len(evidence.attempts), evidence.unreadable) == (7, ())


def test_new_episodes_change_only_what_they_bear_on(tmp_path):
    life = stick_episodes(tmp_path, 3)
    life.dig("stone").end()
    consolidate(tmp_path)
    before = lines_of(tmp_path, "notes.md")
    life.dig("dirt", dirt=1).end()
    done = consolidate(tmp_path)
    assert [(where, found.subject) for where, found in done.findings] == [
        ("notes.md#digging", "digging with an empty hand"),
        ("places.md#places", "dirt found"),
        ("digest.md#digest", "seen"),
    ]
    kept = [line for line in before if not line.startswith("- digging with an empty hand")]
    assert [line for line in lines_of(tmp_path, "notes.md") if line in before] == kept


def test_a_dry_run_shows_the_diff_and_writes_nothing(tmp_path):
    stick_episodes(tmp_path, 3)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.md").write_text("# My notes\n")
    done = consolidate(tmp_path, dry_run=True)
    assert done.change is None
    assert done.diff.startswith("--- /dev/null\n+++ b/mine/digest.md\n@@ -0,0 +1,")
    assert "--- a/mine/notes.md\n+++ b/mine/notes.md\n@@ -1 +1," in done.diff
    assert "+- crafting A: oak_log gave 4 oak_planks (3 of 3) [ep_000001, ep_000002, ep_000003]" in done.diff
    assert mine_texts(tmp_path) == {"notes.md": b"# My notes\n"}
    assert not (tmp_path / "history").exists()


def test_undo_brings_back_every_file_and_the_next_run_writes_it_again(tmp_path):
    life = stick_episodes(tmp_path, 3)
    consolidate(tmp_path)
    first = mine_texts(tmp_path)
    life.dig("stone").end()
    consolidate(tmp_path)
    second = mine_texts(tmp_path)
    assert undo_last(tmp_path).consolidation == 2
    assert mine_texts(tmp_path) == first
    assert undo_last(tmp_path).consolidation == 1
    assert mine_texts(tmp_path) == {}
    with pytest.raises(MfmError, match="to take back, got none in its history"):
        undo_last(tmp_path)
    consolidate(tmp_path)
    assert mine_texts(tmp_path) == second


def test_an_undo_that_was_undone_counts_as_done(tmp_path):
    stick_episodes(tmp_path, 3)
    consolidate(tmp_path)
    undo_last(tmp_path)
    Mine(tmp_path).undo(2, by="person")
    journal = read_journal(tmp_path, Mine(tmp_path).history())
    assert [(entry.change, entry.undone) for entry in journal.entries] == [(1, False)]


def test_what_an_agent_wrote_around_and_into_the_sections_stays(tmp_path):
    life = stick_episodes(tmp_path, 3)
    consolidate(tmp_path)
    mine = Mine(tmp_path)
    text = "Sticks are dear to me [ep_000001].\n\n" + mine.read("notes.md").replace(
        "- crafting A/A: ", "- crafting A/A: (I love this one) "
    )
    mine.write("notes.md", text, by="agent", why="taste")
    life.dig("stone").end()
    done = consolidate(tmp_path)
    assert done.kept_by_hand == ("notes.md#crafting: crafting A/A",)
    now = mine.read("notes.md")
    assert now.startswith("Sticks are dear to me [ep_000001].\n\n")
    assert "- crafting A/A: (I love this one) " in now
    assert "- digging in vain with an empty hand: gave nothing: stone (1) [ep_000004]" in now


def test_lines_and_files_taken_out_by_hand_stay_out_until_there_is_news(tmp_path):
    life = stick_episodes(tmp_path, 3)
    consolidate(tmp_path)
    mine = Mine(tmp_path)
    lines = mine.read("notes.md").split("\n")
    mine.write(
        "notes.md", "\n".join(line for line in lines if "crafting A/A" not in line), by="person", why="known"
    )
    mine.delete("places.md", by="person", why="not needed")
    assert consolidate(tmp_path).change is None
    life.dig("stone").end()
    consolidate(tmp_path)
    assert "crafting A/A" not in mine.read("notes.md")
    assert not mine.exists("places.md")
    life.log().planks().sticks().end()
    consolidate(tmp_path)
    assert "crafting A/A: oak_planks gave 4 stick (4 of 4)" in mine.read("notes.md")
    assert "oak_log found: 4 around" in mine.read("places.md")


def test_since_writes_only_what_later_episodes_bear_on_but_with_all_evidence(tmp_path):
    life = stick_episodes(tmp_path, 3)
    life.dig("stone").end()
    first = life.log().end()
    done = consolidate(tmp_path, since=first)
    assert lines_of(tmp_path, "notes.md") == [
        "- digging with an empty hand: always gave the block itself: oak_log (4) [ep_000001]"
    ]
    assert [file.path for file in done.files] == ["digest.md", "notes.md", "places.md"]
    with pytest.raises(MfmError, match="expected an episode of this memory, got 'ep_000099'"):
        consolidate(tmp_path, since="ep_000099")


def test_options_switch_it_off_or_leave_procedures_out(tmp_path):
    stick_episodes(tmp_path, 3)
    save_options(tmp_path, MemoryOptions(procedures=False))
    assert not [file.path for file in consolidate(tmp_path).files if file.path.endswith(".py")]
    save_options(tmp_path, MemoryOptions(consolidation=False))
    with pytest.raises(MfmError, match="consolidation is switched off"):
        consolidate(tmp_path)


def test_least_below_two_is_refused(tmp_path):
    stick_episodes(tmp_path, 1)
    with pytest.raises(ValueError, match="expected at least 2 episodes for a procedure, got 1"):
        consolidate(tmp_path, least=1)


def test_no_memory_is_no_empty_memory(tmp_path):
    with pytest.raises(MfmError, match="expected the index of a memory"):
        consolidate(tmp_path)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: shutil.rmtree(folder),
        lambda folder: (folder / "steps.json").write_text("{"),
        lambda folder: (folder / "steps.json").write_text('{"format": "echo-mfm-steps/1", "steps": 7}'),
        lambda folder: (folder / "steps.json").write_bytes(b"\xff\xfe"),
    ],
)
def test_an_episode_that_cannot_be_read_is_named_and_the_rest_used_until_it_is_restored(tmp_path, spoil):
    stick_episodes(tmp_path, 3)
    folder = tmp_path / "episodes" / "ep_000002"
    shutil.copytree(folder, tmp_path / "copy")
    spoil(folder)
    done = consolidate(tmp_path)
    ((episode, reason),) = done.unreadable
    assert episode == "ep_000002"
    assert "ep_000002" in reason
    assert "(2 of 2) [ep_000001, ep_000003]" in "\n".join(lines_of(tmp_path, "notes.md"))
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(tmp_path / "copy", folder)
    assert consolidate(tmp_path).unreadable == ()
    assert "(3 of 3)" in "\n".join(lines_of(tmp_path, "notes.md"))


def test_rows_of_other_tools_with_odd_values_do_no_harm(tmp_path):
    entry = {"procedure": "dig", "args": None}
    foreign_episode(tmp_path, 1, entry=entry, delta={"dirt": 1})
    foreign_episode(tmp_path, 2, entry=entry, delta={"dirt": 1})
    foreign_episode(tmp_path, 3, entry=None)
    for name, document in {
        "action.json": {"entry": ["x"]},
        "outcome.json": {"inventory_delta": {"dirt": None, "stone": {"count": 2}}, "events": 3, "tags": None},
        "state/state.json": {"pos": None, "inventory": "?", "mainhand": 5},
    }.items():
        (tmp_path / "episodes" / "ep_000003" / name).write_text(json.dumps(document))
    with (tmp_path / "index.jsonl").open("a") as index:
        index.write('{"id": "../../etc", "kind": "episode", "tags": 5, "life": "x"}\n')
        index.write('{"id": "ep_000007", "kind": "initial"}\n')
    done = consolidate(tmp_path)
    assert [episode for episode, _ in done.unreadable] == ["../../etc"]
    assert lines_of(tmp_path, "notes.md") == ["- doing dig: gave dirt (2 of 2) [ep_000001, ep_000002]"]
    assert check_notes(tmp_path).findings == ()


def test_earlier_lives_count_for_lessons_but_not_for_places(tmp_path):
    (tmp_path / "index.jsonl").touch()
    entry = {"procedure": "dig", "args": {}}
    foreign_episode(tmp_path, 1, entry=entry, delta={"dirt": 1}, life=1)
    foreign_episode(tmp_path, 2, entry=entry, delta={"dirt": 1}, life=1)
    foreign_episode(tmp_path, 2, entry=entry, delta={"dirt": 1}, place=(70.0, 64.0, 2.0))
    consolidate(tmp_path)
    assert lines_of(tmp_path, "notes.md") == [
        "- doing dig: gave dirt (3 of 3) [ep_000001, life_1/ep_000002, ep_000002]"
    ]
    assert lines_of(tmp_path, "places.md") == ["- dirt found: 1 around (70, 64, 2) [ep_000002]"]
    assert check_notes(tmp_path).findings == ()


def test_an_index_of_all_earlier_lives_is_used_where_there_is_one(tmp_path):
    (tmp_path / "index.jsonl").touch()
    foreign_episode(tmp_path, 1, entry={"procedure": "dig"}, delta={"dirt": 1}, life=1)
    foreign_episode(tmp_path, 2, entry={"procedure": "dig"}, delta={"dirt": 1}, life=2)
    rows = []
    for life in (1, 2):
        row = json.loads((tmp_path / "previous" / f"life_{life}" / "index.jsonl").read_text())
        rows.append(json.dumps({**row, "life": life, "path": f"previous/life_{life}/{row['path']}"}) + "\n")
    (tmp_path / "previous" / "index.jsonl").write_text("".join(rows))
    consolidate(tmp_path)
    assert lines_of(tmp_path, "notes.md") == ["- doing dig: gave dirt (2 of 2) [ep_000001, ep_000002]"]


def test_two_processes_at_once_leave_one_change_and_whole_files(tmp_path):
    full_life(tmp_path)
    code = "import sys; from echo.mfm.consolidation.consolidate import consolidate; consolidate(sys.argv[1])"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)], env={**os.environ, "PYTHONHASHSEED": str(seed)}
        )
        for seed in (1, 2)
    ]
    assert [process.wait(timeout=60) for process in processes] == [0, 0]
    assert [change.number for change in Mine(tmp_path).history()] == [1]
    assert consolidate(tmp_path).change is None


def test_the_log_names_the_rule_the_line_and_all_episodes_of_what_is_new(tmp_path):
    life = stick_episodes(tmp_path, 4)
    consolidate(tmp_path)
    life.dig("stone").end()
    consolidate(tmp_path)
    first, second = read_journal(tmp_path, Mine(tmp_path).history()).entries
    assert (first.change, first.through, second.change, second.through) == (1, "ep_000004", 2, "ep_000005")
    (sticks,) = [found for found in first.findings if found["where"] == "notes.md#crafting"][1:]
    assert sticks == {
        "rule": "crafting",
        "where": "notes.md#crafting",
        "line": "- crafting A/A: oak_planks gave 4 stick (4 of 4) "
        "[ep_000001, ep_000002, ep_000003] and 1 more",
        "episodes": ["ep_000001", "ep_000002", "ep_000003", "ep_000004"],
    }
    assert [found["where"] for found in second.findings] == ["notes.md#digging", "digest.md#digest"]


def test_a_consolidator_works_after_every_batch_and_at_the_end(tmp_path):
    consolidator = Consolidator(tmp_path, every=2)
    life = Life(tmp_path)
    done = []
    for _ in range(5):
        life.log().end()
        done.append(consolidator.recorded())
    assert [None if each is None else each.episodes for each in done] == [None, 2, None, 4, None]
    last = consolidator.finish()
    assert last is not None
    assert last.episodes == 5
    assert consolidator.finish() is None
    with pytest.raises(ValueError, match="at least 1 episode in a batch, got 0"):
        Consolidator(tmp_path, every=0)


def test_progress_is_told(tmp_path):
    stick_episodes(tmp_path, 2)
    told = []
    consolidate(tmp_path, told=lambda done, total: told.append((done, total)))
    size = (tmp_path / "index.jsonl").stat().st_size
    assert told == [(size, size)]

import os
import shutil
from pathlib import Path

import pytest

from echo.mfm.episodic.begin import begin_life
from echo.mfm.episodic.examine import Examination, examine_memory
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.episodic.repair import repair_memory
from echo.mfm.layout import MfmError, to_line
from tests.mfm.episodic.sample_steps import craft_planks, picture, seen


@pytest.fixture
def root(tmp_path) -> Path:
    """A memory with the episodes 1 and 2 in life 1, and 3 to 5 in the life that goes on."""
    for count in (2, 3):
        if count == 3:
            begin_life(tmp_path)
        with Recorder.open(tmp_path, source="s", durability="batch") as recorder:
            for number in range(count):
                recorder.write(
                    goal=f"g {number}",
                    steps=[craft_planks(number, frame=picture(number))],
                    after=seen(number + 1),
                )
    return tmp_path


def told(found: Examination) -> list[tuple[str, str]]:
    return [(flaw.kind, flaw.where) for flaw in found.flaws]


def test_a_whole_memory_is_sound_and_everything_is_looked_at(root):
    found = examine_memory(root)
    assert found == Examination(flaws=(), remarks=(), episodes=5, lives=1)
    assert found.sound
    before = sorted((path, path.stat().st_mtime_ns) for path in root.rglob("*"))
    assert repair_memory(root).done == ()
    after = sorted((path, path.stat().st_mtime_ns) for path in root.rglob("*"))
    assert [each for each in after if each[0].name != ".lock"] == [
        each for each in before if each[0].name != ".lock"
    ]


def test_altered_and_missing_files_of_every_life_are_named_and_left(root):
    (root / "episodes/ep_000004/outcome.json").write_bytes(b"{}\n")
    picture_file = root / "previous/life_1/episodes/ep_000002/observation/image.png"
    picture_file.unlink()
    repaired = repair_memory(root)
    for found in (repaired.found, repaired.left):
        assert told(found) == [("altered episode", "ep_000004"), ("altered episode", "life_1/ep_000002")]
        assert "outcome.json as it was recorded; got other content" in found.flaws[0].what
        assert f"expected a file at {picture_file}" in found.flaws[1].what
        assert not found.flaws[0].mendable
    assert repaired.done == ()


def test_a_torn_index_and_glued_rows_are_found_and_mended(root):
    index = root / "index.jsonl"
    whole = index.read_bytes()
    first, second, third = whole.splitlines(keepends=True)
    index.write_bytes(first + second[:50] + third)
    assert told(examine_memory(root)) == [
        ("torn index", f"index.jsonl at byte {len(first)}"),
        ("episode without row", "ep_000004"),
    ]
    repaired = repair_memory(root)
    assert repaired.left.sound
    assert index.read_bytes() == whole
    assert repaired.done[1:] == ("put ep_000004 into the index, which had lost it",)
    index.write_bytes(whole.replace(b"\n", b""))
    assert told(examine_memory(root)) == [("glued rows", "index.jsonl")]
    assert repair_memory(root).left.sound


def test_a_row_that_was_altered_is_named_and_left(root):
    index = root / "index.jsonl"
    altered = index.read_bytes().replace(b'"x": 1.5', b'"x": 2.5', 1)
    index.write_bytes(altered)
    repaired = repair_memory(root)
    assert told(repaired.left) == [("altered row", "ep_000003")]
    assert "expected the row in index.jsonl to be the one kept in steps.json" in repaired.left.flaws[0].what
    assert index.read_bytes() == altered


def test_a_second_row_is_found_and_set_aside(root):
    index = root / "index.jsonl"
    whole = index.read_bytes()
    index.write_bytes(whole + whole.splitlines(keepends=True)[0])
    assert told(examine_memory(root)) == [("second row", f"index.jsonl at byte {len(whole)}")]
    repair_memory(root)
    assert index.read_bytes() == whole


def test_rows_without_folder_stay_and_folders_without_row_are_put_in(root):
    shutil.rmtree(root / "episodes/ep_000005")
    lines = (root / "previous/life_1/index.jsonl").read_bytes().splitlines(keepends=True)
    (root / "previous/life_1/index.jsonl").write_bytes(lines[0])
    assert told(examine_memory(root)) == [
        ("missing episode", "ep_000005"),
        ("episode without row", "life_1/ep_000002"),
    ]
    repaired = repair_memory(root)
    assert told(repaired.left) == [("missing episode", "ep_000005")]
    assert repaired.done == ("in life_1: put ep_000002 into the index, which had lost it",)
    assert (root / "previous/life_1/index.jsonl").read_bytes() == b"".join(lines)


def test_unfinished_folders_and_lives_half_put_away_are_found_and_mended(root):
    (root / "episodes/.ep_000006.part").mkdir()
    part = root / "previous/.life_2.part"
    part.mkdir()
    (root / "index.jsonl").rename(part / "index.jsonl")
    assert told(examine_memory(root))[:2] == [
        ("lost index", "index.jsonl"),
        ("unfinished episode", "episodes/.ep_000006.part"),
    ]
    assert ("life half put away", "previous/life_2") in told(examine_memory(root))
    repaired = repair_memory(root)
    assert repaired.left.sound
    assert repaired.left.lives == 2
    assert "finished putting away life 2" in repaired.done


def test_an_index_of_earlier_lives_out_of_step_is_found_and_mended(root):
    index = root / "previous/index.jsonl"
    whole = index.read_bytes()
    index.write_bytes(whole.splitlines(keepends=True)[0])
    found = examine_memory(root)
    assert told(found) == [("rows of earlier lives", "previous/index.jsonl")]
    assert "1 have none, life_1/ep_000002 first" in found.flaws[0].what
    assert repair_memory(root).left.sound
    assert index.read_bytes() == whole
    shutil.rmtree(root / "previous/life_1/episodes/ep_000001")
    assert told(examine_memory(root)) == [
        ("missing episode", "life_1/ep_000001"),
        ("missing episode", "life_1/ep_000001"),
    ]


def test_episodes_of_another_tool_are_remarked_on_and_a_loss_behind_ours_is_named(root):
    for number in range(3, 6):
        (root / f"episodes/ep_{number:06d}/steps.json").unlink()
    found = examine_memory(root)
    assert found.sound
    assert found.remarks == (
        f"3 episodes of another tool in {root}, ep_000003 first: not ours, cannot be checked",
    )
    with Recorder.open(root, source="s") as recorder:
        recorder.write(goal="g", steps=[craft_planks(9)], after=seen(10))
        recorder.write(goal="g", steps=[craft_planks(10)], after=seen(11))
    assert examine_memory(root).sound
    (root / "episodes/ep_000007/steps.json").unlink()
    assert told(examine_memory(root)) == [("altered episode", "ep_000007")]


def test_a_step_count_that_goes_back_is_recorded_as_given_and_remarked_on(root):
    with Recorder.open(root, source="s") as recorder:
        recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))
    found = examine_memory(root)
    assert found.sound
    assert found.remarks == (
        f"in {root} the step count goes back 1 time, at ep_000006 first: recorded as given",
    )


def test_a_folder_being_written_is_remarked_on_and_not_mended(root):
    with Recorder.open(root, source="s"):
        assert examine_memory(root).remarks[0].startswith(f"process {os.getpid()} is writing this folder")
        with pytest.raises(MfmError, match="only writer"):
            repair_memory(root)


def test_unreadable_options_are_found_and_left(root):
    (root / "options.json").write_bytes(to_line({"pictures": False}))
    found = examine_memory(root)
    assert told(found) == [("options", "options.json")]
    with pytest.raises(MfmError, match="expected an object with frames"):
        Recorder.open(root, source="s")


def test_a_folder_that_is_no_memory_is_an_error(tmp_path):
    with pytest.raises(MfmError, match=r"expected a memory folder with index\.jsonl or episodes/"):
        examine_memory(tmp_path)

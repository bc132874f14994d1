import json
import os
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from csd.episode import Craft, Episode, Outcome, Step
from echo.mfm.disk import Disk
from echo.mfm.episodic.reader import read_episode, read_frame, read_index
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.episodic.writer import BATCH
from echo.mfm.layout import ROW_KEYS, MfmError
from tests.mfm.episodic.sample_steps import (
    collect_log,
    craft_planks,
    observations,
    picture,
    seen,
    steps,
    text,
)

GOLDEN = Path(__file__).parent / "golden"


def record_golden(root: Path) -> None:
    with Recorder.open(root, source="minecraft-1.17.1") as recorder:
        recorder.initial(seen(0))
        recorder.write(
            goal="make oak_planks",
            steps=[collect_log(0), craft_planks(1)],
            after=seen(2, oak_planks=4),
            notes=["made of Ωak"],
            tags=["milestone"],
        )


def test_index_lines_equal_the_golden_file_byte_for_byte(tmp_path):
    record_golden(tmp_path)
    assert (tmp_path / "index.jsonl").read_bytes() == (GOLDEN / "index.jsonl").read_bytes()


@pytest.mark.parametrize("name", ["state/state.json", "action.json", "outcome.json", "steps.json"])
def test_episode_files_equal_the_golden_files_byte_for_byte(tmp_path, name):
    record_golden(tmp_path)
    written = tmp_path / "episodes" / "ep_000001" / name
    assert written.read_bytes() == (GOLDEN / "ep_000001" / name).read_bytes()


def test_an_index_line_has_sorted_keys_wide_separators_and_ascii_escapes(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        recorder.write(goal="Ω", steps=[craft_planks(0)], after=seen(1))
    line = (tmp_path / "index.jsonl").read_text("ascii")
    assert line == json.dumps(json.loads(line), sort_keys=True) + "\n"
    assert tuple(json.loads(line)) == ROW_KEYS
    assert "\\u03a9: craft oak_log ok, -1 oak_log +4 oak_planks" in line


def test_state_action_and_outcome_have_the_keys_of_the_layout(tmp_path):
    record_golden(tmp_path)
    folder = tmp_path / "episodes" / "ep_000001"
    keys = {
        name: " ".join(sorted(json.loads((folder / name).read_bytes())))
        for name in ("state/state.json", "action.json", "outcome.json")
    }
    assert keys == {
        "state/state.json": "goals gui_open hotbar inventory mainhand mobs moved pos step verified vitals",
        "action.json": "briefing entry first_step plan plan_index plan_total ticks turn",
        "outcome.json": "descended events flushed inventory_delta last_step milestone_transition moved notes "
        "tags verified_after",
    }


def test_initial_state_is_episode_zero_with_steps_zero_to_zero(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        assert recorder.initial(seen(0, oak_log=2)) == "ep_000000"
        assert recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1)) == "ep_000001"
    row = next(read_index(tmp_path))
    assert (row["kind"], row["tags"], row["first_step"], row["last_step"]) == ("initial", ["initial"], 0, 0)
    assert read_episode(tmp_path, "ep_000000") == Episode(
        id="ep_000000", goal="", steps=(), after=seen(0, oak_log=2), source="s"
    )


def test_initial_is_refused_once_there_are_episodes(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))
        with pytest.raises(ValueError, match=r"expected an empty memory.*holds ep_000001"):
            recorder.initial(seen(0))


def test_an_episode_without_steps_is_refused(tmp_path):
    with (
        Recorder.open(tmp_path, source="s") as recorder,
        pytest.raises(ValueError, match=r"at least one step.*Use initial"),
    ):
        recorder.write(goal="g", steps=[], after=seen(1))


def test_tags_follow_from_the_steps_and_the_callers_come_last(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        recorder.write(
            goal="g", steps=[collect_log(0)], after=seen(1), notes=["n"], tags=["stuck", "note", "stuck"]
        )
        recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))
    assert [row["tags"] for row in read_index(tmp_path)] == [
        ["inventory_changed", "broke", "damage", "note", "stuck"],
        ["inventory_changed"],
    ]


def test_changes_that_cancel_out_over_the_steps_are_no_change(tmp_path):
    back = Step(
        before=seen(1),
        action=Craft(grid=()),
        outcome=Outcome(code="ok", message="", inventory_delta={"a": -1}),
    )
    forth = Step(
        before=seen(0),
        action=Craft(grid=()),
        outcome=Outcome(code="ok", message="", inventory_delta={"a": 1}),
    )
    with Recorder.open(tmp_path, source="s") as recorder:
        name = recorder.write(goal="g", steps=[forth, back], after=seen(2))
    outcome = json.loads((tmp_path / "episodes" / name / "outcome.json").read_bytes())
    assert (outcome["inventory_delta"], outcome["tags"]) == ({}, [])
    assert read_episode(tmp_path, name).steps == (forth, back)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    goal=text,
    several=st.lists(steps, min_size=1, max_size=3),
    after=observations,
    notes=st.lists(text),
    world=text,
)
def test_any_episode_comes_back_as_it_was_written(tmp_path_factory, goal, several, after, notes, world):
    root = tmp_path_factory.mktemp("any")
    with Recorder.open(root, source=world, durability="batch") as recorder:
        name = recorder.write(goal=goal, steps=several, after=after, notes=notes)
    assert read_episode(root, name) == Episode(
        id=name, goal=goal, steps=tuple(several), after=after, source=world
    )
    rows = list(read_index(root))
    assert [row["id"] for row in rows] == [name]
    assert json.loads((root / "episodes" / name / "outcome.json").read_bytes())["notes"] == notes
    with Recorder.open(root, source=world) as recorder:
        assert recorder.mend.clean


def test_a_lone_surrogate_comes_back_and_two_halves_become_their_character(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        name = recorder.write(goal="\ud83c", steps=[craft_planks(0)], after=seen(1), notes=["\ud83c\udf78"])
    assert read_episode(tmp_path, name).goal == "\ud83c"
    outcome = json.loads((tmp_path / "episodes" / name / "outcome.json").read_bytes())
    assert outcome["notes"] == ["\U0001f378"]


def test_a_long_goal_with_line_breaks_makes_one_short_summary_line(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        recorder.write(goal="a\nb" + "c" * 10_000, steps=[craft_planks(0)], after=seen(1))
    assert (tmp_path / "index.jsonl").read_bytes().count(b"\n") == 1
    summary = next(read_index(tmp_path))["summary"]
    assert len(summary) == 220
    assert summary.startswith("a bccc")
    assert summary.endswith("...")


def test_a_number_that_is_not_finite_is_refused_and_its_id_stays_free(tmp_path):
    broken = Step(
        before=seen(0), action=Craft(grid=()), outcome=Outcome(code="ok", message="", ticks=float("nan"))
    )
    with Recorder.open(tmp_path, source="s") as recorder:
        with pytest.raises(
            ValueError, match=r"expected a whole number, got nan at outcome\.ticks.*Nothing was written"
        ):
            recorder.write(goal="g", steps=[broken], after=seen(1))
        assert list((tmp_path / "episodes").iterdir()) == []
        assert recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1)) == "ep_000001"


def test_numpy_numbers_are_recorded_as_plain_ones(tmp_path):
    step = Step(
        before=seen(0),
        action=Craft(grid=()),
        outcome=Outcome(
            code="ok", message="", ticks=np.int64(7), cell=(np.int32(1), np.int32(2), np.int32(3))
        ),
    )
    with Recorder.open(tmp_path, source="s") as recorder:
        name = recorder.write(goal="g", steps=[step], after=seen(1))
    read = read_episode(tmp_path, name).steps[0]
    assert read == step
    assert type(read.outcome.ticks) is int


@pytest.mark.parametrize(
    "frame", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3), np.float32), np.zeros((0, 4, 3), np.uint8)]
)
def test_a_frame_of_another_shape_is_refused(tmp_path, frame):
    with (
        Recorder.open(tmp_path, source="s") as recorder,
        pytest.raises(ValueError, match=r"expected a frame of shape \(height, width, 3\)"),
    ):
        recorder.write(goal="g", steps=[craft_planks(0, frame=frame)], after=seen(1))


def test_without_a_frame_there_is_no_image_and_the_row_says_null(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))
        recorder.write(goal="g", steps=[craft_planks(0, frame=picture(1))], after=seen(1))
    without, with_one = read_index(tmp_path)
    assert without["image"] is None
    assert not (tmp_path / "episodes/ep_000001/observation").exists()
    assert with_one["image"] == "episodes/ep_000002/observation/image.png"
    assert (tmp_path / with_one["image"]).is_file()


@pytest.mark.parametrize(("frames", "kept"), [("first", [0]), ("all", [0, 1, 2]), ("none", [])])
def test_frames_option_says_which_pictures_are_kept(tmp_path, frames, kept):
    pictures = [picture(place) for place in range(3)]
    with Recorder.open(tmp_path, source="s", frames=frames) as recorder:
        name = recorder.write(
            goal="g",
            steps=[collect_log(0, frame=pictures[0]), craft_planks(1, frame=pictures[1])],
            after=seen(2, frame=pictures[2]),
        )
    read = [read_frame(tmp_path, name, place) for place in range(3)]
    assert [place for place in range(3) if read[place] is not None] == kept
    assert all(np.array_equal(read[place], pictures[place]) for place in kept)


def test_a_second_writer_is_refused_until_the_first_closes(tmp_path):
    with (
        Recorder.open(tmp_path, source="s"),
        pytest.raises(MfmError, match=f"only writer of .* process {os.getpid()} has it open. Close"),
    ):
        Recorder.open(tmp_path, source="s")
    Recorder.open(tmp_path, source="s").close()


def test_a_closed_recorder_refuses_to_write(tmp_path):
    recorder = Recorder.open(tmp_path, source="s")
    recorder.close()
    recorder.close()
    with pytest.raises(MfmError, match=r"is closed. Open it again"):
        recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))


def test_ids_go_on_after_reopening(tmp_path):
    for expected in ("ep_000001", "ep_000002", "ep_000003"):
        with Recorder.open(tmp_path, source="s") as recorder:
            assert recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1)) == expected
            assert recorder.last_id == expected


def test_unknown_options_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"expected durability 'each' or 'batch'.*got 'never' and 'first'"):
        Recorder.open(tmp_path, source="s", durability="never")


def test_a_file_in_the_place_of_the_folder_is_refused_and_left_alone(tmp_path):
    place = tmp_path / "notes.txt"
    place.write_text("mine")
    with pytest.raises(MfmError, match=r"expected a folder for a memory at .*notes.txt, got a file"):
        Recorder.open(place, source="s")
    assert place.read_text() == "mine"


def test_batch_puts_lines_into_the_index_at_flush_at_close_and_when_full(tmp_path):
    def lines() -> int:
        return len(list(read_index(tmp_path)))

    with Recorder.open(tmp_path, source="s", durability="batch") as recorder:
        recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))
        assert lines() == 0
        recorder.flush()
        assert lines() == 1
        for _ in range(BATCH):
            recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))
        assert lines() == 1 + BATCH
        recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))
    assert lines() == 2 + BATCH


def test_threads_that_write_at_once_lose_nothing(tmp_path):
    with Recorder.open(tmp_path, source="s", durability="batch") as recorder:

        def work(worker: int) -> None:
            for turn in range(10):
                recorder.write(goal=f"{worker}-{turn}", steps=[craft_planks(0)], after=seen(1))

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    rows = list(read_index(tmp_path))
    assert [row["id"] for row in rows] == [f"ep_{number:06d}" for number in range(1, 41)]
    goals = sorted(read_episode(tmp_path, row["id"]).goal for row in rows)
    assert goals == sorted(f"{worker}-{turn}" for worker in range(4) for turn in range(10))


class FullDisk(Disk):
    """Refuses the named operation once `armed`."""

    def __init__(self, operation: str) -> None:
        self.operation, self.armed = operation, False

    def write_file(self, path, data):
        if self.armed and self.operation == "write_file" and path.name == "outcome.json":
            raise OSError(28, "No space left on device")
        super().write_file(path, data)

    def append(self, path, data):
        if self.armed and self.operation == "append":
            raise OSError(28, "No space left on device")
        super().append(path, data)


def test_a_full_disk_while_writing_files_leaves_nothing_and_the_next_write_works(tmp_path):
    disk = FullDisk("write_file")
    with Recorder.open(tmp_path, source="s", disk=disk) as recorder:
        disk.armed = True
        with pytest.raises(OSError, match="No space left"):
            recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))
        assert list((tmp_path / "episodes").iterdir()) == []
        disk.armed = False
        assert recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1)) == "ep_000001"


def test_a_failed_index_append_stops_the_recorder_and_reopening_mends(tmp_path):
    disk = FullDisk("append")
    with Recorder.open(tmp_path, source="s", disk=disk) as recorder:
        disk.armed = True
        with pytest.raises(OSError, match="No space left"):
            recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))
        disk.armed = False
        with pytest.raises(MfmError, match=r"failed half way.*ep_000001.*open it again: opening mends it"):
            recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))
    with Recorder.open(tmp_path, source="s") as recorder:
        assert recorder.mend.indexed == ("ep_000001",)
        assert recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1)) == "ep_000002"
    assert [row["id"] for row in read_index(tmp_path)] == ["ep_000001", "ep_000002"]


def test_a_forked_child_may_not_write(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        child = os.fork()
        if child == 0:
            try:
                recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))
                os._exit(1)
            except MfmError as error:
                os._exit(0 if "Let one process write" in str(error) else 2)
        assert os.waitpid(child, 0)[1] == 0
        recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))

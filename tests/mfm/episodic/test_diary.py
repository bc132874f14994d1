import pytest

from csd.episode import Craft, Outcome, Step
from echo.mfm.episodic.diary import Diary
from echo.mfm.episodic.reader import read_episode, read_frame, read_index
from echo.mfm.episodic.recorder import Recorder
from tests.mfm.episodic.sample_steps import collect_log, picture, seen
from tests.mfm.episodic.test_recorder import FullDisk


def broken_step(number: int) -> Step:
    return Step(
        before=seen(number), action=Craft(grid=()), outcome=Outcome(code="ok", message="", ticks=float("nan"))
    )


def test_every_step_becomes_an_episode(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder, Diary(recorder, goal="g") as diary:
        names = [diary.add(collect_log(number), seen(number + 1)) for number in range(3)]
    assert names == ["ep_000001", "ep_000002", "ep_000003"]
    assert read_episode(tmp_path, "ep_000002").steps == (collect_log(1),)
    assert read_episode(tmp_path, "ep_000002").after == seen(2)


def test_every_few_steps_become_an_episode_and_closing_records_the_rest(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        with Diary(recorder, goal="g", every=3) as diary:
            names = [diary.add(collect_log(number), seen(number + 1)) for number in range(5)]
            assert diary.pending == 2
        assert names == [None, None, "ep_000001", None, None]
        assert diary.close() is None
    rows = list(read_index(tmp_path))
    assert [(row["first_step"], row["last_step"]) for row in rows] == [(1, 3), (4, 5)]


def test_a_new_goal_closes_the_episode_under_way(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        diary = Diary(recorder, goal="wood", every=10)
        diary.add(collect_log(0), seen(1), notes=["found oak"], tags=["milestone"])
        assert diary.turn_to("stone") == "ep_000001"
        assert diary.turn_to("iron") is None
        diary.add(collect_log(1), seen(2))
        diary.close()
    wood, iron = read_index(tmp_path)
    assert read_episode(tmp_path, "ep_000001").goal == "wood"
    assert read_episode(tmp_path, "ep_000002").goal == "iron"
    assert wood["tags"] == ["inventory_changed", "broke", "damage", "note", "milestone"]
    assert iron["tags"] == ["inventory_changed", "broke", "damage"]


def test_a_picture_that_the_caller_draws_over_is_kept_as_it_was(tmp_path):
    canvas = picture(0).copy()
    with (
        Recorder.open(tmp_path, source="s", frames="all") as recorder,
        Diary(recorder, goal="g", every=3) as diary,
    ):
        for number in range(3):
            canvas[:] = picture(number)
            diary.add(collect_log(number, frame=canvas), seen(number + 1))
    for number in range(3):
        assert (read_frame(tmp_path, "ep_000001", number) == picture(number)).all()


@pytest.mark.parametrize("every", [1, 4])
def test_a_step_that_cannot_be_recorded_is_left_out_and_the_others_are_kept(tmp_path, every):
    with Recorder.open(tmp_path, source="s") as recorder, Diary(recorder, goal="g", every=every) as diary:
        diary.add(collect_log(0), seen(1))
        with pytest.raises(ValueError, match=r"expected a whole number, got nan at outcome\.ticks"):
            diary.add(broken_step(1), seen(2))
        diary.add(collect_log(2), seen(3))
    steps = [step for row in read_index(tmp_path) for step in read_episode(tmp_path, row["id"]).steps]
    assert steps == [collect_log(0), collect_log(2)]


def test_steps_that_the_disk_refused_are_written_with_the_next(tmp_path):
    disk = FullDisk("write_file")
    with Recorder.open(tmp_path, source="s", disk=disk) as recorder:
        diary = Diary(recorder, goal="g")
        disk.armed = True
        with pytest.raises(OSError, match="No space left"):
            diary.add(collect_log(0), seen(1))
        assert diary.pending == 1
        disk.armed = False
        assert diary.add(collect_log(1), seen(2)) == "ep_000001"
    assert read_episode(tmp_path, "ep_000001").steps == (collect_log(0), collect_log(1))


@pytest.mark.parametrize("every", [0, -1, 1.5, True])
def test_a_number_of_steps_that_is_none_is_refused(tmp_path, every):
    with (
        Recorder.open(tmp_path, source="s") as recorder,
        pytest.raises(ValueError, match="whole number of steps an episode, at least 1"),
    ):
        Diary(recorder, goal="g", every=every)

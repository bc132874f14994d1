import json
import shutil
from pathlib import Path

import pytest

from echo.mfm.episodic.begin import begin_life, begin_memory
from echo.mfm.episodic.reader import find_episode, read_episode, read_frame, read_index
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.folder import MemoryFolder
from echo.mfm.layout import MfmError, to_line
from echo.mfm.options import MemoryOptions, memory_options
from tests.mfm.episodic.sample_steps import craft_planks, picture, seen


def record(root: Path, count: int, *, goal: str) -> list[str]:
    with Recorder.open(root, source="s", durability="batch") as recorder:
        return [
            recorder.write(
                goal=f"{goal} {number}",
                steps=[craft_planks(number, frame=picture(number))],
                after=seen(number + 1),
                attachments={"log.txt": b"said"},
            )
            for number in range(count)
        ]


@pytest.fixture
def two_lives(tmp_path):
    record(tmp_path, 2, goal="first")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.md").write_text("oak gives planks [ep_000001]\n")
    (tmp_path / "turns.jsonl").write_text('{"turn": 1}\n')
    (tmp_path / "runs.jsonl").write_text('{"name": "dig"}\n')
    begin_life(tmp_path)
    record(tmp_path, 1, goal="second")
    return tmp_path


def test_a_life_is_put_away_whole_and_the_next_begins_empty(tmp_path):
    record(tmp_path, 2, goal="first")
    before = (tmp_path / "index.jsonl").read_bytes()
    begun = begin_life(tmp_path)
    assert (begun.life, begun.episodes, begun.made) == (1, 2, False)
    assert (tmp_path / "index.jsonl").read_bytes() == b""
    assert list((tmp_path / "episodes").iterdir()) == []
    assert (tmp_path / "previous/life_1/index.jsonl").read_bytes() == before
    assert [
        row["goal"] if "goal" in row else row["id"] for row in read_index(tmp_path / "previous/life_1")
    ] == [
        "ep_000001",
        "ep_000002",
    ]
    assert read_episode(tmp_path / "previous/life_1", "ep_000002").goal == "first 1"


def test_rows_of_earlier_lives_carry_their_life_and_where_they_lie_now(two_lives):
    begin_life(two_lives)
    rows = list(MemoryFolder(two_lives).earlier_rows())
    assert [(row["life"], row["id"], row["path"]) for row in rows] == [
        (1, "ep_000001", "previous/life_1/episodes/ep_000001"),
        (1, "ep_000002", "previous/life_1/episodes/ep_000002"),
        (2, "ep_000003", "previous/life_2/episodes/ep_000003"),
    ]
    assert rows[2]["image"] == "previous/life_2/episodes/ep_000003/observation/image.png"
    assert rows[0]["attachment"] == "previous/life_1/episodes/ep_000001/attachment/log.txt"
    assert all((two_lives / row["image"]).is_file() for row in rows)
    lines = (two_lives / "previous/index.jsonl").read_bytes().splitlines(keepends=True)
    assert lines == [to_line(row) for row in rows]


def test_what_the_agent_wrote_stays_and_is_kept_as_it_was(two_lives):
    (two_lives / "mine" / "notes.md").write_text("changed")
    old = two_lives / "previous" / "life_1"
    assert (old / "mine/notes.md").read_text() == "oak gives planks [ep_000001]\n"
    assert (old / "turns.jsonl").read_text() == (two_lives / "turns.jsonl").read_text() == '{"turn": 1}\n'
    assert (old / "runs.jsonl").read_text() == '{"name": "dig"}\n'


def test_ids_go_on_counting_over_lives_and_an_initial_state_gets_the_next(tmp_path):
    record(tmp_path, 2, goal="first")
    begin_life(tmp_path)
    with Recorder.open(tmp_path, source="s") as recorder:
        assert recorder.last_id == "ep_000002"
        assert recorder.initial(seen(0)) == "ep_000003"
        assert recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1)) == "ep_000004"
        with pytest.raises(ValueError, match=r"expected an empty memory.*holds ep_000004.*begin a new life"):
            recorder.initial(seen(0))
    assert [(row["id"], row["kind"]) for row in read_index(tmp_path)] == [
        ("ep_000003", "initial"),
        ("ep_000004", "episode"),
    ]


def test_episodes_and_frames_of_earlier_lives_are_found(two_lives):
    assert read_episode(two_lives, "ep_000001").goal == "first 0"
    assert (read_frame(two_lives, "ep_000002") == picture(1)).all()
    assert read_episode(two_lives, "ep_000003").goal == "second 0"
    assert read_episode(two_lives, "ep_000001", life=1, frames=True).steps[0].before.frame is not None
    with pytest.raises(MfmError, match=r"expected the episode ep_000003 at .*life_1"):
        read_episode(two_lives, "ep_000003", life=1)


def test_an_id_of_several_lives_means_this_one_then_the_last(two_lives):
    begin_life(two_lives)
    shutil.copytree(
        two_lives / "previous/life_1/episodes/ep_000002", two_lives / "previous/life_2/episodes/ep_000002"
    )
    assert find_episode(two_lives, "ep_000002") == two_lives / "previous/life_2/episodes/ep_000002"
    shutil.copytree(two_lives / "previous/life_1/episodes/ep_000002", two_lives / "episodes/ep_000002")
    assert find_episode(two_lives, "ep_000002") == two_lives / "episodes/ep_000002"


def test_a_life_without_an_episode_goes_on(tmp_path):
    begun = begin_memory(tmp_path)
    assert (begun.made, begun.life, begun.episodes) == (True, None, 0)
    assert begin_life(tmp_path).life is None
    assert not (tmp_path / "previous").exists()


def test_a_folder_that_is_being_written_cannot_begin_anew(tmp_path):
    with (
        Recorder.open(tmp_path, source="s"),
        pytest.raises(MfmError, match="expected to be the only writer"),
    ):
        begin_life(tmp_path)


def test_options_change_with_a_new_life_only(tmp_path):
    record(tmp_path, 1, goal="first")
    with pytest.raises(MfmError, match=r"options of .* to stay as they are while a life goes on"):
        begin_memory(tmp_path, options=MemoryOptions(frames=False))
    assert memory_options(tmp_path) == MemoryOptions()
    begin_memory(tmp_path, options=MemoryOptions(frames=False), new_life=True)
    assert memory_options(tmp_path) == MemoryOptions(frames=False)
    assert memory_options(tmp_path / "previous/life_1") == MemoryOptions()


def test_without_frames_no_picture_is_recorded_whatever_is_asked_for(tmp_path):
    begin_memory(tmp_path, options=MemoryOptions(frames=False))
    with Recorder.open(tmp_path, source="s", frames="all") as recorder:
        name = recorder.write(
            goal="g", steps=[craft_planks(0, frame=picture(1))], after=seen(1, frame=picture(2))
        )
    assert not (tmp_path / "episodes" / name / "observation").exists()
    assert next(read_index(tmp_path))["image"] is None


def test_links_in_mine_are_not_followed_into_the_copy(tmp_path):
    record(tmp_path, 1, goal="first")
    (tmp_path / "mine").mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "mine" / "notes.md").symlink_to(tmp_path / "secret")
    begin_life(tmp_path)
    assert list((tmp_path / "previous/life_1/mine").iterdir()) == []


@pytest.mark.parametrize("cut", [0, 1, 30, -1, -40])
def test_a_torn_index_of_earlier_lives_is_mended_and_reported(two_lives, cut):
    index = two_lives / "previous/index.jsonl"
    whole = index.read_bytes()
    index.write_bytes(whole[:cut])
    with Recorder.open(two_lives, source="s") as recorder:
        mend = recorder.mend
    assert index.read_bytes() == whole
    assert not mend.clean
    assert set(mend.indexed) <= {"life_1/ep_000001", "life_1/ep_000002"}
    assert all(each.what.startswith("previous/index.jsonl at byte") for each in mend.set_aside)
    with Recorder.open(two_lives, source="s") as recorder:
        assert recorder.mend.clean, recorder.mend.describe()


def test_a_lost_index_of_earlier_lives_is_built_again(two_lives):
    begin_life(two_lives)
    index = two_lives / "previous/index.jsonl"
    whole = index.read_bytes()
    index.unlink()
    with Recorder.open(two_lives, source="s") as recorder:
        assert recorder.mend.indexed == ("life_1/ep_000001", "life_1/ep_000002", "life_2/ep_000003")
        assert recorder.last_id == "ep_000003"
    assert index.read_bytes() == whole


def test_a_row_of_an_earlier_life_without_a_folder_is_reported_and_kept(two_lives):
    whole = (two_lives / "previous/index.jsonl").read_bytes()
    shutil.rmtree(two_lives / "previous/life_1/episodes/ep_000002")
    with Recorder.open(two_lives, source="s") as recorder:
        assert recorder.mend.missing == ("life_1/ep_000002",)
    assert (two_lives / "previous/index.jsonl").read_bytes() == whole


def test_rows_of_other_tools_in_earlier_lives_stay_as_they_are(tmp_path):
    record(tmp_path, 1, goal="ours")
    old = tmp_path / "previous" / "life_4"
    (old / "episodes" / "ep_000009").mkdir(parents=True)
    foreign = b'{"id":"ep_000009","life":4,"path":"previous/life_4/episodes/ep_000009","extra":1}\n'
    (old / "index.jsonl").write_bytes(b'{"id":"ep_000009","path":"episodes/ep_000009"}\n')
    (tmp_path / "previous/index.jsonl").write_bytes(foreign)
    assert begin_life(tmp_path).life == 5
    lines = (tmp_path / "previous/index.jsonl").read_bytes().splitlines(keepends=True)
    assert lines[0] == foreign
    assert json.loads(lines[1])["life"] == 5
    with Recorder.open(tmp_path, source="s") as recorder:
        assert recorder.mend.clean, recorder.mend.describe()
        assert recorder.last_id == "ep_000009"

import shutil

import pytest

from echo.mfm.disk import Disk
from echo.mfm.episodic import shelf as shelf_module
from echo.mfm.episodic.begin import begin_life
from echo.mfm.episodic.reader import read_frame
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.episodic.wholeness import EpisodeFolder
from tests.mfm.episodic.sample_steps import collect_log, craft_planks, picture, seen


def write(recorder: Recorder, *seeds: int) -> str:
    """Record an episode whose pictures are those of the seeds, the last one after the last step."""
    frames = [picture(seed) for seed in seeds]
    steps = [collect_log(place, frame=frame) for place, frame in enumerate(frames[:-1])]
    return recorder.write(goal="g", steps=steps, after=seen(len(steps), frame=frames[-1]))


def image(root, name, place=0):
    return root / "episodes" / name / "observation" / (f"image_{place:04d}.png" if place else "image.png")


def test_an_equal_picture_is_one_file_with_several_names(tmp_path):
    with Recorder.open(tmp_path, source="s", frames="all") as recorder:
        first, second = write(recorder, 1, 2), write(recorder, 2, 1)
    assert image(tmp_path, first, 1).samefile(image(tmp_path, second, 0))
    assert image(tmp_path, first, 0).samefile(image(tmp_path, second, 1))
    assert not image(tmp_path, first, 0).samefile(image(tmp_path, second, 0))
    assert (read_frame(tmp_path, second, 0) == picture(2)).all()


def test_a_picture_seen_twice_within_an_episode_is_stored_once(tmp_path):
    with Recorder.open(tmp_path, source="s", frames="all") as recorder:
        name = write(recorder, 1, 2, 1)
    assert image(tmp_path, name, 0).samefile(image(tmp_path, name, 2))
    assert EpisodeFolder(tmp_path)(name) is None


def test_after_reopening_an_equal_picture_is_found_by_the_index(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        first = recorder.write(goal="g", steps=[craft_planks(0, frame=picture(1))], after=seen(1))
    with Recorder.open(tmp_path, source="s") as recorder:
        second = recorder.write(goal="g", steps=[craft_planks(1, frame=picture(1))], after=seen(2))
    assert image(tmp_path, first).samefile(image(tmp_path, second))


def test_a_picture_of_an_earlier_life_is_linked_and_both_episodes_are_complete(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        recorder.write(goal="g", steps=[craft_planks(0, frame=picture(1))], after=seen(1))
    begin_life(tmp_path)
    with Recorder.open(tmp_path, source="s") as recorder:
        second = recorder.write(goal="g", steps=[craft_planks(0, frame=picture(1))], after=seen(1))
    old = tmp_path / "previous/life_1/episodes/ep_000001/observation/image.png"
    assert old.samefile(image(tmp_path, second))
    shutil.rmtree(tmp_path / "previous")
    assert (read_frame(tmp_path, second) == picture(1)).all()


def test_an_altered_picture_is_not_linked_to(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        first = recorder.write(goal="g", steps=[craft_planks(0, frame=picture(1))], after=seen(1))
        image(tmp_path, first).write_bytes(b"altered")
        second = recorder.write(goal="g", steps=[craft_planks(1, frame=picture(1))], after=seen(2))
        third = recorder.write(goal="g", steps=[craft_planks(2, frame=picture(1))], after=seen(3))
    assert (read_frame(tmp_path, second) == picture(1)).all()
    assert image(tmp_path, second).samefile(image(tmp_path, third))
    assert image(tmp_path, first).read_bytes() == b"altered"


class NoLinks(Disk):
    """A file system that makes no links."""

    def link(self, source, target):
        raise PermissionError(1, "Operation not permitted")


def test_where_links_are_not_possible_the_bytes_are_copied(tmp_path):
    with Recorder.open(tmp_path, source="s", frames="all", disk=NoLinks()) as recorder:
        first, second = write(recorder, 1, 1), write(recorder, 1, 2)
    assert not image(tmp_path, first).samefile(image(tmp_path, second))
    assert image(tmp_path, first).read_bytes() == image(tmp_path, second).read_bytes()
    assert [EpisodeFolder(tmp_path)(name) for name in (first, second)] == [None, None]


@pytest.mark.parametrize(
    "named", ["../outside.png", "/etc/passwd", "mine/picture.png", "", "episodes/../../x"]
)
def test_a_picture_that_a_foreign_row_names_outside_the_episodes_is_not_used(tmp_path, named):
    known = shelf_module.Shelf(tmp_path)
    known.learn([{"id": "ep_000001", "image": named, "observation_hash": "0" * 16}])
    assert known.places == 0


def test_the_oldest_pictures_are_forgotten_when_there_are_too_many(tmp_path):
    known = shelf_module.Shelf(tmp_path, most=2)
    rows = [
        {"image": f"episodes/ep_{n:06d}/observation/image.png", "observation_hash": str(n)} for n in range(3)
    ]
    known.learn(rows)
    assert known.places == 2

from __future__ import annotations

import shutil

import pytest

from echo.mfm.episodic.recorder import Recorder
from echo.mfm.episodic.wholeness import EpisodeFolder
from echo.mfm.layout import MfmError, episode_path
from tests.mfm.episodic.sample_steps import craft_planks, picture, seen


@pytest.fixture
def root(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        recorder.write(goal="g", steps=[craft_planks(0, frame=picture(3))], after=seen(1))
    return tmp_path


def test_a_recorded_episode_is_whole(root):
    assert EpisodeFolder(root)("ep_000001") is None


def test_a_missing_episode_is_told(root):
    shutil.rmtree(episode_path(root, "ep_000001"))
    assert "expected the episode ep_000001 at" in EpisodeFolder(root)("ep_000001")


@pytest.mark.parametrize("name", ["action.json", "observation/image.png"])
def test_an_altered_file_is_told(root, name):
    file = episode_path(root, "ep_000001") / name
    file.write_bytes(file.read_bytes()[:-1])
    assert EpisodeFolder(root)("ep_000001") == f"expected {file} as it was recorded; got other content"


def test_a_missing_file_is_told(root):
    file = episode_path(root, "ep_000001") / "outcome.json"
    file.unlink()
    assert EpisodeFolder(root)("ep_000001") == f"expected a file at {file}; got No such file or directory"


def test_an_unreadable_record_is_told(root):
    file = episode_path(root, "ep_000001") / "steps.json"
    file.write_bytes(b"{")
    assert "expected JSON in" in EpisodeFolder(root)("ep_000001")


@pytest.mark.parametrize(
    ("there", "other", "companion"),
    [
        (b'"goal": "g"', b'"goal": "h"', "state/state.json"),
        (b'"ticks": ', b'"ticks": 7', "action.json"),
    ],
)
def test_a_record_that_was_altered_is_told_by_the_files_made_from_it(root, there, other, companion):
    file = episode_path(root, "ep_000001") / "steps.json"
    content = file.read_bytes()
    assert there in content
    file.write_bytes(content.replace(there, other))
    assert (
        EpisodeFolder(root)("ep_000001")
        == f"expected {file} to say what {companion} says; got something else"
    )


def test_an_episode_in_the_place_of_another_is_told(root):
    shutil.copytree(episode_path(root, "ep_000001"), episode_path(root, "ep_000002"))
    assert EpisodeFolder(root)("ep_000002").endswith("got ep_000001")


def test_names_that_no_recorder_gives_are_not_looked_for(root):
    assert EpisodeFolder(root)("crafting_stick") is None


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(MfmError, match="expected a memory folder with episodes/ in it at"):
        EpisodeFolder(tmp_path)

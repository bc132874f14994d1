from __future__ import annotations

from pathlib import Path

import pytest

from echo.mfm.episodic.begin import begin_life
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.layout import MfmError
from echo.mfm.turns.storage import storage
from tests.mfm.episodic.sample_steps import collect_log, picture, seen


def live(root: Path, steps: int) -> None:
    with Recorder.open(root, source="test") as recorder:
        for step in range(steps):
            recorder.write(goal="", steps=[collect_log(step, frame=picture(0))], after=seen(step + 1))


def test_steps_of_all_lives_add_up_and_a_shared_frame_is_counted_once_in_bytes(tmp_path: Path):
    live(tmp_path, 3)
    begin_life(tmp_path)
    live(tmp_path, 2)
    told = storage(tmp_path)
    assert (told.lives, told.episodes, told.steps, told.frames) == (2, 5, 5, 5)
    one = (tmp_path / "previous/life_1/episodes/ep_000001/observation/image.png").stat().st_size
    assert told.frame_bytes in (one, 2 * one)
    assert told.index_bytes == sum(
        (tmp_path / home / "index.jsonl").stat().st_size for home in (".", "previous/life_1")
    )


def test_a_memory_without_episodes_has_no_known_step(tmp_path: Path):
    live(tmp_path, 0)
    told = storage(tmp_path)
    assert (told.episodes, told.steps, told.frames) == (0, None, 0)
    with pytest.raises(MfmError, match="expected the index of a memory"):
        storage(tmp_path / "nothing")

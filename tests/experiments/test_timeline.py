from __future__ import annotations

from dataclasses import replace

import pytest

from echo.experiments.results import memory_folder
from echo.experiments.spec import UnlockSpec
from echo.experiments.timeline import tell_run
from echo.experiments.trial import make_result
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.layout import IMAGE, episode_path
from tests.experiments.fakes import FakeReport, FakeUnlock, make_episode
from tests.experiments.test_trial import TIMING


@pytest.mark.parametrize("frames", ["first", "all"])
def test_a_moment_is_shown_by_the_last_picture_of_its_episode(tmp_path, frames):
    spec = UnlockSpec(agent="echo", steps=60)
    memory = memory_folder(tmp_path, spec.name)
    shown = make_episode("stick", 2, 5)
    with Recorder.open(memory, source="fake", frames=frames) as recorder:
        id = recorder.write(goal=shown.goal, steps=shown.steps, after=shown.after)
        blind = recorder.write(goal="", steps=shown.steps[:1], after=replace(shown.after, frame=None))
    unlocks = tuple(
        FakeUnlock(item=item, action=5, episode=episode)
        for item, episode in (("stick", id), ("dirt", None), ("chest", blind))
    )
    run = make_result(spec, FakeReport(unlocks=unlocks, actions=60), {}, "", TIMING)
    moments = tell_run(run, tmp_path).moments
    last = "observation/image_0001.png" if frames == "all" else IMAGE
    assert moments[0].frame == (episode_path(memory, id) / last).read_bytes()
    assert moments[1].frame is None
    assert moments[2].frame == (episode_path(memory, blind) / IMAGE).read_bytes()

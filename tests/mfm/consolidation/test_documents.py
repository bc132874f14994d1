from echo.mfm.consolidation.attempts import episode_attempts
from echo.mfm.episodic.reader import read_index
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.layout import STEPS
from tests.mfm.episodic.sample_steps import collect_log, seen


def test_how_an_action_ended_is_no_part_of_what_was_done(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        name = recorder.write(goal="g", steps=[collect_log(0)], after=seen(1))
    folder, (row,) = tmp_path / "episodes" / name, read_index(tmp_path)
    (with_steps,) = episode_attempts(folder, row, name)
    (folder / STEPS).unlink()
    (without,) = episode_attempts(folder, row, name)
    assert with_steps.action == without.action == {"kind": "collect", "block": "oak_log"}

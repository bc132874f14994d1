import numpy as np
import pytest

from echo.bench.recording import main
from echo.bench.recording_codecs import measure_codecs
from echo.bench.recording_run import RunSettings, measure_run
from echo.mfm.episodic.reader import read_episode, read_index
from echo.mfm.layout import MfmError
from tests.mfm.episodic.sample_steps import picture


def test_every_recorded_step_and_frame_is_on_disk_and_counted(tmp_path):
    cost = measure_run(tmp_path / "m", RunSettings(steps=7, every=3, size=16, stretch=2))
    episodes = [read_episode(tmp_path / "m", row["id"], frames=True) for row in read_index(tmp_path / "m")]
    assert [len(episode.steps) for episode in episodes] == [3, 3, 1]
    frames = [step.before.frame for episode in episodes for step in episode.steps]
    assert {frame.shape for frame in frames} == {(16, 16, 3)}
    files = [path for path in (tmp_path / "m/episodes").rglob("*") if path.is_file()]
    assert (cost.episodes, cost.frames) == (3, 7 + 3)
    assert (
        cost.pictures == len({path.stat().st_ino for path in files if path.suffix == ".png"}) <= cost.frames
    )
    assert cost.episode_bytes == sum({path.stat().st_ino: path.stat().st_size for path in files}.values())
    assert cost.index_bytes == (tmp_path / "m/index.jsonl").stat().st_size
    assert cost.cost_ms == pytest.approx(cost.recorded_ms - cost.bare_ms)


def test_a_frame_is_cut_to_its_middle(tmp_path):
    measure_run(tmp_path / "m", RunSettings(steps=1, size=16, cut=(8, 12), background=False))
    assert read_episode(tmp_path / "m", "ep_000001", frames=True).steps[0].before.frame.shape == (8, 12, 3)


def test_a_place_that_holds_a_memory_is_refused(tmp_path):
    measure_run(tmp_path, RunSettings(steps=1, size=16))
    with pytest.raises(MfmError, match="expected an empty place for a bench"):
        measure_run(tmp_path, RunSettings(steps=1, size=16))


def test_codecs_say_their_size_and_what_is_exact():
    costs = {cost.codec: cost for cost in measure_codecs([picture(1), picture(2)])}
    assert {name: cost.exact for name, cost in costs.items()} == {
        "png": True,
        "webp": True,
        "webp-lossy": False,
        "jpeg": False,
    }
    assert all((cost.height, cost.width, cost.frames) == (8, 6, 2) for cost in costs.values())
    with pytest.raises(ValueError, match="expected frames of one size"):
        measure_codecs([picture(1), np.zeros((4, 4, 3), np.uint8)])


def test_a_folder_that_is_there_already_is_wrong_use_and_stays(tmp_path, capsys):
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path), "--json"])
    assert ended.value.code == 2
    assert "expected a folder that is not there" in capsys.readouterr().err
    assert (tmp_path / "mine").read_text() == "mine"

import pytest

from echo.bench.recording import Turn, measure_recording, minecraft_turns
from echo.mfm.episodic.reader import read_episode, read_index
from tests.mfm.episodic.sample_steps import collect_log, picture, seen


def turns(count: int) -> list[Turn]:
    return [
        Turn(step=collect_log(number, frame=picture(number)), after=seen(number + 1))
        for number in range(count)
    ]


@pytest.mark.parametrize("durability", ["each", "batch"])
def test_measuring_records_every_turn_and_counts_all_bytes(tmp_path, durability):
    cost = measure_recording(tmp_path / "m", turns(4), durability=durability)
    assert [row["id"] for row in read_index(tmp_path / "m")] == [f"ep_{n:06d}" for n in range(1, 5)]
    assert read_episode(tmp_path / "m", "ep_000004").steps == (collect_log(3),)
    files = [path for path in (tmp_path / "m" / "episodes").rglob("*") if path.is_file()]
    assert len(files) == 4 * 5
    assert cost.episode_bytes * 4 == sum(len(path.read_bytes()) for path in files)
    assert cost.index_bytes * 4 == len((tmp_path / "m" / "index.jsonl").read_bytes())
    assert cost.episodes == 4
    assert 0 < cost.median_ms <= cost.p95_ms <= 4 * cost.mean_ms
    assert f"durability {durability}: 4 episodes" in cost.describe()


def test_a_place_that_holds_a_memory_is_refused(tmp_path):
    measure_recording(tmp_path / "m", turns(1), durability="batch")
    with pytest.raises(ValueError, match="expected at least one turn and an empty place"):
        measure_recording(tmp_path / "m", turns(1), durability="batch")


def test_turns_of_the_world_carry_frames_and_go_on_from_one_another():
    made = minecraft_turns(3, seed=1, frame_size=16)
    assert [turn.step.before.frame.shape for turn in made] == [(16, 16, 3)] * 3
    assert [turn.after.step for turn in made] == [1, 2, 3]
    assert made[0].after == made[1].step.before

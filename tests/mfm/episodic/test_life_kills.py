"""A kill at any point of putting a life away leaves either the old life or the new one, and loses nothing."""

from functools import partial
from pathlib import Path

import pytest

from echo.mfm.episodic.begin import begin_life
from echo.mfm.episodic.reader import read_episode, read_index
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.folder import MemoryFolder
from tests.mfm.episodic.sample_steps import craft_planks, picture, seen
from tests.mfm.episodic.test_kills import Deadly, Quick, in_child


def two_lives(root: Path) -> None:
    for life in range(2):
        with Recorder.open(root, source="s", durability="batch", disk=Quick()) as recorder:
            for number in range(2):
                recorder.write(
                    goal=f"life {life}",
                    steps=[craft_planks(number, frame=picture(number))],
                    after=seen(number + 1),
                )
        if life == 0:
            begin_life(root, disk=Quick())
    (root / "mine" / "procedures").mkdir()
    (root / "mine" / "procedures" / "dig.py").write_text("PROCEDURE = {}\n")
    (root / "turns.jsonl").write_text("{}\n")


def check_nothing_lost(root: Path) -> bool:
    """Open the memory as a writer would; return whether the second life is put away."""
    with Recorder.open(root, source="s", disk=Quick()) as recorder:
        put_away = (root / "previous/life_2").exists()
        assert recorder.last_id == "ep_000004"
        if recorder.mend.put_away:
            assert recorder.mend.put_away == (2,)
            assert "finished putting away life 2" in recorder.mend.describe()
        assert not recorder.mend.missing
        assert not recorder.mend.set_aside
    with Recorder.open(root, source="s", disk=Quick()) as recorder:
        assert recorder.mend.clean, recorder.mend.describe()
    earlier = [(row["life"], row["id"]) for row in MemoryFolder(root).earlier_rows()]
    this = [row["id"] for row in read_index(root)]
    if put_away:
        assert earlier == [(1, "ep_000001"), (1, "ep_000002"), (2, "ep_000003"), (2, "ep_000004")]
        assert this == []
        assert (root / "previous/life_2/mine/procedures/dig.py").read_text() == "PROCEDURE = {}\n"
        assert (root / "previous/life_2/turns.jsonl").read_text() == "{}\n"
    else:
        assert earlier == [(1, "ep_000001"), (1, "ep_000002")]
        assert this == ["ep_000003", "ep_000004"]
    for number in range(1, 5):
        episode = read_episode(root, f"ep_{number:06d}", frames=True)
        assert episode.goal == f"life {(number - 1) // 2}"
        assert (episode.steps[0].before.frame == picture((number - 1) % 2)).all()
    names = sorted(path.name for path in (root / "previous").iterdir())
    assert names == ["index.jsonl", "life_1", *(["life_2"] if put_away else [])]
    assert (root / "mine/procedures/dig.py").is_file()
    return put_away


@pytest.mark.parametrize(("half", "operations"), [(False, 20), (True, 4)], ids=["before", "half way into"])
def test_a_kill_at_any_operation_of_putting_a_life_away_loses_nothing(tmp_path, half, operations):
    states = []
    for last in range(1, 100):
        root = tmp_path / f"memory{last}"
        two_lives(root)
        lived = in_child(partial(begin_life, root, disk=Deadly(last, half=half)))
        states.append(check_nothing_lost(root))
        if lived:
            break
    else:
        pytest.fail("putting away never came to its end")
    assert last > operations
    assert states == sorted(states)
    assert states[0] is False
    assert states[-1] is True


@pytest.mark.parametrize("half", [False, True], ids=["before", "half way into"])
def test_a_kill_while_a_half_put_away_life_is_mended_loses_nothing(tmp_path, half):
    for first in (14, 17, 19):
        for last in range(1, 60):
            root = tmp_path / f"memory{first}-{last}"
            two_lives(root)
            assert not in_child(partial(begin_life, root, disk=Deadly(first, half=False)))
            lived = in_child(
                lambda root=root, last=last: Recorder.open(
                    root, source="s", disk=Deadly(last, half=half)
                ).close()
            )
            check_nothing_lost(root)
            if lived:
                break
        else:
            pytest.fail("mending never came to its end")

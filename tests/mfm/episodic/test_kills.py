"""A kill at every point of writing, and of the mending that follows, loses nothing that was promised."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from echo.mfm.disk import Disk
from echo.mfm.episodic.reader import read_episode, read_index
from echo.mfm.episodic.recorder import Recorder
from tests.mfm.episodic.sample_steps import collect_log, craft_planks, picture, seen


class Quick(Disk):
    """Leaves out bringing bytes to the platter, which a kill, unlike a power cut, does not need."""

    def sync(self, path):
        pass

    def sync_trees(self, folders):
        pass

    def append(self, path, data):
        with path.open("ab") as file:
            file.write(data)


class Deadly(Quick):
    """Kills the process before its `last`-th operation, or half way into the `last`-th that has a half."""

    def __init__(self, last: int, *, half: bool) -> None:
        self.left, self.half = last, half

    def _before(self) -> None:
        if not self.half:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def _half_way(self) -> bool:
        if self.half:
            self.left -= 1
        return self.half and self.left == 0

    def make_folder(self, path):
        self._before()
        super().make_folder(path)

    def write_file(self, path, data):
        self._before()
        if self._half_way():
            path.write_bytes(data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        super().write_file(path, data)

    def link(self, source, target):
        self._before()
        super().link(source, target)

    def sync(self, path):
        self._before()

    def sync_trees(self, folders):
        self._before()

    def rename(self, source, target):
        self._before()
        super().rename(source, target)

    def append(self, path, data):
        self._before()
        if self._half_way():
            super().append(path, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        super().append(path, data)

    def truncate(self, path, size):
        self._before()
        super().truncate(path, size)

    def remove_folder(self, path):
        self._before()
        if self._half_way():
            next(each for each in path.rglob("*") if each.is_file()).unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        super().remove_folder(path)


def in_child(work) -> bool:
    """Run `work` in a forked child and return whether it lived to the end."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            os._exit(70)
    status = os.waitpid(child, 0)[1]
    assert not os.WIFEXITED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFEXITED(status)


def write_three(root: Path, promised: Path, disk: Disk, durability: str) -> None:
    with Recorder.open(root, source="s", durability=durability, disk=disk) as recorder:
        for number in range(3):
            name = recorder.write(
                goal=f"goal {number}",
                steps=[collect_log(number, frame=picture(number % 2)), craft_planks(number + 1)],
                after=seen(number + 2),
            )
            with promised.open("a") as file:
                file.write(f"{name} {number}\n")


def check_whole(root: Path, promised: Path) -> None:
    """Every promised episode reads back, in order, and the index lists what there is and no more."""
    with Recorder.open(root, source="s", disk=Quick()) as recorder:
        found = recorder.mend
    ids = [row["id"] for row in read_index(root)]
    assert ids == sorted(path.name for path in (root / "episodes").iterdir())
    assert ids == [f"ep_{number + 1:06d}" for number in range(len(ids))]
    lines = promised.read_text().split("\n")[:-1] if promised.exists() else []
    assert len(ids) in (len(lines), len(lines) + 1)
    for line in lines:
        name, number = line.split()
        episode = read_episode(root, name, frames=True)
        assert episode.goal == f"goal {number}"
        assert episode.steps == (collect_log(int(number)), craft_planks(int(number) + 1))
        assert (episode.steps[0].before.frame == picture(int(number) % 2)).all()
    assert not found.missing
    with Recorder.open(root, source="s", disk=Quick()) as recorder:
        assert recorder.mend.clean, recorder.mend.describe()


@pytest.mark.parametrize(("half", "operations"), [(False, 30), (True, 12)], ids=["before", "half way into"])
@pytest.mark.parametrize("durability", ["each", "batch"])
def test_a_kill_at_any_operation_of_writing_loses_no_promised_episode(tmp_path, durability, half, operations):
    for last in range(1, 200):
        root, promised = tmp_path / f"memory{last}", tmp_path / f"promised{last}"
        lived = in_child(partial(write_three, root, promised, Deadly(last, half=half), durability))
        check_whole(root, promised)
        if lived:
            break
    else:
        pytest.fail("the writer never came to its end")
    assert last > operations


def broken_memory(root: Path) -> bytes:
    """Make a memory with every kind of damage that mending repairs; return its whole index."""
    with Recorder.open(root, source="s", durability="batch", disk=Quick()) as recorder:
        for number in range(4):
            recorder.write(goal=f"goal {number}", steps=[craft_planks(number)], after=seen(number + 1))
    whole = (root / "index.jsonl").read_bytes()
    first, second, third, fourth = whole.splitlines(keepends=True)
    (root / "index.jsonl").write_bytes(first + second[:60] + third + fourth[:20])
    unfinished = root / "episodes" / ".ep_000005.part"
    unfinished.mkdir()
    (unfinished / "action.json").write_bytes(b"{}")
    (root / "episodes" / "ep_000004" / "outcome.json").write_bytes(b"")
    return first + second + third


def open_and_close(root: Path, disk: Disk) -> None:
    Recorder.open(root, source="s", disk=disk).close()


@pytest.mark.parametrize(("half", "operations"), [(False, 12), (True, 4)], ids=["before", "half way into"])
def test_a_kill_at_any_operation_of_mending_leaves_a_memory_that_mends(tmp_path, half, operations):
    for last in range(1, 60):
        root = tmp_path / f"memory{last}"
        expected = broken_memory(root)
        lived = in_child(partial(open_and_close, root, Deadly(last, half=half)))
        open_and_close(root, Quick())
        assert (root / "index.jsonl").read_bytes() == expected
        kept = sorted(path.name for path in (root / "mended").iterdir())
        whole = [name.split("-")[0] for name in kept if not name.endswith(".part")]
        assert whole == ["ep_000004", "index", "index"]
        with Recorder.open(root, source="s", disk=Quick()) as recorder:
            assert recorder.mend.clean
        if lived:
            break
    else:
        pytest.fail("mending never came to its end")
    assert last > operations


WRITER = """
import sys
from pathlib import Path
from echo.mfm.episodic.recorder import Recorder
from tests.mfm.episodic.sample_steps import collect_log, craft_planks, picture, seen
root, promised = Path(sys.argv[1]), open(sys.argv[2], "a", buffering=1)
with Recorder.open(root, source="s") as recorder:
    start = 0 if recorder.last_id is None else int(recorder.last_id[3:])
    for number in range(start, start + 100_000):
        steps = [collect_log(number, frame=picture(number)), craft_planks(number + 1)]
        name = recorder.write(goal=f"goal {number}", steps=steps, after=seen(number + 2))
        promised.write(f"{name} {number}\\n")
"""


def test_a_writer_killed_again_and_again_at_random_times_loses_nothing(tmp_path):
    root, promised = tmp_path / "memory", tmp_path / "promised"
    promised.touch()
    for turn in range(4):
        before = promised.stat().st_size
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(root), str(promised)], cwd=Path.cwd())
        deadline = time.monotonic() + 30
        while promised.stat().st_size == before and time.monotonic() < deadline and writer.poll() is None:
            time.sleep(0.005)
        time.sleep(0.0137 * (turn + 1))
        writer.kill()
        assert writer.wait() == -signal.SIGKILL
        with Recorder.open(root, source="s") as recorder:
            last = recorder.last_id
        ids = [row["id"] for row in read_index(root)]
        lines = promised.read_text().split("\n")[:-1]
        assert ids == [f"ep_{number + 1:06d}" for number in range(len(ids))]
        assert ids[-1] == last
        assert {line.split()[0] for line in lines} <= set(ids)
        for name in ids:
            number = int(name[3:]) - 1
            assert read_episode(root, name).goal == f"goal {number}"
    assert len(ids) >= 4

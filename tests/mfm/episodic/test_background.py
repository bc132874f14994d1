import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from echo.mfm.disk import Disk
from echo.mfm.episodic.background import BackgroundWriter
from echo.mfm.episodic.documents import Entry
from echo.mfm.episodic.files import Frozen, Making, freeze
from echo.mfm.episodic.reader import read_episode, read_frame, read_index
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.layout import MfmError
from tests.mfm.episodic.sample_steps import collect_log, craft_planks, picture, seen
from tests.mfm.episodic.test_recorder import FullDisk


class Gate(Disk):
    """Lets nothing be written until it is opened."""

    def __init__(self) -> None:
        self.open = threading.Event()

    def write_file(self, path, data):
        if "episodes" in path.parts:
            assert self.open.wait(20)
        super().write_file(path, data)


def write(recorder: Recorder, number: int) -> str:
    return recorder.write(
        goal=f"goal {number}", steps=[collect_log(number, frame=picture(number))], after=seen(number + 1)
    )


def write_on(recorder: Recorder) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        write(recorder, 2)
        time.sleep(0.001)


@pytest.mark.parametrize("durability", ["each", "batch"])
def test_the_folder_is_the_same_byte_for_byte_as_without_a_background(tmp_path, durability):
    for background in (False, True):
        root = tmp_path / str(background)
        with Recorder.open(
            root, source="s", durability=durability, background=background, frames="all"
        ) as recorder:
            recorder.initial(seen(0, frame=picture(0)))
            assert [write(recorder, number) for number in range(70)][-1] == "ep_000070"
    files = [
        {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in sorted((tmp_path / name).rglob("*"))
            if path.is_file() and path.name != ".lock"
        }
        for name in ("False", "True")
    ]
    assert files[0] == files[1]
    assert len(files[0]) == 1 + 71 * 5


def test_write_returns_with_the_id_before_anything_is_on_disk(tmp_path):
    gate = Gate()
    with Recorder.open(tmp_path, source="s", background=True, disk=gate) as recorder:
        assert [write(recorder, number) for number in range(3)] == ["ep_000001", "ep_000002", "ep_000003"]
        assert recorder.unwritten == ("ep_000001", "ep_000002", "ep_000003")
        assert list(read_index(tmp_path)) == []
        gate.open.set()
        recorder.flush()
        assert recorder.unwritten == ()
        assert [row["id"] for row in read_index(tmp_path)] == ["ep_000001", "ep_000002", "ep_000003"]


def test_what_the_caller_changes_after_write_is_not_recorded(tmp_path):
    gate, frame = Gate(), picture(1).copy()
    with Recorder.open(tmp_path, source="s", background=True, disk=gate) as recorder:
        step, held = craft_planks(0, frame=frame), bytearray(b"before")
        recorder.write(goal="g", steps=[step], after=seen(1), attachments={"a.bin": held})
        frame[:] = 0
        held[:] = b"after!"
        step.before.inventory.clear()
        gate.open.set()
    assert (read_frame(tmp_path, "ep_000001") == picture(1)).all()
    assert read_episode(tmp_path, "ep_000001").steps[0].before.count("oak_log") == 1
    assert (tmp_path / "episodes/ep_000001/attachment/a.bin").read_bytes() == b"before"


def test_with_durability_each_the_index_follows_without_a_flush(tmp_path):
    with Recorder.open(tmp_path, source="s", background=True) as recorder:
        write(recorder, 0)
        deadline = time.monotonic() + 10
        while not list(read_index(tmp_path)) and time.monotonic() < deadline:
            time.sleep(0.005)
        assert [row["id"] for row in read_index(tmp_path)] == ["ep_000001"]


def test_what_cannot_be_recorded_is_refused_at_once_and_its_id_stays_free(tmp_path):
    with Recorder.open(tmp_path, source="s", background=True) as recorder:
        with pytest.raises(
            ValueError, match=r"expected a whole number, got nan at after\.inventory\.oak\.count"
        ):
            recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1, oak=float("nan")))
        with pytest.raises(ValueError, match="expected a frame of shape"):
            recorder.write(goal="g", steps=[craft_planks(0, frame=np.zeros((2, 2)))], after=seen(1))
        assert write(recorder, 0) == "ep_000001"


def test_a_full_disk_is_told_at_the_next_write_and_flush_tries_again(tmp_path):
    disk = FullDisk("write_file")
    with Recorder.open(tmp_path, source="s", background=True, disk=disk) as recorder:
        write(recorder, 0)
        recorder.flush()
        disk.armed = True
        write(recorder, 1)
        with pytest.raises(
            MfmError, match=r"No space left.*ep_000002 to .* wait unwritten. Make room.*flush"
        ):
            write_on(recorder)
        given = recorder.unwritten
        assert given[0] == "ep_000002"
        with pytest.raises(MfmError, match="No space left"):
            recorder.flush()
        disk.armed = False
        recorder.flush()
        assert recorder.unwritten == ()
        assert recorder.last_id == given[-1]
        write(recorder, 3)
    assert [row["id"] for row in read_index(tmp_path)] == [
        f"ep_{number:06d}" for number in range(1, len(given) + 3)
    ]


def test_closing_on_a_full_disk_names_what_is_lost(tmp_path):
    disk = FullDisk("write_file")
    recorder = Recorder.open(tmp_path, source="s", background=True, disk=disk)
    write(recorder, 0)
    recorder.flush()
    disk.armed = True
    write(recorder, 1)
    with pytest.raises(MfmError, match=r"1 were not written and are gone: ep_000002 to ep_000002 .*No space"):
        recorder.close()
    recorder.close()
    with Recorder.open(tmp_path, source="s") as again:
        assert again.mend.clean
        assert again.last_id == "ep_000001"


def test_a_failed_index_append_stops_the_background_and_reopening_mends(tmp_path):
    disk = FullDisk("append")
    recorder = Recorder.open(tmp_path, source="s", background=True, disk=disk)
    disk.armed = True
    write(recorder, 0)
    with pytest.raises(MfmError, match="No space left"):
        recorder.flush()
    disk.armed = False
    with pytest.raises(MfmError, match=r"open it again: opening mends it"):
        write(recorder, 1)
    with pytest.raises(MfmError):
        recorder.close()
    with Recorder.open(tmp_path, source="s") as again:
        assert again.mend.indexed == ("ep_000001",)


class NoRename(Disk):
    """Refuses to give an episode its name."""

    def rename(self, source, target):
        raise OSError(5, "Input/output error")


def test_an_episode_that_did_not_get_its_name_is_named_as_lost(tmp_path):
    recorder = Recorder.open(tmp_path, source="s", background=True, disk=NoRename())
    write(recorder, 0)
    with pytest.raises(MfmError, match="Input/output error"):
        recorder.flush()
    assert recorder.unwritten == ("ep_000001",)
    with pytest.raises(MfmError, match=r"1 were not written and are gone: ep_000001"):
        recorder.close()
    with Recorder.open(tmp_path, source="s") as again:
        assert again.mend.removed == (".ep_000001.part",)
        assert again.last_id is None


class SlowWriter:
    """Stands for an `EpisodeWriter`; writes nothing until `go` is set."""

    broken, waiting = False, 0

    def __init__(self) -> None:
        self.go = threading.Event()
        self.written: list[str] = []

    def put(self, frozen: Frozen) -> None:
        assert self.go.wait(20)
        self.written.append(frozen.name)

    def flush(self) -> None:
        pass


def frozen(number: int) -> Frozen:
    making = Making(frames="first", codec="png", borrowed=True)
    entry = Entry(goal="g", steps=(craft_planks(0, frame=picture(0)),), after=seen(1))
    return freeze(f"ep_{number:06d}", entry, "s", making, {})


@pytest.mark.parametrize("limit", [{"most_episodes": 2}, {"most_bytes": 2 * frozen(1).held_bytes}])
def test_a_full_queue_holds_the_caller_until_there_is_room_and_counts_it(limit):
    slow = SlowWriter()
    writer = BackgroundWriter(slow, prompt=False, **limit)
    writer.put(frozen(1))
    writer.put(frozen(2))
    assert writer.waits.count == 0
    third = threading.Thread(target=writer.put, args=(frozen(3),))
    third.start()
    third.join(0.05)
    assert third.is_alive()
    slow.go.set()
    third.join(10)
    writer.close()
    assert slow.written == ["ep_000001", "ep_000002", "ep_000003"]
    assert writer.waits.count == 1
    assert writer.waits.seconds >= 0.04


def test_an_episode_larger_than_the_queue_waits_alone():
    slow = SlowWriter()
    slow.go.set()
    writer = BackgroundWriter(slow, prompt=False, most_bytes=1)
    for number in range(5):
        writer.put(frozen(number))
    writer.close()
    assert len(slow.written) == 5


def test_several_threads_lose_nothing(tmp_path):
    with Recorder.open(tmp_path, source="s", background=True) as recorder:
        names: list[str] = []
        threads = [
            threading.Thread(target=lambda: names.extend(write(recorder, n) for n in range(20)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(names) == [row["id"] for row in read_index(tmp_path)]
    assert len(names) == 80


def test_a_forked_child_may_not_write_and_ends(tmp_path):
    with Recorder.open(tmp_path, source="s", background=True) as recorder:
        child = os.fork()
        if child == 0:
            try:
                write(recorder, 0)
                os._exit(1)
            except MfmError as error:
                recorder.close()
                os._exit(0 if "Let one process write" in str(error) else 2)
        assert os.waitpid(child, 0)[1] == 0
        write(recorder, 0)
    assert [row["id"] for row in read_index(tmp_path)] == ["ep_000001"]


FORGETFUL = """
import sys
from pathlib import Path
from echo.mfm.episodic.recorder import Recorder
from tests.mfm.episodic.sample_steps import collect_log, picture, seen
recorder = Recorder.open(Path(sys.argv[1]), source="s", background=True)
for number in range(50):
    recorder.write(goal="g", steps=[collect_log(number, frame=picture(number))], after=seen(number + 1))
"""


def test_a_program_that_ends_without_closing_loses_nothing(tmp_path):
    subprocess.run([sys.executable, "-c", FORGETFUL, str(tmp_path)], cwd=Path.cwd(), check=True, timeout=60)
    assert len(list(read_index(tmp_path))) == 50
    with Recorder.open(tmp_path, source="s") as recorder:
        assert recorder.mend.clean


WRITER = """
import sys
from pathlib import Path
from echo.mfm.episodic.recorder import Recorder
from tests.mfm.episodic.sample_steps import collect_log, picture, seen
with Recorder.open(Path(sys.argv[1]), source="s", background=True, frames="all") as recorder:
    start = int((recorder.last_id or "ep_0")[3:])
    for number in range(start, start + 100_000):
        step = collect_log(number, frame=picture(number % 5))
        recorder.write(goal=f"goal {number}", steps=[step], after=seen(number + 1))
        if number % 10 == 9:
            recorder.flush()
            print(recorder.last_id, flush=True)
"""


def test_a_background_writer_killed_at_random_times_keeps_all_that_was_flushed(tmp_path):
    for turn in range(3):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], cwd=Path.cwd(), stdout=subprocess.PIPE, text=True
        )
        promised = writer.stdout.readline().strip()
        time.sleep(0.0171 * (turn + 1))
        writer.kill()
        promised = (writer.stdout.read().split() or [promised])[-1]
        writer.stdout.close()
        assert writer.wait() == -signal.SIGKILL
        with Recorder.open(tmp_path, source="s") as recorder:
            assert recorder.last_id >= promised
            assert not recorder.mend.set_aside
            assert not recorder.mend.missing
        ids = [row["id"] for row in read_index(tmp_path)]
        assert ids == [f"ep_{number + 1:06d}" for number in range(len(ids))]
        for name in ids:
            assert read_episode(tmp_path, name, frames=True).goal == f"goal {int(name[3:]) - 1}"

"""A kill at every point of a change leaves whole files, a whole log, and the change there or not there."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from echo.mfm.mine.change import digest_of
from echo.mfm.mine.tree import MineDisk
from echo.mfm.mine.writable import Mine


class Quick(MineDisk):
    """Leaves out bringing bytes to the platter, which a kill, unlike a power cut, does not need."""

    def sync(self, path):
        pass

    def sync_at(self, folder):
        pass


class Deadly(Quick):
    """Kills the process before its `last`-th step, or half way into the `last`-th that has a half."""

    def __init__(self, last: int, *, half: bool) -> None:
        self.left, self.half = last, half

    def _step(self, has_half: bool = False) -> bool:
        if self.half and not has_half:
            return False
        self.left -= 1
        if self.left == 0 and not self.half:
            os.kill(os.getpid(), signal.SIGKILL)
        return self.left == 0

    def make_folder(self, path):
        self._step()
        super().make_folder(path)

    def make_folder_at(self, folder, name):
        self._step()
        super().make_folder_at(folder, name)

    def write_file(self, path, data):
        if self._step(has_half=True):
            path.write_bytes(data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        super().write_file(path, data)

    def write_at(self, folder, name, data):
        if self._step(has_half=True):
            super().write_at(folder, name, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        super().write_at(folder, name, data)

    def append(self, path, data):
        if self._step(has_half=True):
            with path.open("ab") as file:
                file.write(data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        super().append(path, data)

    def rename(self, source, target):
        self._step()
        super().rename(source, target)

    def rename_at(self, folder, source, target):
        self._step()
        super().rename_at(folder, source, target)

    def remove_at(self, folder, name):
        self._step()
        super().remove_at(folder, name)

    def remove_folder_at(self, folder, name):
        self._step()
        super().remove_folder_at(folder, name)

    def truncate(self, path, size):
        self._step()
        super().truncate(path, size)


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


BEFORE = {"gone": "old", "moved": "same", "notes.md": "by hand"}
AFTER = {"new/a": "1", "new/moved": "same", "notes.md": "two"}


def prepare(root: Path) -> None:
    root.mkdir()
    mine = Mine(root, disk=Quick())
    with mine.batch(by="agent", why="first"):
        mine.write("gone", "old")
        mine.write("moved", "same")
        mine.write("notes.md", "one")
    (root / "mine/notes.md").write_text("by hand")


def change(root: Path, disk: MineDisk) -> None:
    mine = Mine(root, disk=disk)
    with mine.batch(by="agent", why="second"):
        mine.write("new/a", "1")
        mine.rename("moved", "new/moved")
        mine.delete("gone")
        mine.write("notes.md", "two")


def what_a_reader_sees(root: Path) -> dict[str, str]:
    """Return all of mine/ as it is read without writing, having checked that nothing was written."""
    before = files_of(root)
    mine = Mine(root, read_only=True)
    held = {path: mine.read(path) for path in mine.paths()}
    assert {path for path in (*BEFORE, *AFTER) if mine.exists(path)} == set(held)
    assert files_of(root) == before
    return held


def files_of(root: Path) -> dict[Path, tuple[bytes, int] | None]:
    return {
        path: (path.read_bytes(), path.stat().st_mtime_ns) if path.is_file() else None
        for path in root.rglob("*")
    }


def check_whole(root: Path) -> bool:
    """Return whether the change is there; nothing is there by halves, and nothing is left over."""
    mine = Mine(root, disk=Quick())
    held = {path: mine.read(path) for path in mine.paths()}
    numbers = [each.why for each in mine.history()]
    assert numbers in (
        ["first"],
        ["first", "changed by other means"],
        ["first", "changed by other means", "second"],
    )
    made = numbers[-1] == "second"
    assert held == (AFTER if made else BEFORE)
    for each in mine.history():
        for digests in each.files.values():
            for digest in digests:
                assert digest is None or digest_of(mine.text_at(digest).encode()) == digest
    hidden = [path for path in (root / "mine").rglob("*") if path.name.startswith(".")]
    assert hidden == []
    mine.write("later", "x", by="agent", why="later")
    assert mine.history()[-1].why == "later"
    assert sorted(path.name for path in root.iterdir()) in (
        ["history", "mine"],
        ["history", "mended", "mine"],
    )
    return made


@pytest.mark.parametrize("half", [False, True], ids=["before", "half way into"])
def test_a_kill_at_any_step_leaves_the_change_there_or_not_there(tmp_path, half):
    outcomes = []
    for last in range(1, 100):
        root = tmp_path / f"memory{last}"
        prepare(root)
        lived = in_child(partial(change, root, Deadly(last, half=half)))
        seen = what_a_reader_sees(root)
        outcomes.append(check_whole(root))
        assert seen == (AFTER if outcomes[-1] else BEFORE)
        if lived:
            break
    else:
        pytest.fail("the change never came to its end")
    assert outcomes == sorted(outcomes)
    assert {False, True} == set(outcomes)
    assert len(outcomes) > (10 if half else 25)


@pytest.mark.parametrize("half", [False, True], ids=["before", "half way into"])
def test_a_kill_while_a_kill_is_made_good_is_made_good_too(tmp_path, half):
    logged = next(
        last for last in range(1, 100) if _is_logged(tmp_path / f"trial{last}", Deadly(last, half=False))
    )
    for last in range(1, 60):
        root = tmp_path / f"memory{last}"
        prepare(root)
        assert not in_child(partial(change, root, Deadly(logged + 3, half=False)))
        with (root / "history/changes.jsonl").open("ab") as file:
            file.write(b'{"by": "agent", "fil')
        lived = in_child(partial(_read_all, root, Deadly(last, half=half)))
        assert check_whole(root)
        if lived:
            break
    else:
        pytest.fail("mending never came to its end")
    assert last > 2


def _is_logged(root: Path, disk: MineDisk) -> bool:
    """Return whether a kill leaves the change in the log."""
    prepare(root)
    assert not in_child(partial(change, root, disk))
    return b'"second"' in (root / "history/changes.jsonl").read_bytes()


def _read_all(root: Path, disk: MineDisk) -> None:
    Mine(root, disk=disk).paths()


def test_a_hand_edit_between_a_kill_and_the_next_opening_is_kept(tmp_path):
    roots = (tmp_path / f"memory{last}" for last in range(1, 100))
    root = next(
        root for last, root in enumerate(roots, start=1) if _is_logged(root, Deadly(last, half=False))
    )
    assert (root / "mine/notes.md").read_text() == "by hand"
    (root / "mine/notes.md").write_text("edited behind the kill")
    mine = Mine(root)
    assert mine.read("notes.md") == "edited behind the kill"
    assert mine.read("new/a") == "1"
    mine.write("notes.md", "three", by="agent", why="third")
    assert [each.by for each in mine.history()] == ["agent", "person", "agent", "person", "agent"]
    assert mine.text_at(mine.history()[3].files["notes.md"][1]) == "edited behind the kill"


WRITER = """
import sys
from echo.mfm.mine.writable import Mine
mine, name, promised = Mine(sys.argv[1]), sys.argv[2], open(sys.argv[3], "a", buffering=1)
for number in range(int(sys.argv[4])):
    with mine.batch(by="agent", why=name):
        held = mine.read("notes.md") if mine.exists("notes.md") else ""
        mine.write("notes.md", f"{held}{name} {number}\\n")
        mine.write(f"{name}.md", str(number))
    promised.write(f"{name} {number}\\n")
"""


def start(root: Path, name: str, promised: Path, count: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(root), name, str(promised), str(count)])


def test_four_processes_that_write_one_file_at_once_lose_nothing(tmp_path):
    promised = tmp_path / "promised"
    root = tmp_path / "memory"
    root.mkdir()
    writers = [start(root, f"w{place}", promised, 15) for place in range(4)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0, 0]
    mine = Mine(root)
    lines = mine.read("notes.md").splitlines()
    assert sorted(lines) == sorted(f"w{place} {number}" for place in range(4) for number in range(15))
    assert [change.number for change in mine.history()] == list(range(1, 61))
    for before, after in zip(mine.history("notes.md"), mine.history("notes.md")[1:], strict=False):
        assert before.files["notes.md"][1] == after.files["notes.md"][0]


def test_a_writer_killed_at_random_times_loses_nothing_it_promised(tmp_path):
    root, promised = tmp_path / "memory", tmp_path / "promised"
    root.mkdir()
    promised.touch()
    for turn in range(4):
        before = promised.stat().st_size
        writer = start(root, f"t{turn}", promised, 100_000)
        deadline = time.monotonic() + 30
        while promised.stat().st_size == before and time.monotonic() < deadline and writer.poll() is None:
            time.sleep(0.005)
        time.sleep(0.0137 * (turn + 1))
        writer.kill()
        assert writer.wait() == -signal.SIGKILL
        mine = Mine(root)
        lines = mine.read("notes.md").splitlines()
        kept = promised.read_text().split("\n")[:-1]
        assert [line for line in lines if line in kept] == kept
        assert len(lines) <= len(kept) + turn + 1
        assert mine.read(f"t{turn}.md") == lines[-1].split()[1]

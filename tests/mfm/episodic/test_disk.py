import os

import pytest

from echo.mfm.disk import Disk


class Listing(Disk):
    def __init__(self) -> None:
        self.synced = []

    def sync(self, path):
        super().sync(path)
        self.synced.append(path)


def test_syncing_one_by_one_reaches_every_file_and_folder(tmp_path):
    (tmp_path / "a" / "state").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "state" / "state.json").write_bytes(b"{}")
    (tmp_path / "b" / "action.json").write_bytes(b"{}")
    disk = Listing()
    disk.sync_one_by_one([tmp_path / "a", tmp_path / "b"])
    assert sorted(str(path.relative_to(tmp_path)) for path in disk.synced) == [
        "a",
        "a/state",
        "a/state/state.json",
        "b",
        "b/action.json",
    ]


def test_syncing_a_folder_that_is_gone_is_an_error(tmp_path):
    Disk().sync_trees([tmp_path])
    Disk().sync_trees([])
    with pytest.raises(FileNotFoundError):
        Disk().sync_trees([tmp_path / "gone"])


def test_a_file_is_never_overwritten(tmp_path):
    Disk().write_file(tmp_path / "a", b"first")
    with pytest.raises(FileExistsError):
        Disk().write_file(tmp_path / "a", b"second")
    assert (tmp_path / "a").read_bytes() == b"first"


def test_an_append_that_the_disk_takes_only_in_part_is_cut_off_again(tmp_path):
    path = tmp_path / "index.jsonl"
    path.write_bytes(b"whole\n")
    child = os.fork()
    if child == 0:
        os._exit(_append_with_little_room(path))
    assert os.waitpid(child, 0)[1] == 0
    assert path.read_bytes() == b"whole\n"


def _append_with_little_room(path) -> int:
    """Append 100 bytes in a process whose files may grow to 50 bytes; 0 where that was refused cleanly."""
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))
    try:
        Disk().append(path, b"x" * 100)
    except OSError as error:
        return 0 if "the disk took 44" in str(error) else 2
    return 1

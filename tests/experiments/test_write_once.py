from __future__ import annotations

import errno
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from echo.experiments.results import EXPERIMENT_FILE, claim_folder
from echo.experiments.spec import UnlockSpec, UsageError
from echo.experiments.whole_files import write_atomically, write_once


def test_the_first_one_writes_and_the_others_see_it_whole(tmp_path):
    path = tmp_path / "new" / "file.json"
    assert write_once(path, b"first")
    assert not write_once(path, b"second")
    assert path.read_bytes() == b"first"
    assert [one.name for one in path.parent.iterdir()] == ["file.json"]


def test_a_file_system_without_hard_links_keeps_the_last(tmp_path, monkeypatch):
    def refuse(self: Path, target: Path) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    assert write_once(tmp_path / "file", b"first")
    assert write_once(tmp_path / "file", b"second")
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("file", b"second")]


def test_of_two_experiments_that_claim_a_folder_at_once_one_is_refused(tmp_path):
    def claim(folder: Path, steps: int) -> bool:
        try:
            claim_folder(folder, UnlockSpec(agent="echo", steps=steps))
        except UsageError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        for number in range(20):
            folder = tmp_path / str(number)
            claims = [(steps, pool.submit(claim, folder, steps)) for steps in (10, 20, 10, 20, 10, 20)]
            granted = {steps for steps, claimed in claims if claimed.result()}
            holds = json.loads((folder / EXPERIMENT_FILE).read_text())["circumstances"]["steps"]
            assert granted == {holds}


def test_claims_of_many_slices_at_once_agree(tmp_path):
    spec = UnlockSpec(agent="echo", steps=10)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: claim_folder(tmp_path, spec), range(32)))
    assert [path.name for path in tmp_path.iterdir()] == [EXPERIMENT_FILE]


@pytest.mark.parametrize("write", [write_once, write_atomically])
def test_what_cannot_be_written_leaves_nothing_and_is_named(tmp_path, monkeypatch, write):
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*/file\.json'"):
        write(tmp_path / "file.json", b"content")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_the_place_of_a_file_stays_and_nothing_lies_beside_it(tmp_path):
    (tmp_path / "file.json").mkdir()
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path / "file.json", b"content")
    assert [path.name for path in tmp_path.iterdir()] == ["file.json"]

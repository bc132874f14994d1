from __future__ import annotations

import errno
from pathlib import Path

import pytest

from finetune.examples import folder
from finetune.examples.folder import check_free, write_folder
from finetune.examples.recorded import ExamplesError


def test_all_files_are_there_and_nothing_else(tmp_path: Path):
    write_folder(tmp_path / "new" / "data", {"a.jsonl": b"1\n", "images/x.png": b"2"})
    assert (tmp_path / "new/data/a.jsonl").read_bytes() == b"1\n"
    assert (tmp_path / "new/data/images/x.png").read_bytes() == b"2"
    assert [each.name for each in (tmp_path / "new").iterdir()] == ["data"]


def test_an_empty_folder_is_filled(tmp_path: Path):
    (tmp_path / "data").mkdir()
    write_folder(tmp_path / "data", {"a": b"1"})
    assert (tmp_path / "data" / "a").read_bytes() == b"1"


def test_a_folder_that_holds_data_is_left_alone(tmp_path: Path):
    (tmp_path / "train.jsonl").write_text("mine")
    with pytest.raises(ExamplesError, match=r"which holds train\.jsonl\. Name another folder"):
        write_folder(tmp_path, {"train.jsonl": b"yours"})
    assert (tmp_path / "train.jsonl").read_text() == "mine"


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path):
    (tmp_path / "data").write_text("")
    with pytest.raises(ExamplesError, match="got a file"):
        check_free(tmp_path / "data")


def test_a_full_disk_leaves_nothing_and_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    written: list[str] = []

    def full(path: Path, data: bytes) -> None:
        if written:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        written.append(path.name)
        path.write_bytes(data)

    monkeypatch.setattr(folder, "_write", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_folder(tmp_path / "data", {"a": b"1", "b": b"2"})
    assert caught.value.filename == str(tmp_path / "data")
    assert list(tmp_path.iterdir()) == []

from __future__ import annotations

import threading

import pytest

from echo.experiments.pool_shipping import (
    Shipment,
    pack_produce,
    shares_disk,
    show_disk,
    unpack_produce,
    wait_until_seen,
)


def test_a_disk_is_recognised_by_the_word_of_this_sitting(tmp_path):
    path = show_disk(tmp_path / "new" / "runs", "word")
    assert shares_disk(tmp_path / "new" / "runs", "word")
    assert not shares_disk(tmp_path / "new" / "runs", "another word")
    assert not shares_disk(tmp_path / "elsewhere", "word")
    path.unlink()
    assert not shares_disk(tmp_path / "new" / "runs", "word")


def test_a_file_arrives_as_it_was(tmp_path):
    sent, got = tmp_path / "sent.json", tmp_path / "there" / "got.json"
    sent.write_bytes(b"\x00\r\n\xff")
    unpack_produce(got, pack_produce(sent))
    assert got.read_bytes() == b"\x00\r\n\xff"
    assert [path.name for path in got.parent.iterdir()] == ["got.json"]


def test_a_folder_arrives_with_all_its_files_and_nothing_of_what_was_there(tmp_path):
    sent, got = tmp_path / "sent", tmp_path / "there" / "got"
    for name in ("b", "deep/er/a", "deep/.hidden"):
        (sent / name).parent.mkdir(parents=True, exist_ok=True)
        (sent / name).write_text(name)
    (got / "old").mkdir(parents=True)
    shipment = pack_produce(sent)
    assert [name for name, _ in shipment.files] == ["b", "deep/.hidden", "deep/er/a"]
    unpack_produce(got, shipment)
    there = sorted(path.relative_to(got).as_posix() for path in got.rglob("*") if path.is_file())
    assert there == ["b", "deep/.hidden", "deep/er/a"]
    assert (got / "deep" / "er" / "a").read_text() == "deep/er/a"
    assert [path.name for path in got.parent.iterdir()] == ["got"]


def test_a_file_that_a_shared_disk_shows_late_is_waited_for(tmp_path):
    path = tmp_path / "late.json"
    timer = threading.Timer(0.3, path.touch)
    timer.start()
    assert wait_until_seen([path], seconds=20) is None
    timer.join()
    never = tmp_path / "nowhere" / "never.json"
    told = wait_until_seen([path, never], seconds=0)
    assert told == f"its node has seen {never}, but 0 seconds later it does not show here"


@pytest.mark.parametrize("name", ["../outside", "/outside", "a/../../outside", ""])
def test_a_file_that_would_lie_outside_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match="expected a path inside"):
        unpack_produce(tmp_path / "got", Shipment(folder=True, files=((name, b""),)))
    assert not (tmp_path / "got").exists()
    assert not (tmp_path / "outside").exists()

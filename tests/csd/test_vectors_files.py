from __future__ import annotations

import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from csd.axes import AXES
from csd.store.errors import BankError
from csd.vectors.files import sole_holder
from csd.vectors.index import VectorIndex
from csd.vectors.publisher import Publisher
from csd.vectors.sizes import Sizes
from csd.vectors.snapshot import LOCK, STATE, read_state
from tests.csd.vector_feed import FakeFeed, unit

SIZES = Sizes(segment_rows=40, code_rows=8, small_rows=4, publish_rows=5)


def grown(feed: FakeFeed, count: int) -> FakeFeed:
    rng = np.random.default_rng(feed.next_row)
    for _ in range(count):
        feed.add(int(rng.integers(2**63)), {axis: unit(rng, feed.dimension) for axis in AXES})
    return feed


def following(feed: FakeFeed, folder: Path | None = None) -> VectorIndex:
    index = VectorIndex(feed.dimension, folder, sizes=SIZES)
    index.refresh(feed)
    return index


def published(folder: Path, count: int = 60) -> FakeFeed:
    feed = grown(FakeFeed(4), count)
    assert following(feed, folder).publish(feed)
    return feed


def in_child(work: Callable[[], None]) -> int:
    """Run `work` in a process of its own and return how that ended, negative for a signal."""
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_at(folder: Path, number: int) -> None:
    """Let this process be killed when it touches files in `folder` for the `number`-th time."""
    seen = 0

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if event in ("open", "os.rename", "os.remove") and str(folder) in str(arguments[0]):
            seen += 1
            if seen == number:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def test_a_kill_at_any_file_operation_leaves_the_old_snapshot_or_the_new_one(tmp_path: Path) -> None:
    kills = 0
    for number in range(1, 100):
        folder = tmp_path / str(number)
        feed = grown(published(folder), 20)
        feed.remove(3)

        def publish(folder: Path = folder, feed: FakeFeed = feed, number: int = number) -> None:
            index = following(feed, folder)
            killed_at(folder, number)
            index.compact(feed)

        ended = in_child(publish)
        reader = following(feed, folder)
        assert reader.facts().damage is None
        assert reader.digest() == following(feed).digest()
        assert reader.check(feed) == []
        assert reader.publish(feed)
        state = read_state(folder)
        assert state is not None
        assert {path.name for path in folder.iterdir()} == state.names() | {STATE, LOCK}
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
        kills += 1
    assert kills >= 15


@pytest.mark.parametrize("kind", [".flat", ".about", ".codes", ".bytes", ".standing", ".json"])
@pytest.mark.parametrize("damage", ["torn", "emptied", "deleted", "foreign"])
def test_a_damaged_snapshot_is_named_set_aside_and_made_anew(
    tmp_path: Path, kind: str, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    feed = published(tmp_path)
    path = next(path for path in sorted(tmp_path.iterdir()) if path.suffix == kind)
    content = path.read_bytes()
    if damage == "deleted":
        path.unlink()
    else:
        path.write_bytes(
            {"torn": content[: len(content) // 2], "emptied": b"", "foreign": b"x" * len(content)}[damage]
        )
    index = following(feed, tmp_path)
    assert index.digest() == following(feed).digest()
    if (kind, damage) == (".json", "deleted"):
        assert index.check(feed) == []
    else:
        assert index.stale
        assert "set aside" in caplog.text
        assert str(path) in index.check(feed)[0]
    assert index.publish(feed)
    assert index.check(feed) == []
    assert following(feed, tmp_path).facts().damage is None


def test_an_altered_vector_is_named_by_the_doctor(tmp_path: Path) -> None:
    feed = published(tmp_path)
    path = next(tmp_path.glob("*.flat"))
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    (finding,) = following(feed, tmp_path).check(feed)
    assert finding.startswith(f"expected the content that was published in {path}")


def test_rows_that_differ_from_the_bank_are_named_one_by_one(tmp_path: Path) -> None:
    feed = grown(FakeFeed(4), 60)
    removed = feed.held[7]
    feed.remove(7)
    following(feed, tmp_path).publish(feed)
    rows, other = sorted(feed.held), feed.copy()
    feed.held[rows[0]].halves = feed.held[rows[1]].halves
    feed.held[rows[2]].retired = True
    feed.held[rows[3]].present = 1
    feed.held[rows[6]].key = 255
    gone = feed.held.pop(rows[4])
    findings = following(feed, tmp_path).check(feed)
    assert len(findings) == 9
    for row, what in ((rows[0], "vector on axis struct"), (rows[2], "standing"), (rows[3], "set of axes")):
        key = feed.held[row].key
        assert f"csd_{key:016x}, row {row}: another {what} than in the bank." in findings
    assert f"csd_00000000000000ff, row {rows[6]}: another id than in the bank." in findings
    assert f"csd_{gone.key:016x}, row {rows[4]}: can be found, but is not in the bank." in findings
    other.held[7] = removed
    assert following(other, tmp_path).check(other) == [
        f"csd_{removed.key:016x}, row 7: missing from the searchable vectors."
    ]


def test_a_snapshot_of_another_length_is_set_aside(tmp_path: Path) -> None:
    published(tmp_path)
    feed = grown(FakeFeed(5), 3)
    index = following(feed, tmp_path)
    assert len(index) == 3
    assert index.check(feed) == [f"expected vectors of length 5 in {tmp_path}; got 4."]


def test_only_one_publishes_at_a_time(tmp_path: Path) -> None:
    feed = grown(published(tmp_path), 20)
    index = following(feed, tmp_path)
    with sole_holder(tmp_path / LOCK) as held:
        assert held
        assert not index.publish(feed)
    assert index.publish(feed)


def test_a_full_disk_is_told_and_searching_goes_on(tmp_path: Path) -> None:
    feed = published(tmp_path, 200)
    before = sorted(path.name for path in tmp_path.iterdir())
    grown(feed, 100)

    def publish() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        index = following(feed, tmp_path)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        with pytest.raises(BankError, match="File too large"):
            index.compact(feed)
        assert index.digest() == following(feed).digest()

    assert in_child(publish) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_place_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    feed, place = grown(FakeFeed(4), 100), tmp_path / "vectors"
    place.write_text("in the way")
    index = following(feed, place)
    assert len(index) == 100
    with pytest.raises(BankError, match=f"expected a folder at {place}"):
        index.publish(feed)
    assert index.digest() == following(feed).digest()


def test_readers_see_a_whole_snapshot_while_others_publish(tmp_path: Path) -> None:
    stages = [grown(FakeFeed(4), 12)]
    for _ in range(25):
        stages.append(grown(stages[-1].copy(), 6))
    last = stages[-1]
    expected = following(last).digest()
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            for stage in stages:
                following(stage, tmp_path).publish(stage)
            os._exit(0)
        children.append(child)
    generations = {}
    while any(os.waitpid(child, os.WNOHANG)[0] == 0 for child in children[:1]):
        reader = following(last, tmp_path)
        assert reader.facts().damage is None
        assert reader.digest() == expected
        generations[reader.facts().generation] = True
    assert os.waitstatus_to_exitcode(os.waitpid(children[1], 0)[1]) == 0
    assert len(generations) >= 3
    assert following(last, tmp_path).check(last) == []


def test_the_publisher_publishes_once_at_a_time_in_the_background(tmp_path: Path) -> None:
    feed, gate, opened = grown(FakeFeed(4), 50), threading.Event(), []

    @contextmanager
    def open_feed() -> Iterator[FakeFeed]:
        opened.append(threading.current_thread())
        assert gate.wait(10)
        yield feed.copy()

    publisher = Publisher(tmp_path / "vectors", open_feed, sizes=SIZES)
    assert publisher.ask()
    assert not publisher.ask()
    gate.set()
    publisher.close()
    assert publisher.failed is None
    assert opened != [threading.current_thread()]
    assert following(feed, tmp_path / "vectors").facts().generation == 1
    assert publisher.ask()
    publisher.close()
    assert len(opened) == 2


def test_the_publisher_keeps_what_went_wrong_and_waits_before_it_tries_again(tmp_path: Path) -> None:
    feed = grown(FakeFeed(4), 50)

    @contextmanager
    def open_feed() -> Iterator[FakeFeed]:
        yield feed

    (tmp_path / "vectors").write_text("in the way")
    patient = Publisher(tmp_path / "vectors", open_feed, sizes=SIZES)
    hasty = Publisher(tmp_path / "vectors", open_feed, sizes=SIZES, retry_seconds=0.0)
    for publisher in (patient, hasty):
        assert publisher.ask()
        publisher.close()
        assert isinstance(publisher.failed, BankError)
    (tmp_path / "vectors").unlink()
    assert not patient.ask()
    assert hasty.ask()
    hasty.close()
    assert hasty.failed is None

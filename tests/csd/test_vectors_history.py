from __future__ import annotations

import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import faiss
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from csd.axes import AXES, Axis
from csd.vectors.index import VectorIndex
from csd.vectors.sizes import Sizes
from tests.csd.vector_feed import ALL_BYTES, FakeFeed, unit

SMALL = replace(ALL_BYTES, segment_rows=12, code_rows=4, small_rows=2, publish_rows=3)
"""Segments, codes, merges and spilling at a handful of rows."""

STEPS = st.lists(
    st.tuples(
        st.sampled_from(("add", "add", "add", "retire", "remove", "publish", "compact", "reopen", "refresh")),
        st.integers(0, 2**32 - 1),
    ),
    max_size=40,
)

MERGED_AWAY = [("add", 0), ("publish", 0), ("add", 0), ("add", 110), ("remove", 0), ("publish", 0)]


def following(feed: FakeFeed, folder: Path | None = None, sizes: Sizes = SMALL) -> VectorIndex:
    index = VectorIndex(feed.dimension, folder, sizes=sizes)
    index.refresh(feed)
    return index


def grown(feed: FakeFeed, rng: np.random.Generator, count: int) -> list[int]:
    rows = []
    for _ in range(count):
        axes = [axis for axis in AXES if rng.random() < 0.8] or [Axis.FUNC]
        rows.append(feed.add(int(rng.integers(2**63)), {axis: unit(rng, feed.dimension) for axis in axes}))
    return rows


def check_like_the_bank(index: VectorIndex, feed: FakeFeed, rng: np.random.Generator) -> None:
    queries = {axis: unit(rng, feed.dimension) for axis in AXES if rng.random() < 0.7}
    rows = sorted(rng.choice(feed.next_row + 2, min(feed.next_row, 8), replace=False).tolist())
    k = int(rng.integers(0, 12))
    assert index.search(queries, k=k, exact=True) == feed.best(queries, k=k)
    assert index.search(queries, k=k, rows=np.array(rows), exact=True) == feed.best(queries, k=k, rows=rows)
    # So few rows are all candidates: nothing can be missed.
    assert index.search(queries, k=k) == feed.best(queries, k=k)
    assert len(index) == len(feed.held)


@settings(max_examples=40)
@given(STEPS, st.integers(0, 2**32 - 1), st.booleans())
# A segment of which nothing is held any more is merged with a newer one.
@example(MERGED_AWAY, 0, False)
@example(MERGED_AWAY, 0, True)
def test_any_history_gives_the_search_of_the_plain_bank(
    steps: list[tuple[str, int]], seed: int, on_disk: bool
) -> None:
    rng, feed = np.random.default_rng(seed), FakeFeed(5)
    with TemporaryDirectory() as beside:
        folder = Path(beside) / "vectors" if on_disk else None
        index, other = following(feed, folder), following(feed, folder)
        for kind, number in steps:
            held = sorted(feed.held)
            if kind == "add":
                grown(feed, rng, 1 + number % 3)
            elif kind == "retire" and held and not feed.held[held[number % len(held)]].retired:
                feed.retire(held[number % len(held)])
            elif kind == "remove" and held:
                feed.remove(held[number % len(held)])
            elif kind in ("publish", "compact"):
                assert index.publish(feed) if kind == "publish" else index.compact(feed)
            elif kind == "reopen":
                index = following(feed, folder)
            elif kind == "refresh":
                index.refresh(feed)
                check_like_the_bank(index, feed, rng)
        for one in (index, other):
            one.refresh(feed)
            check_like_the_bank(one, feed, rng)
            assert one.digest() == following(feed).digest()
            assert one.check(feed) == []


def test_a_new_process_reads_only_what_was_not_published(tmp_path: Path) -> None:
    rng, feed = np.random.default_rng(0), FakeFeed(4)
    rows = grown(feed, rng, 50)
    index = following(feed, tmp_path / "vectors")
    assert index.stale
    assert index.publish(feed)
    assert not index.stale
    grown(feed, rng, 2)
    feed.remove(rows[3])
    feed.retire(rows[4])
    feed.reads = 0
    again = following(feed, tmp_path / "vectors")
    assert feed.reads == 2
    assert again.digest() == following(feed).digest()
    assert again.facts().generation == 1


def test_refreshing_when_nothing_changed_reads_nothing(tmp_path: Path) -> None:
    feed = FakeFeed(4)
    grown(feed, np.random.default_rng(0), 20)
    index = following(feed, tmp_path / "vectors")
    index.publish(feed)
    feed.reads = 0
    feed.changes = feed.blocks = feed.passed = None
    index.refresh(feed)


def test_what_another_process_publishes_is_taken_over_and_own_rows_are_kept(tmp_path: Path) -> None:
    rng, feed = np.random.default_rng(0), FakeFeed(4)
    grown(feed, rng, 30)
    reader = following(feed, tmp_path / "vectors")
    writer = following(feed, tmp_path / "vectors")
    earlier = feed.copy()
    late = grown(feed, rng, 3)
    reader.refresh(feed)
    writer.publish(earlier)
    feed.remove(late[1])
    feed.reads = 0
    reader.refresh(feed)
    assert feed.reads == 0
    assert reader.facts().generation == 1
    assert reader.facts().unpublished == 3
    assert reader.digest() == following(feed).digest()


def test_a_snapshot_ahead_of_a_reader_waits_until_the_reader_has_come_as_far(tmp_path: Path) -> None:
    rng, feed = np.random.default_rng(0), FakeFeed(4)
    grown(feed, rng, 10)
    earlier = feed.copy()
    grown(feed, rng, 5)
    following(feed, tmp_path / "vectors").publish(feed)
    reader = following(earlier, tmp_path / "vectors")
    assert len(reader) == 10
    assert reader.facts().damage is None
    reader.refresh(feed)
    assert len(reader) == 15
    assert reader.facts().generation == 1


@pytest.mark.parametrize("way", ["embedded anew", "an older copy", "history forgotten"])
def test_a_bank_with_another_history_is_read_anew(tmp_path: Path, way: str) -> None:
    rng, feed = np.random.default_rng(0), FakeFeed(4)
    grown(feed, rng, 10)
    copy = feed.copy()
    grown(feed, rng, 5)
    index = following(feed, tmp_path / "vectors")
    index.publish(feed)
    other = copy if way == "an older copy" else feed.copy()
    if way == "embedded anew":
        other.epoch = "second"
        other.held[1].halves = other.held[2].halves
    grown(other, rng, 5 if way == "an older copy" else 1)
    if way == "history forgotten":
        other.chains[:-1] = ["gone"] * (len(other.chains) - 1)
    for one in (index, VectorIndex(4, tmp_path / "vectors", sizes=SMALL)):
        one.refresh(other)
        assert one.digest() == following(other).digest()
        assert one.stale
    (finding,) = index.check(other)
    assert "out of step" in finding
    assert index.publish(other)
    assert index.check(other) == []
    assert following(other, tmp_path / "vectors").facts().generation == 2


def test_a_folder_that_is_deleted_under_an_open_index_is_made_again(tmp_path: Path) -> None:
    rng, feed, folder = np.random.default_rng(0), FakeFeed(4), tmp_path / "vectors"
    grown(feed, rng, 20)
    index = following(feed, folder)
    index.publish(feed)
    shutil.rmtree(folder)
    grown(feed, rng, 1)
    index.refresh(feed)
    check_like_the_bank(index, feed, rng)
    assert index.publish(feed)
    assert index.check(feed) == []
    assert following(feed, folder).digest() == index.digest()


def test_dead_rows_leave_the_files_and_sizes_fall_from_old_to_new(tmp_path: Path) -> None:
    rng, feed, folder = np.random.default_rng(0), FakeFeed(4), tmp_path / "vectors"
    sizes = Sizes(segment_rows=1000, code_rows=16, small_rows=4)
    index = VectorIndex(4, folder, sizes=sizes)
    for _ in range(40):
        grown(feed, rng, 5)
        index.publish(feed)
    counts = [segment.rows for segment in index.facts().segments]
    assert sum(counts) == 200
    assert all(older > 2 * newer for older, newer in pairwise(counts))
    for row in list(feed.held)[:80]:
        feed.remove(row)
    index.refresh(feed)
    assert index.facts().dead == 80
    assert index.compact(feed)
    facts = index.facts()
    assert (facts.rows, facts.dead, [segment.rows for segment in facts.segments]) == (120, 0, [120])
    assert sorted(path.suffix for path in folder.iterdir()) == [
        ".about", ".bytes", ".codes", ".flat", ".json", ".lock", ".standing"
    ]  # fmt: skip


def test_merged_codes_are_those_of_encoding_anew(tmp_path: Path) -> None:
    rng, feed = np.random.default_rng(0), FakeFeed(8)
    index = following(feed, tmp_path / "merged", Sizes(code_rows=4, small_rows=2))
    for count in (41, 33, 7):
        grown(feed, rng, count)
        index.publish(feed)
    for row in (1, 2, 40, 44, 81):
        feed.remove(row)
    index.compact(feed)
    following(feed, tmp_path / "anew", Sizes(code_rows=4)).publish(feed)
    merged, anew = (
        faiss.read_index(str(next((tmp_path / name).glob("*.codes")))) for name in ("merged", "anew")
    )
    # Not compared as files: the unused end of the last block may hold anything.
    assert merged.ntotal == anew.ntotal == 76
    assert np.array_equal(merged.reconstruct_n(0, 76), anew.reconstruct_n(0, 76))
    query = unit(rng, 1, 40)
    assert np.array_equal(merged.search(query, 76)[1], anew.search(query, 76)[1])


def test_publishing_again_without_a_change_writes_nothing(tmp_path: Path) -> None:
    feed, folder = FakeFeed(4), tmp_path / "vectors"
    grown(feed, np.random.default_rng(0), 20)
    index = following(feed, folder)
    index.publish(feed)
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert index.publish(feed)
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_vectors_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="vectors of length 4; got 5"):
        VectorIndex(4).refresh(FakeFeed(5))

"""Searching by rows of bytes: what it finds against going through all, and the file of the rows."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from csd.axes import AXES, Axis
from csd.encode import HashingEncoder
from csd.score import Match, Vector
from csd.vectors import byte_rows
from csd.vectors.faiss_codes import scan
from csd.vectors.index import VectorIndex
from csd.vectors.sizes import Sizes, Way
from csd.vectors.snapshot import STATE
from tests.csd.vector_feed import ALL_BYTES, ALL_CODES, FakeFeed, unit

PICKED = replace(ALL_BYTES, byte_us=1e6)
"""Who does not take part is skipped by the scan."""
DROPPED = replace(ALL_BYTES, picked_byte_us=1e6)
"""... is scanned, and dropped from the candidates."""
IN_TWO = replace(ALL_BYTES, split_always_us=0.0)
WAYS = {"picked": PICKED, "dropped": DROPPED, "in two": IN_TWO}


def following(feed: FakeFeed, sizes: Sizes, folder: Path | None = None) -> VectorIndex:
    index = VectorIndex(feed.dimension, folder, sizes=sizes)
    index.refresh(feed)
    assert index.publish(feed)
    return index


def recall(index: VectorIndex, feed: FakeFeed, questions: list[dict[Axis, Vector]], rows: list[int]) -> float:
    """Return the share of the best ten that are found, over all that may be and over `rows`."""
    found = wanted = 0
    for asked in questions:
        for some in (None, rows):
            got = index.search(asked, k=10, rows=None if some is None else np.array(some))
            best = feed.best(asked, k=10, rows=some)
            assert len(got) == len(best)
            found, wanted = found + len(_ids(got) & _ids(best)), wanted + len(best)
    return found / wanted


def _ids(matches: list[Match]) -> set[str]:
    return {match.id for match in matches}


def grow_clusters(feed: FakeFeed, rng: np.random.Generator) -> None:
    """Add 500 descriptors in clusters of five."""
    dimension = feed.dimension
    for _ in range(100):
        centre = unit(rng, len(AXES), dimension)
        for _ in range(5):
            near = centre + 0.6 * unit(rng, len(AXES), dimension)
            near /= np.linalg.norm(near, axis=1, keepdims=True)
            axes = [place for place in range(5) if rng.random() < 0.8] or [3]
            feed.add(int(rng.integers(2**63)), {AXES[place]: near[place] for place in axes})


@pytest.mark.parametrize("sizes", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("dimension", [17, 64])
def test_nothing_is_missed_among_clusters_under_any_filter(sizes: Sizes, dimension: int) -> None:
    rng = np.random.default_rng(4)
    feed, index = (
        FakeFeed(dimension),
        VectorIndex(dimension, sizes=replace(sizes, merge_factor=0, small_rows=0)),
    )
    for _ in range(3):
        grow_clusters(feed, rng)
        index.publish(feed)
    for row in rng.choice(list(feed.held), 300, replace=False).tolist():
        feed.remove(row) if row % 2 else feed.retire(row)
    index.refresh(feed)
    assert [segment.coded for segment in index.facts().segments] == [True, True, True]
    some = sorted(rng.choice(1500, 400, replace=False).tolist())
    weighted = [{axis: unit(rng, dimension) for axis in AXES} for _ in range(5)]
    single: list[dict[Axis, Vector]] = [{axis: unit(rng, dimension)} for axis in AXES]
    assert recall(index, feed, weighted + single, some) >= 0.995


@pytest.mark.parametrize("sizes", WAYS.values(), ids=WAYS)
def test_nothing_is_missed_among_sparse_vectors(sizes: Sizes) -> None:
    rng, encoder = np.random.default_rng(5), HashingEncoder()
    words = [f"{kind} {part}" for kind in ("oak", "iron", "stone", "gold") for part in ("axe", "door", "rod")]

    def texts(count: int) -> NDArray[np.float32]:
        picked = rng.choice(words, (count * len(AXES), 3))
        rows = encoder.encode([" with ".join(one) for one in picked.tolist()])
        return rows.reshape(count, len(AXES), -1)

    feed = FakeFeed(encoder.dimension)
    for key, halves in enumerate(texts(1200), 1):
        feed.put(key, halves.astype(np.float16))
    index = following(feed, sizes)
    questions = [dict(zip(AXES, rows, strict=True)) for rows in texts(8)]
    some = sorted(rng.choice(1200, 300, replace=False).tolist())
    assert recall(index, feed, questions, some) >= 0.995


def test_best_scores_below_zero_come_in_the_right_order() -> None:
    rng, feed, query = np.random.default_rng(6), FakeFeed(32), np.eye(32, dtype=np.float32)[0]
    for key in range(1, 601):
        near = unit(rng, 32)
        near[0] = -1.0 - rng.random()
        feed.add(key, {Axis.FUNC: near / np.linalg.norm(near)})
        # Nothing to be found by: a zero must not pass for a good score.
        feed.add(1000 + key, {Axis.PROC: query})
    index = following(feed, ALL_BYTES)
    got = index.search({Axis.FUNC: query}, k=10)
    assert got == feed.best({Axis.FUNC: query}, k=10)
    assert got[0].score < 0.0


def test_codes_that_do_not_do_give_way_to_bytes_before_all_is_scanned() -> None:
    # Alike but for the last digits: product codes see no difference, bytes see most of it.
    rng, dimension = np.random.default_rng(7), 64
    feed, centre = FakeFeed(dimension), unit(rng, dimension)
    for key in range(1, 1001):
        near = centre + 0.1 * unit(rng, dimension)
        feed.add(key, {Axis.FUNC: near / np.linalg.norm(near)})
    sizes = replace(ALL_CODES, byte_us=0.0, score_us=1.0)
    index, query = following(feed, sizes), unit(rng, dimension)
    got = index.search({Axis.FUNC: query}, k=10)
    assert got == feed.best({Axis.FUNC: query}, k=10)


@pytest.mark.parametrize("dimension", [1, 3, 16, 64, 128, 384])
def test_an_estimate_is_the_product_of_whole_numbers(dimension: int) -> None:
    rng = np.random.default_rng(dimension)
    halves = (unit(rng, 40, 5 * dimension) / 2).astype(np.float16)
    raw = halves.view(np.uint8)
    rows = byte_rows.in_memory(dimension, [raw[:25], raw[25:]], byte_rows.scale_of([raw[:25], raw[25:]], 1.0))
    assert rows.scale == pytest.approx(127 / np.abs(halves).max().astype(np.float64))
    numbers = np.rint(halves.astype(np.float32) * np.float32(rows.scale)).astype(np.int64)
    query = unit(rng, 1, 5 * dimension)
    asked, step = rows.asked(query)
    assert np.abs(asked).max() == 127.0
    scores, slots = scan(rows.index, asked, 40, None)
    assert np.array_equal(scores, (numbers @ asked[0].astype(np.int64))[slots].astype(np.float32))
    assert float(step) == pytest.approx(float(np.abs(query).max()) / (rows.scale * 127))


def test_rows_of_zeros_and_what_is_no_number_become_the_middle() -> None:
    zeros = np.zeros((2, 20), dtype=np.uint8)
    assert byte_rows.scale_of([zeros], 1.0) == 127.0
    assert [part.tolist() for part in byte_rows.encoded([zeros], 127.0)] == [[[128] * 10] * 2]
    odd = np.array([[np.nan, np.inf, -np.inf, 1.0, -1.0, 0.5, 0.0, 0.25, -0.5, 0.0]], dtype=np.float16)
    assert byte_rows.scale_of([odd.view(np.uint8)], 1.0) == 127.0
    (part,) = byte_rows.encoded([odd.view(np.uint8)], 127.0)
    assert part.tolist() == [[128, 255, 1, 255, 1, 192, 128, 160, 64, 128]]


def test_merged_rows_are_those_made_anew(tmp_path: Path) -> None:
    rng, feed = np.random.default_rng(8), FakeFeed(8)
    sizes = Sizes(code_rows=4, small_rows=2)
    index = VectorIndex(8, tmp_path / "merged", sizes=sizes)
    for count in (41, 33, 7):
        for _ in range(count):
            feed.put(int(rng.integers(2**63)), unit(rng, 5, 8).astype(np.float16))
        index.publish(feed)
    for row in (1, 40, 81):
        feed.remove(row)
    index.compact(feed)
    following(feed, sizes, tmp_path / "anew")
    merged, anew = (next((tmp_path / name).glob("*.bytes")).read_bytes() for name in ("merged", "anew"))
    assert merged == anew
    assert index.check(feed) == []


def test_one_altered_byte_is_named_by_the_doctor(tmp_path: Path) -> None:
    rng, feed = np.random.default_rng(9), FakeFeed(4)
    for key in range(1, 50):
        feed.put(key, unit(rng, 5, 4).astype(np.float16))
    index = following(feed, Sizes(code_rows=4), tmp_path)
    assert index.check(feed) == []
    (path,) = tmp_path.glob("*.bytes")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    (finding,) = index.check(feed)
    assert finding.startswith(f"expected the content that was published in {path}")


def test_a_snapshot_of_the_older_format_is_made_anew_without_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rng, feed = np.random.default_rng(10), FakeFeed(4)
    for key in range(1, 50):
        feed.put(key, unit(rng, 5, 4).astype(np.float16))
    digest = following(feed, Sizes(code_rows=4), tmp_path).digest()
    state = tmp_path / STATE
    old = json.loads(state.read_text())
    old["format"] = 1
    for segment in old["segments"]:
        del segment["byte_rows"]
    state.write_text(json.dumps(old))
    index = VectorIndex(4, tmp_path, sizes=Sizes(code_rows=4, publish_rows=20))
    with caplog.at_level(logging.WARNING):
        assert index.check(feed) == []
        index.refresh(feed)
    assert (index.digest(), index.stale, caplog.text) == (digest, True, "")
    assert index.publish(feed)
    facts = VectorIndex(4, tmp_path)
    facts.refresh(feed)
    assert (facts.facts().generation, len(list(tmp_path.glob("*.bytes")))) == (2, 1)


def test_a_snapshot_of_a_newer_format_is_named(tmp_path: Path) -> None:
    (tmp_path / STATE).write_text(json.dumps({"format": 3}))
    (finding,) = VectorIndex(4, tmp_path).check(FakeFeed(4))
    assert finding.startswith("expected a state of format 2")


def test_a_filter_of_a_few_is_picked_and_one_of_many_is_not() -> None:
    sizes = Sizes()
    assert sizes.picks(Way.BYTES, rows=100_000, taking_part=10_000)
    assert not sizes.picks(Way.BYTES, rows=100_000, taking_part=30_000)
    assert sizes.picks(Way.BYTES, rows=10_000, taking_part=5_000)
    assert not sizes.picks(Way.BYTES, rows=10_000, taking_part=6_000)
    assert sizes.picks(Way.CODES, rows=100_000, taking_part=10_000)
    assert not sizes.picks(Way.CODES, rows=100_000, taking_part=99_000)

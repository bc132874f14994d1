from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from csd.axes import AXES, Axis
from csd.score import Match, Vector
from csd.vectors.index import VectorIndex
from csd.vectors.sizes import Sizes, Way
from tests.csd.vector_feed import ALL_BYTES, ALL_CODES, FakeFeed, unit

X, Y, Z = (np.eye(3, dtype=np.float32)[place] for place in range(3))
DIAGONAL = np.array([0.6, 0.8, 0.0], dtype=np.float32)
ALL_SCANS = Sizes(score_us=1e9)
TWO_THREADS = Sizes(score_us=1e9, split_always_us=0.0)


def following(feed: FakeFeed, sizes: Sizes | None = None) -> VectorIndex:
    index = VectorIndex(feed.dimension, sizes=sizes)
    index.refresh(feed)
    return index


def ids(matches: list[Match]) -> list[int]:
    return [int(match.id[4:], 16) for match in matches]


def random_feed(rng: np.random.Generator, count: int, dimension: int = 16) -> FakeFeed:
    feed = FakeFeed(dimension)
    for _ in range(count):
        axes = [axis for axis in AXES if rng.random() < 0.8] or [Axis.FUNC]
        feed.add(int(rng.integers(2**63)), {axis: unit(rng, dimension) for axis in axes})
    return feed


def asked(rng: np.random.Generator, dimension: int = 16) -> dict[Axis, Vector]:
    return {axis: unit(rng, dimension) for axis in AXES if rng.random() < 0.7} or {
        Axis.FUNC: unit(rng, dimension)
    }


def test_a_match_shows_the_stored_cosine_of_each_axis_behind_its_score() -> None:
    feed = FakeFeed(3)
    feed.add(1, {Axis.STRUCT: X, Axis.FUNC: DIAGONAL})
    feed.add(2, {Axis.STRUCT: Y})
    best, second = following(feed).search(
        {Axis.STRUCT: X, Axis.FUNC: X}, k=5, weights={Axis.STRUCT: 3, Axis.FUNC: 1}
    )
    assert best.id == "csd_0000000000000001"
    assert best.cosines[Axis.FUNC] == float(np.float16(0.6))
    assert best.score == 0.75 + 0.25 * float(np.float16(0.6))
    assert best.cosines[Axis.ATTR] is None
    assert second.cosines == {axis: 0.0 if axis is Axis.STRUCT else None for axis in AXES}


@pytest.mark.parametrize("sizes", [None, ALL_SCANS, ALL_CODES, ALL_BYTES, TWO_THREADS])
def test_a_missing_axis_never_outranks_a_negative_cosine(sizes: Sizes | None) -> None:
    feed = FakeFeed(3)
    feed.add(1, {Axis.ATTR: X})
    feed.add(2, {Axis.FUNC: -X})
    index = following(feed, sizes)
    index.publish(feed)
    (match,) = index.search({Axis.FUNC: X}, k=5)
    assert (match.id, match.score) == ("csd_0000000000000002", -1.0)


def test_a_masked_axis_brings_nothing_in_and_shows_no_cosine() -> None:
    feed = FakeFeed(3)
    feed.add(1, {Axis.ATTR: X})
    feed.add(2, {Axis.ATTR: X, Axis.FUNC: X})
    matches = following(feed).search(
        {Axis.FUNC: X, Axis.ATTR: X}, k=5, weights={Axis.FUNC: 1.0, Axis.ATTR: 0.0}
    )
    assert ids(matches) == [2]
    assert matches[0].cosines[Axis.ATTR] is None


@pytest.mark.parametrize("k", [0, 1, 2, 3, 100])
def test_never_more_than_there_are(k: int) -> None:
    feed = FakeFeed(3)
    for key in (1, 2):
        feed.add(key, {Axis.FUNC: X})
    assert ids(following(feed).search({Axis.FUNC: X}, k=k)) == [1, 2][:k]
    assert following(FakeFeed(3)).search({Axis.FUNC: X}, k=k) == []
    assert following(feed).search({Axis.PROC: X}, k=k) == []
    assert following(feed).search({}, k=k) == []
    assert following(feed).search({Axis.FUNC: X}, k=k, weights={Axis.PROC: 1.0}) == []


@pytest.mark.parametrize("sizes", [None, ALL_SCANS, ALL_CODES, ALL_BYTES, TWO_THREADS])
def test_thousands_of_equal_vectors_come_in_order_of_key(sizes: Sizes | None) -> None:
    feed, rng = FakeFeed(4), np.random.default_rng(0)
    vector = unit(rng, 4)
    keys = rng.permutation(np.arange(1, 5001)).tolist()
    for key in keys:
        feed.add(key, {Axis.FUNC: vector})
    feed.add(9999, {Axis.FUNC: -vector})
    index = following(feed, sizes)
    index.publish(feed)
    assert ids(index.search({Axis.FUNC: vector}, k=7)) == [1, 2, 3, 4, 5, 6, 7]
    assert ids(index.search({Axis.FUNC: vector}, k=7, exact=True)) == [1, 2, 3, 4, 5, 6, 7]
    rows = np.array([row for row, held in feed.held.items() if held.key > 4000])
    assert ids(index.search({Axis.FUNC: vector}, k=3, rows=rows)) == [4001, 4002, 4003]


def test_vectors_a_little_longer_than_one_tie_at_one() -> None:
    # float16 rounding makes both longer than 1; their cosines with themselves are clipped to 1.
    feed = FakeFeed(2)
    for key, angle in ((2, 0.3), (1, 0.3)):
        feed.add(key, {Axis.FUNC: np.array([np.cos(angle), np.sin(angle)], dtype=np.float32)})
    long = feed.held[1].halves[3].astype(np.float32)
    feed.held[1].halves[3] = (long * np.float32(1.0004)).astype(np.float16)
    query = feed.held[2].halves[3].astype(np.float32)
    query /= np.linalg.norm(query)
    assert following(feed).search({Axis.FUNC: query}, k=1) == feed.best({Axis.FUNC: query}, k=1)


def test_rows_given_are_all_that_is_chosen_from_retired_ones_too() -> None:
    feed = FakeFeed(3)
    rows = [feed.add(key, {Axis.FUNC: X}) for key in (1, 2, 3, 4)]
    feed.retire(rows[0])
    feed.remove(rows[1])
    index = following(feed)
    assert ids(index.search({Axis.FUNC: X}, k=9)) == [3, 4]
    assert ids(index.search({Axis.FUNC: X}, k=9, rows=np.array([rows[3], rows[1], rows[0], 77, -5]))) == [
        1,
        4,
    ]
    assert index.search({Axis.FUNC: X}, k=9, rows=np.zeros(0, dtype=np.int64)) == []


def test_after_deleting_the_middle_one_a_new_one_is_not_mistaken_for_it() -> None:
    feed = FakeFeed(3)
    feed.add(1, {Axis.FUNC: X})
    middle = feed.add(2, {Axis.FUNC: Y})
    feed.add(3, {Axis.FUNC: Z})
    index = following(feed)
    feed.remove(middle)
    feed.add(4, {Axis.FUNC: DIAGONAL})
    index.refresh(feed)
    assert ids(index.search({Axis.FUNC: Y}, k=4)) == [4, 1, 3]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ([np.nan, 0, 0], "finite rows of unit length"),
        ([np.inf, 0, 0], "finite rows of unit length"),
        ([0, 0, 0], "finite rows of unit length"),
        ([2, 0, 0], "finite rows of unit length"),
        ([1, 0], r"shape \(n, 3\)"),
        ([[1, 0, 0], [1, 0, 0]], "one vector of length 3 on axis func; got 2"),
    ],
)
def test_a_query_that_is_no_unit_vector_is_refused(query: object, text: str) -> None:
    index = following(FakeFeed(3))
    with pytest.raises(ValueError, match=text):
        index.search({Axis.FUNC: np.array(query, dtype=np.float32)}, k=1)


def test_a_negative_k_a_bad_weight_and_an_unknown_axis_are_refused() -> None:
    index = following(FakeFeed(3))
    with pytest.raises(ValueError, match="k >= 0; got -1"):
        index.search({Axis.FUNC: X}, k=-1)
    with pytest.raises(ValueError, match="finite weight >= 0 on axis func"):
        index.search({Axis.FUNC: X}, k=1, weights={Axis.FUNC: float("nan")})
    with pytest.raises(ValueError, match="expected an axis out of struct"):
        index.search({"colour": X}, k=1)


@pytest.mark.parametrize("sizes", [Sizes(segment_rows=150, small_rows=10), ALL_SCANS, TWO_THREADS])
def test_exact_search_equals_going_through_all(sizes: Sizes) -> None:
    rng = np.random.default_rng(1)
    feed = random_feed(rng, 400)
    for row in rng.choice(list(feed.held), 60, replace=False).tolist():
        feed.remove(row) if row % 2 else feed.retire(row)
    index = following(feed, sizes)
    index.publish(feed)
    for _ in range(20):
        queries, k = asked(rng), int(rng.integers(1, 30))
        weights = {axis: float(rng.random()) for axis in AXES}
        rows = sorted(rng.choice(500, 50, replace=False).tolist())
        assert index.search(queries, k=k, weights=weights, exact=True) == feed.best(
            queries, k=k, weights=weights
        )
        assert index.search(queries, k=k, rows=np.array(rows), exact=True) == feed.best(
            queries, k=k, rows=rows
        )


@pytest.mark.parametrize("many", [0, 400])
def test_search_by_codes_misses_less_than_one_in_a_hundred_under_any_filter(many: int) -> None:
    rng = np.random.default_rng(2)
    feed = random_feed(rng, 1500, dimension=64)
    sizes = replace(ALL_CODES, segment_rows=600, candidates=50, many=many)
    index = following(feed, sizes)
    index.publish(feed)
    assert all(segment.coded for segment in index.facts().segments)
    found = wanted = 0
    for _ in range(15):
        queries = asked(rng, 64)
        rows = sorted(rng.choice(1500, int(rng.integers(1, 600)), replace=False).tolist())
        for got, best in (
            (index.search(queries, k=10), feed.best(queries, k=10)),
            (index.search(queries, k=10, rows=np.array(rows)), feed.best(queries, k=10, rows=rows)),
        ):
            assert len(got) == len(best)
            wanted += len(best)
            found += len({match.id for match in got} & {match.id for match in best})
            assert got == sorted(got, key=lambda match: (-match.score, match.id))
    assert found / wanted >= 0.99


@pytest.mark.parametrize("sizes", [ALL_CODES, ALL_BYTES])
def test_a_filter_that_excludes_the_nearest_still_finds_the_best_of_the_rest(sizes: Sizes) -> None:
    rng = np.random.default_rng(3)
    feed, centre = FakeFeed(32), unit(rng, 32)
    for key in range(1, 2001):
        near = centre + 0.05 * unit(rng, 32)
        feed.add(key, {Axis.FUNC: near / np.linalg.norm(near)})
    far = [feed.add(5000 + place, {Axis.FUNC: unit(rng, 32)}) for place in range(30)]
    index = following(feed, sizes)
    index.publish(feed)
    got = index.search({Axis.FUNC: centre}, k=10, rows=np.array(far))
    assert got == feed.best({Axis.FUNC: centre}, k=10, rows=far)


def test_codes_are_left_where_they_tell_nothing() -> None:
    # One number of 64 is set: far from the normal distribution that the codes are made for.
    feed, axes = FakeFeed(64), np.eye(64, dtype=np.float32)
    for key in range(1, 1001):
        feed.add(key, {Axis.FUNC: axes[key % 64]})
    index = following(feed, Sizes(code_rows=1, candidates=20, scan_us=1.0, byte_us=1.0, lonely_rows=0))
    index.publish(feed)
    for place in range(64):
        assert index.search({Axis.FUNC: axes[place]}, k=12) == feed.best({Axis.FUNC: axes[place]}, k=12)


def test_the_way_follows_the_size() -> None:
    def way(rows: int, taking_part: int, *coarse: Way) -> Way:
        return Sizes().way(10, rows=rows, taking_part=taking_part, coarse=coarse)

    both = (Way.BYTES, Way.CODES)
    assert way(1_000, 1_000) is Way.SCAN
    assert way(100_000, 100_000, *both) is Way.CODES
    assert way(100_000, 100_000, Way.BYTES) is Way.BYTES
    assert way(100_000, 100_000) is Way.SCAN
    assert way(100_000, 20, *both) is Way.CHOSEN
    assert way(100_000, 14_000, *both) is Way.CODES
    assert way(100_000, 30_000, *both) is Way.CODES
    assert way(10_000, 10_000, *both) is Way.BYTES
    assert way(100_000, 1_000, *both) is Way.BYTES
    assert way(100_000, 7_000, *both) is Way.BYTES
    assert way(10_000, 5_000, *both) is Way.BYTES

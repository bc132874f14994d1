from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csd.axes import AXES, Axis
from csd.index import Entry, VectorIndex
from csd.score import Match, Vector, cosines, fuse, order, shares

X, Y, Z = (np.eye(3, dtype=np.float32)[place] for place in range(3))
DIAGONAL = np.array([0.6, 0.8, 0.0], dtype=np.float32)


def entry(row: int, **vectors: Vector) -> Entry:
    return Entry(
        row=row, id=f"csd_{row:03d}", vectors={Axis(axis): vector for axis, vector in vectors.items()}
    )


def filled(*entries: Entry) -> VectorIndex:
    index = VectorIndex(3)
    index.add(entries)
    return index


def found(matches: list[Match]) -> list[str]:
    return [match.id for match in matches]


def test_a_match_shows_the_cosine_of_each_axis_behind_its_score() -> None:
    index = filled(entry(1, struct=X, func=DIAGONAL), entry(2, struct=Y))
    best, second = index.search({Axis.STRUCT: X, Axis.FUNC: X}, k=5, weights={Axis.STRUCT: 3, Axis.FUNC: 1})
    assert best.id == "csd_001"
    assert best.cosines[Axis.STRUCT] == pytest.approx(1.0)
    assert best.cosines[Axis.FUNC] == pytest.approx(0.6)
    assert best.score == pytest.approx(0.75 * 1.0 + 0.25 * 0.6)
    assert second.cosines == {axis: 0.0 if axis is Axis.STRUCT else None for axis in AXES}
    assert second.score == 0.0


def test_what_has_no_vector_on_an_asked_axis_never_matches() -> None:
    index = filled(entry(1, attr=X), entry(2, func=-X))
    assert found(index.search({Axis.FUNC: X}, k=5)) == ["csd_002"]


def test_a_masked_axis_brings_nothing_in_and_shows_no_cosine() -> None:
    index = filled(entry(1, attr=X), entry(2, func=X, attr=X))
    matches = index.search({Axis.FUNC: X, Axis.ATTR: X}, k=5, weights={Axis.FUNC: 1.0, Axis.ATTR: 0.0})
    assert found(matches) == ["csd_002"]
    assert matches[0].cosines[Axis.ATTR] is None


def test_equal_scores_come_in_order_of_id_whatever_the_order_of_insertion() -> None:
    rows = list(range(40))
    np.random.default_rng(1).shuffle(rows)
    index = filled(*(entry(row, func=DIAGONAL) for row in rows))
    assert found(index.search({Axis.FUNC: DIAGONAL}, k=3)) == ["csd_000", "csd_001", "csd_002"]


def test_after_deleting_the_middle_one_a_new_one_is_not_mistaken_for_it() -> None:
    index = filled(entry(1, func=X), entry(2, func=Y), entry(3, func=Z))
    index.remove(2)
    index.add([entry(4, func=DIAGONAL)])
    assert found(index.search({Axis.FUNC: Y}, k=4)) == ["csd_004", "csd_001", "csd_003"]
    assert found(index.search({Axis.FUNC: Z}, k=1)) == ["csd_003"]


def test_removing_what_is_not_there_changes_nothing() -> None:
    index = filled(entry(1, func=X))
    index.remove(9)
    index.remove(1)
    index.remove(1)
    assert len(index) == 0
    assert index.search({Axis.FUNC: X}, k=1) == []


@pytest.mark.parametrize("k", [0, 1, 2, 3, 1000])
def test_at_most_k_and_at_most_all_are_returned(k: int) -> None:
    index = filled(entry(1, func=X), entry(2, func=Y))
    assert len(index.search({Axis.FUNC: X}, k=k)) == min(k, 2)


def test_an_empty_index_returns_nothing() -> None:
    assert VectorIndex(3).search({Axis.FUNC: X}, k=20) == []


def test_asking_nothing_returns_nothing() -> None:
    index = filled(entry(1, func=X))
    assert index.search({}, k=5) == []
    assert index.search({Axis.FUNC: X}, k=5, weights={}) == []


def test_rows_are_chosen_before_the_best_of_them() -> None:
    index = filled(*(entry(row, func=X if row < 8 else DIAGONAL) for row in range(10)))
    assert found(index.search({Axis.FUNC: X}, k=2, rows=[8, 9, 77])) == ["csd_008", "csd_009"]
    assert index.search({Axis.FUNC: X}, k=2, rows=[]) == []


def test_a_negative_k_is_refused() -> None:
    with pytest.raises(ValueError, match="expected k >= 0; got -1"):
        filled(entry(1, func=X)).search({Axis.FUNC: X}, k=-1)


@pytest.mark.parametrize("scale", [0.0, math.nan, math.inf, 2.0])
def test_a_query_that_is_no_unit_vector_is_refused(scale: float) -> None:
    with pytest.raises(ValueError, match="unit length from the func query"):
        filled(entry(1, func=X)).search({Axis.FUNC: np.full(3, scale, dtype=np.float32)}, k=1)


def test_a_query_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(n, 3\) from the func query; got \(1, 4\)"):
        filled(entry(1, func=X)).search({Axis.FUNC: np.eye(4, dtype=np.float32)[0]}, k=1)


@pytest.mark.parametrize("scale", [0.0, math.nan, math.inf])
def test_a_bad_vector_is_refused_and_none_of_its_batch_is_added(scale: float) -> None:
    index = filled(entry(1, func=X))
    with pytest.raises(ValueError, match="unit length from the attr axis"):
        index.add([entry(2, func=Y, attr=Y), entry(3, attr=np.full(3, scale, dtype=np.float32))])
    assert len(index) == 1
    index.add([entry(3, func=Z)])
    assert found(index.search({Axis.FUNC: Z}, k=1)) == ["csd_003"]


def test_adding_a_row_twice_changes_nothing() -> None:
    index = filled(entry(1, func=X))
    index.add([entry(1, func=Y), entry(2, func=Y), entry(2, func=Z)])
    assert len(index) == 2
    assert index.search({Axis.FUNC: X}, k=1)[0].score == pytest.approx(1.0)


def test_compaction_keeps_every_survivor_findable() -> None:
    rng = np.random.default_rng(5)
    vectors = rng.normal(size=(700, 3)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    entries = [entry(row, func=vector) for row, vector in enumerate(vectors)]
    index, fresh = filled(*entries), filled(*entries[450:])
    for row in range(450):
        index.remove(row)
    index.add([entry(900, func=X)])
    fresh.add([entry(900, func=X)])
    assert index.digest() == fresh.digest()
    for row in range(450, 700, 50):
        assert index.search({Axis.FUNC: vectors[row]}, k=3) == fresh.search({Axis.FUNC: vectors[row]}, k=3)


def test_the_digest_tells_vectors_and_axes_apart_but_not_the_order_of_insertion() -> None:
    one, two = entry(1, func=X), entry(2, func=Y, attr=Z)
    assert filled(one, two).digest() == filled(two, one).digest()
    assert filled(one, two).digest() != filled(one, entry(2, func=Z, attr=Y)).digest()
    assert filled(entry(1, func=X)).digest() != filled(entry(1, attr=X)).digest()


def brute_force(
    held: Mapping[int, Entry], queries: Mapping[Axis, Vector], weights: Mapping[Axis, float], k: int
) -> list[Match]:
    share = shares(weights, queries)
    matches = []
    for one in held.values():
        each = {
            axis: float(cosines(one.vectors[axis][None], queries[axis])[0])
            if axis in share and axis in one.vectors
            else None
            for axis in AXES
        }
        if any(cosine is not None for cosine in each.values()):
            matches.append(Match(id=one.id, cosines=each, score=fuse(each, share)))
    return sorted(matches, key=order)[:k]


def some_vectors(rng: np.random.Generator) -> dict[Axis, Vector]:
    # Few distinct vectors, so that ties are common.
    return {axis: (X, Y, Z, DIAGONAL, -X)[rng.integers(5)] for axis in AXES if rng.random() < 0.6}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["add", "remove", "search"]), max_size=40), st.integers(0, 2**32 - 1))
def test_any_sequence_of_changes_finds_what_exact_search_over_the_records_finds(
    changes: list[str], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    index, held = VectorIndex(3), dict[int, Entry]()
    for row, change in enumerate(changes):
        if change == "add":
            held[row] = Entry(row=row, id=f"csd_{rng.integers(10**6):06d}_{row}", vectors=some_vectors(rng))
            index.add([held[row]])
        elif change == "remove" and held:
            gone = sorted(held)[rng.integers(len(held))]
            del held[gone]
            index.remove(gone)
        else:
            queries, weights = some_vectors(rng), {axis: float(rng.integers(3)) for axis in AXES}
            k = int(rng.integers(6))
            assert index.search(queries, k=k, weights=weights) == brute_force(held, queries, weights, k)

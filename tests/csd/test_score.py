from __future__ import annotations

import math

import numpy as np
import pytest

from csd.axes import AXES, Axis
from csd.score import Match, check_count, cosines, fuse, order, shares, unit_rows


def match(id: str, score: float) -> Match:
    return Match(id=id, cosines=dict.fromkeys(AXES), score=score)


def test_a_vector_has_cosine_one_with_itself_and_minus_one_with_its_opposite() -> None:
    query = np.array([0.6, 0.8, 0.0], dtype=np.float32)
    found = cosines(np.stack([query, -query, np.array([0.0, 0.0, 1.0], dtype=np.float32)]), query)
    assert found == pytest.approx([1.0, -1.0, 0.0], abs=1e-7)


def test_a_cosine_does_not_depend_on_the_row_it_stands_in() -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(37, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows[1::3] = rows[0]
    found = cosines(rows, rows[5])
    assert np.unique(found[1::3]).size == 1
    assert np.array_equal(found[10:20], cosines(rows[10:20], rows[5]))


def test_the_best_score_comes_first_and_ties_go_by_id() -> None:
    matches = [match("b", 0.5), match("c", 0.9), match("a", 0.5)]
    assert [one.id for one in sorted(matches, key=order)] == ["c", "a", "b"]


def test_shares_are_weights_over_the_asked_axes_alone() -> None:
    weights = {Axis.STRUCT: 3.0, Axis.FUNC: 1.0, Axis.INTER: 96.0}
    assert shares(weights, {Axis.FUNC: 0, Axis.STRUCT: 0}) == {Axis.STRUCT: 0.75, Axis.FUNC: 0.25}


def test_without_weights_asked_axes_share_alike() -> None:
    assert shares(None, {Axis.ATTR: 0, Axis.PROC: 0}) == {Axis.ATTR: 0.5, Axis.PROC: 0.5}


def test_axes_of_weight_zero_have_no_share() -> None:
    assert shares({Axis.ATTR: 0.0, Axis.PROC: 2.0}, dict.fromkeys(AXES)) == {Axis.PROC: 1.0}
    assert shares({Axis.ATTR: 0.0}, {Axis.ATTR: 0}) == {}


@pytest.mark.parametrize("weight", [-0.1, math.inf, math.nan, 10**400])
def test_a_weight_that_is_no_weight_is_refused(weight: float) -> None:
    with pytest.raises(ValueError, match="finite weight >= 0 on axis func"):
        shares({Axis.FUNC: weight}, {Axis.FUNC: 0})


def test_an_axis_that_is_not_there_adds_nothing() -> None:
    share = {Axis.STRUCT: 0.5, Axis.FUNC: 0.5}
    assert fuse({Axis.STRUCT: 0.8, Axis.FUNC: None}, share) == 0.4
    assert fuse({Axis.STRUCT: 0.8, Axis.FUNC: -0.8}, share) == 0.0


@pytest.mark.parametrize("bad", [0.0, math.nan, math.inf, 2.0])
def test_a_row_that_is_no_unit_vector_is_refused(bad: float) -> None:
    rows = np.array([[1.0, 0.0], [bad, 0.0]])
    with pytest.raises(ValueError, match=r"unit length from the test; got squared length .* in row 1"):
        unit_rows(rows, 2, "the test")


def test_rows_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(n, 3\) from the test; got \(1, 2\)"):
        unit_rows(np.array([[1.0, 0.0]]), 3, "the test")


def test_weights_without_a_finite_sum_are_refused() -> None:
    with pytest.raises(ValueError, match=r"expected weights with a finite sum; got \[1e\+308, 1e\+308\]"):
        shares({Axis.FUNC: 1e308, Axis.ATTR: 1e308}, {Axis.FUNC: 0, Axis.ATTR: 0})
    assert shares({Axis.FUNC: 1e308, Axis.ATTR: 1e308}, {Axis.FUNC: 0}) == {Axis.FUNC: 1.0}


def test_complex_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="expected real vectors from the test; got complex ones"):
        unit_rows(np.array([[1.0 + 1.0j, 0.0]]), 2, "the test")


@pytest.mark.parametrize("bad", [1.5, None, -1, "3", 2.0])
def test_only_a_whole_number_says_how_many(bad: int) -> None:
    with pytest.raises(ValueError, match="expected a whole number k >= 0; got "):
        check_count(bad)
    for good in (0, 7, 10**30, True, int(np.int64(3))):
        check_count(good)

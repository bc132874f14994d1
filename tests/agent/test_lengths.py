from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from echo.agent.lengths import price_bits, shortest


def test_ten_missing_actions_add_two_bits():
    assert np.allclose(price_bits(np.array([0.0, 10.0])), [0.0, 2.0])


def test_the_shortest_come_first_and_equals_by_place():
    score = np.array([[3.0, 1.0, 2.0], [1.0, np.inf, 0.5]])
    assert shortest(score, 4).tolist() == [5, 1, 3, 2]


def test_what_cannot_be_is_never_among_the_shortest():
    assert shortest(np.array([[np.inf, 2.0], [np.inf, np.inf]]), 3).tolist() == [1]
    assert shortest(np.full((4, 4), np.inf), 3).tolist() == []


@given(
    score=arrays(
        np.float64,
        array_shapes(min_dims=2, max_dims=3, max_side=9),
        elements=st.sampled_from([0.0, 0.5, 1.0, 2.0, np.inf]),
    ),
    count=st.integers(1, 30),
)
def test_it_agrees_with_sorting_everything(score, count):
    flat = score.ravel()
    everything = [place for place in np.argsort(flat, kind="stable") if np.isfinite(flat[place])]
    assert shortest(score, count).tolist() == everything[:count]

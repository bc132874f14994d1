from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo.experiments.statistics.negative_transfer import negative_transfer


def test_losses_and_gains_are_told_apart():
    with_ = [np.array([[10.0, 30.0], [20.0, 50.0]])]
    without = [np.array([[15.0, 20.0], [20.0, 46.0]])]
    told = negative_transfer(with_, without, seed=0)
    # -5, +10, 0, +4: two of four worse, by 7; the others gained 5 and 0.
    assert (told.pairs, told.worse, told.lost, told.gained) == (4, 0.5, 7.0, 2.5)
    # Runs differ by 2.5 and 2.
    assert (told.difference.value, told.difference.low, told.difference.high) == (2.25, 2.0, 2.5)


def test_what_never_happened_has_no_mean():
    better = negative_transfer([np.array([1.0, 2.0])], [np.array([5.0, 5.0])], seed=0)
    assert (better.worse, better.lost, better.gained) == (0.0, None, 3.5)
    worse = negative_transfer([np.array([5.0, 5.0])], [np.array([1.0, 2.0])], seed=0)
    assert (worse.worse, worse.lost, worse.gained) == (1.0, 3.5, None)


def test_the_same_steps_cost_nothing():
    told = negative_transfer([np.ones((3, 2))], [np.ones((3, 2))], seed=0)
    assert (told.worse, told.lost, told.gained) == (0.0, None, 0.0)
    assert str(told.gained) == "0.0"
    assert (told.difference.low, told.difference.high) == (0.0, 0.0)


def test_episodes_of_one_run_are_not_taken_for_independent_runs():
    # Within a run all thirty episodes differ alike; two runs, so the interval spans both.
    with_ = np.stack([np.full(30, 10.0), np.full(30, 30.0)])
    told = negative_transfer([with_], [np.zeros((2, 30))], seed=0)
    assert (told.difference.low, told.difference.high) == (10.0, 30.0)
    single = negative_transfer([with_[:1]], [np.zeros((1, 30))], seed=0)
    assert (single.difference.value, single.difference.low) == (10.0, None)


def test_tasks_count_the_same_in_the_difference():
    told = negative_transfer(
        [np.full((2, 3), 4.0), np.full((4, 3), 10.0)], [np.zeros((2, 3)), np.zeros((4, 3))], seed=0
    )
    assert (told.difference.value, told.pairs, told.lost) == (7.0, 18, 8.0)


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), min_size=2, max_size=12))
def test_lost_and_gained_add_up_to_the_difference(pairs):
    with_, without = np.array(pairs, dtype=float).T
    told = negative_transfer([with_], [without], seed=0, draws=20)
    back = negative_transfer([without], [with_], seed=0, draws=20)
    total = (told.lost or 0.0) * told.worse - (told.gained or 0.0) * (1 - told.worse)
    assert total == pytest.approx(told.difference.value)
    assert told.worse + back.worse <= 1.0 + 1e-12
    assert back.difference.value == pytest.approx(-told.difference.value)

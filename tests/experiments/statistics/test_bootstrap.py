from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from echo.experiments.statistics.bootstrap import (
    difference_interval,
    interquartile_means,
    iqm_interval,
    mean_interval,
    resampled_means,
)

NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False)
STRATA = st.lists(st.lists(NUMBERS, min_size=2, max_size=6).map(np.array), min_size=1, max_size=4)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def test_each_stratum_counts_the_same_however_many_runs_it_holds():
    # Means 2 and 10, so 6; pooled it would be 4.
    assert mean_interval([np.array([1.0, 2.0, 3.0]), np.array([10.0, 10.0])], seed=0).value == 6.0
    assert mean_interval([np.array([1.0, 2.0, 3.0]), np.array([10.0])], seed=0).value == 6.0


def test_the_interval_of_two_runs_spans_both():
    # Resamples of {1, 3}: mean 1 (a quarter), 2 (a half), 3 (a quarter); the outer 2.5 % are 1 and 3.
    told = mean_interval([np.array([1.0, 3.0])], seed=0)
    assert (told.value, told.low, told.high) == (2.0, 1.0, 3.0)


@pytest.mark.parametrize("statistic", [mean_interval, iqm_interval])
@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3, -7.7, 1e9])
def test_runs_that_are_all_alike_have_an_interval_of_no_width(statistic, value):
    for runs in (2, 3, 7, 40):
        told = statistic([np.full(runs, value)], seed=0)
        assert (told.value, told.low, told.high) == (value, value, value)


def test_constant_cells_of_different_height_have_no_width_either():
    told = mean_interval([np.full(4, value) for value in (0.1, 0.7, 1 / 3)], seed=0)
    assert told.value == told.low == told.high == pytest.approx((0.1 + 0.7 + 1 / 3) / 3)


def test_nothing_is_drawn_across_strata():
    # Each stratum varies by 1 at most; across strata the mean could vary by 1,000.
    told = mean_interval([np.array([0.0, 1.0]), np.array([1_000.0, 1_001.0])], seed=0)
    assert (told.low, told.high) == (500.0, 501.0)


def test_the_interval_of_a_mean_agrees_with_scipy():
    values = normal(30)
    told = mean_interval([values], seed=1, draws=20_000)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert (told.low, told.high) == pytest.approx((theirs.low, theirs.high), abs=0.015)


def test_the_interval_over_strata_agrees_with_scipy():
    one, two = normal(12, seed=3), 5 * normal(20, seed=4)
    told = mean_interval([one, two], seed=1, draws=20_000)
    theirs = stats.bootstrap(
        (one, two),
        lambda first, second, axis: (first.mean(axis=axis) + second.mean(axis=axis)) / 2,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(2),
    ).confidence_interval
    assert (told.low, told.high) == pytest.approx((theirs.low, theirs.high), abs=0.05)


def test_the_interval_of_an_interquartile_mean_agrees_with_scipy():
    one, two = normal(12, seed=3), normal(20, seed=4)
    told = iqm_interval([one, two], seed=1, draws=20_000)
    theirs = stats.bootstrap(
        (one, two),
        lambda first, second, axis: stats.trim_mean(np.concatenate([first, second], axis), 0.25, axis=axis),
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(2),
    ).confidence_interval
    assert told.value == pytest.approx(stats.trim_mean(np.concatenate([one, two]), 0.25))
    assert (told.low, told.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([5.0], 5.0),
        ([1.0, 2.0, 9.0], 4.0),  # nothing to cut: floor(3 / 4) = 0
        ([0.0, 4.0, 6.0, 99.0], 5.0),
        ([7.0, 100.0, -50.0, 1.0, 2.0, 3.0, 4.0, 6.0], 3.75),  # 2, 3, 4, 6
        ([9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0], 5.0),  # 3 to 7
    ],
)
def test_the_interquartile_mean_leaves_a_quarter_out_on_each_side(runs, expected):
    assert interquartile_means(np.array([runs])) == pytest.approx([expected])


def test_an_outlier_moves_the_mean_but_not_the_interquartile_mean():
    plain, odd = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 3.0, 4_000.0])
    assert iqm_interval([plain], seed=0).value == iqm_interval([odd], seed=0).value == 2.5
    assert mean_interval([odd], seed=0).value > 1_000


def test_differences_are_paired_by_run():
    # The land moves runs by thousands and both agents alike; the difference is 2 in every run.
    land = np.array([0.0, 1_000.0, 5_000.0, 9_000.0])
    told = difference_interval([land + 2], [land], seed=0)
    assert (told.value, told.low, told.high) == (2.0, 2.0, 2.0)
    assert mean_interval([land], seed=0).high > 4_000


def test_the_same_runs_are_drawn_on_both_sides():
    one, other = normal(9, seed=1), normal(9, seed=2)
    rows = resampled_means([np.stack([one, other], axis=1)], seed=5)
    told = difference_interval([one], [other], seed=5)
    low, high = np.percentile(rows[:, 0] - rows[:, 1], [2.5, 97.5])
    assert (told.low, told.high) == pytest.approx((low, high))


def test_columns_of_one_run_are_drawn_together():
    run = np.array([[0.0, 10.0], [1.0, 9.0], [5.0, 5.0]])
    rows = resampled_means([run, run + 1], seed=0, draws=50)
    assert rows.shape == (50, 2)
    assert rows.sum(axis=1) == pytest.approx(np.full(50, 11.0))


def test_strata_with_other_columns_are_refused():
    with pytest.raises(ValueError, match=r"expected the same columns in all strata; got \[2, 3\]"):
        resampled_means([np.zeros((4, 2)), np.zeros((4, 3))], seed=0)
    with pytest.raises(ValueError, match=r"expected the shape \(runs, columns\); got \(4,\) in stratum 0"):
        resampled_means([np.zeros(4)], seed=0)


@pytest.mark.parametrize(("runs", "least", "most"), [(4, 0.75, 0.84), (10, 0.86, 0.92), (40, 0.92, 0.97)])
def test_the_interval_of_one_cell_holds_the_true_mean_as_often_as_the_docstring_says(runs, least, most):
    samples = normal(800, runs, seed=runs)
    held = [
        told.low <= 0 <= told.high
        for number, values in enumerate(samples)
        if (told := mean_interval([values], seed=number, draws=300))
    ]
    assert least <= np.mean(held) <= most


def test_the_interval_over_twelve_tasks_holds_the_true_success_rate():
    rng = np.random.default_rng(7)
    rates = np.linspace(0.1, 0.9, 12)
    held = 0
    for number in range(300):
        strata = [(rng.random(40) < rate).astype(float) for rate in rates]
        told = mean_interval(strata, seed=number, draws=300)
        held += told.low <= rates.mean() <= told.high
    assert 0.91 <= held / 300 <= 0.98


@settings(max_examples=30)
@given(STRATA, st.integers(0, 2**32))
def test_the_ends_lie_in_order_within_the_data_and_repeat_under_the_same_seed(strata, seed):
    for statistic in (mean_interval, iqm_interval):
        told = statistic(strata, seed=seed, draws=50)
        lowest, highest = min(values.min() for values in strata), max(values.max() for values in strata)
        assert lowest <= told.low <= told.high <= highest
        assert told == statistic(strata, seed=seed, draws=50)


@settings(max_examples=30)
@given(STRATA)
def test_a_difference_turned_round_has_its_interval_turned_round(strata):
    zeros = [np.zeros_like(values) for values in strata]
    ours, theirs = difference_interval(strata, zeros, seed=0), difference_interval(zeros, strata, seed=0)
    assert (theirs.value, theirs.low, theirs.high) == pytest.approx((-ours.value, -ours.high, -ours.low))

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from echo.experiments.statistics.bootstrap import resampled_means
from echo.experiments.statistics.ranks import rank_correlation, rank_correlation_interval

CELLS = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=20)


def test_one_swap_among_three_cells_is_a_half():
    # Ranks 1 2 3 and 1 3 2: 1 - 6 * (0 + 1 + 1) / (3 * 8).
    assert rank_correlation(np.array([0.1, 0.2, 9.0]), np.array([1.0, 3.0, 2.0])) == pytest.approx(0.5)


def test_ties_share_their_mean_rank():
    # Ranks 1.5 1.5 3 and 1 2 3: covariance 1.5 over sqrt(1.5 * 2).
    assert rank_correlation(np.array([4.0, 4.0, 7.0]), np.array([1.0, 2.0, 3.0])) == pytest.approx(
        1.5 / np.sqrt(3)
    )


@given(CELLS)
def test_ranks_agree_with_scipy_and_are_never_nan(cells):
    ours, paper = np.array(cells, dtype=float).T
    if np.ptp(ours) == 0 or np.ptp(paper) == 0:
        with pytest.raises(ValueError, match="expected values that differ"):
            rank_correlation(ours, paper)
    else:
        told = rank_correlation(ours, paper)
        assert told == pytest.approx(stats.spearmanr(ours, paper).statistic)
        assert told == pytest.approx(rank_correlation(paper, ours))
        assert -1 <= told <= 1


def test_a_heat_map_may_be_given_as_a_matrix():
    ours = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert rank_correlation(ours, ours**3) == 1.0
    assert rank_correlation(ours, -ours) == -1.0


@pytest.mark.parametrize(
    ("ours", "paper", "message"),
    [
        ([1.0, 1.0], [1.0, 2.0], "expected values that differ; got 1.0 in all 2 cells of ours"),
        ([1.0, 2.0], [0.0, 0.0], "expected values that differ; got 0.0 in all 2 cells of paper"),
        ([1.0, np.nan], [1.0, 2.0], "expected finite cells; got nan or infinity in ours"),
        ([1.0, 2.0], [1.0, np.inf], "expected finite cells; got nan or infinity in paper"),
        ([1.0], [1.0], "expected at least two cells; got 1 of ours"),
        ([1.0, 2.0, 3.0], [1.0, 2.0], r"expected the same cells; got \(3,\) of ours, \(2,\) of paper"),
    ],
)
def test_cells_without_an_order_are_refused_with_the_side_they_are_on(ours, paper, message):
    with pytest.raises(ValueError, match=message):
        rank_correlation(np.array(ours), np.array(paper))


def test_the_interval_rests_on_the_samples_that_have_an_order():
    paper = np.array([1.0, 2.0, 3.0])
    samples = np.array([[1.0, 2.0, 3.0], [5.0, 5.0, 5.0], [1.0, 3.0, 2.0], [0.0, 0.0, 0.0]])
    told = rank_correlation_interval(samples, paper, ours=np.array([3.0, 2.0, 1.0]))
    # Correlations 1 and 0.5 are left: between them 2.5 % and 97.5 % of the way.
    assert (told.value, told.draws, told.left_out) == (-1.0, 4, 2)
    assert (told.low, told.high) == pytest.approx((0.5125, 0.9875))


def test_cells_that_hardly_vary_give_a_narrow_interval_and_noise_a_wide_one():
    rng = np.random.default_rng(0)
    paper = np.arange(20.0)
    clear = resampled_means([paper + rng.normal(scale=0.1, size=(10, 20))], seed=0, draws=300)
    noisy = resampled_means([paper + rng.normal(scale=100, size=(10, 20))], seed=0, draws=300)
    narrow = rank_correlation_interval(clear, paper, ours=paper)
    wide = rank_correlation_interval(noisy, paper, ours=paper)
    assert narrow.high - narrow.low < 0.01
    assert wide.high - wide.low > 0.3


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (np.ones((5, 3)), "expected samples whose cells differ; got 5 constant ones"),
        (np.zeros((5, 2)), r"expected samples of shape \(draws, 3\); got \(5, 2\)"),
        (np.full((5, 3), np.nan), "expected finite samples; got nan or infinity"),
        (np.zeros((0, 3)), "expected at least 1 draw; got draws=0"),
    ],
)
def test_samples_that_show_nothing_are_refused(samples, message):
    with pytest.raises(ValueError, match=message):
        rank_correlation_interval(samples, np.arange(3.0), ours=np.arange(3.0))

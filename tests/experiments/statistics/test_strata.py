from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from echo.experiments.statistics.bootstrap import difference_interval, iqm_interval, mean_interval
from echo.experiments.statistics.negative_transfer import negative_transfer
from echo.experiments.statistics.significance import permutation_p, probability_of_improvement
from echo.experiments.statistics.strata import Interval, named_seed, outer_percentiles

GOOD = [np.array([1.0, 2.0]), np.array([3.0, 5.0])]
OF_ONE_SIDE = [mean_interval, iqm_interval]
OF_TWO_SIDES = [difference_interval, permutation_p, probability_of_improvement, negative_transfer]
PAIRED = [difference_interval, permutation_p, negative_transfer]
BAD = [
    ([], "expected at least one stratum; got none"),
    ([np.array([1.0, 2.0]), np.array([])], "expected at least one run .* got none in stratum 1"),
    ([np.array([1.0, np.nan]), np.array([1.0, 2.0])], "expected finite numbers; got nan in stratum 0"),
    ([np.array([1.0, 2.0]), np.array([-np.inf, 2.0])], "expected finite numbers; got -inf in stratum 1"),
    ([np.zeros((2, 2, 2)), np.array([1.0, 2.0])], r"expected the shape .*; got \(2, 2, 2\) in stratum 0"),
]


@pytest.mark.parametrize(("bad", "message"), BAD)
@pytest.mark.parametrize("statistic", OF_ONE_SIDE)
def test_what_has_no_mean_is_refused_by_name(statistic, bad, message):
    with pytest.raises(ValueError, match=message):
        statistic(bad, seed=0)


@pytest.mark.parametrize(("bad", "message"), BAD)
@pytest.mark.parametrize("statistic", OF_TWO_SIDES)
def test_both_sides_are_checked(statistic, bad, message):
    for one, other in ((bad, GOOD), (GOOD, bad)):
        with pytest.raises(ValueError, match=message):
            statistic(one, other, seed=0)


@pytest.mark.parametrize("statistic", OF_TWO_SIDES)
def test_sides_with_other_strata_cannot_be_compared(statistic):
    with pytest.raises(ValueError, match="expected the same strata on both sides; got 2 and 1"):
        statistic(GOOD, GOOD[:1], seed=0)


@pytest.mark.parametrize("statistic", PAIRED)
def test_runs_without_a_partner_are_refused_not_cut_off(statistic):
    with pytest.raises(
        ValueError, match=r"expected pairs of runs; .* in stratum 1\. Keep the runs that both"
    ):
        statistic(GOOD, [GOOD[0], np.array([3.0, 5.0, 8.0])], seed=0)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, float("nan")])
def test_a_level_in_per_cent_is_refused(level):
    with pytest.raises(ValueError, match="expected a level between 0 and 1"):
        mean_interval(GOOD, seed=0, level=level)


@pytest.mark.parametrize("statistic", OF_ONE_SIDE)
def test_no_draws_make_no_interval(statistic):
    with pytest.raises(ValueError, match="expected at least 1 draw; got draws=0"):
        statistic(GOOD, seed=0, draws=0)


@pytest.mark.parametrize("statistic", OF_ONE_SIDE)
def test_a_cell_of_one_run_leaves_the_interval_unknown_and_excludes_nothing(statistic):
    told = statistic([np.array([3.0]), np.array([4.0, 6.0])], seed=0)
    assert (told.low, told.high) == (None, None)
    assert not told.excludes(-1e9)


def test_an_interval_excludes_what_lies_outside_but_not_its_ends():
    told = Interval(value=1.0, low=0.0, high=2.0)
    assert [told.excludes(number) for number in (-0.1, 0.0, 1.0, 2.0, 2.1)] == [
        True,
        False,
        False,
        False,
        True,
    ]


def test_percentiles_are_those_of_two_and_a_half_and_ninety_seven_and_a_half_per_cent():
    # 0 to 40: 2.5 % of the way is 1, exactly.
    assert outer_percentiles(np.arange(41.0)) == (1.0, 39.0)
    assert outer_percentiles(np.arange(11.0), 0.8) == (1.0, 9.0)


def test_a_named_seed_is_the_same_in_every_process():
    code = "from echo.experiments.statistics.strata import named_seed; print(named_seed('Bed', 3))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(told) == named_seed("Bed", 3) != named_seed("Bed", 4)

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from echo.experiments.statistics.significance import holm, permutation_p, probability_of_improvement

STEPS = st.integers(-20, 20).map(float)
PAIRS = st.lists(
    st.lists(st.tuples(STEPS, STEPS), min_size=1, max_size=9).map(lambda pairs: np.array(pairs).T),
    min_size=1,
    max_size=3,
)
PS = st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=8)


def test_three_pairs_that_agree_have_one_chance_in_four():
    # Of eight sign patterns of 2, 3, 4 only +++ and --- reach 9.
    assert permutation_p([np.array([3.0, 4.0, 5.0])], [np.ones(3)], seed=0) == 0.25


def test_patterns_that_reach_the_same_statistic_count_although_rounding_differs():
    # Six runs won, four lost: all patterns but the 252 of 1,024 that come out even reach a net of two.
    one = np.array([1.0] * 6 + [0.0] * 4)
    assert permutation_p([one], [1 - one], seed=0) == 1 - 252 / 1_024


def test_no_difference_at_all_is_no_evidence():
    same = [np.array([1.0, 0.0, 1.0])]
    assert permutation_p(same, same, seed=0) == 1.0


def test_pairs_that_tie_neither_help_nor_hurt():
    one = [np.array([1.0] * 5 + [0.5] * 30)]
    other = [np.array([0.0] * 5 + [0.5] * 30)]
    # Five pairs that differ, all one way: 2 of 32 patterns, exactly, whatever the seed.
    assert permutation_p(one, other, seed=0) == permutation_p(one, other, seed=1) == 2 / 32


def test_strata_count_the_same_in_the_statistic_however_many_runs_they_hold():
    # Differences 2; 3 and -3, the latter two halved: sums 2, 5, -1, 2 and their negatives, observed 2. Pooled
    # by runs it would be 2, 8, -4, 2, all of which reach 2.
    p = permutation_p([np.array([2.0]), np.array([3.0, 0.0])], [np.zeros(1), np.array([0.0, 3.0])], seed=0)
    assert p == 0.75


def test_the_exact_test_agrees_with_scipy():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=9), rng.normal(0.7, size=9)
    theirs = stats.permutation_test(
        (one, other), lambda x, y, axis: (x - y).mean(axis=axis), permutation_type="samples", vectorized=True
    )
    assert permutation_p([one], [other], seed=0) == pytest.approx(theirs.pvalue)


def test_the_drawn_test_agrees_with_the_exact_one():
    rng = np.random.default_rng(1)
    one, other = [rng.normal(size=6), rng.normal(size=6)], [rng.normal(0.6, size=6), rng.normal(0.6, size=6)]
    exact = permutation_p(one, other, seed=0)
    drawn = permutation_p(one, other, seed=0, draws=4_000)
    assert drawn != exact
    assert drawn == pytest.approx(exact, abs=0.02)
    reached = [
        abs(np.dot(signs, np.concatenate(one) - np.concatenate(other)))
        >= abs(np.sum(np.concatenate(one) - np.concatenate(other))) - 1e-9
        for signs in itertools.product((-1, 1), repeat=12)
    ]
    assert exact == pytest.approx(np.mean(reached))


def test_a_drawn_p_is_never_zero():
    p = permutation_p([np.arange(1.0, 41.0)], [np.zeros(40)], seed=0, draws=999)
    assert p == 1 / 1_000


def test_alike_agents_are_told_apart_no_more_often_than_promised():
    rng = np.random.default_rng(3)
    ps = [
        permutation_p(list(rng.normal(size=(2, 8))), list(rng.normal(size=(2, 8))), seed=number, draws=199)
        for number in range(600)
    ]
    for level in (0.05, 0.2):
        assert np.mean(np.array(ps) <= level) <= level + 0.03
    assert np.mean(np.array(ps) <= 0.2) >= 0.14


def test_no_flips_are_refused():
    with pytest.raises(ValueError, match="expected at least 1 draw; got draws=0"):
        permutation_p([np.ones(2)], [np.zeros(2)], seed=0, draws=0)


@settings(max_examples=40)
@given(PAIRS, st.sampled_from([64, 10_000]))
def test_the_sides_may_change_places(strata, draws):
    one, other = [pair[0] for pair in strata], [pair[1] for pair in strata]
    p = permutation_p(one, other, seed=4, draws=draws)
    assert p == permutation_p(other, one, seed=4, draws=draws)
    assert 0 < p <= 1


@settings(max_examples=40)
@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_pairs_does_not_matter(strata, random):
    mixed = []
    for pair in strata:
        order = list(range(pair.shape[1]))
        random.shuffle(order)
        mixed.append(pair[:, order])
    # 27 pairs at most: compare only what is enumerated.
    if sum(pair.shape[1] for pair in strata) <= 12:
        assert permutation_p([p[0] for p in strata], [p[1] for p in strata], seed=0) == pytest.approx(
            permutation_p([p[0] for p in mixed], [p[1] for p in mixed], seed=1)
        )


def test_the_probability_of_improvement_counts_ties_half():
    # Pairs of {1, 3} with {0, 1}: 1 > 0, 1 = 1, 3 > 0, 3 > 1: 3.5 of 4. Second stratum: 0 of 1. Mean 0.4375.
    told = probability_of_improvement(
        [np.array([1.0, 3.0]), np.array([0.0])], [np.array([0.0, 1.0]), np.array([2.0])], seed=0
    )
    assert told.value == 0.4375
    assert (told.low, told.high) == (None, None)


def test_the_probability_of_improvement_is_the_mann_whitney_statistic_over_its_greatest_value():
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, 6, 15).astype(float), rng.integers(0, 6, 11).astype(float)
    told = probability_of_improvement([one], [other], seed=0)
    assert told.value == pytest.approx(stats.mannwhitneyu(one, other).statistic / (15 * 11))


def test_the_interval_of_the_probability_of_improvement_agrees_with_scipy():
    rng = np.random.default_rng(0)
    one, other = rng.normal(0.5, size=12), rng.normal(size=15)

    def wins(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        return (np.sign(x[..., :, None] - y[..., None, :]) / 2 + 0.5).mean(axis=(-2, -1))

    theirs = stats.bootstrap(
        (one, other), wins, n_resamples=10_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    told = probability_of_improvement([one], [other], seed=1, draws=10_000)
    assert (told.low, told.high) == pytest.approx((theirs.low, theirs.high), abs=0.01)


def test_an_agent_always_ahead_improves_for_certain():
    told = probability_of_improvement([np.array([5.0, 6.0])], [np.array([1.0, 2.0])], seed=0)
    assert (told.value, told.low, told.high) == (1.0, 1.0, 1.0)


@settings(max_examples=40)
@given(PAIRS)
def test_improvements_of_either_side_add_up_to_one(strata):
    one, other = [pair[0] for pair in strata], [pair[1] for pair in strata]
    ours = probability_of_improvement(one, other, seed=0, draws=20)
    theirs = probability_of_improvement(other, one, seed=0, draws=20)
    assert ours.value + theirs.value == pytest.approx(1.0)
    assert ours.low is None or -1e-9 <= ours.low <= ours.high <= 1 + 1e-9


def test_holm_multiplies_by_the_tests_left_and_never_falls():
    # 4 x 0.01, 3 x 0.03, 2 x 0.03 < 0.09 so 0.09, 1 x 0.5.
    assert holm({"func": 0.03, "attr": 0.5, "struct": 0.01, "proc": 0.03}) == pytest.approx(
        {"func": 0.09, "attr": 0.5, "struct": 0.04, "proc": 0.09}
    )
    assert holm({}) == {}
    assert holm({"only": 0.04}) == {"only": 0.04}


def test_holm_keeps_the_order_it_was_given():
    assert list(holm({"b": 0.4, "a": 0.1})) == ["b", "a"]


@pytest.mark.parametrize("p", [-0.01, 1.01, float("nan")])
def test_what_is_no_probability_is_refused_by_name(p):
    with pytest.raises(ValueError, match=r"expected p values between 0 and 1; got .* for '-struct'"):
        holm({"-attr": 0.1, "-struct": p})


@given(PS)
def test_adjusted_values_keep_the_order_and_never_fall_below_the_raw_ones(ps):
    adjusted = holm(ps)
    names = sorted(ps, key=lambda name: ps[name])
    assert all(adjusted[first] <= adjusted[second] for first, second in itertools.pairwise(names))
    assert all(ps[name] <= adjusted[name] <= min(1.0, len(ps) * ps[name] + 1e-12) for name in ps)

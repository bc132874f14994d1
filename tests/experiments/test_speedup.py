from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo.experiments.spec import UnlockSpec
from echo.experiments.speedup import (
    Pair,
    actions_to_count,
    bootstrap_median,
    named_generator,
    pair_runs,
    paired_speedup,
    ratio,
)
from tests.experiments.fakes import make_run


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def run(seed: int, *actions: int, agent: str = "echo"):
    return make_run(UnlockSpec.model_validate({"agent": agent, "seed": seed, "steps": 1_000}), *actions)


def test_the_nth_item_is_reached_at_the_action_of_the_nth_unlock():
    assert [actions_to_count(run(0, 4, 9, 9), count) for count in (1, 2, 3, 4)] == [4, 9, 9, None]


def test_pairs_are_made_of_common_seeds_only():
    pairs = pair_runs(
        [run(0, 10), run(1, 20), run(2, 30)], [run(2, 60, agent="edits"), run(0, agent="edits")], 1
    )
    assert pairs == (Pair(echo=10, other=None), Pair(echo=30, other=60))


def test_the_speedup_is_the_median_of_paired_ratios():
    pairs = [Pair(echo=100, other=200), Pair(echo=100, other=500), Pair(echo=200, other=600)]
    speedup = paired_speedup(pairs, budget=1_000, rng=rng())
    assert (speedup.median, speedup.n, speedup.censored, speedup.dropped) == (3.0, 3, 0, 0)


def test_a_pair_the_other_never_reached_enters_with_its_lower_bound():
    speedup = paired_speedup([Pair(echo=250, other=None)], budget=1_000, rng=rng())
    assert (speedup.median, speedup.lower_bounds, speedup.upper_bounds, speedup.n) == (4.0, 1, 0, 1)


def test_a_pair_echo_never_reached_enters_with_its_upper_bound():
    speedup = paired_speedup([Pair(echo=None, other=250)], budget=1_000, rng=rng())
    assert (speedup.median, speedup.lower_bounds, speedup.upper_bounds, speedup.n) == (0.25, 0, 1, 1)


def test_a_pair_neither_reached_is_dropped_and_counted():
    speedup = paired_speedup(
        [Pair(echo=None, other=None), Pair(echo=100, other=300)], budget=1_000, rng=rng()
    )
    assert (speedup.median, speedup.n, speedup.dropped, speedup.censored) == (3.0, 1, 1, 0)


def test_nothing_to_compare_is_unknown_not_one():
    speedup = paired_speedup([Pair(echo=None, other=None)], budget=1_000, rng=rng())
    assert (speedup.median, speedup.low, speedup.high, speedup.n) == (None, None, None, 0)


def test_a_single_pair_has_no_interval():
    speedup = paired_speedup([Pair(echo=100, other=300)], budget=1_000, rng=rng())
    assert (speedup.low, speedup.high) == (None, None)


def test_the_interval_of_two_ratios_spans_both():
    # Resamples of {1, 3}: median 1 (a quarter), 2 (a half), 3 (a quarter); so the outer 2.5 % are 1 and 3.
    assert bootstrap_median(np.array([1.0, 3.0]), rng()) == (1.0, 3.0)


def test_equal_ratios_have_an_interval_of_no_width():
    assert bootstrap_median(np.full(10, 2.5), rng()) == (2.5, 2.5)


def test_the_interval_is_the_same_in_every_report():
    values = np.array([1.0, 1.4, 2.0, 2.2, 3.1])
    first, second = (bootstrap_median(values, named_generator("speedup", "edits", 80)) for _ in range(2))
    assert first == second


@given(st.lists(st.integers(1, 1_000), min_size=1, max_size=8))
def test_the_same_runs_on_both_sides_are_exactly_as_fast(actions):
    pairs = [Pair(echo=action, other=action) for action in actions]
    assert paired_speedup(pairs, budget=1_000, rng=rng()).median == 1.0


@given(st.integers(1, 1_000), st.integers(1, 1_000))
def test_a_bound_never_promises_more_than_the_budget_shows(echo, other):
    exact = ratio(Pair(echo=echo, other=other), 1_000)
    assert ratio(Pair(echo=echo, other=None), 1_000) >= exact
    assert ratio(Pair(echo=None, other=other), 1_000) <= exact


def test_ratios_count_actions_of_the_other_over_those_of_echo():
    assert ratio(Pair(echo=100, other=250), 1_000) == pytest.approx(2.5)

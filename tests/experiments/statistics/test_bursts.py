from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo.experiments.statistics.bursts import (
    ShuffleTest,
    burst_null,
    like_burst,
    like_burst_null,
    longest_burst,
    longest_members,
    pool_tests,
)

ACTIONS = st.lists(st.integers(1, 60), max_size=14).map(sorted)
LABELS = st.lists(st.sampled_from(["slab", "stairs", "fence", None]), max_size=14)


def test_a_window_holds_its_first_action_but_not_the_one_a_window_later():
    assert longest_burst([1, 50], 50) == 2
    assert longest_burst([1, 51], 50) == 1


def test_unlocks_of_one_action_lie_together_and_order_does_not_matter():
    assert longest_burst([9, 4, 9, 200, 9], 1) == 3


def test_a_run_that_found_nothing_has_no_burst():
    assert longest_burst([], 50) == 0
    assert longest_members([], 50) == ()
    assert burst_null([], 100, 50, seed=0, draws=9).p == 1.0


@given(ACTIONS, st.integers(1, 30))
def test_the_longest_burst_is_the_most_that_any_window_shows(actions, window):
    every = [sum(start <= action < start + window for action in actions) for start in range(1, 61)]
    assert longest_burst(actions, window) == max(every)
    members = longest_members(actions, window)
    assert len(members) == max(every)
    assert not members or actions[members[-1]] - actions[members[0]] < window


def test_of_two_bursts_alike_the_earlier_is_told():
    assert longest_members([1, 2, 30, 31], 5) == (0, 1)


def test_waits_in_another_order_give_the_null_of_a_burst():
    # Waits 1, 1, 8 (the last to the end): in 2 of 3 orders the two unlocks lie 1 apart, in one 8 apart.
    told = burst_null([1, 2], 10, 2, seed=0, draws=4_000)
    assert told.observed == 2.0
    assert set(told.null.tolist()) == {1.0, 2.0}
    assert told.p == pytest.approx(2 / 3, abs=0.03)
    assert told.null_mean == pytest.approx(5 / 3, abs=0.03)


def test_even_waits_are_no_burst_and_a_cluster_is_one():
    even = burst_null(range(10, 201, 10), 210, 50, seed=0)
    assert (even.observed, even.null_mean, even.p) == (5.0, 5.0, 1.0)
    rng = np.random.default_rng(0)
    spread = np.cumsum(rng.integers(1, 40, size=40))
    # Twelve short waits in a row.
    clustered = np.cumsum(np.concatenate([np.full(14, 25), np.full(12, 1), np.full(14, 25)]))
    assert burst_null(clustered.tolist(), int(clustered[-1]) + 9, 20, seed=0).p < 0.01
    assert burst_null(spread.tolist(), int(spread[-1]) + 9, 20, seed=0).p > 0.05


@pytest.mark.parametrize("actions", [[0, 3], [3, 101]])
def test_an_action_outside_the_run_is_refused(actions):
    with pytest.raises(ValueError, match="expected actions between 1 and 100; got"):
        burst_null(actions, 100, 50, seed=0)


def test_like_unlocks_count_within_successive_unlocks():
    labels = ["slab", "slab", None, "fence", "slab", "fence", "fence"]
    assert [like_burst(labels, window) for window in (1, 2, 4, 5, 7)] == [1, 2, 3, 3, 3]


def test_like_unlocks_count_within_a_time_where_actions_are_given():
    labels, actions = ["slab", "fence", "slab", "slab"], [1, 2, 10, 11]
    assert like_burst(labels, 2, actions=actions) == 2
    assert like_burst(labels, 11, actions=actions) == 3


def test_unlocks_without_a_label_are_alike_with_none():
    assert like_burst([None, None, None], 3) == 0
    told = like_burst_null([None, None, None], 3, seed=0, draws=9)
    assert (told.observed, told.null_mean, told.p) == (0.0, 0.0, 1.0)
    assert like_burst([], 3) == 0


@given(LABELS, st.integers(1, 15), st.data())
def test_the_like_burst_is_the_most_of_any_label_in_any_window(labels, window, data):
    actions = sorted(data.draw(st.lists(st.integers(1, 40), min_size=len(labels), max_size=len(labels))))
    every = [
        sum(
            other == label and start <= action < start + window
            for action, other in zip(actions, labels, strict=True)
        )
        for label in ("slab", "stairs", "fence")
        for start in range(1, 41)
    ]
    assert like_burst(labels, window, actions=actions) == max(every)


def test_labels_in_another_order_give_the_null_of_a_like_burst():
    # aab: in two of three orders both a lie together.
    told = like_burst_null(["a", "a", "b"], 2, seed=0, draws=4_000)
    assert told.observed == 2.0
    assert told.null_mean == pytest.approx(5 / 3, abs=0.03)
    assert told.p == pytest.approx(2 / 3, abs=0.03)


def test_like_items_in_a_row_stand_out_and_mixed_ones_do_not():
    kinds = [kind for kind in "abcdefgh" for _ in range(5)]
    assert like_burst_null(kinds, 5, seed=0).p < 0.001
    mixed = list(np.random.default_rng(0).permutation(kinds))
    assert like_burst_null(mixed, 5, seed=0).p > 0.05


def test_a_burst_that_a_new_tool_causes_stands_out_in_time_but_not_in_kind():
    # Twenty unlocks in twenty actions, each of another kind, then one every 40 actions.
    actions = [*range(1, 21), *range(60, 861, 40)]
    kinds = [f"kind {number % 20}" for number in range(len(actions))]
    assert burst_null(actions, 900, 20, seed=0).p < 0.001
    assert like_burst_null(kinds, 20, actions=actions, seed=0).p > 0.5


def test_a_p_keeps_its_promise_when_labels_mean_nothing():
    rng = np.random.default_rng(0)
    ps = [
        like_burst_null(rng.choice(list("abcd"), size=30).tolist(), 6, seed=number, draws=99).p
        for number in range(300)
    ]
    assert np.mean(np.array(ps) <= 0.1) <= 0.13


@settings(max_examples=30)
@given(LABELS, st.integers(1, 9), st.integers(0, 99))
def test_a_shuffle_keeps_how_many_have_each_label(labels, window, seed):
    told = like_burst_null(labels, max(window, len(labels)), seed=seed, draws=20)
    assert (told.null == told.observed).all()
    assert told == like_burst_null(labels, max(window, len(labels)), seed=seed, draws=20)


def test_a_window_of_nothing_and_actions_out_of_order_are_refused():
    for call in (
        lambda: longest_burst([1], 0),
        lambda: like_burst(["a"], 0),
        lambda: longest_members([1], -1),
    ):
        with pytest.raises(ValueError, match="expected a window of at least 1"):
            call()
    with pytest.raises(ValueError, match="expected actions in the order of unlocks; got 2 after 5"):
        like_burst(["a", "b"], 3, actions=[5, 2])
    with pytest.raises(ValueError, match="expected an action for each label; got 1 for 2 labels"):
        like_burst(["a", "b"], 3, actions=[5])
    with pytest.raises(ValueError, match="expected at least 1 draw"):
        like_burst_null(["a"], 3, seed=0, draws=0)


def test_runs_are_pooled_by_the_mean_statistic():
    one = ShuffleTest(observed=3.0, null=np.array([1.0, 3.0, 2.0]))
    two = ShuffleTest(observed=1.0, null=np.array([1.0, 1.0, 4.0]))
    told = pool_tests([one, two])
    # Means 1, 2, 3 against 2: two of three reach it.
    assert (told.observed, told.null_mean, told.p) == (2.0, 2.0, 3 / 4)


def test_runs_that_cannot_be_pooled_are_refused():
    with pytest.raises(ValueError, match="expected at least one run to pool"):
        pool_tests([])
    with pytest.raises(ValueError, match=r"expected the same number of shuffles in all runs; got \[2, 3\]"):
        pool_tests([ShuffleTest(observed=1.0, null=np.ones(3)), ShuffleTest(observed=1.0, null=np.ones(2))])

from __future__ import annotations

import numpy as np
import pytest

from echo.experiments.curves import (
    action_grid,
    checkpoints,
    count_unlocks,
    lead_at_end,
    mean_interval,
    student_t_975,
    unlock_curve,
)
from echo.experiments.spec import UnlockSpec
from tests.experiments.fakes import make_run


def run(seed: int, *actions: int, agent: str = "echo", steps: int = 10):
    return make_run(UnlockSpec.model_validate({"agent": agent, "seed": seed, "steps": steps}), *actions)


def test_an_unlock_counts_from_its_own_action_on():
    assert count_unlocks([2, 5, 5], np.array([0, 1, 2, 4, 5, 9])).tolist() == [0, 0, 1, 1, 3, 3]


def test_a_run_without_unlocks_counts_none_everywhere():
    assert count_unlocks([], np.array([0, 10])).tolist() == [0, 0]


def test_the_mean_of_three_seeds_has_the_hand_worked_t_interval():
    # mean 2, s = 1, t(2) = 4.303, half width 4.303 / sqrt(3) = 2.48434
    interval = mean_interval(np.array([[1.0], [2.0], [3.0]]))
    assert interval.mean.tolist() == [2.0]
    assert interval.low[0] == pytest.approx(2 - 2.48434, abs=1e-5)
    assert interval.high[0] == pytest.approx(2 + 2.48434, abs=1e-5)


def test_the_interval_of_a_single_seed_is_unknown_not_zero():
    interval = mean_interval(np.array([[4.0]]))
    assert (interval.low, interval.high, interval.n) == (None, None, 1)


def test_no_seed_has_no_mean():
    with pytest.raises(ValueError, match="at least one seed"):
        mean_interval(np.empty((0, 3)))


@pytest.mark.parametrize(
    ("degrees", "value"), [(1, 12.706), (9, 2.262), (30, 2.042), (31, 2.0395), (60, 2.0003), (120, 1.9799)]
)
def test_students_t_agrees_with_the_printed_tables(degrees, value):
    assert student_t_975(degrees) == pytest.approx(value, abs=2e-4)


def test_the_grid_runs_from_nothing_done_to_the_budget():
    grid = action_grid(8_000)
    assert (grid[0], grid[1], grid[-1], len(grid)) == (0, 40, 8_000, 201)
    assert action_grid(3).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("steps", "points"), [(8_000, [1_000, 2_000, 5_000, 8_000]), (1_500, [1_000, 1_500]), (300, [300])]
)
def test_counts_are_tabled_within_the_budget_and_at_its_end(steps, points):
    assert checkpoints(steps).tolist() == points


def test_a_curve_averages_the_seeds_point_by_point():
    curve = unlock_curve([run(0, 1, 2), run(1, 2)], np.array([0, 1, 2]))
    assert curve.counts.mean.tolist() == [0.0, 0.5, 1.5]


def test_the_lead_at_the_end_pairs_by_seed_and_leaves_single_ones_out():
    echo = [run(0, 1, 2, 3), run(1, 1, 2), run(2, 1, 2, 3, 4, 5)]
    other = [run(1, 4, agent="edits"), run(0, 4, agent="edits")]
    lead = lead_at_end(echo, other)
    # seed 0: 3 - 1, seed 1: 2 - 1
    assert (lead.mean.tolist(), lead.n) == ([1.5], 2)


def test_without_a_common_seed_there_is_no_lead():
    assert lead_at_end([run(0, 1)], [run(1, 1, agent="edits")]) is None

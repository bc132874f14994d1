from __future__ import annotations

import pytest

from csd.axes import AXES, Axis
from echo.experiments.results import RunResult
from echo.experiments.spec import UnlockSpec
from echo.experiments.unlock_costs import GROWTH, UnlockCosts, measure_unlocking, seconds_at
from echo.experiments.unlocking import make_jobs
from tests.experiments.fakes import make_run, play_fake


def spec(agent: str = "echo", steps: int = 100, **changes) -> UnlockSpec:
    return UnlockSpec.model_validate({"agent": agent, "seed": 0, "steps": steps, **changes})


def took(seconds: float, *, actions: int | None = None, **changes) -> RunResult:
    """Return a result that took so long, ended after `actions`; all of its budget for None."""
    run = make_run(spec(**changes), 7)
    timing = run.timing.model_copy(update={"wall_seconds": seconds})
    return run.model_copy(update={"timing": timing, "actions": run.actions if actions is None else actions})


def test_a_measured_length_takes_what_was_measured():
    assert seconds_at({2000: 18.0, 8000: 150.0}, 8000) == 150.0


def test_between_and_beyond_two_lengths_seconds_grow_as_between_them():
    # Ten times the seconds for four times the length: halfway, by factors, is the root of ten.
    lengths = {2000: 10.0, 8000: 100.0}
    assert seconds_at(lengths, 4000) == pytest.approx(10.0 * 10**0.5)
    assert seconds_at(lengths, 32_000) == pytest.approx(1000.0)
    assert seconds_at(lengths, 500) == pytest.approx(1.0)


def test_of_three_lengths_the_two_nearest_count():
    lengths = {1000: 1.0, 2000: 2.0, 4000: 16.0}
    assert seconds_at(lengths, 1500) == pytest.approx(1.5)
    assert seconds_at(lengths, 3000) == pytest.approx(2.0 * 1.5**3)
    assert seconds_at(lengths, 8000) == pytest.approx(128.0)


def test_one_length_alone_grows_by_what_is_taken_for_granted():
    assert seconds_at({2000: 10.0}, 8000) == pytest.approx(10.0 * 4**GROWTH)
    # The longer the run, the dearer an action.
    assert GROWTH > 1


def test_a_run_costs_what_its_agent_does_with_whatever_axes_and_an_unknown_one_the_median():
    costs = UnlockCosts(by_agent={"echo": {100: 9.0}, "none": {100: 1.0}, "edits": {100: 2.0}})
    assert costs.seconds(spec()) == costs.seconds(spec(axes=(Axis.FUNC,))) == 9.0
    assert costs.seconds(spec("mp5")) == 2.0


def test_what_the_folder_says_counts_first(tmp_path):
    finished = [took(4.0), took(6.0), took(1.0, axes=(Axis.FUNC,))]
    jobs = make_jobs(
        [spec(), spec(axes=(Axis.FUNC,)), spec(axes=AXES[1:])],
        tmp_path,
        player=play_fake,
        command="",
        finished=finished,
    )
    assert [job.weight for job in jobs[:2]] == [5.0, 1.0]
    assert jobs[2].weight == UnlockCosts.from_file().seconds(spec())


def test_lengths_are_measured_of_whole_runs_of_whole_agents():
    runs = [
        took(3.0),
        took(5.0),
        took(40.0, steps=400),
        took(2.0, agent="bow"),
        took(99.0, axes=(Axis.FUNC,)),
        took(99.0, agent="none", actions=60),
        took(0.0, agent="edits"),
        took(99.0, reasoner="scripted:0123456789abcdef"),
    ]
    assert measure_unlocking(runs) == {"bow": {100: 2.0}, "echo": {100: 4.0, 400: 40.0}}

from __future__ import annotations

import pytest

from echo.experiments.results import Timing
from echo.experiments.spec import UnlockSpec
from echo.experiments.tallies import median_with_never, tally_milestone, tally_sources
from echo.experiments.trial import make_result
from tests.experiments.fakes import FakeReport, FakeUnlock, make_run


def spec(seed: int) -> UnlockSpec:
    return UnlockSpec(agent="echo", seed=seed, steps=100)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([30, 10, 20], 20.0),
        ([10, 20, None], 20.0),
        ([10, None, None], None),
        ([10, 20, 30, None], 25.0),
        ([10, 20, None, None], None),
        ([], None),
    ],
)
def test_a_run_that_never_got_there_is_later_than_every_other(values, expected):
    assert median_with_never(values) == expected


def test_a_milestone_tells_median_earliest_and_how_many_runs_reached_it():
    runs = [make_run(spec(seed), action, items=("furnace",)) for seed, action in enumerate((40, 10))]
    runs.append(make_run(spec(2)))
    mark = tally_milestone(runs, "furnace")
    assert (mark.median, mark.earliest, mark.reached, mark.n) == (40.0, 10, 2, 3)


def test_sources_and_credit_are_means_over_runs():
    moved = FakeUnlock(
        item="b", action=2, source="transfer", axes={"struct": 0.25, "func": 0.75}, exemplars=("x",)
    )
    pattern = FakeUnlock(item="c", action=3, source="pattern", axes={"struct": 1.0})
    first = FakeReport(
        unlocks=(FakeUnlock(item="a", action=1, source="collect"), moved, pattern),
        actions=9,
        attempts={"transfer": {"tried": 4, "made": 2, "new": 1}},
    )
    second = FakeReport(unlocks=(FakeUnlock(item="a", action=1, source="edit"),), actions=9)
    timing = Timing(wall_seconds=1, decision_ms=(1, 1), started="")
    runs = [make_result(spec(seed), report, {}, "", timing) for seed, report in enumerate((first, second))]
    share = tally_sources(runs)
    assert share.items == {"collect": 0.5, "exploration": 0, "edit": 0.5, "transfer": 0.5, "pattern": 0.5}
    assert share.axes == {"struct": 0.625, "attr": 0, "proc": 0, "func": 0.375, "inter": 0}
    assert share.attempts == {"transfer": {"tried": 2.0, "made": 1.0, "new": 0.5, "rejected": 0.0}}
    assert share.total == 2.0

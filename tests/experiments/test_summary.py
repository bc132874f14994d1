from __future__ import annotations

import json

import pytest

from echo.experiments.results import ResultsError
from echo.experiments.spec import UnlockSpec
from echo.experiments.summary import summarise, summary_json
from tests.experiments.fakes import make_run

ITEMS = tuple(f"item_{number:03d}" for number in range(130))


def run(
    agent: str,
    seed: int,
    pace: int,
    *,
    count: int = 130,
    axes: tuple[str, ...] | None = None,
    steps: int = 1_200,
):
    fields = {"agent": agent, "seed": seed, "steps": steps} | ({} if axes is None else {"axes": axes})
    return make_run(UnlockSpec.model_validate(fields), *range(pace, pace * count + 1, pace), items=ITEMS)


RUNS = [
    run("edits", 1, 9, count=90),
    run("edits", 0, 6, count=110),
    run("echo", 0, 3),
    run("echo", 1, 3),
    run("echo", 0, 4, axes=("func",)),
]


def test_echo_comes_first_then_its_variants_then_the_others():
    assert [one.label for one in summarise(RUNS).competitors] == ["echo", "echo[func]", "edits"]


def test_the_json_states_the_hand_worked_speedups():
    told = summary_json(summarise(RUNS))["speedup"]
    assert sorted(told) == ["echo[func]", "edits"]
    assert set(told["edits"]) == {"60", "80", "100", "120"}
    # 60 items: 6/3 and 9/3.
    assert told["edits"]["60"]["median"] == 2.5
    assert (told["edits"]["60"]["low"], told["edits"]["60"]["high"]) == (2.0, 3.0)
    # 100 items: seed 0 took 600 against 300, seed 1 never got there: at least 1,200 / 300.
    assert told["edits"]["100"] == {
        "median": 3.0, "low": 2.0, "high": 4.0, "n": 2, "censored": 1,
        "lower_bounds": 1, "upper_bounds": 0, "dropped": 0,
    }  # fmt: skip
    # 120 items: neither seed of edits got there; 1,200 / 360 at least.
    assert told["edits"]["120"]["median"] == pytest.approx(1_200 / 360)
    assert told["edits"]["120"]["censored"] == 2
    assert told["echo[func]"]["80"]["n"] == 1


def test_the_json_holds_counts_leads_milestones_sources_and_runs():
    told = summary_json(summarise(RUNS))
    assert told["counts"]["echo"]["1000"]["mean"] == 130.0
    assert told["counts"]["edits"]["1200"]["mean"] == 100.0
    # Seed 0: 130 - 110, seed 1: 130 - 90.
    assert told["lead"]["edits"]["mean"] == 30.0
    assert told["curves"]["echo"]["actions"][-1] == 1_200
    assert len(told["curves"]["echo"]["mean"]) == len(told["curves"]["echo"]["actions"])
    assert told["curves"]["echo[func]"]["low"] is None
    assert told["milestones"]["echo"]["diamond"] == {"median": None, "earliest": None, "reached": 0, "n": 2}
    assert told["sources"]["echo"]["items"]["exploration"] == 130.0
    assert [one["name"] for one in told["runs"]][:2] == ["echo-s00", "echo-s01"]
    json.dumps(told, allow_nan=False)


def test_without_echo_there_is_nothing_to_compare():
    summary = summarise(RUNS[:2])
    assert summary_json(summary)["speedup"] == {}


def test_runs_of_different_circumstances_are_never_mixed():
    with pytest.raises(ResultsError, match=r"expected runs in the same circumstances; got .*'steps': 900"):
        summarise([RUNS[0], run("echo", 0, 3, steps=900)])

from __future__ import annotations

import json

import pytest

from echo.experiments.bursts import bursts_json, tally_bursts
from echo.experiments.report_tables import burst_table
from echo.experiments.results import RunResult
from echo.experiments.spec import UnlockSpec
from echo.experiments.summary import summarise, summary_json
from tests.experiments.fakes import make_run

WOODS = ("oak", "birch", "spruce", "jungle", "acacia", "cherry")
KINDS = ("slab", "stairs", "fence", "door", "button")


def run(items: list[str], actions: list[int], source: str = "exploration", seed: int = 0) -> RunResult:
    plain = make_run(UnlockSpec(agent="echo", seed=seed, steps=1_000), *actions, items=tuple(items))
    unlocks = tuple(unlock.model_copy(update={"source": source}) for unlock in plain.unlocks)
    return plain.model_copy(update={"unlocks": unlocks})


def sourced(run: RunResult, sources: list[str]) -> RunResult:
    unlocks = tuple(
        unlock.model_copy(update={"source": source})
        for unlock, source in zip(run.unlocks, sources, strict=True)
    )
    return run.model_copy(update={"unlocks": unlocks})


BY_KIND = [f"{wood}_{kind}" for kind in KINDS for wood in WOODS]
BY_WOOD = [f"{wood}_{kind}" for wood in WOODS for kind in KINDS]
EVENLY = list(range(20, 601, 20))


def test_items_of_one_kind_in_a_row_stand_out_and_kinds_in_turn_do_not():
    in_a_row, in_turn = tally_bursts([run(BY_KIND, EVENLY)]), tally_bursts([run(BY_WOOD, EVENLY)])
    # Six slabs in ten unlocks; in turn, every fifth.
    assert (in_a_row.alike.observed, in_turn.alike.observed) == (6.0, 2.0)
    assert in_a_row.alike.p < 0.05
    assert in_turn.alike.p > 0.9


def test_what_comes_at_once_for_any_agent_makes_no_burst_of_one_kind():
    # Five unlike items in five actions, then slab after slab, but each later than a burst lasts.
    items = [f"{wood}_{kind}" for wood, kind in zip(WOODS, KINDS, strict=False)]
    items += [f"stone_{number}_slab" for number in range(6)]
    told = tally_bursts([run(items, [1, 2, 3, 4, 5, 100, 200, 300, 400, 500, 600])])
    assert (told.longest.observed, told.alike.observed, told.alike_in_time.observed) == (5.0, 6.0, 1.0)
    assert told.alike_in_time.p == 1.0


def test_the_statistics_are_means_over_runs():
    told = tally_bursts([run(BY_KIND, EVENLY), run(BY_WOOD, [*range(1, 31)], seed=1)])
    # One kind: (6 + 2) / 2. Within 50 actions: 3 of one every 20 actions, and all 30.
    assert (told.alike.observed, told.longest.observed) == (4.0, 16.5)


def test_the_share_of_a_burst_that_came_by_transfer_stands_beside_that_of_all():
    actions = [1, 2, 3, 4, 500, 600, 700, 800]
    sources = ["collect", "pattern", "transfer", "edit", "transfer", "transfer", "collect", "transfer"]
    told = tally_bursts([sourced(run(BY_KIND[:8], actions), sources)])
    # The longest burst is the first four: two of them; five of all eight.
    assert (told.longest.observed, told.transferred_share_of_longest, told.transferred_share) == (
        4.0,
        0.5,
        0.625,
    )
    assert told.transferred is not None
    assert told.transferred.observed == 5.0


def test_an_agent_that_transfers_nothing_has_no_test_of_it():
    told = tally_bursts([run(BY_KIND, EVENLY)])
    assert told.transferred is None
    assert (told.transferred_share, bursts_json(told)["transferred"]) == (0.0, None)


def test_a_run_that_unlocked_nothing_has_no_shares():
    told = bursts_json(tally_bursts([run([], [])]))
    assert told["longest"] == {"observed": 0.0, "null_mean": 0.0, "p": 1.0}
    assert (told["transferred_share_of_longest"], told["transferred_share"]) == (None, None)
    json.dumps(told, allow_nan=False)


def test_the_report_tells_the_bursts_of_every_agent():
    summary = summarise([run(BY_KIND, EVENLY, "transfer")])
    told = summary_json(summary)["bursts"]
    assert set(told) == {"echo"}
    assert told["echo"]["alike"] == {
        "observed": 6.0,
        "null_mean": pytest.approx(4.4, abs=0.5),
        "p": pytest.approx(0.01, abs=0.03),
    }
    assert told["echo"]["transferred"] == {"observed": 10.0, "null_mean": 10.0, "p": 1.0}
    page = burst_table(summary)
    assert "3.0 <small>shuffled" in page
    assert "100% <small>of all 100%</small>" in page


def test_the_table_marks_what_cannot_be_told():
    page = burst_table(summarise([run([], [])]))
    assert page.count("&ndash;") == 2


def test_the_same_runs_have_the_same_bursts():
    runs = [run(BY_KIND, EVENLY)]
    assert bursts_json(tally_bursts(runs)) == bursts_json(tally_bursts(runs))

from __future__ import annotations

from pathlib import Path

import pytest

from csd.axes import AXES
from echo.agent.threads import THREADS_FILE
from echo.experiments.results import ResultsError, RunResult, UnlockRecord, memory_folder
from echo.experiments.spec import UnlockSpec
from echo.experiments.thread import Thread, roles_in, thread_json
from echo.experiments.trial import play_minecraft, run_trial
from echo.experiments.why import trace_unlock
from ical.cases import Case

SPEC = UnlockSpec(agent="echo", steps=150, encoder="hashing", record="unlocks")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("why")


@pytest.fixture(scope="module")
def run(folder) -> RunResult:
    return run_trial(SPEC, folder, play_minecraft, "", lambda *_: None)


@pytest.fixture(scope="module")
def carried(run) -> tuple[UnlockRecord, ...]:
    found = tuple(one for one in run.unlocks if one.source in ("transfer", "pattern"))
    assert found
    return found


def test_every_unlock_by_memory_tells_what_took_the_part_of_what(run, carried, folder):
    for unlock in carried:
        thread = trace_unlock(unlock.item, run, folder)
        item, _, rest = unlock.detail.partition(" for ")
        first = thread.correspondences[0]
        assert (first.base, first.target) == (rest.partition(" in ")[0], item)
        assert first.role is not None
        assert sum(first.axes.values()) == pytest.approx(1.0)
        assert first.told().startswith(f"{first.base} -> {item} as {first.role} (")
        assert thread.objections is not None


def test_each_exemplar_has_its_five_cosines_to_the_unlock(run, carried, folder):
    for unlock in carried:
        for parent in trace_unlock(unlock.item, run, folder).parents:
            assert list(parent.cosines) == [axis.value for axis in AXES]
            known = [one for one in parent.cosines.values() if one is not None]
            assert len(known) >= 4
            assert all(-1.0 <= one <= 1.0 for one in known)
            assert max(known) > 0.3


def test_the_thread_goes_on_down_to_the_first_episodes(run, carried, folder):
    def check(thread: Thread) -> None:
        assert thread.missing == ()
        assert thread.repeated or thread.episodes
        for parent in thread.parents:
            check(parent)

    for unlock in carried:
        check(trace_unlock(unlock.item, run, folder))


def test_the_json_holds_what_is_printed(run, carried, folder):
    thread = trace_unlock(carried[0].item, run, folder)
    told = thread_json(thread)
    assert [one["told"] for one in told["correspondences"]] == [one.told() for one in thread.correspondences]
    assert told["parents"][0]["cosines"] == thread.parents[0].cosines
    assert told["objections"] == list(thread.objections or ())
    assert told["surprises"] == []


def test_what_was_found_otherwise_has_neither_correspondences_nor_verdict(run, folder):
    collected = next(one for one in run.unlocks if one.source == "collect")
    told = thread_json(trace_unlock(collected.item, run, folder))
    assert (told["correspondences"], told["objections"], told["cosines"]) == ([], None, {})


def test_a_damaged_file_of_threads_is_an_error(run, carried, folder):
    path = memory_folder(folder, SPEC.name) / THREADS_FILE
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    try:
        with pytest.raises(ResultsError, match="expected a thread of format 1"):
            trace_unlock(carried[0].item, run, folder)
    finally:
        path.write_bytes(whole)


def test_roles_follow_from_the_place_in_the_grid():
    def laid(rows: str | None, *fillers: str) -> Case:
        return Case(csd="csd_0", product="x", rows=rows, fillers=fillers, parents=())

    assert roles_in(laid("AAA/.B./.B.", "plank", "stick")) == {"plank": "head", "stick": "handle"}
    assert roles_in(laid("smelt", "raw_ore")) == {"raw_ore": "charge"}
    assert roles_in(laid(None)) == {}

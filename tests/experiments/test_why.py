from __future__ import annotations

import pytest

from csd.bank import Bank
from csd.encode import HashingEncoder
from echo.experiments.results import ResultsError, RunResult, Timing, memory_folder, run_file, write_result
from echo.experiments.spec import UnlockSpec, UsageError
from echo.experiments.thread import Thread, thread_json
from echo.experiments.trial import make_result, run_trial
from echo.experiments.why import find_run, trace_unlock
from echo.mfm.episodic.recorder import Recorder
from tests.experiments.fakes import FakeReport, FakeUnlock, describe, make_episode, play_fake

SPEC = UnlockSpec(agent="echo", steps=300, encoder="hashing")


@pytest.fixture
def run(tmp_path) -> RunResult:
    return run_trial(SPEC, tmp_path, play_fake, "", lambda *_: None)


def test_the_thread_goes_from_an_unlock_to_its_first_experience(run, tmp_path):
    # The fake names the item before as exemplar of each transfer: stick <- oak_planks <- oak_log.
    thread = trace_unlock("stick", run, tmp_path)
    assert (thread.item, thread.source) == ("stick", "pattern")
    planks = thread.parents[0]
    log = planks.parents[0]
    assert (planks.item, planks.source, log.item, log.source) == (
        "oak_planks",
        "transfer",
        "oak_log",
        "collect",
    )
    assert log.parents == ()
    assert log.episodes[0].told == "get oak_log: collect; oak_log +1"
    assert sum(thread.axes.values()) == pytest.approx(1)
    assert list(thread.statements) == ["struct", "attr", "proc", "func", "inter"]
    assert thread.needs == (f"oak_planks x1 (action {planks.action:,}, transfer)",)


def test_every_part_of_the_thread_lies_on_disk(run, tmp_path):
    thread = trace_unlock("stick", run, tmp_path)

    def check(part: Thread) -> None:
        assert part.missing == ()
        assert part.episodes
        assert all((tmp_path / one.path / "outcome.json").is_file() for one in part.episodes)
        for parent in part.parents:
            check(parent)

    check(thread)


def test_a_demonstration_ends_a_thread_by_name(tmp_path):
    memory = memory_folder(tmp_path, SPEC.name)
    shown = make_episode("wooden_pickaxe", 4, 0)
    with Recorder.open(memory, source="demonstration") as recorder:
        episode = recorder.write(goal=shown.goal, steps=shown.steps, after=shown.after)
    with Bank.open(memory / "bank.sqlite", HashingEncoder()) as bank:
        demonstration = bank.add(describe("wooden_pickaxe", 4, episode, world="demonstration"))
    unlock = FakeUnlock(item="stone_pickaxe", action=7, source="transfer", exemplars=(demonstration,) * 2)
    run = finish(FakeReport(unlocks=(unlock,), actions=9))
    first, second = trace_unlock("stone_pickaxe", run, tmp_path).parents
    assert (first.item, first.source, first.action) == ("wooden_pickaxe", "demonstration", None)
    assert (first.repeated, second.repeated) == (False, True)


def test_what_a_demonstration_used_was_given_whatever_the_run_made_later(tmp_path):
    memory = memory_folder(tmp_path, SPEC.name)
    shown = make_episode("crafting_table", 3, 0)
    with Recorder.open(memory, source="demonstration") as recorder:
        episode = recorder.write(goal=shown.goal, steps=shown.steps, after=shown.after)
    with Bank.open(memory / "bank.sqlite", HashingEncoder()) as bank:
        # The world says nothing here: only the episode's source tells a demonstration.
        demonstration = bank.add(describe("crafting_table", 3, episode))
        own = bank.add(describe("wooden_pickaxe", 4, episode))
    unlocks = (
        FakeUnlock(item="stick", action=5),
        FakeUnlock(item="crafting_table", action=6),
        FakeUnlock(item="wooden_pickaxe", action=7, source="transfer", csd=own, exemplars=(demonstration,)),
    )
    thread = trace_unlock("wooden_pickaxe", finish(FakeReport(unlocks=unlocks, actions=9)), tmp_path)
    assert thread.needs == ("crafting_table x1 (action 6, exploration)",)
    assert thread.parents[0].source == "demonstration"
    assert thread.parents[0].needs == ("stick x1 (given for the demonstration)",)


def test_what_needs_no_station_was_made_by_hand(run, tmp_path):
    assert trace_unlock("stick", run, tmp_path).statements["inter"] == ("stick was made by hand",)


def test_a_run_that_recorded_nothing_says_how_to_record(tmp_path):
    silent = UnlockSpec(agent="echo", steps=300, encoder="hashing", record="none")
    run = run_trial(silent, tmp_path, play_fake, "", lambda *_: None)
    assert "run with --record unlocks" in trace_unlock("stick", run, tmp_path).missing[-1]
    assert not memory_folder(tmp_path, silent.name).exists()


def test_a_missing_bank_is_not_made(run, tmp_path):
    path = memory_folder(tmp_path, SPEC.name) / "bank.sqlite"
    path.unlink()
    assert f"bank.sqlite is missing from {path.parent}" in trace_unlock("stick", run, tmp_path).missing[-1]
    assert not path.exists()


@pytest.mark.parametrize("kept", [0, 60, 4096, 9000])
def test_a_torn_bank_is_reported_and_left_as_it_is(run, tmp_path, kept):
    path = memory_folder(tmp_path, SPEC.name) / "bank.sqlite"
    torn = path.read_bytes()[:kept]
    path.write_bytes(torn)
    with pytest.raises(ResultsError, match=r"expected .*bank.*bank\.sqlite"):
        trace_unlock("stick", run, tmp_path)
    assert path.read_bytes() == torn


def test_an_empty_bank_file_is_called_empty(run, tmp_path):
    (memory_folder(tmp_path, SPEC.name) / "bank.sqlite").write_bytes(b"")
    with pytest.raises(
        ResultsError, match=r"undamaged bank at .*bank\.sqlite; got an empty file \(0 bytes\)"
    ):
        trace_unlock("stick", run, tmp_path)


def test_a_whole_bank_is_read_without_a_change(run, tmp_path):
    path = memory_folder(tmp_path, SPEC.name) / "bank.sqlite"
    before = path.read_bytes()
    trace_unlock("stick", run, tmp_path)
    assert path.read_bytes() == before


def finish(report: FakeReport) -> RunResult:
    timing = Timing(wall_seconds=1, decision_ms=(1, 1), started="")
    return make_result(SPEC, report, {}, "", timing)


def test_what_is_not_there_is_said(tmp_path):
    unlock = FakeUnlock(
        item="stick", action=7, source="transfer", exemplars=("csd_gone",), episode="ep_000009"
    )
    run = finish(FakeReport(unlocks=(unlock,), actions=9))
    thread = trace_unlock("stick", run, tmp_path)
    assert thread.missing[0] == "ep_000009 is not among the run's episodes"
    assert thread.missing[1] == (
        f"bank.sqlite is missing from {memory_folder(tmp_path, SPEC.name)}, where the run kept it: "
        f"put it back from a copy"
    )
    assert thread.parents[0].item == "unknown"


def test_exemplars_that_name_each_other_end(tmp_path):
    one = FakeUnlock(item="a", action=1, source="transfer", csd="csd_a", exemplars=("csd_b",))
    two = FakeUnlock(item="b", action=2, source="transfer", csd="csd_b", exemplars=("csd_a",))
    thread = trace_unlock("a", finish(FakeReport(unlocks=(one, two), actions=9)), tmp_path)
    assert thread.parents[0].parents[0].repeated


def test_an_item_the_run_never_unlocked_is_refused_with_near_ones(run, tmp_path):
    with pytest.raises(UsageError, match=r"echo-s00 unlocked; got 'stone_pikaxe'. Near it: stone_pickaxe"):
        trace_unlock("stone_pikaxe", run, tmp_path)


def test_an_invented_name_finds_its_item(tmp_path):
    report = FakeReport(unlocks=(FakeUnlock(item="zorblat", action=7),), actions=9)
    timing = Timing(wall_seconds=1, decision_ms=(1, 1), started="")
    run = make_result(SPEC, report, {"zorblat": "stick"}, "", timing)
    assert trace_unlock("zorblat", run, tmp_path).item == trace_unlock("stick", run, tmp_path).item == "stick"


def test_a_run_is_found_by_file_and_by_name(run, tmp_path):
    assert find_run("echo-s00", tmp_path) == (run, tmp_path)
    assert find_run(str(run_file(tmp_path, "echo-s00")), tmp_path / "elsewhere") == (run, tmp_path)


def test_an_unknown_run_is_refused_with_those_there(run, tmp_path):
    with pytest.raises(UsageError, match=r"got 'echo-s01', and .* holds echo-s00"):
        find_run("echo-s01", tmp_path)
    with pytest.raises(UsageError, match="holds no runs at all"):
        find_run("echo-s01", tmp_path / "elsewhere")


def test_a_damaged_bank_is_an_error_not_an_empty_thread(run, tmp_path):
    (memory_folder(tmp_path, "echo-s00") / "bank.sqlite").write_bytes(b"no database at all" * 100)
    write_result(tmp_path, run)
    with pytest.raises(ResultsError, match="expected"):
        trace_unlock("stick", run, tmp_path)


def test_the_json_nests_the_threads(run, tmp_path):
    told = thread_json(trace_unlock("stick", run, tmp_path))
    assert told["parents"][0]["parents"][0]["item"] == "oak_log"
    assert told["statements"]["proc"] == ["stick uses up oak planks x1"]

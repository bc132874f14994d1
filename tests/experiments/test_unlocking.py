from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from echo.experiments.means import Means
from echo.experiments.results import ResultsError, RunResult, run_file, write_result
from echo.experiments.spec import UnlockSpec, UsageError, make_grid
from echo.experiments.unlocking import run_grid, split_finished
from tests.experiments.fakes import make_run, play_badly, play_fake

ROOT = Path(__file__).parents[2]

ONE, TWO = Means(processes=1), Means(processes=2)


class Ear:
    def __init__(self) -> None:
        self.heard: list[str] = []

    def advanced(self, name: str, actions: int, unlocks: int) -> None:
        self.heard.append(f"{name} advanced")

    def finished(self, result: RunResult) -> None:
        self.heard.append(f"{result.spec.name} finished")

    def failed(self, name: str, error: str) -> None:
        self.heard.append(f"{name} failed: {error}")


def grid(*seeds: int) -> tuple[UnlockSpec, ...]:
    base = UnlockSpec(agent="echo", steps=90, record="none")
    return make_grid(base, agents=["edits", "echo"], variants=[], seeds=seeds)


def test_runs_in_several_processes_come_back_in_the_order_of_their_specs(tmp_path):
    ear, specs = Ear(), grid(0, 3)
    outcome = run_grid(specs, tmp_path, player=play_fake, means=TWO, command="", listener=ear)
    assert [run.spec.name for run in outcome.results] == ["edits-s00", "echo-s00", "edits-s03", "echo-s03"]
    assert (outcome.kept, outcome.failed) == ((), {})
    assert sorted(line for line in ear.heard if line.endswith("finished")) == sorted(
        f"{spec.name} finished" for spec in specs
    )
    assert "echo-s00 advanced" in ear.heard
    again = run_grid(specs, tmp_path, player=play_badly, means=TWO, command="", listener=Ear())
    assert (again.results, again.kept) == (outcome.results, tuple(spec.name for spec in specs))


def test_a_failed_run_is_named_and_the_others_still_end(tmp_path):
    specs = grid(0, 1)
    outcome = run_grid(specs, tmp_path, player=play_badly, means=ONE, command="", listener=Ear())
    assert [run.spec.name for run in outcome.results] == ["edits-s00", "echo-s00"]
    assert outcome.failed == {
        "edits-s01": "RuntimeError: no land to stand on",
        "echo-s01": "RuntimeError: no land to stand on",
    }


def test_a_dying_worker_is_a_failure_with_advice_and_no_result(tmp_path):
    outcome = run_grid(grid(2)[:1], tmp_path, player=play_badly, means=ONE, command="", listener=Ear())
    assert outcome.results == ()
    assert "a worker process died" in outcome.failed["edits-s02"]
    assert not run_file(tmp_path, "edits-s02").exists()


def test_a_folder_in_which_something_runs_is_left_alone(tmp_path):
    with (tmp_path / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match="another running experiment"):
            run_grid(grid(0), tmp_path, player=play_fake, means=ONE, command="", listener=Ear())


@pytest.mark.parametrize("below", ["", "deeper", "deeper/still"])
def test_a_file_in_place_of_the_folder_is_wrong_use_and_stays(tmp_path, below):
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    with pytest.raises(UsageError, match=r"expected a folder that can be made .*notes\.txt.*got .*--out"):
        run_grid(grid(0), file / below, player=play_fake, means=ONE, command="", listener=Ear())
    assert file.read_text() == "mine"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody can write to")
def test_a_folder_that_cannot_be_written_to_is_wrong_use():
    with pytest.raises(UsageError, match=r"made and written to at /proc/echo-memory; got .*--out"):
        run_grid(grid(0), Path("/proc/echo-memory"), player=play_fake, means=ONE, command="", listener=Ear())


def test_a_result_of_another_spec_under_the_same_name_is_not_taken_for_finished(tmp_path):
    other = UnlockSpec(agent="echo", steps=91, record="none")
    write_result(tmp_path, make_run(other, 3))
    with pytest.raises(ResultsError, match=r"expected the result of spec .*echo-s00\.json"):
        split_finished(grid(0), tmp_path)


SLOW_GRID = """
import sys
from pathlib import Path
from echo.experiments.unlocking import run_grid
from tests.experiments.fakes import play_slowly
from tests.experiments.test_unlocking import TWO, Ear, grid

if __name__ == "__main__":
    run_grid(grid(*range(4)), Path(sys.argv[1]), player=play_slowly, means=TWO, command="", listener=Ear())
"""


def test_a_killed_experiment_leaves_whole_results_and_goes_on_to_the_same_end(tmp_path):
    script = tmp_path / "slow_grid.py"
    script.write_text(SLOW_GRID)
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, str(script), str(killed)], env=environment)
    deadline = time.monotonic() + 60
    while not list(killed.glob("runs/*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    specs = grid(*range(4))
    finished, waiting = split_finished(specs, killed)
    assert finished
    assert waiting
    resumed = run_grid(specs, killed, player=play_fake, means=TWO, command="", listener=Ear())
    straight = run_grid(specs, whole, player=play_fake, means=ONE, command="", listener=Ear())
    assert [run.result_digest for run in resumed.results] == [run.result_digest for run in straight.results]
    assert set(finished) <= set(resumed.kept)

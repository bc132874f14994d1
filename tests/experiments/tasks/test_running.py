"""A grid over real processes: failures, deaths, kills, and two at a time in one folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from echo.experiments.means import Means
from echo.experiments.pool_folder import Slice, only_one_here
from echo.experiments.results import run_file
from echo.experiments.spec import UsageError
from echo.experiments.tasks.experiment import make_experiment
from echo.experiments.tasks.results import read_folder, unscored_file
from echo.experiments.tasks.running import _Reader, make_plan, play
from tests.experiments.tasks.fake_runs import play_badly, play_fake, play_nonsense

ROOT = Path(__file__).resolve().parents[3]


class Told:
    """Keeps what a listener is told."""

    def __init__(self):
        self.finished_names, self.failed_names = [], {}

    def advanced(self, name, done, of):
        pass

    def finished(self, run):
        self.finished_names.append(run.spec.name)

    def failed(self, name, reason):
        self.failed_names[name] = reason


def experiment(**changes):
    settings = {
        "kind": "tasks",
        "agents": ["jarvis-1", "mp5", "echo"],
        "tasks": ["bed"],
        "runs": 2,
        "episodes": 3,
    }
    return make_experiment({**settings, **changes}, "here")


def run(folder, player=play_fake, share=None, told=None, **changes):
    means = Means(processes=2, share=share)
    return play(
        experiment(**changes), folder, player=player, command="typed", means=means, listener=told or Told()
    )


def contents(folder):
    """Return all result files without what is allowed to differ."""
    return {
        path.name: {key: value for key, value in json.loads(path.read_text()).items() if key != "timing"}
        for path in sorted((folder / "runs").glob("*.json"))
    }


def test_a_run_that_raises_and_one_that_dies_are_noted_and_the_rest_goes_on(tmp_path):
    told = Told()
    outcome = run(tmp_path, play_badly, told=told)
    assert list(outcome.failed) == ["jarvis-1.bed.r01", "mp5.bed.r01"]
    assert outcome.failed["jarvis-1.bed.r01"] == "RuntimeError: the plan library is empty"
    assert "a worker process died" in outcome.failed["mp5.bed.r01"]
    assert [one.spec.name for one in outcome.runs] == [
        "jarvis-1.bed.r00",
        "mp5.bed.r00",
        "echo.bed.r00",
        "echo.bed.r01",
    ]
    assert told.failed_names == outcome.failed
    noted = read_folder(tmp_path)
    assert noted.unscored == outcome.failed
    assert noted.missing == ()


def test_failed_runs_are_tried_again_and_finished_ones_are_not(tmp_path):
    run(tmp_path, play_badly)
    before = run_file(tmp_path, "echo.bed.r00").stat().st_mtime_ns
    told = Told()
    outcome = run(tmp_path, told=told)
    assert outcome.failed == {}
    assert len(outcome.runs) == 6
    assert outcome.kept == ("jarvis-1.bed.r00", "mp5.bed.r00", "echo.bed.r00", "echo.bed.r01")
    assert run_file(tmp_path, "echo.bed.r00").stat().st_mtime_ns == before
    assert not unscored_file(tmp_path, "mp5.bed.r01").exists()
    assert sorted(told.finished_names) == sorted(one.spec.name for one in outcome.runs)


def test_throughput_counts_what_was_played_now(tmp_path):
    first = run(tmp_path)
    assert first.episodes_per_minute == pytest.approx(18 / first.seconds * 60)
    assert run(tmp_path).episodes_per_minute is None


def test_two_runs_of_one_experiment_give_the_same_files(tmp_path):
    run(tmp_path / "one")
    run(tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_shares_of_an_experiment_fill_one_folder(tmp_path):
    for number in (1, 2, 3):
        outcome = run(tmp_path / "shared", share=Slice(number=number, of=3))
        assert len(outcome.runs) == 2
        assert len(read_folder(tmp_path / "shared").expected) == 6
    run(tmp_path / "whole")
    assert contents(tmp_path / "shared") == contents(tmp_path / "whole")
    assert read_folder(tmp_path / "shared").missing == ()


def test_a_share_of_nothing_plays_nothing(tmp_path):
    outcome = run(tmp_path, share=Slice(number=9, of=9))
    assert (outcome.runs, outcome.failed) == ((), {})


def test_only_a_torn_result_is_redone(tmp_path):
    run(tmp_path)
    whole = contents(tmp_path)
    path = run_file(tmp_path, "mp5.bed.r00")
    path.write_bytes(path.read_bytes()[:100])
    outcome = run(tmp_path)
    assert len(outcome.kept) == 5
    assert contents(tmp_path) == whole
    assert path.with_name("mp5.bed.r00.json.torn").stat().st_size == 100


def test_a_plan_changes_nothing(tmp_path):
    run(tmp_path)
    path = run_file(tmp_path, "mp5.bed.r00")
    path.write_bytes(path.read_bytes()[:100])
    before = sorted(tmp_path.rglob("*"))
    plan = make_plan(experiment(runs=3), tmp_path, player=play_fake, command="")
    assert [job.name for job in plan.jobs] == [
        "mp5.bed.r00",
        "jarvis-1.bed.r02",
        "mp5.bed.r02",
        "echo.bed.r02",
    ]
    assert plan.torn == (path,)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_plan_for_a_folder_of_other_circumstances_is_refused(tmp_path):
    run(tmp_path)
    with pytest.raises(UsageError, match=r"\(episodes=3\); got episodes=4"):
        make_plan(experiment(episodes=4), tmp_path, player=play_fake, command="")


def test_two_at_a_time_in_one_folder_are_refused(tmp_path):
    with only_one_here(tmp_path), pytest.raises(UsageError, match="got another running experiment"):
        run(tmp_path)


SCRIPT = """
from pathlib import Path
from tests.experiments.tasks.test_running import run
from tests.experiments.tasks.fake_runs import play_slowly
if __name__ == "__main__":
    run(Path({folder!r}), play_slowly, runs=4)
"""


def test_after_a_kill_the_same_files_come_about(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(folder=str(tmp_path / "killed")))
    process = subprocess.Popen([sys.executable, str(script)], env={**os.environ, "PYTHONPATH": str(ROOT)})
    runs = tmp_path / "killed" / "runs"
    deadline = time.monotonic() + 60
    while len(list(runs.glob("*.json"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = len(list(runs.glob("*.json")))
    assert 2 <= done < 12
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            outcome = run(tmp_path / "killed", runs=4)
            break
        except UsageError:  # A worker of the killed process has not noticed yet.
            time.sleep(0.2)
    assert len(outcome.kept) >= done
    run(tmp_path / "whole", runs=4)
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


def test_a_player_that_returns_nonsense_costs_its_own_runs_and_writes_over_no_other(tmp_path):
    outcome = run(tmp_path, play_nonsense, agents=["echo", "jarvis-1", "mp5", "vista"], runs=1)
    assert outcome.failed["jarvis-1.bed.r00"] == "ValueError: expected a TaskRun of the player; got NoneType."
    assert outcome.failed["mp5.bed.r00"] == (
        "ValueError: expected the run mp5.bed.r00 of the player; got another, echo.bed.r00."
    )
    assert "expected 3 episodes; got 1" in outcome.failed["vista.bed.r00"]
    assert [one.spec.name for one in outcome.runs] == ["echo.bed.r00"]
    told = read_folder(tmp_path)
    assert ([one.spec.name for one in told.runs], list(told.unscored)) == (
        ["echo.bed.r00"],
        ["jarvis-1.bed.r00", "mp5.bed.r00", "vista.bed.r00"],
    )


def test_a_result_that_cannot_be_read_as_it_arrives_is_put_aside_and_the_rest_goes_on(tmp_path):
    told = Told()
    reader = _Reader(folder=tmp_path, results={}, unread={}, listener=told)
    path = run_file(tmp_path, "echo.bed.r00")
    path.parent.mkdir()
    path.write_text('{"format": 1')
    reader.finished("echo.bed.r00")
    assert (reader.results, list(reader.unread), list(told.failed_names)) == (
        {},
        ["echo.bed.r00"],
        ["echo.bed.r00"],
    )
    assert path.with_name("echo.bed.r00.json.torn").exists()
    assert unscored_file(tmp_path, "echo.bed.r00").exists()


def test_without_its_experiment_file_a_folder_takes_no_runs_of_other_circumstances(tmp_path):
    run(tmp_path, agents=["echo"])
    (tmp_path / "experiment.json").unlink()
    with pytest.raises(UsageError, match=r"\(seed=0\); got seed=5"):
        run(tmp_path, agents=["direct"], seed=5)
    assert len(run(tmp_path, agents=["direct"]).runs) == 2
    assert len(read_folder(tmp_path).runs) == 4


def test_a_file_in_the_place_of_the_folder_is_refused_before_anything_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="expected a results folder; got a file"):
        make_plan(experiment(), tmp_path / "file", player=play_fake, command="typed")

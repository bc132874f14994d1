from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from echo.experiments.pool import Estimate, estimate, longest_first, run_jobs
from echo.experiments.spec import UsageError
from tests.experiments.pool_jobs import (
    Counter,
    Crier,
    DierBesides,
    Ear,
    Forgetter,
    Leaver,
    Misreporter,
    Printer,
    Raiser,
    ThreadTeller,
    Unsendable,
    Writer,
    is_running,
    many_words,
    odd_words,
)

ROOT = Path(__file__).parents[2]


def play(jobs: list[Writer], processes: int = 2) -> tuple[dict[str, str], Ear]:
    ear = Ear()
    return run_jobs(jobs, processes=processes, listener=ear), ear


def test_long_jobs_come_first_and_equal_ones_in_the_order_given(tmp_path):
    weights = {"a": 1.0, "b": 5.0, "c": 1.0, "d": 0.0, "e": 5.0}
    jobs = [Writer(name=name, folder=tmp_path, weight=weight) for name, weight in weights.items()]
    assert [job.name for job in longest_first(jobs)] == ["b", "e", "a", "c", "d"]
    failed, ear = play(jobs, processes=1)
    assert failed == {}
    assert ear.ends == ["b finished", "e finished", "a finished", "c finished", "d finished"]
    assert "a 1/2" in ear.heard


def test_no_job_needs_no_process():
    failed, ear = play([])
    assert (failed, ear.heard) == ({}, [])


def test_as_many_jobs_run_at_a_time_as_there_are_processes(tmp_path):
    play([Counter(name=name, folder=tmp_path) for name in "abcd"], processes=2)
    beside = [int((tmp_path / "beside" / name).read_text()) for name in "abcd"]
    assert max(beside) == 2


def test_a_job_that_raises_or_exits_costs_its_own_result_alone(tmp_path):
    jobs = [
        Raiser(name="raiser", folder=tmp_path),
        Leaver(name="leaver", folder=tmp_path),
        Forgetter(name="forgetter", folder=tmp_path),
        Unsendable(name="unsendable", folder=tmp_path),
        Writer(name="writer", folder=tmp_path),
    ]
    failed, ear = play(jobs)
    assert list(failed) == ["raiser", "leaver", "forgetter", "unsendable"]
    assert failed["raiser"] == "RuntimeError: no land to stand on"
    assert failed["leaver"] == "SystemExit: 4"
    expected = tmp_path / "runs" / "forgetter.json"
    assert failed["forgetter"] == (
        f"it ended without an error, but expected {expected} and got nothing there"
    )
    assert "it cannot be sent to another process" in failed["unsendable"]
    assert sorted(ear.ends) == sorted(
        [*(f"{name} failed: {reason}" for name, reason in failed.items()), "writer finished"]
    )
    assert jobs[0].starts() == 1


def test_a_job_whose_process_is_killed_is_played_once_more_when_all_others_are_done(tmp_path):
    others = [Writer(name=name, folder=tmp_path, seconds=0.1) for name in "abcde"]
    once = DierBesides(name="once", folder=tmp_path, weight=9.0, lives=1)
    failed, ear = play([*others, once])
    assert failed == {}
    assert once.starts() == 2
    assert (tmp_path / "there" / "once").read_text().splitlines()[-1] == "a,b,c,d,e"
    assert ear.ends[-1] == "once finished"
    assert all(job.starts() == 1 for job in others)


def test_a_job_whose_process_dies_twice_fails_with_how_it_died(tmp_path):
    always = DierBesides(name="always", folder=tmp_path, weight=9.0)
    failed, ear = play([always, Writer(name="a", folder=tmp_path)])
    assert list(failed) == ["always"]
    assert "a worker process died twice in it" in failed["always"]
    assert "killed by SIGKILL, often for lack of memory" in failed["always"]
    assert always.starts() == 2
    assert ear.ends == ["a finished", f"always failed: {failed['always']}"]


def test_processes_compute_on_one_thread_each_and_this_one_is_left_as_it_was(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    job = ThreadTeller(name="teller", folder=tmp_path)
    assert play([job])[0] == {}
    assert (tmp_path / "threads" / "teller").read_text() == "1 1\n"
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "MKL_NUM_THREADS" not in os.environ


def test_a_listener_that_raises_ends_the_processes(tmp_path):
    class Deaf(Ear):
        def finished(self, name: str) -> None:
            raise OSError("no disk")

    slow = Writer(name="slow", folder=tmp_path, seconds=60, weight=2.0)
    began = time.monotonic()
    with pytest.raises(OSError, match="no disk"):
        run_jobs([slow, Writer(name="a", folder=tmp_path, seconds=1)], processes=2, listener=Deaf())
    assert time.monotonic() - began < 20
    assert not is_running(int((tmp_path / "started" / "slow").read_text()))


@pytest.mark.parametrize(
    ("weight", "told"), [(-1.0, "weight of 0 seconds or more; got -1.0"), (float("nan"), "got nan")]
)
def test_a_weight_that_is_no_time_is_refused(tmp_path, weight, told):
    with pytest.raises(ValueError, match=told):
        play([Writer(name="a", folder=tmp_path, weight=weight)])


def test_two_jobs_of_one_name_are_refused(tmp_path):
    with pytest.raises(ValueError, match="expected one job a name; got two called 'a'"):
        play([Writer(name="a", folder=tmp_path), Writer(name="a", folder=tmp_path)])


def test_wrong_use_is_told(tmp_path):
    jobs = [Writer(name="a", folder=tmp_path)]
    with pytest.raises(UsageError, match=r"expected 0 processes .* got -1"):
        play(jobs, processes=-1)
    with pytest.raises(UsageError, match="an address with --executor ray alone; got 'auto' with 'local'"):
        run_jobs(jobs, processes=1, listener=Ear(), address="auto")


def test_an_estimate_gives_each_process_the_longest_job_left(tmp_path):
    weights = [2.0, 3.0, 7.0, 4.0, 2.0]
    jobs = [Writer(name=str(n), folder=tmp_path, weight=weight) for n, weight in enumerate(weights)]
    # By hand: 7 | 4, 3 -> 7 | 7 -> 2 to the first, 2 to the second.
    assert estimate(jobs, 2) == Estimate(seconds=9.0, longest=7.0, jobs=5)
    assert estimate(jobs, 1) == Estimate(seconds=18.0, longest=7.0, jobs=5)
    assert estimate(jobs, 99) == Estimate(seconds=7.0, longest=7.0, jobs=5)
    assert estimate([], 4) == Estimate(seconds=0.0, longest=0.0, jobs=0)
    with pytest.raises(UsageError, match="at least 1 process; got 0"):
        estimate(jobs, 0)


SCRIPT = """
import signal, sys
from pathlib import Path
from echo.experiments.pool import run_jobs
from tests.experiments.pool_jobs import Ear, Writer

# A shell that starts the tests in the background has all below it ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
if __name__ == {guard}:
    folder = Path(sys.argv[1])
    jobs = [Writer(name=name, folder=folder, seconds=120) for name in "abcd"]
    print(run_jobs(jobs, processes=2, listener=Ear()))
"""


def start(tmp_path: Path, guard: str) -> subprocess.Popen[str]:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(guard=guard))
    return subprocess.Popen(
        [sys.executable, str(script), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes under /proc")
@pytest.mark.parametrize(
    ("number", "to_all"),
    [(signal.SIGINT, True), (signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGKILL, False)],
)
def test_however_the_experiment_is_ended_its_processes_end_with_it_at_once(tmp_path, number, to_all):
    process = start(tmp_path, "'__main__'")
    started = tmp_path / "started"
    deadline = time.monotonic() + 60
    while len(list(started.glob("*"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.2)
    workers = [int(path.read_text()) for path in sorted(started.iterdir())]
    assert [is_running(pid) for pid in workers] == [True, True]
    began = time.monotonic()
    if to_all:
        os.killpg(process.pid, number)  # As a terminal does on Ctrl-C.
    else:
        process.send_signal(number)
    _, said = process.communicate(timeout=30)
    while any(map(is_running, workers)) and time.monotonic() - began < 30:
        time.sleep(0.02)
    # Half a second here; a busy build server gets some more.
    assert time.monotonic() - began < 3
    assert process.returncode != 0
    assert said.count("Traceback") == (number == signal.SIGINT)


def test_processes_that_cannot_start_are_told_of_and_not_started_for_ever(tmp_path):
    process = start(tmp_path, "__name__")
    told, _ = process.communicate(timeout=60)
    last = told.splitlines()[-1]
    assert last.startswith("{'a': 'a worker process died before it could begin (exit code 1)")
    assert last.count("before it could begin") == 4
    assert not (tmp_path / "started").exists()


def test_an_error_is_told_in_one_printable_line_of_bounded_length_whatever_it_says(tmp_path):
    jobs = [
        Crier(name="mute", folder=tmp_path),
        Crier(name="odd", folder=tmp_path, error=odd_words),
        Crier(name="long", folder=tmp_path, error=many_words),
        Writer(name="well", folder=tmp_path),
    ]
    failed, _ = play(jobs)
    assert failed == {
        "mute": "Unspeakable: what it says cannot be told",
        "odd": r"RuntimeError: red \x1b[31m, half \ud800",
        "long": f"RuntimeError: {'x' * 1_000} ...",
    }


def test_a_job_that_reports_nonsense_costs_its_own_result_alone(tmp_path):
    jobs = [Misreporter(name="wrong", folder=tmp_path), Writer(name="well", folder=tmp_path)]
    failed, ear = play(jobs)
    assert failed == {"wrong": "TypeError: 'str' object cannot be interpreted as an integer"}
    assert "well finished" in ear.ends


def test_what_a_job_prints_stays_out_of_standard_output(tmp_path, capfd):
    play([Printer(name="a", folder=tmp_path)])
    told = capfd.readouterr()
    assert (told.out, told.err) == ("", "a job prints\nand so does a library\n")

from __future__ import annotations

import pickle

import pytest

from echo.experiments.pool import longest_first
from echo.experiments.results import ResultsError, run_file
from echo.experiments.tasks.costs import Costs
from echo.experiments.tasks.experiment import make_experiment
from echo.experiments.tasks.loading import task_names, tasks_digest
from echo.experiments.tasks.plan import make_jobs, make_runs, split_finished
from echo.experiments.tasks.results import write_run
from tests.experiments.tasks.fake_runs import make_run, play_fake


def experiment(**changes):
    settings = {
        "kind": "tasks",
        "agents": ["echo", "mp5"],
        "tasks": ["bed", "shield"],
        "runs": 2,
        "episodes": 3,
    }
    return make_experiment({**settings, **changes}, "here")


def names(**changes):
    return [spec.name for spec in make_runs(experiment(**changes))]


def test_all_agents_and_tasks_of_one_run_come_before_the_next_run():
    assert names() == [
        "echo.bed.r00",
        "mp5.bed.r00",
        "echo.shield.r00",
        "mp5.shield.r00",
        "echo.bed.r01",
        "mp5.bed.r01",
        "echo.shield.r01",
        "mp5.shield.r01",
    ]


def test_a_run_carries_the_circumstances_of_its_experiment():
    spec = make_runs(experiment(seed=4, invented_names=7))[0]
    assert (spec.kind, spec.seed, spec.episodes, spec.invented_names, spec.installed) == (
        "tasks",
        4,
        3,
        7,
        None,
    )


def test_mixed_runs_are_one_an_agent():
    assert names(kind="continual", tasks=[]) == [
        "echo.mixed.r00",
        "mp5.mixed.r00",
        "echo.mixed.r01",
        "mp5.mixed.r01",
    ]


def test_a_pair_of_skills_is_played_without_and_with_them():
    pairs = [{"task": "shield", "installed": "bed"}, {"task": "shield", "installed": "furnace"}]
    assert names(kind="mfm", agents=["mfm"], tasks=["shield"], skills=pairs, runs=1) == [
        "mfm.shield.r00",
        "mfm.shield.with-bed.r00",
        "mfm.shield.with-furnace.r00",
    ]


def test_without_the_plain_folder_memory_no_pair_of_skills_is_played():
    pairs = [{"task": "shield", "installed": "bed"}]
    assert names(kind="mfm", agents=["mfm/-index"], tasks=["diamond"], skills=pairs, runs=1) == [
        "mfm--without-index.diamond.r00"
    ]


def test_the_twelve_task_files_count_as_one_version_whichever_are_played():
    few, many = make_runs(experiment(tasks=["bed"])), make_runs(experiment())
    assert few[0].task_digest == many[0].task_digest == tasks_digest(task_names())
    other = make_runs(experiment(tasks=["bed", "diamond"]))
    assert other[0].task_digest == tasks_digest((*task_names(), "diamond"))


def test_a_job_writes_the_file_that_it_says_it_produces(tmp_path):
    specs = make_runs(experiment())
    job = make_jobs(specs, tmp_path, player=play_fake, command="typed", costs=Costs(per_step={"echo": 1.0}))[
        0
    ]
    told = []
    pickle.loads(pickle.dumps(job)).play(lambda done, of: told.append((done, of)))
    (path,) = job.produces
    assert path == run_file(tmp_path, job.name)
    assert path.exists()
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_long_runs_begin_first(tmp_path):
    costs = Costs(per_step={"echo": 1.0, "mp5": 2.0})
    specs = make_runs(experiment(tasks=["craft-grid", "bed"], runs=1))
    jobs = make_jobs(specs, tmp_path, player=play_fake, command="", costs=costs)
    assert [job.name for job in longest_first(jobs)] == [
        "mp5.bed.r00",
        "echo.bed.r00",
        "mp5.craft-grid.r00",
        "echo.craft-grid.r00",
    ]


def test_finished_runs_are_told_from_those_that_wait(tmp_path):
    specs = make_runs(experiment())
    write_run(tmp_path, make_run(specs[2]))
    split = split_finished(specs, tmp_path)
    assert [run.spec.name for run in split.finished] == ["echo.shield.r00"]
    assert [spec.name for spec in split.waiting] == [spec.name for spec in specs if spec != specs[2]]


def test_a_torn_result_waits_and_is_named(tmp_path):
    specs = make_runs(experiment())
    path = write_run(tmp_path, make_run(specs[0]))
    path.write_bytes(path.read_bytes()[:50])
    split = split_finished(specs, tmp_path)
    assert (split.torn, split.waiting, split.finished) == ((path,), specs, ())


def test_the_result_of_another_spec_is_refused(tmp_path):
    write_run(tmp_path, make_run(make_runs(experiment(seed=1))[0]))
    with pytest.raises(ResultsError, match=r"expected the result of spec .*echo\.bed\.r00.*--out"):
        split_finished(make_runs(experiment()), tmp_path)


def test_the_result_of_another_run_is_refused(tmp_path):
    specs = make_runs(experiment())
    path = write_run(tmp_path, make_run(specs[1]))
    path.rename(run_file(tmp_path, specs[0].name))
    with pytest.raises(
        ResultsError, match=r"expected the result of the run echo\.bed\.r00; got the one of mp5"
    ):
        split_finished(specs, tmp_path)

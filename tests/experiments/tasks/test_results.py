from __future__ import annotations

import json
import threading

import pytest

from echo.experiments.results import ResultsError, TornFileError, run_file
from echo.experiments.spec import UsageError
from echo.experiments.tasks.results import (
    claim,
    note_unscored,
    read_experiment,
    read_folder,
    read_run,
    read_runs,
    set_aside,
    unscored_file,
    write_run,
)
from tests.experiments.tasks.fake_runs import make_run, make_spec


def change(path, **fields):
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


@pytest.fixture
def folder(tmp_path):
    """A folder in which two runs of three finished and the third failed."""
    specs = [make_spec("echo"), make_spec("echo", run=1), make_spec("mp5/-patroller")]
    claim(tmp_path, specs[0].circumstances, [spec.name for spec in specs])
    write_run(tmp_path, make_run(specs[0]))
    write_run(tmp_path, make_run(specs[2]))
    note_unscored(tmp_path, specs[1].name, "RuntimeError: no land")
    return tmp_path


def test_a_folder_tells_its_runs_by_name_and_what_failed(folder):
    told = read_folder(folder)
    assert [run.spec.name for run in told.runs] == ["echo.bed.r00", "mp5--without-patroller.bed.r00"]
    assert told.unscored == {"echo.bed.r01": "RuntimeError: no land"}
    assert told.expected == ("echo.bed.r00", "echo.bed.r01", "mp5--without-patroller.bed.r00")
    assert (told.kind, told.missing) == ("tasks", ())
    assert told.runs == read_runs(folder)


def test_a_written_run_is_read_back_whole(tmp_path):
    run = make_run(make_spec("echo/-struct", "bridge-eq", run=3))
    path = write_run(tmp_path, run)
    assert path == tmp_path / "runs" / "echo--without-struct.bridge-eq.r03.json"
    assert read_run(path) == run


def test_a_run_that_succeeds_later_takes_its_failure_away(folder):
    write_run(folder, make_run(make_spec("echo", run=1)))
    assert not unscored_file(folder, "echo.bed.r01").exists()
    assert read_folder(folder).unscored == {}


def test_a_failure_noted_beside_a_result_is_not_counted(folder):
    note_unscored(folder, "echo.bed.r00", "killed")
    assert list(read_folder(folder).unscored) == ["echo.bed.r01"]


def test_a_failure_whose_note_is_unreadable_is_still_a_failure(folder):
    unscored_file(folder, "echo.bed.r01").write_text('{"name": "ec')
    assert "its reason cannot be read in" in read_folder(folder).unscored["echo.bed.r01"]


def test_what_was_never_played_is_missing(folder):
    claim(folder, make_spec().circumstances, ["direct.bed.r00"])
    assert read_folder(folder).missing == ("direct.bed.r00",)


def test_without_its_experiment_file_a_folder_is_told_by_its_runs(folder):
    (folder / "experiment.json").unlink()
    told = read_folder(folder)
    assert told.circumstances == make_spec().circumstances
    assert told.expected == ("echo.bed.r00", "mp5--without-patroller.bed.r00")


@pytest.mark.parametrize("made", [(), ("runs",), ("runs", "unscored")])
def test_an_empty_folder_is_wrong_use(tmp_path, made):
    for name in made:
        (tmp_path / name).mkdir()
    with pytest.raises(UsageError, match=r"runs/\*\.json; got none in .*echo-memory run tasks --size quick"):
        read_folder(tmp_path)


def test_failures_alone_without_an_experiment_file_do_not_tell_what_they_are_of(tmp_path):
    note_unscored(tmp_path, "echo.bed.r00", "killed")
    with pytest.raises(ResultsError, match=r"expected experiment\.json beside the notes of failed runs"):
        read_folder(tmp_path)


def test_a_torn_run_is_named_with_what_to_do(folder):
    path = run_file(folder, "echo.bed.r00")
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(TornFileError, match=r"echo\.bed\.r00\.json .*only this run is redone"):
        read_folder(folder)


def test_a_missing_run_is_named(tmp_path):
    with pytest.raises(ResultsError, match=r"got nothing at .*echo\.bed\.r00\.json"):
        read_run(run_file(tmp_path, "echo.bed.r00"))


def test_a_run_of_another_version_is_refused(folder):
    change(run_file(folder, "echo.bed.r00"), format=2)
    with pytest.raises(ResultsError, match=r"format 1; got 2 in .*echo\.bed\.r00"):
        read_folder(folder)


def test_a_folder_of_another_version_is_refused(folder):
    change(folder / "experiment.json", format=2)
    with pytest.raises(ResultsError, match=r"results folder of format 1; got 2"):
        read_folder(folder)


def test_an_unreadable_experiment_file_is_refused(folder):
    (folder / "experiment.json").write_text("[]")
    with pytest.raises(ResultsError, match="Delete that file: the next run writes it anew"):
        read_folder(folder)


def test_a_folder_of_unlocking_runs_is_refused(folder):
    change(folder / "experiment.json", kind="unlock")
    with pytest.raises(ResultsError, match="got one of 'run unlock'"):
        read_experiment(folder)


def test_an_altered_spec_is_noticed(folder):
    path = run_file(folder, "echo.bed.r00")
    content = json.loads(path.read_text())
    content["spec"]["seed"] = 5
    path.write_text(json.dumps(content))
    with pytest.raises(ResultsError, match="the spec was altered"):
        read_run(path)


def test_a_lost_episode_is_noticed(folder):
    path = run_file(folder, "echo.bed.r00")
    content = json.loads(path.read_text())
    change(path, episodes=content["episodes"][:-1])
    with pytest.raises(ResultsError, match="expected 3 episodes; got 2"):
        read_run(path)


def test_a_file_that_is_no_run_of_tasks_is_refused(folder):
    run_file(folder, "echo.bed.r00").write_text('{"format": 1}')
    with pytest.raises(ResultsError, match=r"spec: Field required"):
        read_folder(folder)


def test_a_run_under_another_name_cannot_count_twice(folder):
    run_file(folder, "echo.bed.r07").write_bytes(run_file(folder, "echo.bed.r00").read_bytes())
    with pytest.raises(ResultsError, match=r"got the one of echo\.bed\.r00 in .*delete echo\.bed\.r07\.json"):
        read_folder(folder)


@pytest.mark.parametrize("told", [True, False], ids=["with", "without its experiment file"])
def test_runs_of_two_task_versions_do_not_mix(folder, told):
    write_run(folder, make_run(make_spec("vista", task_digest="1" * 64)))
    if not told:
        (folder / "experiment.json").unlink()
    with pytest.raises(ResultsError, match=r"task_digest='1111.* in vista\.bed\.r00\.json"):
        read_folder(folder)


def test_a_folder_grows_by_further_runs(folder):
    grown = claim(folder, make_spec().circumstances, ["direct.bed.r00", "echo.bed.r00"])
    assert grown.expected[-1] == "direct.bed.r00"
    assert len(grown.expected) == 4
    assert read_experiment(folder) == grown


def test_runs_in_other_circumstances_are_refused(folder):
    with pytest.raises(UsageError, match=r"\(episodes=3\); got episodes=30.*--out"):
        claim(folder, make_spec(episodes=30).circumstances, ["echo.bed.r00"])


def test_a_folder_that_cannot_be_made_is_wrong_use(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match="got a file"):
        claim(tmp_path / "file", make_spec().circumstances, [])
    with pytest.raises(UsageError, match="got Not a directory"):
        claim(tmp_path / "file" / "below", make_spec().circumstances, [])


def test_of_folders_claimed_at_one_time_no_expected_run_is_lost(tmp_path):
    names = [f"echo.bed.r{number:02d}" for number in range(24)]
    threads = [
        threading.Thread(target=claim, args=(tmp_path, make_spec().circumstances, [name])) for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = read_experiment(tmp_path)
    assert told is not None
    assert sorted(told.expected) == names


def test_a_torn_file_is_put_aside_under_a_free_name(tmp_path):
    for expected in ("x.json.torn", "x.json.torn2", "x.json.torn3"):
        (tmp_path / "x.json").write_text(expected)
        aside = set_aside(tmp_path / "x.json")
        assert (aside.name, aside.read_text()) == (expected, expected)
    assert not (tmp_path / "x.json").exists()


def test_what_cannot_be_written_says_where_and_that_nothing_is_lost(folder):
    (folder / "runs" / "echo.bed.r01.json").mkdir()
    with pytest.raises(ResultsError, match=r"takes .*echo\.bed\.r01\.json; got Is a directory.*goes on from"):
        write_run(folder, make_run(make_spec("echo", run=1)))


@pytest.mark.parametrize("name", ["experiment.json", "runs/echo.bed.r00.json"])
def test_a_file_nested_too_deep_is_unreadable_too(folder, name):
    (folder / name).write_text("[" * 100_000)
    with pytest.raises(ResultsError, match="unreadable content"):
        read_folder(folder)


@pytest.mark.parametrize("content", ["3", "[]", "null", "{}"])
def test_an_experiment_file_without_a_format_is_told_in_words(folder, content):
    (folder / "experiment.json").write_text(content)
    with pytest.raises(ResultsError, match="an experiment file with a format; got none in"):
        read_folder(folder)


def test_an_experiment_file_that_lacks_something_says_what(folder):
    (folder / "experiment.json").write_text('{"format": 1, "kind": "task"}')
    with pytest.raises(
        ResultsError, match=r"wrong values for kind, circumstances, expected in .*next run writes"
    ):
        read_folder(folder)

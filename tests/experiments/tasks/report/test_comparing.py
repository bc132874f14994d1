from __future__ import annotations

import numpy as np
import pytest

from echo.experiments.results import ResultsError
from echo.experiments.spec import UsageError
from echo.experiments.tasks.report.comparing import compare, unpaired_difference
from echo.experiments.tasks.report.dispatch import choose_way, folder_kind
from echo.experiments.tasks.report.reading import read_experiment
from tests.experiments.tasks.report.fakes import marked, write_folder, write_json


def experiment(folder, *runs):
    return read_experiment(write_folder(folder, runs))


def test_runs_of_one_seed_are_compared_in_pairs(tmp_path):
    marks = ("++", "--", "++")
    first = experiment(tmp_path / "a", *(marked("echo", "bed", n, mark) for n, mark in enumerate(marks)))
    second = experiment(tmp_path / "b", marked("echo", "bed", 0, "+-"), marked("echo", "bed", 1, "--"))
    told = compare(first, second)
    one = told.overall["echo"]
    # Land 2 has no partner: 1 and 0 against 1/2 and 0.
    assert (one.first.value, one.second.value, one.difference.value) == (0.5, 0.25, -0.25)
    assert one.runs == (2, 2)
    assert told.paired
    assert (told.same, told.shared) == (1, 2)
    assert told.differing == {}


def test_runs_of_other_seeds_are_not_paired(tmp_path):
    first = experiment(tmp_path / "a", *(marked("echo", "bed", n, "++") for n in range(3)))
    second = experiment(tmp_path / "b", *(marked("echo", "bed", n, "+-", seed=5) for n in range(2)))
    told = compare(first, second)
    assert not told.paired
    assert told.overall["echo"].runs == (3, 2)
    assert told.overall["echo"].difference.value == -0.5
    assert told.differing == {"seed": ("0", "5")}


def test_only_tasks_of_both_sides_count(tmp_path):
    first = experiment(tmp_path / "a", marked("echo", "bed", 0, "++"), marked("echo", "shield", 0, "--"))
    second = experiment(tmp_path / "b", marked("echo", "bed", 0, "++", commit="else"))
    told = compare(first, second)
    assert list(told.tasks["echo"]) == ["bed"]
    assert told.overall["echo"].first.value == 1.0
    assert told.differing == {"code": ("0123456789abcdef", "else")}


def test_other_numbers_of_episodes_are_not_compared(tmp_path):
    first = experiment(tmp_path / "a", marked("echo", "bed", 0, "++"))
    with pytest.raises(ResultsError, match=r"as many episodes a run on both sides; got 2 in .* and 3 in"):
        compare(first, experiment(tmp_path / "b", marked("echo", "bed", 0, "+++")))


def test_experiments_without_a_common_agent_are_not_compared(tmp_path):
    first = experiment(tmp_path / "a", marked("echo", "bed", 0, "++"))
    with pytest.raises(ResultsError, match="expected an agent that played a task in both folders"):
        compare(first, experiment(tmp_path / "b", marked("mp5", "bed", 0, "++")))


def test_kinds_are_not_compared(tmp_path):
    first = experiment(tmp_path / "a", marked("echo", "bed", 0, "++"))
    second = experiment(tmp_path / "b", marked("echo", "bed", 0, "++", kind="ablate"))
    with pytest.raises(ResultsError, match=r"two experiments of one kind; got 'tasks' in .* and 'ablate' in"):
        compare(first, second)


def test_an_unpaired_difference_resamples_both_sides():
    one = unpaired_difference([np.array([1.0, 3.0])], [np.array([0.0, 0.0, 0.0])])
    assert (one.value, one.low, one.high) == (2.0, 1.0, 3.0)
    assert unpaired_difference([np.array([1.0])], [np.array([0.0, 0.0])]).low is None


def test_the_folders_decide_which_report_is_made(tmp_path):
    tasks = write_folder(tmp_path / "tasks", [marked("echo", "bed", 0, "+")])
    again = write_folder(tmp_path / "again", [marked("echo", "bed", 0, "+")])
    ablate = write_folder(tmp_path / "ablate", [marked("echo", "bed", 0, "+", kind="ablate")])
    write_json(tmp_path / "unlock" / "experiment.json", {"format": 1, "kind": "unlock", "circumstances": {}})
    unlock = tmp_path / "unlock"
    assert choose_way([tasks]) == "together"
    assert choose_way([tasks, ablate]) == "together"
    assert choose_way([tasks, again]) == "compare"
    assert choose_way([unlock]) == "unlock"
    with pytest.raises(UsageError, match=r"got tasks in .*tasks, unlock in .*unlock. Make a report of each"):
        choose_way([tasks, unlock])
    with pytest.raises(UsageError, match="different folders; got one of them twice"):
        choose_way([tasks, tmp_path / "again" / ".." / "tasks"])


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"expected a results folder with runs/\*.json; got none"):
        folder_kind(tmp_path)


def test_a_folder_of_an_unknown_kind_or_torn_is_refused(tmp_path):
    write_json(tmp_path / "experiment.json", {"format": 1, "kind": "dance"})
    with pytest.raises(ResultsError, match=r"expected an experiment of kind unlock, tasks, .*; got 'dance'"):
        folder_kind(tmp_path)
    (tmp_path / "experiment.json").write_text("{")
    with pytest.raises(ResultsError, match="expected JSON; got unreadable content"):
        folder_kind(tmp_path)
    write_json(tmp_path / "experiment.json", [])
    with pytest.raises(ResultsError, match="expected a JSON object; got list"):
        folder_kind(tmp_path)


def test_without_an_experiment_file_the_results_tell_the_kind(tmp_path):
    folder = write_folder(tmp_path, [marked("echo", "bed", 0, "+", kind="ablate")])
    (folder / "experiment.json").unlink()
    assert folder_kind(folder) == "ablate"
    assert read_experiment(folder).kind == "ablate"
    write_json(tmp_path / "old" / "runs" / "echo-s00.json", {"format": 1, "spec": {"agent": "echo"}})
    assert folder_kind(tmp_path / "old") == "unlock"


def test_results_of_another_version_are_refused(tmp_path):
    folder = write_folder(tmp_path, [marked("echo", "bed", 0, "+")])
    write_json(folder / "runs" / "echo.bed.r01.json", {"format": 99})
    with pytest.raises(ResultsError, match="of format 1; got 99"):
        read_experiment(folder)

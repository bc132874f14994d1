from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from echo.cli.app import app
from tests.experiments.tasks.report.fakes import fake_experiment, marked, write_folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    tasks = fake_experiment("tasks", ["echo", "mp5"], runs=2, tasks=["bed", "furnace"])
    write_folder(root / "tasks", tasks, unplayed=["direct.bed.r00"])
    write_folder(root / "ablate", fake_experiment("ablate", ["echo", "echo/-func"], runs=2, tasks=["bed"]))
    write_folder(
        root / "invented", fake_experiment("tasks", ["echo"], runs=2, tasks=["bed"], invented_names=1)
    )
    return root


def report(*words):
    return CliRunner().invoke(app, ["report", *map(str, words)])


def test_one_folder_gets_its_report_inside(folders):
    done = report(folders / "tasks")
    assert done.exit_code == 0, done.output
    assert "@0-30" in done.stdout
    assert "without a result: direct.bed.r00" in done.stdout
    assert (folders / "tasks" / "report" / "report.html").is_file()
    assert max(map(len, done.stdout.splitlines()[:6])) <= 80


def test_json_is_one_object_and_names_the_page(folders, tmp_path):
    done = report(folders / "tasks", folders / "ablate", "--out", tmp_path / "both", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert set(told["table1"]) == {"echo", "echo/-func", "mp5", "direct"}
    assert told["report"] == str(tmp_path / "both" / "report.html")
    assert list(told["ablation"]["recipe"]) == ["-func"]


def test_two_folders_of_one_kind_are_compared(folders, tmp_path):
    done = report(folders / "tasks", folders / "invented", "--out", tmp_path)
    assert done.exit_code == 0, done.output
    assert "difference" in done.stdout
    told = json.loads(report(folders / "tasks", folders / "invented", "--out", tmp_path, "--json").stdout)
    assert told["differing"]["invented_names"] == ["None", "1"]


def test_an_empty_folder_is_wrong_use(tmp_path):
    done = report(tmp_path)
    assert done.exit_code == 2
    assert "expected a results folder with runs/*.json; got none" in done.output


def test_mixed_versions_fail(tmp_path):
    folder = write_folder(tmp_path, [marked("echo", "bed", 0, "+")])
    (folder / "runs" / "echo.bed.r01.json").write_text('{"format": 2}')
    done = report(folder)
    assert done.exit_code == 1
    assert "got 2 in" in done.output


def test_a_timeline_belongs_to_unlocking_runs(folders):
    done = report(folders / "tasks", "--timeline", "echo-s00")
    assert done.exit_code == 2
    assert "expected no --timeline with task runs" in done.output


def test_a_packed_file_gets_its_report_beside_it(folders, tmp_path):
    packed = tmp_path / "tasks.jsonl.xz"
    CliRunner().invoke(app, ["results", "pack", str(folders / "tasks"), "--out", str(packed)])
    done = report(packed)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "tasks-report" / "report.html").is_file()


def test_a_damaged_packed_file_fails(tmp_path):
    (tmp_path / "x.jsonl.xz").write_bytes(b"nothing")
    done = report(tmp_path / "x.jsonl.xz")
    assert done.exit_code == 1
    assert "unreadable content in" in done.output


def test_one_episode_is_told_once_and_drawn_without_a_warning(tmp_path, recwarn):
    folder = write_folder(tmp_path, [marked("echo", "bed", 0, "+"), marked("mp5", "bed", 0, "-")])
    done = report(folder)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[:2] == [
        "success over the first episode, percent; how far echo is ahead",
        "agent   @0-1  echo ahead, points",
    ]
    assert [str(one.message) for one in recwarn] == []


def test_a_report_that_cannot_be_written_says_where(folders, tmp_path):
    (tmp_path / "file").touch()
    done = report(folders / "tasks", "--out", tmp_path / "file")
    assert done.exit_code == 1
    assert done.output.startswith(f"error: expected to read or write {tmp_path}/file; got ")

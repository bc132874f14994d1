from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from echo.cli.app import app
from tests.experiments.fakes import play_badly, play_fake

ROOT = Path(__file__).parents[2]
RUN = ["run", "unlock", "--encoder", "hashing", "--steps", "150", "--jobs", "1"]


def call(*words: str, player=play_fake):
    return CliRunner().invoke(app, list(words), obj=player)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("out")
    done = call(*RUN, "--agents", "edits,echo", "--axes", "-func", "--seeds", "0-1", "--out", str(out))
    assert done.exit_code == 0, done.output
    return out


def test_a_run_tells_its_items_on_stdout_and_its_progress_on_stderr(folder):
    done = call(*RUN, "--agents", "echo", "--seeds", "0", "--out", str(folder))
    assert done.exit_code == 0
    assert "agent" in done.stdout
    assert f"next: echo-memory report {folder}" in done.stdout
    assert "[1/1] echo-s00: " in done.stderr
    assert "[1/1]" not in done.stdout


def test_json_is_the_only_thing_on_stdout(folder):
    done = call(*RUN, "--agents", "echo", "--axes", "-func", "--seeds", "0,1", "--out", str(folder), "--json")
    told = json.loads(done.stdout)
    assert [run["name"] for run in told["runs"]] == [
        "echo-s00",
        "echo-without-func-s00",
        "echo-s01",
        "echo-without-func-s01",
    ]
    assert all(run["kept"] for run in told["runs"])
    assert told["runs"][1]["axes"] == ["struct", "attr", "proc", "inter"]
    assert told["failed"] == {}


def test_the_command_in_a_result_repeats_the_run(folder):
    content = json.loads((folder / "runs" / "echo-s00.json").read_text())
    assert content["command"] == (
        "echo-memory run unlock --agents edits,echo --seeds 0-1 --steps 150 --shots 2 "
        "--encoder hashing --record unlocks --axes -func"
    )


def test_without_options_the_quick_size_is_played_and_options_change_it(tmp_path):
    done = call(
        "run",
        "unlock",
        "--steps",
        "150",
        "--encoder",
        "hashing",
        "--out",
        str(tmp_path),
        "--json",
        "--jobs",
        "1",
    )
    assert done.exit_code == 0, done.output
    assert [run["agent"] for run in json.loads(done.stdout)["runs"]] == [
        "none",
        "edits",
        "name-similarity",
        "bow",
        "voyager",
        "jarvis-1",
        "mrsteve",
        "mp5",
        "echo",
    ]
    content = json.loads((tmp_path / "runs" / "mp5-s00.json").read_text())
    assert "--agents none,edits,name-similarity,bow,voyager,jarvis-1,mrsteve,mp5,echo" in content["command"]
    assert (content["spec"]["steps"], content["spec"]["shots"]) == (150, 2)


def test_a_spec_of_ones_own_is_played_and_planned(tmp_path):
    spec = tmp_path / "own.toml"
    spec.write_text(
        'base = "unlock-quick"\nabout = "Two"\nagents = ["edits", "echo"]\nsteps = 90\nencoder = "hashing"\n'
    )
    out = str(tmp_path / "out")
    planned = call("run", "unlock", "--spec", str(spec), "--out", out, "--dry-run")
    assert planned.exit_code == 0, planned.output
    assert "Two" in planned.stdout
    assert "2 of 2 runs to play, 180 actions: about " in planned.stdout
    assert not (tmp_path / "out").exists()
    done = call("run", "unlock", "--spec", str(spec), "--out", out, "--jobs", "1")
    assert done.exit_code == 0, done.output
    told = json.loads(
        call(
            "run", "unlock", "--spec", str(spec), "--seeds", "0-1", "--out", out, "--dry-run", "--json"
        ).stdout
    )
    assert (told["runs"], told["finished"], told["to_play"]) == (4, 2, 2)
    assert told["names"] == ["edits-s01", "echo-s01"]


def test_a_size_and_a_spec_together_are_wrong_use(tmp_path):
    done = call("run", "unlock", "--size", "full", "--spec", "own.toml", "--out", str(tmp_path / "out"))
    assert done.exit_code == 2
    assert "expected --size or --spec" in done.stderr


def test_a_failed_run_ends_with_1_and_is_named(tmp_path):
    done = call(*RUN, "--agents", "echo", "--seeds", "0-1", "--out", str(tmp_path), player=play_badly)
    assert done.exit_code == 1
    assert "failed: 1 of 2 runs: echo-s01\n" in done.stdout
    assert "echo-s01 FAILED: RuntimeError: no land to stand on\n" in done.stderr
    assert done.output.count("no land to stand on") == 1
    assert "next: echo-memory report" in done.stdout


def test_where_all_runs_failed_there_is_no_report_to_make_and_one_reason_is_told_once(tmp_path):
    words = ("--agents", "edits,echo", "--seeds", "1", "--out", str(tmp_path))
    done = call(*RUN, *words, player=play_badly)
    assert done.exit_code == 1
    assert done.stdout == "failed: 2 of 2 runs: edits-s01, echo-s01\n"
    assert done.stderr.count("no land to stand on") == 1
    assert done.stderr.count("FAILED") == 2


def test_out_that_is_a_file_is_wrong_use(tmp_path):
    (tmp_path / "file").write_text("mine")
    for out, got in ((tmp_path / "file", "got a file"), (tmp_path / "file" / "below", "got Not a directory")):
        done = call(*RUN, "--out", str(out))
        assert done.exit_code == 2
        assert got in done.stderr
        assert "Choose another folder with --out" in done.stderr


def test_results_kept_from_another_commit_are_told_in_one_line(tmp_path):
    words = (*RUN, "--agents", "echo", "--seeds", "0", "--out", str(tmp_path))
    assert "warning" not in call(*words).stderr
    path = tmp_path / "runs" / "echo-s00.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "commit": "0123456789abcdef"}))
    done = call(*words, "--json")
    (warning,) = [line for line in done.stderr.splitlines() if "warning" in line]
    assert warning.startswith("warning: 1 of 1 kept result made with commit 0123456789ab; this is commit ")
    assert json.loads(done.stdout)["runs"][0]["kept"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--agents", "ehco"], "expected agents out of none, edits, name-similarity, bow, voyager, "),
        (["--axes", "fnuc"], "out of struct, attr, proc, func, inter"),
        (["--seeds", "x"], "expected seeds as '3'"),
        (["--steps", "0"], "--steps"),
        (["--shots", "9"], "--shots"),
        (["--encoder", "word2vec"], "word2vec"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_wrong_use_ends_with_2_and_says_what_was_expected(tmp_path, words, said):
    done = call(*RUN, *words, "--out", str(tmp_path / "out"))
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())
    assert not (tmp_path / "out").exists()


def test_a_folder_of_other_circumstances_is_wrong_use(folder):
    done = call("run", "unlock", "--encoder", "hashing", "--steps", "151", "--out", str(folder))
    assert done.exit_code == 2
    assert "steps=150" in done.stderr


def test_a_folder_of_another_version_fails_with_what_to_do(tmp_path):
    (tmp_path / "experiment.json").write_text('{"format": 99, "circumstances": {}}')
    done = call(*RUN, "--out", str(tmp_path))
    assert done.exit_code == 1
    assert "format 1; got 99" in done.stderr


def test_the_report_prints_one_object_with_the_promised_keys(folder):
    done = call("report", str(folder), "--json")
    told = json.loads(done.stdout)
    assert {"speedup", "curves", "milestones", "sources", "runs", "report"} <= set(told)
    assert set(told["speedup"]) == {"edits", "echo[-func]"}
    for value in told["speedup"]["edits"].values():
        assert {"median", "low", "high", "n", "censored"} <= set(value)
    assert Path(told["report"]).is_file()


def test_the_report_in_words_fits_eighty_columns_and_ends_with_its_path(folder):
    done = call("report", str(folder))
    lines = done.stdout.splitlines()
    assert max(map(len, lines[:-1])) <= 80
    assert lines[-1] == f"report: {folder}/report/report.html"
    assert "\x1b" not in done.stdout


def test_a_report_of_nothing_is_wrong_use(tmp_path):
    done = call("report", str(tmp_path))
    assert done.exit_code == 2
    assert "Make one with: echo-memory run unlock" in done.stderr


def test_a_report_of_a_torn_result_fails(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "echo-s00.json").write_text('{"format"')
    done = call("report", str(tmp_path))
    assert done.exit_code == 1
    assert "Delete that file" in done.stderr


def test_why_prints_the_thread(folder):
    done = call("why", "stick", "--run", "echo-s00", "--out", str(folder))
    assert done.exit_code == 0
    assert "from oak_planks" in done.stdout
    assert "credit: struct 20%, attr 20%, proc 20%, func 20%, inter 20%" in done.stdout
    # Whole, although longer than 80 columns.
    (cosines,) = [line for line in done.stdout.splitlines() if "cosines to stick" in line]
    assert re.search(r"struct [\d.-]+, attr [\d.-]+, proc [\d.-]+, func [\d.-]+, inter [\d.-]+$", cosines)
    assert "\x1b" not in done.stdout


def test_why_in_json_nests_the_thread(folder):
    told = json.loads(call("why", "stick", "--run", "echo-s00", "--out", str(folder), "--json").stdout)
    assert (told["item"], told["run"]) == ("stick", "echo-s00")
    assert told["thread"]["parents"][0]["item"] == "oak_planks"


def test_why_of_an_unknown_item_is_wrong_use(folder):
    done = call("why", "stik", "--run", "echo-s00", "--out", str(folder))
    assert done.exit_code == 2
    assert "Near it: stick" in done.stderr


def test_version_tells_what_results_depend_on():
    told = json.loads(call("version", "--json").stdout)
    assert {"python", "numpy", "pydantic"} <= set(told["versions"])
    assert call("version").stdout.startswith("echo-memory ")


@pytest.mark.parametrize("command", [["run", "unlock"], ["report"], ["why"], ["version"]])
def test_every_command_has_an_example_and_json(command):
    done = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "80"})
    assert done.exit_code == 0
    assert f"Example: echo-memory {' '.join(command)}" in done.stdout
    assert "--json" in done.stdout


def test_help_loads_nothing_heavy():
    script = (
        "import sys; from echo.cli.app import app; app(['run', 'unlock', '--help'], standalone_mode=False); "
        "heavy = {'numpy', 'matplotlib', 'faiss', 'networkx', 'onnxruntime'} & set(sys.modules); "
        "print('HEAVY', sorted(heavy))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    assert "HEAVY []" in done.stdout

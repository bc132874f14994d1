"""The commands that play grids of runs, with players that need no world."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from echo.cli.app import app
from echo.experiments.pool_folder import only_one_here
from tests.experiments.tasks.fake_runs import play_badly, play_fake

RUN = ["run", "tasks", "--tasks", "bed,shield", "--runs", "2", "--episodes", "3", "--jobs", "2"]


def call(*words: str, player=play_fake):
    return CliRunner().invoke(app, list(words), obj=player)


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("out")
    done = call(*RUN, "--agents", "echo,mp5/-patroller", "--out", str(out))
    assert done.exit_code == 0, done.output
    assert "8 of 8 runs to play, 24 episodes: about " in done.stderr
    assert "on 2 processes" in done.stderr
    assert "[8/8] " in done.stderr
    assert ": 2/3 reached, 1.5 s" in done.stderr
    assert "episodes a minute" in done.stdout
    return out


def test_a_grid_tells_success_on_stdout_and_what_to_do_next(folder):
    done = call(*RUN, "--agents", "echo", "--out", str(folder))
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "agent  runs  success @3  steps, mean",
        "echo      4      66.7 %            5",
        f"next: echo-memory report {folder}",
    ]
    assert "all 4 runs are finished" in done.stderr


def test_json_is_the_only_thing_on_stdout(folder):
    told = json.loads(call(*RUN, "--agents", "echo", "--out", str(folder), "--json").stdout)
    assert [(run["name"], run["label"], run["task"], run["run"]) for run in told["runs"]] == [
        ("echo.bed.r00", "echo", "bed", 0),
        ("echo.shield.r00", "echo", "shield", 0),
        ("echo.bed.r01", "echo", "bed", 1),
        ("echo.shield.r01", "echo", "shield", 1),
    ]
    assert told["runs"][0]["success"] == pytest.approx(2 / 3)
    assert all(run["kept"] and Path(run["file"]).is_file() for run in told["runs"])
    assert (told["kind"], told["failed"], told["episodes_per_minute"]) == ("tasks", {}, None)


def test_the_command_in_a_result_repeats_the_run(folder):
    content = json.loads((folder / "runs" / "echo.bed.r00.json").read_text())
    assert content["command"] == (
        "echo-memory run tasks --size quick --agents echo,mp5/-patroller --tasks bed,shield "
        "--runs 2 --episodes 3"
    )


def test_a_dry_run_shows_the_grid_and_touches_nothing(tmp_path):
    out = tmp_path / "out"
    done = call(*RUN, "--agents", "echo,mp5", "--out", str(out), "--dry-run")
    assert done.exit_code == 0
    assert "2 runs a cell, 3 episodes a run, seed 0, names real" in done.stdout
    assert "tasks: bed, shield" in done.stdout
    assert "8 of 8 runs to play, 24 episodes: about " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 90
    assert not out.exists()


def test_a_dry_run_in_json_names_every_run(folder):
    told = json.loads(
        call(*RUN, "--agents", "echo,vista", "--out", str(folder), "--dry-run", "--json").stdout
    )
    assert (told["runs"], told["finished"], told["to_play"], told["episodes"]) == (8, 4, 4, 12)
    assert told["agents"] == {"echo": 4, "vista": 4}
    assert told["names"][:2] == ["echo.bed.r00", "vista.bed.r00"]
    assert 0 < told["estimate_seconds"] <= told["processor_seconds"]


def test_failed_runs_are_named_and_counted_and_the_rest_goes_on(tmp_path):
    done = call(*RUN, "--agents", "jarvis-1,mp5,echo", "--out", str(tmp_path), player=play_badly)
    assert done.exit_code == 1
    assert (
        "failed: 4 of 12 runs, unscored: jarvis-1.bed.r01, mp5.bed.r01, jarvis-1.shield.r01, mp5.shield.r01; "
        f"reasons are in {tmp_path}/unscored" in done.stdout
    )
    assert "FAILED: RuntimeError: the plan library is empty\n" in done.stderr
    assert done.stderr.count("the plan library is empty") == 1
    assert "next: echo-memory report" in done.stdout
    again = call(*RUN, "--agents", "jarvis-1,mp5,echo", "--out", str(tmp_path))
    assert again.exit_code == 0
    assert "4 of 12 runs to play" in again.stderr
    assert "8 finished earlier, kept" in again.stderr
    assert list((tmp_path / "unscored").iterdir()) == []


def test_a_torn_result_is_told_and_redone(tmp_path):
    call(*RUN, "--agents", "echo", "--out", str(tmp_path))
    path = tmp_path / "runs" / "echo.bed.r00.json"
    path.write_bytes(path.read_bytes()[:80])
    done = call(*RUN, "--agents", "echo", "--out", str(tmp_path))
    assert done.exit_code == 0
    assert f"warning: no JSON in {path}; it is put aside and its run is redone" in done.stderr
    assert json.loads(path.read_text())["format"] == 1


def test_an_altered_result_ends_with_1(tmp_path):
    call(*RUN, "--agents", "echo", "--out", str(tmp_path))
    path = tmp_path / "runs" / "echo.bed.r00.json"
    path.write_text(path.read_text().replace('"seed": 0', '"seed": 1', 1))
    done = call(*RUN, "--agents", "echo", "--out", str(tmp_path))
    assert done.exit_code == 1
    assert "the spec was altered" in done.stderr


def test_slices_fill_one_folder(tmp_path):
    for number in ("1/3", "2/3", "3/3"):
        done = call(*RUN, "--agents", "echo", "--out", str(tmp_path), "--slice", number, "--json")
        assert len(json.loads(done.stdout)["runs"]) in (1, 2)
    assert len(list((tmp_path / "runs").glob("*.json"))) == 4


def test_a_spec_file_of_ones_own_is_played(tmp_path):
    spec = tmp_path / "own.toml"
    spec.write_text('base = "tasks-quick"\nagents = ["echo"]\ntasks = ["bed"]\nruns = 1\nepisodes = 2\n')
    done = call("run", "tasks", "--spec", str(spec), "--out", str(tmp_path / "out"), "--json")
    (run,) = json.loads(done.stdout)["runs"]
    assert run["name"] == "echo.bed.r00"
    command = json.loads(Path(run["file"]).read_text())["command"]
    assert command == f"echo-memory run tasks --spec {spec}"


@pytest.mark.parametrize(
    ("kind", "first", "runs"),
    [
        ("continual", "voyager.mixed.r00", 12),
        ("ablate", "echo.bed.r00", 288),
        ("mfm", "direct.diamond.r00", None),
    ],
)
def test_every_kind_plans_its_own_grid(tmp_path, kind, first, runs):
    done = call("run", kind, "--runs", "2", "--dry-run", "--json", "--out", str(tmp_path / "out"))
    told = json.loads(done.stdout)
    assert (told["kind"], told["names"][0]) == (kind, first)
    assert runs in (None, told["runs"])


def test_of_the_pairs_of_skills_only_those_of_named_tasks_are_played(tmp_path):
    words = ("--agents", "mfm", "--runs", "1", "--dry-run", "--json", "--out", str(tmp_path / "out"))
    named = json.loads(call("run", "mfm", *words, "--tasks", "shield").stdout)["names"]
    assert named == ["mfm.shield.r00", "mfm.shield.with-iron-pickaxe.r00"]
    assert json.loads(call("run", "mfm", *words, "--tasks", "diamond").stdout)["names"] == ["mfm.diamond.r00"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--agents", "ehco"], "got 'ehco'. Did you mean echo?"),
        (["--agents", "echo/-fnuc"], "Did you mean -func"),
        (["--agents", "mp5/-self-check"], "expected a switch of mp5 out of -patroller"),
        (["--agents", ","], "expected names by comma; got ',' for --agents"),
        (["--tasks", "bedd"], "Did you mean bed?"),
        (["--runs", "0"], "'--runs': Input should be greater than or equal to 1"),
        (["--episodes", "0"], "'--episodes': Input should be greater than or equal to 1"),
        (["--seed", "-1"], "'--seed': Input should be greater than or equal to 0"),
        (["--slice", "0/3"], "expected a slice from 1/3 to 3/3; got '0/3'"),
        (["--slice", "x"], "expected a slice such as 3/40"),
        (["--size", "huge"], "huge"),
        (["--size", "full", "--spec", "own.toml"], "expected --size or --spec"),
        (["--spec", "none.toml"], "got No such file or directory at none.toml"),
        (["--address", "10.0.0.1:6379"], "expected --address with --executor ray alone"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_wrong_use_ends_with_2_and_says_what_was_expected(tmp_path, words, said):
    done = call("run", "tasks", *words, "--out", str(tmp_path / "out"))
    assert done.exit_code == 2
    assert said in squeezed(done.stderr).replace("│ ", "")
    assert not (tmp_path / "out").exists()


def test_a_spec_of_another_kind_names_its_command(tmp_path):
    spec = tmp_path / "own.toml"
    spec.write_text('base = "ablate-quick"\n')
    done = call("run", "tasks", "--spec", str(spec))
    assert done.exit_code == 2
    assert f"Play it with: echo-memory run ablate --spec {spec}" in done.stderr


def test_a_folder_of_other_circumstances_is_wrong_use(folder):
    done = call("run", "tasks", "--tasks", "bed", "--agents", "echo", "--out", str(folder))
    assert done.exit_code == 2
    assert "(episodes=3); got episodes=30" in done.stderr


def test_two_at_a_time_in_one_folder_are_wrong_use(folder):
    with only_one_here(folder):
        done = call(*RUN, "--agents", "echo", "--out", str(folder))
    assert done.exit_code == 2
    assert "got another running experiment" in done.stderr


def test_a_folder_of_another_version_ends_with_1(tmp_path):
    (tmp_path / "experiment.json").write_text('{"format": 99, "circumstances": {}}')
    done = call(*RUN, "--agents", "echo", "--out", str(tmp_path))
    assert done.exit_code == 1
    assert "format 1; got 99" in done.stderr


def test_results_kept_from_another_commit_are_told_in_one_line(folder):
    done = call(*RUN, "--agents", "echo", "--out", str(folder))
    (warning,) = [line for line in done.stderr.splitlines() if "warning" in line]
    assert warning.startswith("warning: 4 of 4 kept results made with ")


def test_results_are_packed_and_unpacked(folder, tmp_path):
    file, out = str(tmp_path / "tasks.jsonl.xz"), str(tmp_path / "back")
    packed = json.loads(call("results", "pack", str(folder), "--out", file, "--json").stdout)
    assert (packed["kind"], packed["runs"], packed["unscored"], packed["missing"]) == ("tasks", 8, {}, [])
    assert packed["bytes"] == Path(file).stat().st_size
    done = call("results", "unpack", file, "--out", out)
    assert done.stdout == f"8 runs of tasks: {out}\nnext: echo-memory report {out}\n"
    kept = call(*RUN, "--agents", "echo,mp5/-patroller", "--out", out)
    assert "all 8 runs are finished" in kept.stderr


def test_packing_nothing_is_wrong_use_and_a_damaged_file_fails(tmp_path):
    done = call("results", "pack", str(tmp_path), "--out", str(tmp_path / "x.jsonl.xz"))
    assert done.exit_code == 2
    assert "expected a results folder" in done.stderr
    (tmp_path / "x.jsonl.xz").write_bytes(b"nothing")
    done = call("results", "unpack", str(tmp_path / "x.jsonl.xz"), "--out", str(tmp_path / "out"))
    assert done.exit_code == 1
    assert "unreadable content in" in done.stderr


def test_packing_tells_what_was_not_played(tmp_path):
    call(*RUN, "--agents", "echo,jarvis-1", "--out", str(tmp_path), "--slice", "1/2", player=play_badly)
    done = call("results", "pack", str(tmp_path), "--out", str(tmp_path / "x.jsonl.xz"))
    assert "warning: 4 expected runs were not played" in done.stdout


def test_the_rule_reasoner_plays_where_nobody_else_is_named(tmp_path):
    words = ("--agents", "direct", "--tasks", "craft-grid", "--runs", "1", "--episodes", "1", "--jobs", "1")
    done = call("run", "tasks", *words, "--out", str(tmp_path), "--json", player=None)
    assert done.exit_code == 0, done.output
    (run,) = json.loads(done.stdout)["runs"]
    content = json.loads(Path(run["file"]).read_text())
    assert content["episodes"][0]["task"] == "craft-grid"
    assert content["spec"]["reasoner"] == "rule"


def test_names_that_would_steer_the_terminal_are_escaped(tmp_path):
    out = tmp_path / "a\x1b[31mb"
    spec = tmp_path / "own.toml"
    spec.write_text('base = "tasks-quick"\nabout = "red \\u001b[31m"\n')
    plan = call("run", "tasks", "--spec", str(spec), "--out", str(out), "--dry-run")
    done = call(*RUN, "--agents", "echo", "--out", str(out))
    assert (plan.exit_code, done.exit_code) == (0, 0)
    assert "\x1b" not in plan.output + done.output
    assert r"a\x1b[31mb" in done.stdout


def test_what_a_spec_is_about_is_not_told_of_a_changed_one(tmp_path):
    assert "Six agents" in call("run", "tasks", "--dry-run", "--out", str(tmp_path / "out")).stdout
    assert "Six agents" not in call(*RUN, "--dry-run", "--out", str(tmp_path / "out")).stdout


def test_a_slice_without_runs_says_so(tmp_path):
    done = call(*RUN, "--agents", "echo", "--out", str(tmp_path / "out"), "--slice", "9/9", "--dry-run")
    assert done.stdout.splitlines()[-1] == "no run in this slice of 4"
    assert "agent" not in done.stdout

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from echo.cli.app import app

MODEL = """\
import json, sys
asked = json.load(sys.stdin)["messages"]
told = asked[-1]["text"] if len(asked) == 2 else ""
reply = '{"act": {"kind": "collect", "block": "oak_log"}}'
if "ep_000001" in told:
    reply = '{"inspect": {"episode": "ep_000001", "frame": true}}'
print(json.dumps({"text": reply, "prompt_tokens": 100, "completion_tokens": 10, "money": 0.5}))
"""


def run(*words: object):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def model(tmp_path: Path) -> str:
    script = tmp_path / "model.py"
    script.write_text(MODEL)
    return f"{sys.executable} {script}"


@pytest.mark.slow
def test_a_program_lives_for_some_turns_and_what_they_tell_is_shown(tmp_path: Path, model: str):
    root = tmp_path / "memory"
    done = run(
        "run", "turns", "--root", root, "--model", model, "--goal", "wood", "--turns", 2, "--seed", 0,
        "--milestones", "wood=oak_log", "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["milestones"] == ["wood"]
    told = json.loads(run("stats", root, "--turns", "--json").stdout)
    assert [each["steps"] for each in told["pace"]] == [1, 1]
    assert told["cost"]["calls"] == 3
    assert told["cost"]["prompt_tokens"] == {"known": 300, "calls": 3}
    assert told["cost"]["money"] == {"known": 1.5, "calls": 3}
    assert told["cost"]["frames_viewed"] == 1
    assert told["storage"]["episodes"] == 3
    assert told["sittings"][0]["world"]["seed"] == 0
    assert "--seed 0" in told["sittings"][0]["command"]
    shown = run("stats", root, "--turns").stdout
    assert "wood" in shown
    assert max(map(len, shown.splitlines())) <= 80
    again = run("run", "turns", "--root", root, "--model", model, "--goal", "wood", "--turns", 1)
    assert again.exit_code == 0
    assert "what was recorded before is life 1" in again.stdout
    assert (root / "previous" / "life_1" / "index.jsonl").exists()


def test_a_model_that_cannot_be_started_fails_the_command_and_is_named(tmp_path: Path):
    root = tmp_path / "memory"
    done = run("run", "turns", "--root", root, "--model", "no-such-program", "--goal", "x", "--turns", 1)
    assert done.exit_code == 1
    assert "expected to start no-such-program" in done.stderr
    assert not root.exists()


@pytest.mark.parametrize("wrong", ["wood", "=oak_log", "wood=oak_log:none", "wood=oak_log:0"])
def test_milestones_that_cannot_be_read_are_wrong_use(tmp_path: Path, wrong: str):
    done = run("run", "turns", "--root", tmp_path / "m", "--model", "x", "--goal", "x", "--milestones", wrong)
    assert done.exit_code == 2
    assert "expected milestones such as" in done.stderr
    assert not (tmp_path / "m").exists()


def test_turns_of_what_is_no_memory_are_an_error(tmp_path: Path):
    done = run("stats", tmp_path, "--turns")
    assert done.exit_code == 1
    assert "expected the index of a memory" in done.stderr

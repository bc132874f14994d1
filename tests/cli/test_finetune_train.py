from __future__ import annotations

import io
import json

import pytest
from rich.console import Console
from typer.testing import CliRunner

from echo.cli.app import app
from echo.cli.finetune_progress import TELL_SECONDS, TrainingProgress


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def shown(steps: int, of: int, seconds_each: float, minutes: float | None = None) -> list[str]:
    """Return what is printed, where there is no terminal, of steps that take so many seconds."""
    text, clock = io.StringIO(), Clock()
    console = Console(file=text, width=60, highlight=False)
    with TrainingProgress(console, minutes=minutes, clock=clock) as progress:
        progress.looked(0, 3.5, True)
        for step in range(1, steps + 1):
            clock.now += seconds_each
            progress.stepped(step, of, 4.0 / step, clock.now)
        progress.looked(steps, 0.25, True)
    return text.getvalue().splitlines()


def test_a_log_gets_a_line_now_and_then():
    lines = shown(steps=16, of=64, seconds_each=TELL_SECONDS / 4)
    assert lines == [
        "[0] validation 3.5000, the best so far",
        "[4/64] loss 1.0000, 15 s, about 3 min 45 s left",
        "[8/64] loss 0.5000, 30 s, about 3 min 30 s left",
        "[12/64] loss 0.3333, 45 s, about 3 min 15 s left",
        "[16/64] loss 0.2500, 1 min, about 3 min left",
        "[16/64] loss 0.2500, 1 min; validation 0.2500, the best so far",
    ]


def test_what_is_left_is_what_the_limit_leaves():
    assert shown(steps=1, of=1_000, seconds_each=30.0, minutes=2.0)[1] == (
        "[1/1,000] loss 4.0000, 30 s, about 1 min 30 s left"
    )


@pytest.mark.finetune
def test_a_run_tells_what_it_came_to_and_is_not_run_twice(tmp_path):
    pytest.importorskip("peft", reason="the finetune extra is not installed")
    from tests.finetune.training.tiny_models import data_folder, text_base

    base, data = text_base(tmp_path / "base"), data_folder(tmp_path / "data")
    config = tmp_path / "my.toml"
    config.write_text(
        "[batches]\nrows = 4\n[schedule]\nsteps = 30\nlearning_rate = 1e-2\nevaluate_every = 2\n"
    )
    command = ["finetune", "train", "--config", str(config), "--data", str(data), "--base", str(base)]
    command += ["--steps", "4", "--seed", "3", "--out", str(tmp_path / "out")]
    found = CliRunner().invoke(app, command)
    assert found.exit_code == 0, found.output
    assert "4 (1.33 epochs)" in found.stdout
    assert "all steps made" in found.stdout
    assert f"adapter: {tmp_path / 'out' / 'adapter'}" in found.stdout
    assert [line[:6] for line in found.stderr.splitlines() if "validation" in line] == [
        "[0] va",
        "[2/4] ",
        "[4/4] ",
    ]
    again = CliRunner().invoke(app, [*command, "--json"])
    assert again.exit_code == 0
    record = json.loads(again.stdout)
    assert record["begun"]["asked"]["settings"]["seed"] == 3
    assert record["ended"]["steps"] == 4
    other = CliRunner().invoke(app, [*command, "--seed", "4"])
    assert other.exit_code == 1
    assert "begun with settings.seed 3, now it is 4" in other.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[schedule]\nsteps = 1\nlerning_rate = 1.0\n", "schedule.lerning_rate"),
        ("[schedule]\n", "either epochs or steps; got both or neither"),
        ("[schedule]\nsteps = 0\n", "schedule.steps"),
        ("seed = ", "expected TOML in"),
        (f"seed = {'[' * 100_000}", "expected TOML in"),
        ("[schedule]\nsteps = 1\n[batches]\nrows = true\n", "batches.rows: Input should be a valid integer"),
        ("[schedule]\nsteps = 1\nlearning_rate = inf\n", "schedule.learning_rate"),
    ],
)
def test_settings_that_are_not_meant_are_refused(tmp_path, text, said):
    pytest.importorskip("peft", reason="the finetune extra is not installed")
    (tmp_path / "my.toml").write_text(text)
    told = ["--config", str(tmp_path / "my.toml"), "--data", str(tmp_path), "--out", str(tmp_path / "out")]
    found = CliRunner().invoke(app, ["finetune", "train", *told])
    assert found.exit_code == 2
    assert said in " ".join(found.stderr.split())
    assert not (tmp_path / "out").exists()

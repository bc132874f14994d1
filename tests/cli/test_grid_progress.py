from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from echo.cli.grid_progress import SINGLY, GridProgress
from tests.experiments.tasks.fake_runs import make_run, make_spec


@dataclass
class Job:
    name: str
    weight: float = 1.0
    produces: tuple[Path, ...] = ()


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def specs(count: int):
    return [make_spec("echo", run=number) for number in range(count)]


def shown(count: int, seconds_each: float, kept: int = 0, terminal: bool = False, failing=()) -> list[str]:
    """Return what is printed while `count` runs end one after the other."""
    text, clock = io.StringIO(), Clock()
    console = Console(file=text, force_terminal=terminal, width=100, highlight=False)
    played = specs(count)
    with GridProgress([Job(spec.name) for spec in played], kept, console, clock) as progress:
        for spec in played:
            clock.now += seconds_each
            progress.advanced(spec.name, 1, 3)
            if spec.run in failing:
                progress.failed(spec.name, "RuntimeError: no land")
            else:
                progress.finished(make_run(spec))
    return text.getvalue().splitlines()


def test_of_few_runs_each_is_told():
    assert shown(2, 1.0) == [
        "[1/2] echo.bed.r00: 2/3 reached, 1.5 s",
        "[2/2] echo.bed.r01: 2/3 reached, 1.5 s",
    ]


def test_of_many_runs_it_is_told_now_and_then_how_many_have_ended():
    # Three episodes every 10 s are 18 a minute; 2 of 70 took 20 s, so 68 take 680 s.
    lines = shown(SINGLY + 10, 10.0)
    assert lines[0] == "[2/70] 18 episodes a minute, about 11 min 20 s left"
    assert lines[-1] == "[70/70] 18 episodes a minute, about 0 s left"
    assert len(lines) == 35


def test_failures_are_told_one_by_one_and_a_reason_once():
    lines = shown(SINGLY + 10, 0.0, failing=(3, 5))
    assert lines[:2] == [
        "[4/70] echo.bed.r03 FAILED: RuntimeError: no land",
        "[6/70] echo.bed.r05 FAILED: as echo.bed.r03",
    ]


def test_runs_finished_earlier_are_counted_in_a_line():
    text = io.StringIO()
    console = Console(file=text, width=100, highlight=False)
    with GridProgress([Job("echo.bed.r01")], 1, console) as progress:
        progress.finished(make_run(make_spec("echo")))
        progress.finished(make_run(make_spec("echo", run=1)))
    assert text.getvalue().splitlines() == [
        "1 finished earlier, kept",
        "[1/1] echo.bed.r01: 2/3 reached, 1.5 s",
    ]


def test_on_a_terminal_there_is_a_bar_over_all_runs():
    assert any("all runs" in line for line in shown(2, 1.0, terminal=True))

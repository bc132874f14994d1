"""Runs of tasks without a world: success follows from the spec, so that every number can be worked out."""

from __future__ import annotations

import os
import time

from echo.experiments.tasks.competitors import Competitor
from echo.experiments.tasks.records import EpisodeRecord, RunSpec, RunTiming, Tally, TaskRun

DIGEST = "0" * 64


def make_spec(agent: str = "echo", task: str = "bed", run: int = 0, **changes) -> RunSpec:
    """Return a spec of a run of three episodes, agent as `Competitor.parse` reads it."""
    fields = {"kind": "tasks", "seed": 0, "episodes": 3, "task_digest": DIGEST, **changes}
    return RunSpec(competitor=Competitor.parse(agent), task=task, run=run, **fields)


def make_episode(number: int, success: bool, task: str = "bed", steps: int = 5) -> EpisodeRecord:
    """Return an episode of a budget of ten steps."""
    return EpisodeRecord(
        task=task,
        start=number % 4,
        ending="reached" if success else "budget",
        steps=steps,
        budget=10,
        ticks=20 * steps,
        decisions=steps,
        recalled=number,
        attempts={"exploration": Tally(tried=2, made=1, new=1, steps=steps, lost=1)},
        axes={},
        axes_made={},
        retries=0,
        precheck=0,
        surprises=0,
        goal=(int(success), 1),
    )


def make_run(
    spec: RunSpec, command: str = "echo-memory run tasks", seconds: float = 1.5, reached_from: int = 1
) -> TaskRun:
    """Return a run that reaches its goal from episode `reached_from` on."""
    return TaskRun(
        spec=spec,
        spec_digest=spec.digest,
        versions={"python": "3.11.0"},
        commit=None,
        machine={"cores": 2},
        command=command,
        episodes=tuple(make_episode(number, number >= reached_from) for number in range(spec.episodes)),
        timing=RunTiming(wall_seconds=seconds, started="2026-01-01T00:00:00+00:00"),
    )


def play_fake(spec: RunSpec, command: str, progress) -> TaskRun:
    """Reach the goal from the second episode on."""
    for episode in range(spec.episodes):
        progress(episode + 1, spec.episodes)
    return make_run(spec, command)


def play_slowly(spec: RunSpec, command: str, progress) -> TaskRun:
    """Play as `play_fake`, but take a while, so that a kill finds a run half done."""
    progress(1, spec.episodes)
    time.sleep(0.4)
    return play_fake(spec, command, progress)


def play_badly(spec: RunSpec, command: str, progress) -> TaskRun:
    """Raise in run 1 of jarvis-1, die in run 1 of mp5, play otherwise."""
    if spec.run == 1 and spec.competitor.agent == "jarvis-1":
        raise RuntimeError("the plan library is empty")
    if spec.run == 1 and spec.competitor.agent == "mp5":
        os._exit(3)
    return play_fake(spec, command, progress)


def play_nonsense(spec: RunSpec, command: str, progress) -> TaskRun:
    """Return nothing, another run, or half a run for some agents; play otherwise."""
    run = play_fake(spec, command, progress)
    match spec.competitor.agent:
        case "jarvis-1":
            return None
        case "mp5":
            return make_run(make_spec("echo", spec.task, spec.run, episodes=spec.episodes))
        case "vista":
            return run.model_copy(update={"episodes": run.episodes[:1]})
        case _:
            return run

"""Task runs that nobody played: outcomes follow from a seeded generator, or are written out by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from csd.axes import AXES
from echo.experiments.statistics.strata import named_seed
from echo.experiments.tasks.competitors import Competitor
from echo.experiments.tasks.loading import load_task, task_names
from echo.experiments.tasks.records import (
    MIXED,
    EpisodeRecord,
    Kind,
    RunSpec,
    RunTiming,
    Tally,
    TaskRun,
)
from echo.experiments.tasks.results import claim, note_unscored, write_run

SKILL = {
    "direct": 0.22, "deps": 0.3, "voyager": 0.38, "mrsteve": 0.34, "mp5": 0.45, "jarvis-1": 0.5,
    "pro-long": 0.4, "vista": 0.42, "mfm": 0.47, "echo-release": 0.36, "echo": 0.62,
}  # fmt: skip
"""Success in the long run."""

WORTH = {
    "recipe": {"attr": 0.16},
    "functional": {"struct": 0.08, "func": 0.13},
    "chain": {"struct": 0.1, "proc": 0.15},
    "utility": {"inter": 0.11, "proc": 0.05},
}
"""Success that an axis carries."""


def make_episode(
    success: bool = True, *, steps: int = 40, task: str = "bed", start: int = 0, **changed: object
) -> EpisodeRecord:
    """Return an episode of a budget of 100 steps; a failed one spends them all."""
    told: dict[str, object] = {
        "task": task,
        "start": start,
        "ending": "reached" if success else "budget",
        "steps": steps if success else 100,
        "budget": 100,
        "ticks": 20 * steps,
        "decisions": steps // 2,
        "recalled": 3,
        "attempts": {},
        "axes": {},
        "axes_made": {},
        "retries": 0,
        "precheck": 0,
        "surprises": 0,
        "goal": (1, 1) if success else (0, 1),
    }
    return EpisodeRecord.model_validate({**told, **changed})


def make_run(
    label: str,
    task: str,
    run: int,
    episodes: Sequence[EpisodeRecord],
    *,
    kind: Kind = "tasks",
    installed: str | None = None,
    seconds: float = 12.0,
    command: str = "echo-memory run tasks --size quick",
    commit: str | None = "0123456789abcdef",
    **changed: object,
) -> TaskRun:
    """Return a finished run of `episodes`."""
    told: dict[str, object] = {
        "kind": kind,
        "competitor": Competitor.parse(label),
        "task": task,
        "run": run,
        "seed": 0,
        "episodes": len(episodes),
        "installed": installed,
        "task_digest": "0" * 64,
    }
    spec = RunSpec.model_validate({**told, **changed})
    return TaskRun(
        spec=spec,
        spec_digest=spec.digest,
        versions={"echo-memory": "0.1.0", "python": "3.11"},
        commit=commit,
        machine={"system": "Linux", "cores": 2},
        command=command,
        episodes=tuple(episodes),
        timing=RunTiming(wall_seconds=seconds, started="2026-01-01T00:00:00+00:00"),
    )


def marked(label: str, task: str, run: int, marks: str, **changed: object) -> TaskRun:
    """Return a run whose episodes succeed where `marks` has a '+'."""
    episodes = [make_episode(mark == "+", task=task) for mark in marks]
    return make_run(label, task, run, episodes, **changed)  # type: ignore[arg-type]


def write_folder(
    folder: Path,
    runs: Iterable[TaskRun],
    *,
    unscored: Iterable[tuple[str, str]] = (),
    unplayed: Iterable[str] = (),
) -> Path:
    """Write a results folder as the run commands leave it."""
    made, failed = list(runs), dict(unscored)
    claim(folder, made[0].spec.circumstances, [*(run.spec.name for run in made), *failed, *unplayed])
    for run in made:
        write_run(folder, run)
    for name, reason in failed.items():
        note_unscored(folder, name, reason)
    return folder


def fake_experiment(
    kind: Kind,
    labels: Sequence[str],
    *,
    runs: int,
    tasks: Sequence[str] | None = None,
    episodes: int = 30,
    seed: int = 0,
    invented_names: int | None = None,
) -> list[TaskRun]:
    """Return runs whose success rises with the episodes, as the agents' skill says."""
    played = [MIXED] if kind == "continual" else list(task_names() if tasks is None else tasks)
    return [
        _fake_run(kind, label, task, run, episodes, seed, invented_names)
        for run in range(runs)
        for task in played
        for label in labels
    ]


def fake_ladder(labels: Sequence[str], *, runs: int, episodes: int = 6) -> list[TaskRun]:
    """Return runs of kind mfm on the ladder to the diamond, and one pair of skills."""
    items = load_task("diamond").milestones
    made: list[TaskRun] = []
    for run in range(runs):
        for label in labels:
            rng = np.random.default_rng(named_seed("ladder", label, run))
            height = SKILL[label.split("/")[0]] * len(items) * (0.8 if "/" in label else 1.0)
            played = []
            for episode in range(episodes):
                top = int(np.clip(rng.normal(height + 0.5 * episode, 1.5), 0, len(items)))
                steps = np.cumsum(rng.integers(5, 90, size=len(items)))
                played.append(
                    make_episode(
                        top == len(items),
                        steps=int(steps[-1]),
                        task="diamond",
                        budget=600,
                        milestones={item: int(step) for item, step in zip(items[:top], steps, strict=False)},
                    )
                )
            made.append(make_run(label, "diamond", run, played, kind="mfm", command="echo-memory run mfm"))
        for installed, quicker in ((None, 0), ("shield", 12)):
            rng = np.random.default_rng(named_seed("skills", run))
            played = [
                make_episode(steps=int(s) - quicker, task="bed") for s in rng.integers(30, 80, size=episodes)
            ]
            made.append(
                make_run(
                    "mfm", "bed", run, played, kind="mfm", installed=installed, command="echo-memory run mfm"
                )
            )
    return made


def _fake_run(
    kind: Kind, label: str, task: str, run: int, episodes: int, seed: int, invented_names: int | None
) -> TaskRun:
    rng = np.random.default_rng(named_seed(label, task, run, seed, invented_names))
    land = np.random.default_rng(named_seed(task, run, seed)).normal(0, 0.05)
    names = task_names()
    drawn = [names[(run + number) % len(names)] if task == MIXED else task for number in range(episodes)]
    chance: Callable[[int], float] = lambda number: float(  # noqa: E731
        np.clip((_skill(label, drawn[number]) + land) * (1 - 0.75 * np.exp(-number / 8)), 0, 1)
    )
    played = [
        _fake_episode(label, drawn[number], number, bool(rng.random() < chance(number)), rng)
        for number in range(episodes)
    ]
    return make_run(
        label,
        task,
        run,
        played,
        kind=kind,
        seconds=float(rng.uniform(5, 30)),
        seed=seed,
        invented_names=invented_names,
        command=f"echo-memory run {kind} --size quick",
    )


def _skill(label: str, task: str) -> float:
    """Return the share of successes in the long run of an agent without what its switch takes away."""
    agent, _, switch = label.partition("/")
    worth = WORTH[load_task(task).family]
    base = SKILL[agent] + 0.05 * (task_names().index(task) % 3 - 1)
    if switch.startswith("-") and switch[1:] in [axis.value for axis in AXES]:
        return base - worth.get(switch[1:], 0.01)
    if switch.startswith("only-"):
        return base - 0.14 + worth.get(switch[5:], 0.01)
    shots = {"1-shot": 0.12, "2-shot": 0.08, "4-shot": 0.04}
    return base - shots.get(switch, 0.15 if switch else 0.0)


def _fake_episode(
    label: str, task: str, number: int, success: bool, rng: np.random.Generator
) -> EpisodeRecord:
    echo = label.startswith("echo") and label not in ("echo-release", "echo/-ical")
    explored = Tally(tried=int(rng.integers(4, 20)), made=2, new=1, steps=30, lost=20)
    moved = Tally(
        tried=int(rng.integers(1, 6)), made=1, new=1, rejected=int(rng.integers(0, 3)), steps=12, lost=5
    )
    shares = rng.dirichlet(np.ones(len(AXES)))
    axes = {axis.value: float(share) for axis, share in zip(AXES, shares, strict=True)} if echo else {}
    return make_episode(
        success,
        steps=int(rng.integers(20, 90)),
        task=task,
        start=number % 4,
        attempts={
            "exploration": explored,
            "plan": Tally(tried=3, made=3),
            **({"transfer": moved} if echo else {}),
        },
        axes=axes,
        axes_made=axes if success else {},
        retries=int(rng.integers(0, 2 if echo else 6)),
        precheck=int(rng.integers(0, 4)),
        surprises=int(rng.integers(0, 4)),
        ending="reached" if success else ("stuck" if rng.random() < 0.1 else "budget"),
    )


def write_json(path: Path, content: object) -> None:
    """Write a JSON file by hand, well or badly formed as given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))

"""One run of tasks: one memory, many episodes, a record of each."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from csd.encode import CachedEncoder, Encoder, load_encoder
from csd.episode import Attack, Craft, Episode, Place, Smelt, Step
from echo.agent.arrangement import Arrangement
from echo.agent.goal import Fell, Goal, goal_gain
from echo.agent.memory import Memory
from echo.agent.pursuit import Pursued, Pursuit
from echo.baselines.memories import make_memory
from echo.experiments.provenance import code_commit, machine_facts, package_versions
from echo.experiments.reasoner import Reasoning
from echo.experiments.reasoner_names import RULE
from echo.experiments.tasks.loading import load_task, task_names
from echo.experiments.tasks.milestones import milestones, shown_ladder
from echo.experiments.tasks.records import MIXED, EpisodeRecord, RunSpec, RunTiming, Tally, TaskRun
from echo.experiments.tasks.setting import demonstrations, set_up
from echo.experiments.thinking import BeforeGoal, before_episode, reasoner_model

if TYPE_CHECKING:
    from echo.experiments.tasks.task import Task

ENCODER = "minilm-int8"
"""Embeds texts for the memories that compare texts."""

Progress = Callable[[int, int], None]
"""Told how many episodes are done, of how many."""


def play_run(
    spec: RunSpec,
    command: str,
    progress: Progress,
    memory: Memory | None = None,
    tasks: Sequence[Task] | None = None,
    reasoner: str = RULE,
) -> TaskRun:
    """Play a run from an empty memory.

    Args:
        spec: what to play.
        command: the command line behind it, kept in the result.
        progress: told after each episode.
        memory: to begin with, in the place of an empty one of the spec's competitor.
        tasks: of each episode, in the place of those that the spec names.
        reasoner: how the reasoner of the spec is reached on this machine.

    Raises:
        UsageError: if `reasoner` is another one than that of `spec`.
        ModelError: if the model that decides does not answer.
    """
    started, clock = datetime.now(UTC), time.perf_counter()
    rng = _dice(spec)
    if memory is None:
        memory = make_memory(spec.competitor.agent, spec.competitor.switch, encoder=_encoder())
    tasks = schedule(spec) if tasks is None else tasks
    names = tuple(dict.fromkeys(task.name for task in tasks))
    for shown in _shown(names, spec.competitor.shots, spec.seed, spec.invented_names):
        memory.show(shown)
    model = reasoner_model(spec.reasoner, reasoner)
    reasons = None if model is None else before_episode(spec.competitor, _encoder(), model)
    vain: dict[object, None] = {}
    episodes, uses = [], []
    for number, task in enumerate(tasks):
        played = _play(spec, task, number, memory, rng.spawn(1)[0], reasons)
        episodes.append(_record(spec, task, number, played, vain))
        uses += [] if played.pursued.use is None else [played.pursued.use]
        progress(number + 1, spec.episodes)
    return TaskRun(
        spec=spec,
        spec_digest=spec.digest,
        versions=package_versions(),
        commit=code_commit(),
        machine=machine_facts(),
        command=command,
        episodes=tuple(episodes),
        timing=RunTiming(
            wall_seconds=time.perf_counter() - clock, started=started.isoformat(timespec="seconds")
        ),
        reasoning=tuple(Reasoning.of(use) for use in uses),
    )


def schedule(spec: RunSpec) -> tuple[Task, ...]:
    """Return the task of each episode; a mixed run draws them by seed and run, alike for all competitors."""
    if spec.task != MIXED:
        return (load_task(spec.task),) * spec.episodes
    names = task_names()
    drawn = np.random.default_rng(np.random.SeedSequence([spec.seed, spec.run, zlib.crc32(b"schedule")]))
    order: list[str] = []
    while len(order) < spec.episodes:
        # Every task comes once before any comes again.
        order += [names[n] for n in drawn.permutation(len(names))]
    return tuple(load_task(name) for name in order[: spec.episodes])


@lru_cache(maxsize=1)
def _encoder() -> Encoder:
    """Return the encoder, loaded once a process: loading takes as long as a short run."""
    return CachedEncoder(load_encoder(ENCODER))


@lru_cache(maxsize=64)
def _shown(tasks: tuple[str, ...], shots: int, seed: int, invented_names: int | None) -> tuple[Episode, ...]:
    """Return the demonstrations before a run of `tasks`, those of the first; made once a process."""
    first, *later = map(load_task, tasks)
    return tuple(demonstrations(first, shots=shots, seed=seed, invented_names=invented_names, later=later))


def _dice(spec: RunSpec) -> np.random.Generator:
    """Return the reasoner's dice: the same for all competitors of one run of one task."""
    purpose = zlib.crc32(f"reasoner {spec.task}".encode())
    return np.random.default_rng(np.random.SeedSequence([spec.seed, spec.run, purpose]))


@dataclass(frozen=True, kw_only=True)
class _Played:
    """One episode that was played."""

    pursued: Pursued
    goal: Goal
    real_names: Mapping[str, str]


def _play(
    spec: RunSpec,
    task: Task,
    number: int,
    memory: Memory,
    dice: np.random.Generator,
    reasons: BeforeGoal | None,
) -> _Played:
    """Play episode `number` of a run, from 0, with what earlier ones left in `memory`."""
    world = set_up(task, run=spec.run, seed=spec.seed, episode=number, invented_names=spec.invented_names)
    pursued = Pursuit(world, memory, budget=task.steps, rng=dice, reasons=reasons).run()
    return _Played(pursued=pursued, goal=world.goal, real_names=world.real_names)


def _record(
    spec: RunSpec, task: Task, number: int, played: _Played, vain: dict[object, None]
) -> EpisodeRecord:
    """Return the record of an episode.

    Args:
        spec: of the run.
        task: what was played.
        number: of the episode, from 0.
        played: what happened.
        vain: what was tried in vain in earlier episodes; this one's is added.
    """
    pursued, goal = played.pursued, played.goal
    tried = [one for step in pursued.trace if (one := _in_vain(step, goal)) is not None]
    retries = sum(one in vain for one in tried)
    vain.update(dict.fromkeys(tried))
    return EpisodeRecord(
        task=task.name,
        start=task.start_number(spec.run, number),
        ending=pursued.ending,
        steps=pursued.steps,
        budget=task.steps,
        ticks=pursued.ticks,
        decisions=pursued.decisions,
        recalled=pursued.recalled,
        attempts=_tallies(pursued),
        axes=_rounded(pursued.axes),
        axes_made=_rounded(pursued.axes_made),
        retries=retries,
        precheck=pursued.unprepared,
        surprises=pursued.surprises,
        goal=(pursued.best, goal.parts),
        milestones=milestones(pursued.trace, shown_ladder(task.milestones, played.real_names)),
        tokens=0 if pursued.use is None else pursued.use.tokens,
    )


def _in_vain(step: Step, goal: Goal) -> object | None:
    """Return what a step tried in vain, None where it did not try or succeeded."""
    action, outcome = step.action, step.outcome
    match action:
        case Craft() if outcome.code == "no_result":
            return "craft", Arrangement.from_grid(action.grid)
        case Smelt() if outcome.code == "no_result":
            return "smelt", action.input
        case Smelt() if outcome.code == "not_fuel":
            return "fuel", action.fuel
        case Place() if action.target is not None and goal_gain(outcome) == 0:
            return "bridge", action.item
        case Attack() if isinstance(goal, Fell) and action.mob == goal.mob:
            return ("weapon", action.mob, step.before.mainhand) if outcome.work_ticks > goal.within else None
        case _:
            return None


def _tallies(pursued: Pursued) -> dict[str, Tally]:
    return {source: Tally(**asdict(spent)) for source, spent in sorted(pursued.spending.items())}


def _rounded(shares: Mapping[str, float]) -> dict[str, float]:
    """Return shares to four digits, which is all that tables need of them."""
    return {axis: round(share, 4) for axis, share in shares.items()}

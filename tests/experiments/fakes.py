"""A player without a world: unlocks at actions that follow from the spec, with a real memory behind them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from csd.axes import AXES
from csd.bank import Bank
from csd.descriptor import Csd, Evidence, Meta, Statement
from csd.encode import HashingEncoder
from csd.episode import Collect, Craft, Episode, ItemStack, Observation, Outcome, Step, Vitals
from echo.experiments.results import RunResult, Timing
from echo.experiments.spec import UnlockSpec
from echo.experiments.trial import Progress, make_result
from echo.mfm.episodic.recorder import Recorder

ITEMS = (
    *("oak_log", "oak_planks", "stick", "crafting_table", "wooden_pickaxe", "cobblestone", "stone_pickaxe"),
    *("furnace", "iron_ingot", "iron_pickaxe", "diamond", "diamond_pickaxe"),
    *(f"thing_{number:03d}" for number in range(140)),
)
PACE = {"echo": 12, "edits": 30, "name-similarity": 36, "bow": 40, "none": 60}
"""Actions between unlocks; `OTHERS` for all other agents."""
OTHERS = 32


@dataclass(frozen=True, kw_only=True)
class FakeUnlock:
    item: str
    action: int
    tick: int = 0
    verb: str = "craft"
    source: str = "exploration"
    axes: Mapping[str, float] = field(default_factory=dict)
    exemplars: tuple[str, ...] = ()
    csd: str | None = None
    episode: str | None = None
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class FakeReport:
    unlocks: tuple[FakeUnlock, ...]
    actions: int
    ticks: int = 0
    attempts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    decision_ms: tuple[float, float] = (1.5, 4.0)


def make_run(spec: UnlockSpec, *actions: int, items: tuple[str, ...] = ITEMS) -> RunResult:
    """Return a result that unlocked the first items at `actions`, by exploration."""
    unlocks = tuple(
        FakeUnlock(item=item, action=action) for item, action in zip(items, actions, strict=False)
    )
    report = FakeReport(unlocks=unlocks, actions=spec.steps)
    timing = Timing(wall_seconds=1.0, decision_ms=(1.5, 4.0), started="2026-01-01T00:00:00+00:00")
    return make_result(spec, report, {}, "echo-memory run unlock", timing)


def play_fake(
    spec: UnlockSpec, memory: Path | None, progress: Progress
) -> tuple[FakeReport, Mapping[str, str]]:
    """Unlock `ITEMS` at the agent's pace; each transferred item names the one before it as exemplar."""
    pace = PACE.get(spec.agent, OTHERS) + (5 - len(spec.axes)) * 6
    rng = np.random.default_rng(spec.seed)
    actions = np.cumsum(rng.integers(1, 2 * pace, size=len(ITEMS)))
    unlocks: list[FakeUnlock] = []
    remembered = _Memory(memory) if memory is not None else None
    for number, (item, action) in enumerate(zip(ITEMS, actions.tolist(), strict=True)):
        if action > spec.steps:
            break
        progress(action, number + 1)
        source = _source(spec, number)
        moved = source in ("transfer", "pattern")
        before = unlocks[-1].csd if unlocks else None
        csd, episode = remembered.keep(item, number, action) if remembered else (None, None)
        unlocks.append(
            FakeUnlock(
                item=item,
                action=action,
                tick=20 * action,
                verb="collect" if number == 0 else "craft",
                source=source,
                axes={axis.value: 1 / len(spec.axes) for axis in spec.axes} if moved else {},
                exemplars=(before,) if moved and before else (),
                csd=csd,
                episode=episode,
                detail=f"{item} tried after {ITEMS[number - 1]}" if number else "picked up",
            )
        )
    if remembered:
        remembered.close()
    attempts = {
        "exploration": {"tried": 90, "made": 9, "new": 4},
        "transfer": {"tried": 40, "made": 20, "new": 9},
    }
    return FakeReport(unlocks=tuple(unlocks), actions=spec.steps, ticks=9 * spec.steps, attempts=attempts), {}


def play_slowly(
    spec: UnlockSpec, memory: Path | None, progress: Progress
) -> tuple[FakeReport, Mapping[str, str]]:
    """Play as `play_fake`, but take a while, so that a kill finds a run half done."""
    report = play_fake(spec, memory, progress)
    time.sleep(0.4)
    return report


def play_badly(
    spec: UnlockSpec, memory: Path | None, progress: Progress
) -> tuple[FakeReport, Mapping[str, str]]:
    """Fail on seed 1, die on seed 2, play otherwise."""
    if spec.seed == 1:
        raise RuntimeError("no land to stand on")
    if spec.seed == 2:
        os._exit(3)
    return play_fake(spec, memory, progress)


def _source(spec: UnlockSpec, number: int) -> str:
    """Return where the fake takes its `number`-th unlock from."""
    if number % 4 == 0:
        return "collect"
    if spec.agent in ("none", "edits"):
        return "exploration" if spec.agent == "none" or number % 2 else "edit"
    return ("exploration", "transfer", "pattern", "transfer")[number % 4]


class _Memory:
    """A memory folder as an agent leaves it: episodes and a bank."""

    def __init__(self, root: Path) -> None:
        self.recorder = Recorder.open(root, source="fake", durability="batch", frames="first")
        self.bank = Bank.open(root / "bank.sqlite", HashingEncoder())

    def keep(self, item: str, number: int, action: int) -> tuple[str, str]:
        episode = make_episode(item, number, action)
        id = self.recorder.write(goal=episode.goal, steps=episode.steps, after=episode.after)
        return self.bank.add(describe(item, number, id)), id

    def close(self) -> None:
        self.recorder.close()
        self.bank.close()


def make_episode(item: str, number: int, action: int) -> Episode:
    """Return an episode of one craft (or one collect) that gains `item`."""
    before = _look(action - 1, {}, number)
    done = Collect(block=item) if number == 0 else Craft(grid=((ITEMS[number - 1],),))
    outcome = Outcome(code="ok", message=f"got {item}", inventory_delta={item: 1})
    after = _look(action, {item: ItemStack(count=1, stack_size=64)}, number)
    step = Step(before=before, action=done, outcome=outcome)
    return Episode(id="ep_000001", goal=f"get {item}", steps=(step,), after=after, source="fake")


def _look(step: int, inventory: Mapping[str, ItemStack], number: int) -> Observation:
    frame = np.full((16, 16, 3), 90, dtype=np.uint8)
    frame[8:] = (60 + number % 190, 120, 60)
    frame[:8, :, 2] = 200
    return Observation(
        step=step,
        tick=20 * step,
        position=(0.0, 64.0, 0.0),
        yaw=0.0,
        pitch=0.0,
        inventory=inventory,
        mainhand=None,
        blocks={},
        mobs={},
        stations=(),
        vitals=Vitals(),
        biome="forest",
        frame=frame,
    )


def describe(item: str, number: int, episode: str, world: str = "fake") -> Csd:
    """Return a descriptor with one statement on each axis."""
    seen = (Evidence(episode=episode, step=0, kind="outcome"),)
    used = ITEMS[number - 1] if number else "nothing"

    def say(predicate: str, value: str) -> tuple[Statement, ...]:
        return (Statement(subject=item, predicate=predicate, value=value, evidence=seen),)

    said = (("symmetry", "full"), ("colour", "green"), ("consumes", f"{used} x1"), ("serves", "tools"),
            ("station", "none"))  # fmt: skip
    meta = Meta(
        task=f"get {item}",
        success=True,
        product=item,
        verb="craft",
        position=(0.0, 64.0, 0.0),
        step=number,
        tick=0,
        biome="forest",
        objects=(),
        world=world,
        builder="fake/1",
        episodes=(episode,),
    )
    statements = {axis.value: say(*words) for axis, words in zip(AXES, said, strict=True)}
    return Csd(meta=meta, **statements)

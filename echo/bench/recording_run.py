"""What recording a long run costs whoever acts, and what it takes on disk.

One run of the Minecraft world, a policy that does a little of everything, a frame before each step. The steps
come in stretches; every second stretch is recorded. So a recorded step and a bare one come from the same run,
the same minutes and the same machine, and the difference of their times is the price of recording.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from csd.episode import Action, Collect, Craft, Equip, GoTo, Observation, Outcome, Place, Smelt, Step
from echo.mfm.episodic.diary import Diary
from echo.mfm.episodic.frames import Codec
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.layout import EPISODES, INDEX, MfmError
from echo.worlds.minecraft.options import WorldOptions
from echo.worlds.minecraft.world import MinecraftWorld

_START = {
    "diamond_pickaxe": 60,
    "oak_planks": 4_000,
    "stick": 4_000,
    "cobblestone": 4_000,
    "coal": 500,
    "crafting_table": 200,
}


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """One long run."""

    steps: int = 12_000
    """Recorded steps; as many again are not recorded."""
    every: int = 1
    """Steps an episode."""
    size: int = 64
    """Height and width of a drawn frame, in pixels."""
    cut: tuple[int, int] | None = None
    """Height and width that the middle of the frame is cut to, such as (480, 640); None keeps it whole."""
    codec: Codec = "png"
    background: bool = True
    stretch: int = 100
    """Steps that are recorded, or not, in a row."""
    pace_ms: float = 0.0
    """Length that a step is filled up to by sleeping, in ms; 0 acts as fast as the world answers."""
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class RunCost:
    """What recording a run cost. Times in ms a step, bytes as a whole."""

    settings: RunSettings
    episodes: int
    bare_ms: float
    """Mean time of a step that is not recorded: act, observe, draw."""
    recorded_ms: float
    """Mean time of a recorded one, the waits for all to be on disk included."""
    cost_ms: float
    """Their difference."""
    call_mean_ms: float
    """Of the call that takes a step in."""
    call_cpu_ms: float
    """Mean processor time of the acting thread in that call: what is left of it on a quiet machine."""
    call_median_ms: float
    call_p95_ms: float
    waits: int
    waited_ms: float
    """All waits for a full queue together."""
    flush_ms: float
    """All waits for everything to be on disk: at the end, and, without a pace, after each stretch."""
    frames: int
    """Pictures named by steps.json files."""
    pictures: int
    """Of these, files of their own; the others are links to equal ones."""
    picture_bytes: int
    episode_bytes: int
    """Contents of all files below episodes/, each inode once."""
    episode_blocks: int
    """What the file system gives them and their folders, in bytes."""
    index_bytes: int


def measure_run(root: Path, settings: RunSettings) -> RunCost:
    """Play and record a run in a new memory at `root`.

    Raises:
        MfmError: if `root` holds a memory already.
    """
    if (root / INDEX).exists():
        raise MfmError(f"expected an empty place for a bench, got the memory {root}. Name another folder.")
    turns = run_turns(settings)
    bare: list[float] = []
    recorded: list[float] = []
    calls = _Calls(times=[], processor=0.0)
    closing = 0.0
    recorder = Recorder.open(
        root,
        source="bench",
        frames="first" if settings.every == 1 else "all",
        codec=settings.codec,
        background=settings.background,
    )
    diary = Diary(recorder, goal="measure", every=settings.every)
    while len(recorded) < settings.steps:
        count = min(settings.stretch, settings.steps - len(recorded))
        _play(turns, count, settings, bare, None)
        taken = _play(turns, count, settings, recorded, diary)
        calls.times.extend(taken.times)
        calls.processor += taken.processor
        if settings.pace_ms == 0:
            # Else the bare steps that follow would pay for what is still being written.
            start = time.perf_counter()
            recorder.flush()
            closing += 1e3 * (time.perf_counter() - start)
    start = time.perf_counter()
    diary.close()
    recorder.close()
    closing += 1e3 * (time.perf_counter() - start)
    times = sorted(calls.times)
    waits = recorder.waits
    stored = _stored(root)
    return RunCost(
        settings=settings,
        episodes=stored.episodes,
        bare_ms=statistics.fmean(bare),
        recorded_ms=(sum(recorded) + closing) / len(recorded),
        cost_ms=(sum(recorded) + closing) / len(recorded) - statistics.fmean(bare),
        call_mean_ms=statistics.fmean(times),
        call_cpu_ms=1e3 * calls.processor / len(times),
        call_median_ms=times[len(times) // 2],
        call_p95_ms=times[min(len(times) - 1, int(0.95 * len(times)))],
        waits=waits.count,
        waited_ms=1e3 * waits.seconds,
        flush_ms=closing,
        frames=stored.frames,
        pictures=stored.pictures,
        picture_bytes=stored.picture_bytes,
        episode_bytes=stored.episode_bytes,
        episode_blocks=stored.episode_blocks,
        index_bytes=(root / INDEX).stat().st_size,
    )


def _play(
    turns: Iterator[tuple[Step, Observation]],
    count: int,
    settings: RunSettings,
    times: list[float],
    diary: Diary | None,
) -> _Calls:
    """Play `count` steps, put the time of each into `times`, and return those of taking them in."""
    calls = _Calls(times=[], processor=0.0)
    for _ in range(count):
        start = time.perf_counter()
        step, after = next(turns)
        if diary is not None:
            before, processor = time.perf_counter(), time.thread_time()
            diary.add(step, after)
            calls.processor += time.thread_time() - processor
            calls.times.append(1e3 * (time.perf_counter() - before))
        spent = 1e3 * (time.perf_counter() - start)
        times.append(spent)
        if settings.pace_ms > spent:
            time.sleep((settings.pace_ms - spent) / 1e3)
    return calls


def run_turns(settings: RunSettings) -> Iterator[tuple[Step, Observation]]:
    """Yield steps without end, each with what was seen after it; the world starts over when tools run out."""
    rng = np.random.default_rng(settings.seed)
    world = MinecraftWorld(_options(settings, 0))
    number = 0
    before = _seen(world, settings)
    while True:
        action = _choose(before, rng)
        outcome: Outcome = world.act(action)
        if before.count("diamond_pickaxe") == 0:
            number += 1
            world.begin(_options(settings, number))
        after = _seen(world, settings)
        yield Step(before=before, action=action, outcome=outcome), after
        before = after


def _seen(world: MinecraftWorld, settings: RunSettings) -> Observation:
    seen = world.observe(frame=True)
    if settings.cut is None or seen.frame is None:
        return seen
    height, width = settings.cut
    top, left = (seen.frame.shape[0] - height) // 2, (seen.frame.shape[1] - width) // 2
    return replace(seen, frame=seen.frame[top : top + height, left : left + width])


def _options(settings: RunSettings, number: int) -> WorldOptions:
    return WorldOptions(
        seed=settings.seed + number,
        frame_size=settings.size,
        max_steps=1_000_000_000,
        inventory=_START,
        stations=("crafting_table", "furnace"),
    )


def _choose(seen: Observation, rng: np.random.Generator) -> Action:
    """Return a random action: half digging, the rest crafting, smelting, placing, equipping, walking."""
    roll = rng.random()
    blocks, items = list(seen.blocks), list(seen.inventory)
    if roll < 0.50:
        return Collect(block=blocks[int(rng.integers(len(blocks)))])
    if roll < 0.65:
        return Craft(grid=(("oak_planks", None), ("oak_planks", None)))
    if roll < 0.70:
        return Smelt(input="cobblestone", fuel="coal")
    if roll < 0.75:
        return Place(item=items[int(rng.integers(len(items)))])
    if roll < 0.80:
        return Equip(item="diamond_pickaxe")
    return GoTo(target=seen.blocks[blocks[int(rng.integers(len(blocks)))]].nearest)


@dataclass(kw_only=True)
class _Calls:
    times: list[float]
    """Wall time of each call, in ms."""
    processor: float
    """Processor time of the calling thread in all of them, in s."""


@dataclass(frozen=True, kw_only=True)
class _Stored:
    episodes: int
    frames: int
    pictures: int
    picture_bytes: int
    episode_bytes: int
    episode_blocks: int


def _stored(root: Path) -> _Stored:
    """Count what lies below episodes/; a file with several names counts once."""
    seen: set[int] = set()
    episodes = frames = pictures = picture_bytes = episode_bytes = blocks = 0
    for folder, _, names in os.walk(root / EPISODES):
        blocks += 512 * Path(folder).stat().st_blocks
        episodes += "steps.json" in names
        for name in names:
            stat = (Path(folder) / name).stat()
            is_picture = folder.endswith("observation")
            frames += is_picture
            if stat.st_ino in seen:
                continue
            seen.add(stat.st_ino)
            episode_bytes += stat.st_size
            blocks += 512 * stat.st_blocks
            pictures += is_picture
            picture_bytes += stat.st_size if is_picture else 0
    return _Stored(
        episodes=episodes,
        frames=frames,
        pictures=pictures,
        picture_bytes=picture_bytes,
        episode_bytes=episode_bytes,
        episode_blocks=blocks,
    )

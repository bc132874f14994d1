"""What it costs to put episodes on disk: time a write, bytes an episode, which codec, and a long run.

Run as ``python -m echo.bench.recording FOLDER``, with ``--json`` for one JSON object. It measures, in new
folders below FOLDER that are removed again: single writes for both durabilities, the codecs at 64x64 and
640x480, and three runs of the Minecraft world, half of whose steps are recorded: 12,000 steps in episodes of
19 as fast as the world answers, 12,000 steps in episodes of one at 20 ms a step, and a few steps at 640x480.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from csd.episode import Collect, Frame, Observation, Step
from echo.bench.recording_codecs import measure_codecs
from echo.bench.recording_run import RunCost, RunSettings, measure_run, run_turns
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.episodic.writer import Durability
from echo.mfm.layout import EPISODES, INDEX

if TYPE_CHECKING:
    from echo.worlds.minecraft.world import MinecraftWorld

STEP_MS = 20.0
"""The length of a step that the bar for recording is a share of."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One step with what was seen after it."""

    step: Step
    after: Observation


@dataclass(frozen=True, kw_only=True)
class RecordingCost:
    """The price of recording, closing included."""

    durability: Durability
    episodes: int
    mean_ms: float
    """Wall time of all writes and the close, by episode."""
    median_ms: float
    """Of single writes."""
    p95_ms: float
    episode_bytes: float
    """File contents below episodes/, by episode; the file system's blocks are not counted."""
    index_bytes: float
    """Of index.jsonl, by episode."""

    def describe(self) -> str:
        """Return one line in words."""
        return (
            f"durability {self.durability}: {self.episodes} episodes, {self.mean_ms:.2f} ms an episode "
            f"({self.mean_ms / STEP_MS:.0%} of a {STEP_MS:.0f} ms step), a write takes "
            f"{self.median_ms:.2f} ms (median), {self.p95_ms:.2f} ms (95 %); "
            f"{self.episode_bytes:,.0f} bytes and {self.index_bytes:,.0f} bytes of index an episode"
        )


def measure_recording(root: Path, turns: Sequence[Turn], *, durability: Durability) -> RecordingCost:
    """Record each turn as an episode of its own in a new memory at `root` and return what it cost.

    Raises:
        ValueError: if there is no turn, or `root` holds a memory already.
    """
    if not turns or (root / INDEX).exists():
        raise ValueError(
            f"expected at least one turn and an empty place, got {len(turns)} turns for {root}. "
            f"Name a folder that does not exist yet."
        )
    each: list[float] = []
    with Recorder.open(root, source="bench", durability=durability) as recorder:
        start = time.perf_counter()
        for turn in turns:
            before = time.perf_counter()
            recorder.write(goal="measure", steps=(turn.step,), after=turn.after)
            each.append(1e3 * (time.perf_counter() - before))
        recorder.flush()
        total = 1e3 * (time.perf_counter() - start)
    each.sort()
    count = len(each)
    stored = sum(path.stat().st_size for path in (root / EPISODES).rglob("*") if path.is_file())
    return RecordingCost(
        durability=durability,
        episodes=count,
        mean_ms=total / count,
        median_ms=each[count // 2],
        p95_ms=each[min(count - 1, int(0.95 * count))],
        episode_bytes=stored / count,
        index_bytes=(root / INDEX).stat().st_size / count,
    )


def minecraft_turns(count: int, *, seed: int, frame_size: int = 64) -> list[Turn]:
    """Return `count` turns of digging, by turns, each kind of block in sight, frames included."""
    from echo.worlds.minecraft.options import WorldOptions
    from echo.worlds.minecraft.world import MinecraftWorld

    world = MinecraftWorld(WorldOptions(seed=seed, frame_size=frame_size, max_steps=count))
    return [_dig(world, number) for number in range(count)]


def _dig(world: MinecraftWorld, number: int) -> Turn:
    before = world.observe(frame=True)
    kinds = list(before.blocks)
    action = Collect(block=kinds[number % len(kinds)])
    outcome = world.act(action)
    return Turn(step=Step(before=before, action=action, outcome=outcome), after=world.observe(frame=False))


def long_runs(steps: int) -> list[RunSettings]:
    """Return the runs of the report: `steps` recorded steps each, a fortieth of that at 640x480."""
    return [
        RunSettings(steps=steps, every=19),
        RunSettings(steps=steps, every=1, pace_ms=STEP_MS),
        RunSettings(steps=max(19, steps // 40), every=19, size=640, cut=(480, 640), stretch=19),
    ]


def describe_run(cost: RunCost) -> str:
    """Return a run in words, a few lines."""
    told = cost.settings
    height, width = told.cut or (told.size, told.size)
    pace = f"{told.pace_ms:.0f} ms a step" if told.pace_ms else "as fast as the world answers"
    return (
        f"{told.steps:,} steps in {cost.episodes:,} episodes, frames {width}x{height}, {pace}:\n"
        f"  a step takes {cost.bare_ms:.2f} ms, recorded {cost.recorded_ms:.2f} ms: recording costs "
        f"{cost.cost_ms:.2f} ms, {cost.cost_ms / STEP_MS:.1%} of a {STEP_MS:.0f} ms step; the call alone "
        f"{cost.call_mean_ms:.2f} ms (mean), "
        f"{cost.call_cpu_ms:.2f} ms of processor time, {cost.call_median_ms:.2f} ms (median), "
        f"{cost.call_p95_ms:.2f} ms (95 %)\n"
        f"  {cost.waits} waits for a full queue ({cost.waited_ms:.0f} ms)\n"
        f"  {cost.frames:,} frames in {cost.pictures:,} files, {cost.picture_bytes / 1e6:.1f} MB; all of "
        f"episodes/ {cost.episode_bytes / 1e6:.1f} MB, {cost.episode_blocks / 1e6:.1f} MB in blocks; index "
        f"{cost.index_bytes / 1e3:.0f} KB"
    )


def _frames(count: int, settings: RunSettings) -> list[Frame]:
    frames = [step.before.frame for step, _ in islice(run_turns(settings), count)]
    return [frame for frame in frames if frame is not None]


def _report(folder: Path, steps: int) -> Iterator[tuple[str, dict[str, object], str]]:
    """Yield kind, numbers and words of each measurement."""
    turns = minecraft_turns(300, seed=0)
    both: tuple[Durability, ...] = ("each", "batch")
    for durability in both:
        cost = measure_recording(folder / durability, turns, durability=durability)
        yield "writes", asdict(cost), cost.describe()
    shapes = ((100, RunSettings()), (10, RunSettings(size=640, cut=(480, 640))))
    for count, settings in shapes:
        for codec in measure_codecs(_frames(count, settings)):
            yield "codecs", asdict(codec), codec.describe()
    for number, settings in enumerate(long_runs(steps)):
        run = measure_run(folder / f"run{number}", settings)
        shutil.rmtree(folder / f"run{number}")
        yield "runs", asdict(run), describe_run(run)


def main(words: Sequence[str] | None = None) -> None:
    """Measure everything in new folders below the one named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m echo.bench.recording", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the memories are made; must not be there yet")
    parser.add_argument("--steps", type=int, default=12_000, help="recorded steps of a long run")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_args(words)
    if asked.steps < 1 or asked.folder.exists():
        parser.error(f"expected a folder that is not there and at least one step, got {asked.folder}")
    asked.folder.mkdir(parents=True)
    told: dict[str, list[dict[str, object]]] = {"writes": [], "codecs": [], "runs": []}
    try:
        for kind, numbers, text in _report(asked.folder, asked.steps):
            told[kind].append(numbers)
            (sys.stderr if asked.json else sys.stdout).write(f"{text}\n")
    finally:
        shutil.rmtree(asked.folder)
    if asked.json:
        sys.stdout.write(f"{json.dumps(told)}\n")


if __name__ == "__main__":
    main()

"""What it costs to put an episode on disk: time a write, bytes an episode.

Run as ``python -m echo.bench.recording FOLDER`` for both durabilities on episodes of the Minecraft world.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from csd.episode import Collect, Observation, Step
from echo.mfm.episodic.recorder import Durability, Recorder
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


def main() -> None:
    """Measure both durabilities in new folders below the one named on the command line."""
    if len(sys.argv) != 2:
        sys.stderr.write("usage: python -m echo.bench.recording FOLDER\n")
        raise SystemExit(2)
    turns = minecraft_turns(300, seed=0)
    for durability in ("each", "batch"):
        cost = measure_recording(Path(sys.argv[1]) / durability, turns, durability=durability)
        sys.stdout.write(f"{cost.describe()}\n")


if __name__ == "__main__":
    main()

"""A model-driven agent in a Minecraft world with a memory folder, for some turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from csd.chat import Model
from echo.experiments.provenance import code_commit, package_versions
from echo.mfm.codec import to_json
from echo.mfm.episodic.begin import begin_life
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.layout import INDEX
from echo.mfm.turns.harness import Harness, TurnSettings
from echo.mfm.turns.record import Turn, write_sitting
from echo.mfm.turns.tools import Tool
from echo.worlds.minecraft.options import WorldOptions
from echo.worlds.minecraft.world import MinecraftWorld


@dataclass(frozen=True, kw_only=True)
class Sitting:
    """What a sitting takes."""

    settings: TurnSettings
    world: WorldOptions
    turns: int
    command: str
    """How it was asked for, as it would be typed."""


@dataclass(frozen=True, kw_only=True)
class Sat:
    """What came of a sitting."""

    turns: tuple[Turn, ...]
    put_away: int | None
    """The life that what was recorded before is now; None where nothing was."""


def sit(
    root: Path,
    model: Model,
    tools_of: Callable[[Path], list[Tool]],
    sitting: Sitting,
    *,
    taken: Callable[[Turn], None] | None = None,
) -> Sat:
    """Let `model` take turns in a new world with the memory at `root`.

    The world is new, so what the memory recorded before becomes an earlier life. Settings, versions and
    commit are written beside the turns. Ends early where the world's budget is spent.

    Args:
        root: The memory folder; made where there is none.
        model: Who decides.
        tools_of: Returns the tools of a memory folder.
        sitting: How long, where, and what for.
        taken: Is told of each turn.

    Raises:
        MfmError: if another writer has the folder open, or the memory cannot be read or written.
        OSError: if the disk refuses.
    """
    put_away = begin_life(root).life if (root / INDEX).exists() else None
    world = MinecraftWorld(sitting.world)
    turns: list[Turn] = []
    with Recorder.open(root, source=world.source, durability="batch") as recorder:
        write_sitting(
            root,
            {
                "model": model.name,
                "settings": to_json(sitting.settings),
                "world": asdict(sitting.world),
                "turns": sitting.turns,
                "command": sitting.command,
                "versions": package_versions(),
                "commit": code_commit(),
            },
        )
        harness = Harness(recorder, world, model, tools_of(root), sitting.settings)
        while len(turns) < sitting.turns and world.counted < sitting.world.max_steps:
            turns.append(harness.take_turn())
            if taken is not None:
                taken(turns[-1])
    return Sat(turns=tuple(turns), put_away=put_away)

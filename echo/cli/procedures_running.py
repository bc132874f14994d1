"""Running a procedure of a memory in a Minecraft world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import typer

from echo.experiments.spec import UsageError
from echo.mfm.episodic.begin import begin_life
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.procedural.execution import Execution
from echo.mfm.procedural.library import Library
from echo.mfm.procedural.run_record import Run, prepare
from echo.mfm.procedural.session import Budget
from echo.worlds.minecraft.options import OptionsError, WorldOptions
from echo.worlds.minecraft.world import MinecraftWorld


def world_options(seed: int, give: Sequence[str], mobs: Sequence[str]) -> WorldOptions:
    """Return the settings of the world.

    Args:
        seed: Of the world.
        give: What is carried at the start, each as item=count.
        mobs: Creatures that roam the land.

    Raises:
        UsageError: on anything else than item=count, or a name that the world does not know.
    """
    inventory: dict[str, int] = {}
    for word in give:
        item, _, count = word.partition("=")
        if not item or not count.isdecimal() or len(count) > 6:
            raise UsageError(f"expected --give item=count, such as oak_log=2; got {word!r}.")
        inventory[item] = inventory.get(item, 0) + int(count)
    try:
        return WorldOptions(seed=seed, inventory=inventory, mobs=tuple(mobs))
    except OptionsError as error:
        raise UsageError(str(error)) from error


def run_in_minecraft(
    root: Path,
    name: str,
    given: Mapping[str, Any],
    options: WorldOptions,
    *,
    steps: int,
    record: bool,
    unsafe: bool,
) -> Run:
    """Run a procedure in a new Minecraft world and return how it went.

    Args:
        root: The memory that has it.
        name: The procedure.
        given: Its arguments.
        options: The world.
        steps: Most actions.
        record: Whether to record it, as a new life of the memory.
        unsafe: Whether to run it even where nothing keeps it from the network.

    Raises:
        UsageError: if the world cannot be made so.
        MfmError: if there is no such procedure, or it has flaws; nothing is done or put away then.
    """
    try:
        world = MinecraftWorld(options)
    except OptionsError as error:
        raise UsageError(str(error)) from error
    if record:
        prepare(Library(root), name, given)  # Before a life is put away for nothing.
        put_away = begin_life(root).life
        if put_away is not None:
            typer.echo(f"what was recorded before is life {put_away}, in previous/", err=True)
    with ExitStack() as stack:
        recorder = stack.enter_context(Recorder.open(root, source=world.source)) if record else None
        if recorder is not None:
            recorder.initial(world.observe(frame=True))
        execution = Execution(root, world, recorder=recorder, budget=Budget(steps=steps), unsafe=unsafe)
        return execution.run(name, **given)

"""Demonstrations that belong to one task: grids, smelts, fights and bridges, played in the task's own world.

Each is judged by the task's goal, so that its outcomes tell how far the shown way leads, as the agent's own
will.
"""

from __future__ import annotations

from csd.episode import Action, Attack, Craft, Episode, Equip, Place, Smelt, Step
from echo.experiments.demonstrate import SOURCE
from echo.experiments.tasks.judge import TaskWorld, shown_goal
from echo.experiments.tasks.task import Shown, ShownBridge, ShownFight, ShownGrid, ShownSmelt, Task
from echo.worlds.minecraft.options import WorldOptions, changed_options
from echo.worlds.minecraft.world import MinecraftWorld

_NEAR = 6
"""Blocks from the spawn point within which the creature of a shown fight stands."""


def show(task: Task, shown: Shown, episode: str, seed: int, invented_names: int | None) -> Episode:
    """Carry out one demonstration of `task` with exactly what it takes, and return the episode.

    Args:
        task: Whose demonstration it is.
        shown: What to do.
        episode: Id of the episode.
        seed: Seed of the world.
        invented_names: Seed of the renaming, or None for the real names.

    Raises:
        RuntimeError: if it does not bring what it should.
    """
    bare = WorldOptions(seed=seed, invented_names=invented_names, inventory=takes(shown))
    world = MinecraftWorld(changed_options(bare, _surroundings(shown)))
    judged = TaskWorld(world, shown_goal(task, world))
    steps = []
    for action in _actions(shown, world):
        before = judged.observe(frame=True)
        steps.append(Step(before=before, action=action, outcome=judged.act(action)))
    played = Episode(
        id=episode,
        goal=_purpose(shown, world),
        steps=tuple(steps),
        after=judged.observe(frame=True),
        source=SOURCE,
    )
    if not _brought(shown, played, world):
        last = steps[-1].outcome
        raise RuntimeError(
            f"expected the demonstration {shown!r} of task {task.name!r} to work; got {last.code} "
            f"({last.message}). It does not agree with the world's rules: mend the task file."
        )
    return played


def takes(shown: Shown) -> dict[str, int]:
    """Return item -> how many a demonstration uses up or holds."""
    match shown:
        case ShownGrid():
            cells = "".join(shown.rows)
            return {item: cells.count(letter) for letter, item in shown.items.items()}
        case ShownSmelt():
            return {shown.input: 1 + (shown.input == shown.fuel), shown.fuel: 1 + (shown.input == shown.fuel)}
        case ShownFight():
            return {shown.weapon: 1}
        case ShownBridge():
            return {shown.item: shown.cells}


def _surroundings(shown: Shown) -> dict[str, object]:
    """Return what must be beside the spawn point."""
    match shown:
        case ShownGrid():
            return {"stations": ("crafting_table",)}
        case ShownSmelt():
            return {"stations": ("furnace",)}
        case ShownFight():
            return {"mobs": (shown.mob,), "mobs_near": _NEAR}
        case ShownBridge():
            return {"gap": shown.cells}


def _actions(shown: Shown, world: MinecraftWorld) -> tuple[Action, ...]:
    name = world.names.shown
    match shown:
        case ShownGrid():
            cell = {letter: name(item) for letter, item in shown.items.items()}
            return (Craft(grid=tuple(tuple(cell.get(letter) for letter in row) for row in shown.rows)),)
        case ShownSmelt():
            return (Smelt(input=name(shown.input), fuel=name(shown.fuel)),)
        case ShownFight():
            return (Equip(item=name(shown.weapon)), Attack(mob=name(shown.mob)))
        case ShownBridge():
            return tuple(Place(item=name(shown.item), target=cell) for cell in world.gap)


def _purpose(shown: Shown, world: MinecraftWorld) -> str:
    match shown:
        case ShownGrid() | ShownSmelt():
            return f"make a {world.names.shown(shown.product)}"
        case ShownFight():
            return f"fell a {world.names.shown(shown.mob)}"
        case ShownBridge():
            return "fill the gap so that it carries you"


def _brought(shown: Shown, played: Episode, world: MinecraftWorld) -> bool:
    match shown:
        case ShownGrid() | ShownSmelt():
            return played.inventory_delta.get(world.names.shown(shown.product), 0) > 0
        case ShownFight():
            return played.steps[-1].outcome.work_ticks > 0
        case ShownBridge():
            return all(world.carries(cell) for cell in world.gap)

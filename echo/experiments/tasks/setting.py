"""Sets the scene of an episode, and makes the demonstrations that come before a run.

One run has one land: seed and run choose it. Dice and creatures differ from episode to episode, and the
task's starts take turns.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from csd.episode import Episode
from echo.experiments.demonstrate import RECIPES, Recipe, demonstrate
from echo.experiments.spec import UsageError
from echo.experiments.tasks.judge import TaskWorld, fits_hands, shown_goal
from echo.experiments.tasks.showing import show
from echo.experiments.tasks.task import MakeGoal, Shown, Task
from echo.worlds.minecraft.facts import load_facts
from echo.worlds.minecraft.options import WorldOptions
from echo.worlds.minecraft.world import MinecraftWorld

_AMPLE = 1_000_000
"""Counted actions that the world allows: the budget of a task is the player's to keep."""


def set_up(task: Task, *, run: int, seed: int, episode: int, invented_names: int | None) -> TaskWorld:
    """Return the judged world of one episode; arguments as for `make_world`."""
    world = make_world(task, run=run, seed=seed, episode=episode, invented_names=invented_names)
    return TaskWorld(world, shown_goal(task, world))


def make_world(
    task: Task, *, run: int, seed: int, episode: int, invented_names: int | None
) -> MinecraftWorld:
    """Return the world of one episode; equal arguments give equal worlds.

    Args:
        task: What is played.
        run: Number of the run; with `seed` it chooses the land, the same for every task.
        seed: Of the whole experiment.
        episode: Number of the episode in its run, from 0.
        invented_names: Seed of a renaming of all items, or None for the real names.
    """
    start = task.starts[task.start_number(run, episode)]
    options = WorldOptions(
        seed=_seed(seed, run, "land"),
        dice=_seed(seed, run, f"episode {episode}"),
        max_steps=_AMPLE,
        invented_names=invented_names,
        withheld=task.withheld_in(start),
        inventory=start.inventory,
        stations=start.stations,
        mobs=start.mobs,
        mobs_near=start.mobs_near,
        gap=start.gap,
        sight=start.sight,
        copies=start.copies,
    )
    return MinecraftWorld(options, load_facts())


def demonstrations(
    task: Task, *, shots: int, seed: int, invented_names: int | None, later: Sequence[Task] = ()
) -> list[Episode]:
    """Return what is shown before a run: the task's own demonstrations, then the common ones.

    A common demonstration is left out where it makes what the goal asks for or, for a goal that asks to make
    anything at all in one place, where it makes something there. The task's own may show the goal only with
    items that the task withholds (`Task` sees to that).

    Args:
        task: What will be played.
        shots: How many at most, 0 to 8.
        seed: Seed of the worlds they are made in.
        invented_names: As for `set_up`.
        later: Tasks of a mixed run that come after; what makes something that one of them asks for is left out.

    Returns:
        Episodes with the ids ep_000001, ep_000002, ...; fewer than `shots` where no more may be shown.

    Raises:
        UsageError: if `shots` is out of range.
    """
    return [
        demonstrate(shown, f"ep_{number:06d}", seed, invented_names)
        if isinstance(shown, Recipe)
        else show(task, shown, f"ep_{number:06d}", seed, invented_names)
        for number, shown in enumerate(choose_shots(task, shots, later), start=1)
    ]


def choose_shots(task: Task, shots: int, later: Sequence[Task] = ()) -> list[Shown | Recipe]:
    """Return what `demonstrations` will show, in order.

    Raises:
        UsageError: if `shots` is out of range.
    """
    if not 0 <= shots <= len(RECIPES):
        raise UsageError(f"expected 0 to {len(RECIPES)} shots; got {shots}. Ask for fewer demonstrations.")
    asked = dict.fromkeys(item for one in later for item in one.asked)
    allowed = [
        recipe for recipe in RECIPES if _gives_nothing_away(recipe, task) and recipe.product not in asked
    ]
    return [*task.shown, *allowed][:shots]


def _gives_nothing_away(recipe: Recipe, task: Task) -> bool:
    if recipe.product in task.asked:
        return False
    if isinstance(task.goal, MakeGoal) and task.goal.where != "fire":
        grid = tuple(tuple(None if letter == "." else letter for letter in row) for row in recipe.rows)
        return fits_hands(grid) != (task.goal.where == "hands")
    return True


def _seed(seed: int, run: int, purpose: str) -> int:
    drawn = np.random.SeedSequence([seed, run, zlib.crc32(purpose.encode())])
    return int(drawn.generate_state(1)[0])

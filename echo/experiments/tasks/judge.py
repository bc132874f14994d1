"""A world that holds a task: it says after every action how far the goal is reached.

Judged on the world's own state: what is carried, what a step made or felled, which cells carry a body.
"""

from __future__ import annotations

from dataclasses import replace

from csd.episode import Action, Attack, Craft, Frame, Grid, Observation, Outcome, Smelt
from echo.agent.goal import Fell, Fill, Goal, Have, Make, goal_event
from echo.experiments.tasks.task import FellGoal, FillGoal, HaveGoal, Task
from echo.worlds.minecraft.making import HAND_GRID, trimmed
from echo.worlds.minecraft.world import MinecraftWorld


class TaskWorld:
    """One episode's world.

    Attributes:
        goal: What is asked for, in the names the world shows.
        reached: Whether it was reached at any time.
        done: Parts of the goal that are so now; all of them once it was reached.
    """

    def __init__(self, world: MinecraftWorld, goal: Goal) -> None:
        """Take over a world that nothing was done in yet.

        Args:
            world: Its options put the body where the goal can be reached.
            goal: In shown names.
        """
        self._world = world
        self.goal = goal
        self.reached = False
        self.done = 0
        self._judge(None)

    def act(self, action: Action) -> Outcome:
        """Do one action; the outcome's last event tells how far the goal is.

        Raises:
            echo.worlds.minecraft.checking.ActionError: if the action is malformed or names something unknown.
        """
        outcome = self._world.act(action)
        before = self.done
        self._judge((action, outcome))
        told = goal_event(self.done, self.goal.parts, self.done - before)
        return replace(outcome, events=(*outcome.events, told))

    def observe(self, frame: bool = False) -> Observation:
        """Return what is perceived now, with a picture if asked."""
        return self._world.observe(frame)

    def render(self) -> Frame:
        """Return the picture of what is seen now, (height, width, 3) uint8."""
        return self._world.render()

    @property
    def source(self) -> str:
        """What episodes of this world give as their source."""
        return self._world.source

    @property
    def real_names(self) -> dict[str, str]:
        """Shown name -> real name, empty where names are real; for reports, never for agents."""
        return dict(self._world.names.real_by_shown)

    def _judge(self, step: tuple[Action, Outcome] | None) -> None:
        if self.reached:
            return
        self.done = self._parts_done(step)
        self.reached = self.done == self.goal.parts

    def _parts_done(self, step: tuple[Action, Outcome] | None) -> int:
        goal = self.goal
        match goal:
            case Have():
                held = self._world.scene.inventory.seen()
                return sum(item in held and held[item].count >= amount for item, amount in goal.items.items())
            case Fill():
                return sum(self._world.carries(cell) for cell in goal.cells)
            case Make():
                return int(step is not None and made_in(goal.where, *step))
            case Fell():
                return int(step is not None and felled(goal, *step))


def made_in(where: str, action: Action, outcome: Outcome) -> bool:
    """Return whether the action made something in the place asked for."""
    if not outcome.ok:
        return False
    match where:
        case "fire":
            return isinstance(action, Smelt)
        case "hands":
            return isinstance(action, Craft) and fits_hands(action.grid)
        case _:
            return isinstance(action, Craft) and not fits_hands(action.grid)


def fits_hands(grid: Grid) -> bool:
    """Return whether a grid, its empty edges cut off, fits into the 2x2 grid of the hands."""
    kept = trimmed(grid)
    return max(len(kept), max((len(row) for row in kept), default=0)) <= HAND_GRID


def felled(goal: Fell, action: Action, outcome: Outcome) -> bool:
    """Return whether the action was a fight that felled the goal's creature in time."""
    fought = isinstance(action, Attack) and action.mob == goal.mob and outcome.work_ticks > 0
    return fought and outcome.work_ticks <= goal.within


def shown_goal(task: Task, world: MinecraftWorld) -> Goal:
    """Return the goal of `task` under the names that `world` shows and in the cells it has.

    Raises:
        ValueError: if the world's gap is shorter than the goal's.
    """
    text = task.told(world.names.shown)
    goal = task.goal
    if isinstance(goal, HaveGoal):
        return Have(text=text, items={world.names.shown(item): count for item, count in goal.items.items()})
    if isinstance(goal, FillGoal):
        if len(world.gap) < goal.cells:
            raise ValueError(
                f"expected a gap of at least {goal.cells} cells for {task.name!r}; got {len(world.gap)}."
            )
        return Fill(text=text, cells=world.gap[: goal.cells])
    if isinstance(goal, FellGoal):
        return Fell(text=text, mob=world.names.shown(goal.mob), within=goal.within)
    return Make(text=text, where=goal.where)

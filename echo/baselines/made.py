"""Which steps made an item: what a memory keeps that stores ways to things, and not all that happened.

A step serves an item if it brought it, or brought what such a step used up, burnt, held as a tool or stood at
as a station. A sub-goal is an item, or a part of the goal in which something was tried: a gap or a creature.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from csd.episode import Attack, Collect, Craft, Equip, GoTo, Mine, Observation, Place, Smelt, Step
from echo.agent.arrangement import Arrangement
from echo.agent.goal import Fell, Fill, Goal, Have, goal_gain
from echo.agent.texts import in_words


def gained(step: Step) -> tuple[str, ...]:
    """Return the items whose count a step raised, in the order of its outcome, which is by name."""
    return tuple(item for item, change in step.outcome.inventory_delta.items() if change > 0)


def first_gains(step: Step, held_before: Mapping[str, object]) -> tuple[str, ...]:
    """Return the items that a step brought and that are no keys of `held_before`, by name."""
    return tuple(item for item in gained(step) if item not in held_before)


def station_used(step: Step) -> str | None:
    """Return the block kind of the station that a step was done at, None where it needed none.

    Several in reach that offer the same: the first that is listed.
    """
    match step.action:
        case Craft(grid=grid):
            offer: str | None = Arrangement.from_grid(grid).offer
        case Smelt():
            offer = "smelt"
        case _:
            return None
    if offer is None:
        return None
    return next((station.block for station in step.before.stations if station.offers == offer), None)


def needed(step: Step) -> tuple[str, ...]:
    """Return what a step could not have been done without: inputs, fuel, what was held, the station's block.

    What is held counts for digging and fighting alone. Each item is named once.
    """
    match step.action:
        case Craft(grid=grid):
            inputs = [item for row in grid for item in row if item is not None]
        case Smelt(input=item, fuel=fuel):
            inputs = [item, fuel]
        case Place(item=item):
            inputs = [item]
        case Collect() | Mine() | Attack():
            inputs = [] if step.before.mainhand is None else [step.before.mainhand]
        case _:
            inputs = []
    station = station_used(step)
    return tuple(dict.fromkeys(inputs if station is None else [*inputs, station]))


def repeats(step: Step, other: Step) -> bool:
    """Return whether two steps did the same with the same thing in hand, whatever came of it."""
    held = not isinstance(step.action, Collect | Mine) or step.before.mainhand == other.before.mainhand
    return held and step.action == other.action


def distinct(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return the steps that show something else than the ones before them.

    Of several that did the same and brought the same kinds of items the first stays. All smelting stays: only
    together does it show how long a fuel burns.
    """
    found: dict[object, Step] = {}
    for number, step in enumerate(steps):
        brought = tuple(step.outcome.inventory_delta)
        held = step.before.mainhand if isinstance(step.action, Collect | Mine | Attack) else None
        other = number if isinstance(step.action, Smelt) else None
        found.setdefault((step.action, held, step.outcome.code, brought, other), step)
    return tuple(found.values())


def advances(steps: Sequence[Step], goal: Goal) -> tuple[Step, ...]:
    """Return the steps that brought a goal nearer, in the order in which they were done.

    For a goal of items also the last step that brought each of them, since a part may be held from the start.
    """
    found = {number: step for number, step in enumerate(steps) if (goal_gain(step.outcome) or 0) > 0}
    if isinstance(goal, Have):
        for item in goal.items:
            last = next((n for n in reversed(range(len(steps))) if item in gained(steps[n])), None)
            if last is not None:
                found[last] = steps[last]
    return tuple(found[number] for number in sorted(found))


def part_tried(step: Step, goal: Goal) -> str | None:
    """Return the name of the sub-goal that something was tried for in a step, None where nothing was.

    Sub-goals are parts that no recipe is for: an item put into a gap that the goal names, and something that
    the goal's creature was fought with. They are named by both.
    """
    action, outcome = step.action, step.outcome
    match goal, action:
        case Fill(cells=cells), Place(item=item, target=target):
            tried = target in cells and outcome.code in ("ok", "not_placeable")
            return f"place {in_words(item)}" if tried else None
        case Fell(mob=mob), Attack(mob=fought):
            tried = mob == fought and outcome.code in ("ok", "no_drop")
            held = "bare hands" if step.before.mainhand is None else in_words(step.before.mainhand)
            return f"fight {in_words(mob)} with {held}" if tried else None
    return None


def parts_reached(steps: Sequence[Step], goal: Goal) -> Mapping[str, Step]:
    """Return the parts of a goal that steps of one episode reached, whether or not all of it was.

    Returns:
        Name as of `part_tried` -> the latest step that reached it, in the order of these steps.
    """
    found: dict[str, Step] = {}
    for step in steps:
        name = part_tried(step, goal)
        if name is not None and (goal_gain(step.outcome) or 0) > 0:
            found.pop(name, None)
            found[name] = step
    return found


def way_to(steps: Sequence[Step], wanted: Mapping[str, int], ends: Iterable[Step] = ()) -> tuple[Step, ...]:
    """Return the steps of one episode without which `wanted` would not have been held in the end.

    Followed from the last step back: a step is kept if it brought something still wanted, and what it used
    up is wanted from there on. Kept with it are taking its tool in hand, walking to it and putting its
    station down. What remains wanted was carried at the start.

    Args:
        steps: in order, of one episode.
        wanted: item -> how many.
        ends: steps to keep whatever they brought, such as a blow or a block put down.

    Returns:
        In the order in which they were done.
    """
    return _Backwards(steps, wanted, ends).kept()


class _Backwards:
    """The way back from what is wanted to the steps that brought it."""

    def __init__(self, steps: Sequence[Step], wanted: Mapping[str, int], ends: Iterable[Step]) -> None:
        self._steps = steps
        self._wanted = {item: count for item, count in wanted.items() if count > 0}
        self._ends = {id(step): None for step in ends}
        self._in_hand: str | None = None
        self._walk = False
        self._stations: dict[str, None] = {}

    def kept(self) -> tuple[Step, ...]:
        found = [step for step in reversed(self._steps) if self._keeps(step)]
        return tuple(reversed(found))

    def _keeps(self, step: Step) -> bool:
        brought = step.outcome.inventory_delta
        if id(step) in self._ends or any(self._wanted.get(item, 0) > 0 for item in gained(step)):
            self._want(step, brought)
            return True
        if isinstance(step.action, Collect | Mine | Attack):
            self._walk = False
            return False
        return self._prepares(step)

    def _prepares(self, step: Step) -> bool:
        match step.action:
            case Equip(item=item) if item is not None and item == self._in_hand:
                self._in_hand = None
                return True
            case GoTo() if self._walk and step.outcome.ok:
                self._walk = False
                return True
            case Place(item=item) if step.outcome.ok and step.outcome.block in self._stations:
                del self._stations[step.outcome.block]
                self._wanted[item] = self._wanted.get(item, 0) + 1
                return True
        return False

    def _want(self, step: Step, brought: Mapping[str, int]) -> None:
        for item, change in brought.items():
            left = self._wanted.get(item, 0) - change
            self._wanted[item] = max(left, 0)
        station = station_used(step)
        if station is not None:
            self._stations[station] = None
        self._walk = True
        if isinstance(step.action, Collect | Mine | Attack):
            self._hold(step.before)

    def _hold(self, seen: Observation) -> None:
        self._in_hand = seen.mainhand
        if seen.mainhand is not None:
            self._wanted[seen.mainhand] = max(self._wanted.get(seen.mainhand, 0), 1)

"""Deeds: what a success was made of, without where it happened, cut down to what the goal took.

A trace names cells that another world does not have. A deed keeps the action, what it gave and used up, the
tool that mattered and the station it stood at; walking and looking are left out, digging a cell becomes
digging a block of that kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from csd.episode import Action, Attack, Cell, Collect, Craft, GoTo, Mine, Place, Smelt, Step
from echo.agent.goal import Fell, Fill, Goal, Have


@dataclass(frozen=True, kw_only=True)
class Deed:
    """One action that worked."""

    action: Action
    gained: Mapping[str, int] = field(default_factory=dict)
    """Item -> how many more there were of it."""
    used: Mapping[str, int] = field(default_factory=dict)
    """Item -> how many were used up."""
    tool: str | None = None
    """For digging and striking: the tool in the hand; None for a bare hand or something that is no tool."""
    station: str | None = None
    """For grids beyond 2x2 and for smelting: the block that was used."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """Deeds in order, and what must be there before the first."""

    deeds: tuple[Deed, ...]
    missing: Mapping[str, int]
    """Item -> how many the deeds take that none of them brings; sorted by name, no zeros."""
    stations: tuple[str, ...]
    """Blocks that must be within reach, since no deed puts them down; sorted."""


def deeds_of(steps: Iterable[Step], goal: Goal) -> list[Deed]:
    """Return the deeds of a trace, in order; what failed and what moves or looks about is left out.

    For a goal of cells to fill, walking to one of these cells stays.
    """
    cells = goal.cells if isinstance(goal, Fill) else ()
    return [deed for step in steps if step.outcome.ok and (deed := _deed(step, cells)) is not None]


def course(deeds: Sequence[Deed], goal: Goal, stock: Mapping[str, int]) -> Course | None:
    """Return what of `deeds` the goal takes, None where they do not lead to it.

    What is in stock is used first. Deeds are looked through from the last to the first: one stays where it is
    the goal itself, or brings what a later one uses up or works with, or puts down a station that one needs.

    Args:
        deeds: in order.
        goal: what is to be reached.
        stock: item -> how many are carried before.
    """
    wanted = _Wanted(stock)
    kept = _ends(deeds, goal)
    if kept is None:
        return None
    if isinstance(goal, Have):
        for item, count in goal.items.items():
            wanted.use(item, count)
    stations: dict[str, None] = {}
    for place in range(len(deeds) - 1, -1, -1):
        deed = deeds[place]
        if place not in kept and not wanted.takes(deed):
            continue
        kept[place] = None
        wanted.keep(deed)
        if deed.station is not None:
            put = _put_down(deeds, place, deed.station)
            if put is None:
                stations[deed.station] = None
            else:
                kept[put] = None
    if not kept:
        return None
    return Course(
        deeds=tuple(deeds[place] for place in sorted(kept)),
        missing={item: wanted.open[item] for item in sorted(wanted.open)},
        stations=tuple(sorted(stations)),
    )


class _Wanted:
    """What is still wanted of the deeds before, beyond what is in stock."""

    def __init__(self, stock: Mapping[str, int]) -> None:
        self._stock = dict(stock)
        self.open: dict[str, int] = {}
        """Item -> how many; no zeros."""

    def use(self, item: str, count: int) -> None:
        """Want `count` that will be gone."""
        held = min(count, self._stock.get(item, 0))
        if held:
            self._stock[item] -= held
        if count > held:
            self.open[item] = self.open.get(item, 0) + count - held

    def hold(self, item: str) -> None:
        """Want one that stays."""
        if self._stock.get(item, 0) == 0 and item not in self.open:
            self.open[item] = 1

    def takes(self, deed: Deed) -> bool:
        """Return whether a deed brings something wanted."""
        return any(item in self.open for item in deed.gained)

    def keep(self, deed: Deed) -> None:
        """Have what a deed brings, and want what it takes."""
        for item, count in deed.gained.items():
            left = self.open.pop(item, 0) - count
            if left > 0:
                self.open[item] = left
        for item, count in deed.used.items():
            self.use(item, count)
        if deed.tool is not None:
            self.hold(deed.tool)


def _ends(deeds: Sequence[Deed], goal: Goal) -> dict[int, None] | None:
    """Return the places of the deeds that are the goal itself; None where it asks for some and has none."""
    if isinstance(goal, Have):
        return {}
    if isinstance(goal, Fill):
        return _fillings(deeds, goal.cells)
    if isinstance(goal, Fell):
        fights = [place for place, deed in enumerate(deeds) if deed.action == Attack(mob=goal.mob)]
        return {fights[-1]: None} if fights else None
    for place in range(len(deeds) - 1, -1, -1):
        if _made(deeds[place].action) == goal.where:
            return {place: None}
    return None


def _fillings(deeds: Sequence[Deed], cells: Sequence[Cell]) -> dict[int, None] | None:
    """Return the places of the last deed at each of `cells`: what was put there before did not carry."""
    last: dict[Cell, int] = {}
    walks: list[int] = []
    for place, deed in enumerate(deeds):
        if isinstance(deed.action, Place) and deed.action.target is not None:
            if deed.action.target in cells:
                last[deed.action.target] = place
        elif isinstance(deed.action, GoTo):
            walks.append(place)
    return dict.fromkeys(sorted([*walks, *last.values()])) if len(last) == len(cells) else None


def _made(action: Action) -> str | None:
    if isinstance(action, Smelt):
        return "fire"
    if isinstance(action, Craft):
        return "table" if wide(action) else "hands"
    return None


def wide(action: Craft) -> bool:
    """Return whether the hands' grid is too small for it.

    >>> wide(Craft(grid=(("stone",), ("stone",), ("stick",))))
    True
    """
    return len(action.grid) > 2 or any(len(row) > 2 for row in action.grid)


def _put_down(deeds: Sequence[Deed], before: int, station: str) -> int | None:
    """Return where `station` was last put down before the deed at `before`, None where nowhere."""
    for place in range(before - 1, -1, -1):
        action = deeds[place].action
        if isinstance(action, Place) and action.item == station:
            return place
    return None


def _deed(step: Step, cells: Sequence[Cell]) -> Deed | None:
    action, outcome = step.action, step.outcome
    delta = outcome.inventory_delta
    gained = {item: change for item, change in delta.items() if change > 0}
    used = {item: -change for item, change in delta.items() if change < 0}
    deed = Deed(action=action, gained=gained, used=used)
    match action:
        case Collect() | Mine():
            if outcome.block is None or not gained:
                return None
            # A tool that wore out was no material: the next one is wanted by the deed that needs it.
            return Deed(action=Collect(block=outcome.block), gained=gained, tool=step.before.tool)
        case Attack():
            return Deed(action=action, gained=gained, tool=step.before.tool)
        case Craft():
            return replace(deed, station=_station(step, "grid3") if wide(action) else None)
        case Smelt():
            return replace(deed, station=_station(step, "smelt"))
        case Place():
            at = outcome.cell if outcome.cell is not None else action.target
            target = at if at in cells else None
            return replace(deed, action=Place(item=action.item, target=target))
        case GoTo():
            return deed if action.target in cells else None
        case _:
            return None


def _station(step: Step, offers: str) -> str | None:
    return next((each.block for each in step.before.stations if each.offers == offers), None)

"""The oracle at play: it knows every rule and where everything lies, and takes steps like anyone else.

It shows that a start can be won within its budget. It is no lower bound: it plans one item at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from csd.episode import Action, Attack, Cell, Collect, Craft, Equip, GoTo, Outcome, Place, Smelt
from echo.agent.goal import Fell, Fill, Have, Make
from echo.agent.pursuit import COUNTED
from echo.bench.oracle_rules import (
    FUEL_SHARE,
    MEANS_SHARE,
    OracleWay,
    bare_costs,
    burns,
    carries,
    costs,
    every_way,
    fells,
    way_cost,
)
from echo.experiments.tasks.judge import TaskWorld
from echo.worlds.minecraft.facts import Facts
from echo.worlds.minecraft.scene import Scene
from echo.worlds.minecraft.terrain import PAD
from echo.worlds.minecraft.walking import eye_distance

_MOST_TRIES = 400


class Stuck(Exception):
    """The oracle knows no way on; the message says for what."""


@dataclass(slots=True)
class OraclePlayer:
    """Plays one world with real names to the end."""

    world: TaskWorld
    scene: Scene
    """The world's inside: what lies and roams where."""
    facts: Facts
    used: dict[str, None] = field(default_factory=dict)
    """Items that were laid, burnt, held or put down."""
    steps: int = 0
    """Counted steps so far."""
    _asked: list[str] = field(default_factory=list)
    _ways: Mapping[str, tuple[OracleWay, ...]] = field(default_factory=dict)
    _price: Mapping[str, float] = field(default_factory=dict)
    """Item -> steps it takes from bare hands; what cannot be had so is absent."""

    def play(self) -> None:
        """Reach the goal.

        Raises:
            Stuck: if it cannot.
        """
        withheld = frozenset(self.scene.withheld)
        self._ways = every_way(self.facts, withheld, self.scene.options.mobs)
        self._price = bare_costs(self.facts, withheld, self.scene.options.mobs)
        goal = self.world.goal
        match goal:
            case Have():
                self._collect_all(goal.items)
            case Make():
                self._make_any(goal.where)
            case Fill():
                self._fill(goal.cells)
            case Fell():
                self._fell(goal)
        if not self.world.reached:
            raise Stuck(f"expected the goal {goal.text!r} to be reached after {self.steps} steps; got less.")

    def _collect_all(self, items: Mapping[str, int]) -> None:
        """Get what the goal asks for, the cheapest first, since it may be needed for the others."""
        for item in sorted(items, key=lambda one: (self._price.get(one, 0.0), one)):
            self._get(item, items[item])

    def _make_any(self, where: str) -> None:
        """Make the cheapest thing that counts."""
        price = costs(self._ways, self._held())
        kinds: dict[str, Callable[[OracleWay], bool]] = {
            "hands": lambda way: way.verb == "craft" and way.station is None,
            "table": lambda way: way.verb == "craft" and way.station is not None,
            "fire": lambda way: way.verb == "smelt",
        }
        fitting = [way for ways in self._ways.values() for way in ways if kinds[where](way)]
        if not fitting:
            raise Stuck(f"expected a way to make something in {where!r}; got none.")
        self._do_way(min(fitting, key=lambda way: (way_cost(way, price), way.item)), 1)

    def _fill(self, cells: tuple[Cell, ...]) -> None:
        for cell in cells:
            able = [item for item in sorted(self._held()) if carries(self.facts, item)]
            if not able:
                raise Stuck(f"expected a block that carries for {cell}; got none left.")
            self.used[able[0]] = None
            self._do(Place(item=able[0], target=cell))

    def _fell(self, goal: Fell) -> None:
        able = [item for item in sorted(self._held()) if fells(self.facts, item, goal.mob, goal.within)]
        if not able:
            raise Stuck(f"expected a weapon that fells {goal.mob} in {goal.within} ticks; got none.")
        self._hold(able[0])
        self._fight(goal.mob)

    def _do(self, action: Action) -> Outcome:
        if self.steps > _MOST_TRIES * 10:
            raise Stuck(f"expected an end within {self.steps} steps; got {action} next.")
        self.steps += action.kind in COUNTED
        return self.world.act(action)

    def _held(self) -> dict[str, int]:
        return dict(self.scene.inventory.counts)

    def _count(self, item: str) -> int:
        return self.scene.inventory.count(item)

    def _hold(self, item: str | None) -> None:
        if item is not None:
            self.used[item] = None
        if self.scene.inventory.held != item:
            self._do(Equip(item=item))

    def _get(self, item: str, amount: int) -> None:
        """Carry at least `amount` of `item`."""
        if self._count(item) >= amount:
            return
        if item in self._asked:
            raise Stuck(f"expected a way to {item} without {item} itself; got {' for '.join(self._asked)}.")
        self._asked.append(item)
        for _ in range(_MOST_TRIES):
            if self._count(item) >= amount:
                break
            ways = [way for way in self._ways.get(item, ()) if not self._circular(way)]
            if not ways:
                raise Stuck(f"expected a way to {item}; got none for {' for '.join(self._asked)}.")
            lacking = amount - self._count(item)
            self._do_way(min(ways, key=lambda way: self._way_price(way, lacking)), lacking)
        self._asked.pop()

    def _circular(self, way: OracleWay) -> bool:
        """Return whether a slot takes only what is being got already."""
        return any(all(item in self._asked for item in fits) for fits, _ in way.slots)

    def _way_price(self, way: OracleWay, amount: int) -> tuple[float, str, str]:
        """Return the steps that `amount` items take this way, what is carried in number costing nothing."""
        times = max(1, math.ceil(amount / way.yields))
        total = (1.0 + FUEL_SHARE * (way.verb == "smelt")) * times
        for fits, count in way.slots:
            chosen = self._choose(fits, count * times)
            if chosen is None:
                return (math.inf, way.verb, way.source)
            total += self._lacking_price(chosen, count * times)
        if way.tools:
            total += MEANS_SHARE * min(self._lacking_price(tool, 1) for tool in way.tools)
        if way.station is not None and not self.scene.stations.cells_of(way.station):
            total += MEANS_SHARE * self._lacking_price(way.station, 1)
        return (total, way.verb, way.source)

    def _lacking_price(self, item: str, amount: int) -> float:
        lacking = max(0, amount - self._count(item))
        return lacking * self._price.get(item, math.inf) if lacking else 0.0

    def _choose(self, fits: frozenset[str], amount: int) -> str | None:
        """Return the item to fill slots with: carried in number, else the one that costs least."""
        able = [
            item
            for item in sorted(fits)
            if item not in self._asked and (self._count(item) >= amount or item in self._price)
        ]
        return min(able, key=lambda item: (self._lacking_price(item, amount), item), default=None)

    def _do_way(self, way: OracleWay, amount: int) -> None:
        """Go one way until it gave something, or often enough for `amount`."""
        if way.verb in ("dig", "fight"):
            self._gather(way, amount)
            return
        times = max(1, math.ceil(amount / way.yields))
        fuel = None
        # Getting one thing, or the station, may use up another, so all are seen to until nothing moves.
        for _ in range(4):
            filled = {fits: self._choose(fits, count * times) for fits, count in way.slots}
            needs = self._needs(way, filled, times)
            for item, count in needs.items():
                self._get(item, count)
            fuel = self._fuel(needs, times) if way.verb == "smelt" else None
            if way.station is not None:
                self._reach(way.station)
        for item in needs:
            self.used[item] = None
        for _ in range(times):
            if fuel is not None:
                self.used[fuel] = None
                outcome = self._do(Smelt(input=next(iter(needs)), fuel=fuel))
            else:
                grid = tuple(
                    tuple(None if cell is None else filled[cell] for cell in row) for row in way.rows
                )
                outcome = self._do(Craft(grid=grid))
            if not outcome.ok:
                return

    def _needs(
        self, way: OracleWay, filled: Mapping[frozenset[str], str | None], times: int
    ) -> dict[str, int]:
        """Return item -> how many it takes to go one way `times` times."""
        needs: dict[str, int] = {}
        for fits, count in way.slots:
            item = filled[fits]
            if item is None:
                raise Stuck(f"expected something for {way.item}; got none of {sorted(fits)}.")
            needs[item] = needs.get(item, 0) + count * times
        return needs

    def _fuel(self, needs: Mapping[str, int], times: int) -> str:
        """Return a fuel of which enough is carried beside what is smelted, got if need be."""
        ticks = 200 * times
        for item in sorted(self._held(), key=lambda one: -(self.facts.items[one].fuel_ticks or 0)):
            spare = self._count(item) - needs.get(item, 0)
            if (self.facts.items[item].fuel_ticks or 0) * spare >= ticks:
                return item
        burning = [item for item in self._price if burns(self.facts, item) and item not in self._asked]
        if not burning:
            raise Stuck("expected something that burns; got nothing within reach.")

        def total(item: str) -> float:
            return self._price[item] * -(-ticks // (self.facts.items[item].fuel_ticks or 1))

        fuel = min(burning, key=lambda item: (total(item), item))
        self._get(fuel, needs.get(fuel, 0) - (-ticks // (self.facts.items[fuel].fuel_ticks or 1)))
        return fuel

    def _gather(self, way: OracleWay, amount: int) -> None:
        if way.tools and not any(self._count(tool) for tool in way.tools):
            able = [tool for tool in sorted(way.tools) if tool in self._price and tool not in self._asked]
            if not able:
                raise Stuck(f"expected a tool for {way.source}; got none within reach.")
            self._get(min(able, key=lambda tool: (self._price[tool], tool)), 1)
        held = [tool for tool in sorted(way.tools) if self._count(tool)]
        self._hold(held[0] if held else None)
        before = self._count(way.item)
        for _ in range(_MOST_TRIES):
            if self._count(way.item) >= before + amount or (way.tools and not self._count(held[0])):
                return
            if way.verb == "fight":
                self._fight(way.source)
            elif not self._dig(way.source):
                return

    def _dig(self, block: str) -> bool:
        """Dig the nearest `block`, walking to where it is in sight; return whether there was one."""
        if block not in self.scene.sight.blocks(self.scene.body.feet):
            cell = self._nearest(block)
            if cell is None:
                raise Stuck(f"expected a {block} in the land; got none.")
            self._do(GoTo(target=cell))
        return self._do(Collect(block=block)).code in ("ok", "no_drop")

    def _nearest(self, block: str) -> Cell | None:
        land = self.scene.land
        kind = land.kind_of.get(block)
        places = np.argwhere(land.ids == kind) if kind is not None else np.zeros((0, 3), dtype=np.int64)
        if not len(places):
            return None
        cells = places - PAD + np.array((0, land.min_y, 0))
        gap = ((cells - np.array(self.scene.body.feet)) ** 2).sum(axis=1)
        x, y, z = cells[int(gap.argmin())].tolist()
        return (x, y, z)

    def _fight(self, mob: str) -> None:
        feet = self.scene.body.feet
        if self.scene.herd.nearest(mob, feet, self.scene.options.sight) is None:
            cells = [cell for kind, cell in self.scene.herd.places() if kind == mob]
            if not cells:
                raise Stuck(f"expected a {mob} in the land; got none.")
            self._do(GoTo(target=min(cells, key=lambda cell: (eye_distance(feet, cell), cell))))
        self._do(Attack(mob=mob))

    def _reach(self, station: str) -> None:
        """Stand beside a `station`: there already, put down, or walked to."""
        if any(one.block == station for one in self.scene.stations_in_reach()):
            return
        cells = self.scene.stations.cells_of(station)
        if cells:
            feet = self.scene.body.feet
            self._do(GoTo(target=min(cells, key=lambda cell: (eye_distance(feet, cell), cell))))
            return
        self._get(station, 1)
        self.used[station] = None
        if not self._do(Place(item=station)).ok:
            raise Stuck(f"expected room for a {station}; got none.")

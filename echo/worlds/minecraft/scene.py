"""Everything a world remembers between two actions, and the few ways to change it."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from csd.episode import Cell, Outcome, OutcomeCode, Station
from echo.worlds.minecraft.body import Body
from echo.worlds.minecraft.digging import dig_ticks
from echo.worlds.minecraft.facts import Facts, ItemFact
from echo.worlds.minecraft.gap import dig_gap
from echo.worlds.minecraft.inventory import Inventory
from echo.worlds.minecraft.mobs import Herd
from echo.worlds.minecraft.names import NameBook
from echo.worlds.minecraft.options import WorldOptions
from echo.worlds.minecraft.sight import Sight
from echo.worlds.minecraft.stations import StationsInReach
from echo.worlds.minecraft.terrain import AIR, lay_out, spawn_cell
from echo.worlds.minecraft.walking import Way


def named_rng(seed: int, purpose: str) -> np.random.Generator:
    """Return the generator for one purpose of one seed."""
    return np.random.default_rng(np.random.SeedSequence([seed, zlib.crc32(purpose.encode())]))


class Scene:
    """The state of one world between two actions. All names inside are the real ones.

    Attributes:
        facts, options, names: What the world was made of.
        land, sight, way: The blocks, which of them are seen, and how to get to them.
        inventory, body, herd, stations: What is carried, who carries it, what roams, what can be used.
        gap: Cells of the trench beside the spawn point, the nearest first; empty where there is none.
        rng: Decides drops.
        tick: World time.
        steps: Actions taken.
        counted: Of these, how many count against the budget.
        unlocked: Every item that ever was in the inventory, with `counted` at the time; 0 for the start.
    """

    def __init__(self, facts: Facts, options: WorldOptions, names: NameBook) -> None:
        """Lay out the land and put the body into it."""
        self.facts = facts
        self.options = options
        self.names = names
        dice = options.seed if options.dice is None else options.dice
        self.rng = named_rng(dice, "drops")
        self.land = lay_out(facts, options.copies, named_rng(options.seed, "land"))
        self.way = Way(self.land)
        self.body = Body(feet=spawn_cell(self.land, named_rng(options.seed, "spawn")), hunger=options.hunger)
        self.gap = dig_gap(self.land, self.body.feet, options.gap) if options.gap else ()
        self.stations = StationsInReach(names.shown)
        self.sight = Sight(self.land, options.sight, names.shown)
        around = None if options.mobs_near is None else (self.body.feet, options.mobs_near)
        self.herd = Herd(self.land, options.mobs, named_rng(dice, "mobs"), around)
        self.inventory = Inventory(facts.items, names, options.slots)
        self.tick = 0
        self.steps = 0
        self.counted = 0
        self.unlocked: dict[str, int] = {}
        self.withheld = dict.fromkeys(options.withheld)
        self._delta: dict[str, int] = {}
        self._events: list[str] = []
        self._ticks: dict[tuple[str | None, str], int | None] = {}
        self._cuts: dict[str | None, NDArray[np.float64]] = {}
        for item, amount in options.inventory.items():
            if item not in self.withheld:
                self.gain(item, amount)
        self.begin()

    def begin(self) -> None:
        """Forget the changes of the last action."""
        self._delta = {}
        self._events = []

    @property
    def held(self) -> ItemFact | None:
        """Facts of the held item."""
        held = self.inventory.held
        return None if held is None else self.facts.items[held]

    def shown(self, name: str) -> str:
        """Return the name to show."""
        return self.names.shown(name)

    def gain(self, item: str, amount: int) -> None:
        """Put `amount` of `item` into the inventory and remember the change."""
        self.inventory.add(item, amount)
        self._delta[item] = self._delta.get(item, 0) + amount
        self.unlocked.setdefault(item, self.counted)

    def lose(self, item: str, amount: int) -> None:
        """Take `amount` of `item` out of the inventory and remember the change."""
        self.inventory.remove(item, amount)
        self._delta[item] = self._delta.get(item, 0) - amount

    def wear(self, uses: int) -> None:
        """Wear the held item; what breaks is gone and becomes an event."""
        held = self.inventory.held
        if held is not None and self.inventory.use(held, uses):
            self._delta[held] = self._delta.get(held, 0) - 1
            self.note(f"broke:{self.shown(held)}")

    def note(self, event: str) -> None:
        """Remember an event of this action."""
        self._events.append(event)

    def set_block(self, cell: Cell, block: str | None) -> None:
        """Put `block`, or air for None, at `cell`."""
        self.land.put(cell, AIR if block is None else self.land.kind(block))
        self.stations.follow(cell, block)

    def stations_in_reach(self) -> tuple[Station, ...]:
        """Return what can be used from here, nearest first, with shown names."""
        return self.stations.in_reach(self.body.feet)

    def dig_ticks(self, block: str) -> int | None:
        """Return how long digging `block` with the held item takes, None if it cannot be dug."""
        key = (self.inventory.held, block)
        if key not in self._ticks:
            self._ticks[key] = dig_ticks(self.facts.blocks[block], self.held)
        return self._ticks[key]

    def approach(self, target: Cell) -> int:
        """Walk to where `target` can be touched; return the ticks."""
        held = self.inventory.held
        cuts = self._cuts.get(held)
        if cuts is None or len(cuts) < len(self.land.names):
            cuts = np.zeros(len(self.land.names), dtype=np.float64)
            for kind, name in enumerate(self.land.names):
                if self.land.solid[kind]:
                    cuts[kind] = self.dig_ticks(name) or 0
            self._cuts[held] = cuts
        return self.way.approach(self.body, target, cuts)

    def outcome(
        self,
        code: OutcomeCode,
        message: str,
        *,
        ticks: int = 0,
        work_ticks: int = 0,
        block: str | None = None,
        cell: Cell | None = None,
    ) -> Outcome:
        """Return the outcome of this action with the changes remembered since `begin`."""
        return Outcome(
            code=code,
            message=message,
            inventory_delta=self._shown_delta(),
            ticks=ticks,
            work_ticks=work_ticks,
            block=None if block is None else self.shown(block),
            cell=cell,
            events=tuple(self._events),
        )

    def _shown_delta(self) -> Mapping[str, int]:
        if not self._delta:
            return {}
        shown = ((self.shown(item), change) for item, change in self._delta.items() if change)
        return dict(sorted(shown))

"""What the agent has found out by its own doing: how to get things, what was tried, what stands where.

Every agent of a comparison keeps the same working knowledge; it is read from the agent's own steps alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from csd.episode import Attack, Cell, Collect, Craft, Observation, Place, Smelt, Step
from echo.agent.arrangement import Arrangement
from echo.agent.goal import goal_gain

UNSEEN_STACK = 64
"""Stack size taken for granted of an item whose stack was not seen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """One known way to get an item."""

    verb: Literal["collect", "craft", "smelt", "attack"]
    product: str
    inputs: tuple[tuple[str, int], ...] = ()
    """Items used up each time."""
    yields: int = 1
    """How many came out when it was first done."""
    block: str | None = None
    """For collect: the block kind."""
    grid: Arrangement | None = None
    """For craft: what was laid."""
    mob: str | None = None
    """For attack: the creature kind."""


@dataclass(slots=True)
class Digging:
    """What digging one block kind with one held item brought."""

    digs: int = 0
    ticks: int = 0
    """Time of the latest dig."""
    drops: Counter[str] = field(default_factory=Counter)

    @property
    def yielded(self) -> bool:
        """Whether anything ever came out."""
        return bool(self.drops)


@dataclass(slots=True)
class Knowledge:
    """The agent's working knowledge; `look`, `note`, `watch` and `recollect` are its only ways in."""

    items: list[str] = field(default_factory=list)
    """Items ever held, in order of first holding."""
    index: dict[str, int] = field(default_factory=dict)
    """Item -> its place in `items`."""
    stack_size: dict[str, int] = field(default_factory=dict)
    """Item -> how many fit on one slot."""
    ways: dict[str, list[Way]] = field(default_factory=dict)
    """Item -> known ways to it, in order of discovery."""
    digging: dict[str, dict[str | None, Digging]] = field(default_factory=dict)
    """Block -> item held -> what came of it."""
    grids: dict[Arrangement, str | None] = field(default_factory=dict)
    """Grid laid -> product, None where nothing appeared."""
    smelted: dict[str, str | None] = field(default_factory=dict)
    """Input -> product, None where nothing came of it."""
    fuels: dict[str, list[int]] = field(default_factory=dict)
    """Fuel -> [items smelted, pieces used up]."""
    not_fuel: dict[str, None] = field(default_factory=dict)
    """Items that did not burn."""
    carries: dict[str, bool] = field(default_factory=dict)
    """Item that was put where something to stand on was asked for -> whether it served."""
    fights: dict[str, dict[str | None, int]] = field(default_factory=dict)
    """Creature -> item held -> ticks that the latest fight took."""
    creatures: dict[str, None] = field(default_factory=dict)
    """Creature kinds in sight at the latest look."""
    placeable: dict[str, bool] = field(default_factory=dict)
    """Item -> whether it could be put down as a block."""
    stations: dict[Cell, tuple[str, str]] = field(default_factory=dict)
    """Position -> (block, what it offers)."""
    offers: dict[str, str] = field(default_factory=dict)
    """Block kind -> what it was seen to offer."""
    own_blocks: dict[str, None] = field(default_factory=dict)
    """Block kinds that were nowhere in sight before the agent put one down: no source of anything."""
    last_seen: dict[str, Cell] = field(default_factory=dict)
    """Block kind -> where it was last seen nearest."""
    _opened: dict[str, None] = field(default_factory=dict)
    """Block kinds that yielded something at least once."""

    def look(self, observation: Observation) -> list[str]:
        """Take in an observation; return the items held for the first time, in inventory order."""
        fresh = []
        for item, stack in observation.inventory.items():
            if stack.count > 0:
                self.stack_size[item] = stack.stack_size
                if item not in self.index:
                    self._index(item)
                    fresh.append(item)
        for kind, seen in observation.blocks.items():
            self.last_seen[kind] = seen.nearest
        self.creatures = dict.fromkeys(observation.mobs)
        for station in observation.stations:
            self.stations[station.position] = (station.block, station.offers)
            self.offers[station.block] = station.offers
        return fresh

    def watch(self, step: Step) -> None:
        """Take in a step that someone else was seen to take, with the stations they stood at."""
        self._learn(step)
        for station in step.before.stations:
            self.offers[station.block] = station.offers

    def recollect(self, step: Step) -> None:
        """Take in an own step of an earlier episode: what it taught, and what had been held then."""
        if isinstance(step.action, Collect) and step.before.mainhand != step.before.tool:
            # A block dug with a handful of planks is a block dug by hand: no tool is to be thought needed.
            step = replace(step, before=replace(step.before, mainhand=None))
        self.watch(step)
        for item, stack in step.before.inventory.items():
            self.stack_size.setdefault(item, stack.stack_size)
            self._index(item)
        for item, change in step.outcome.inventory_delta.items():
            if change > 0:
                self._index(item)

    def note(self, step: Step) -> None:
        """Take in what one own step showed."""
        self._learn(step)
        if isinstance(step.action, Collect) and step.outcome.cell in self.stations:
            del self.stations[step.outcome.cell]

    def _learn(self, step: Step) -> None:
        """Take in what a step showed, whenever and wherever that was."""
        action, outcome = step.action, step.outcome
        if isinstance(action, Collect):
            self._note_dig(step)
        elif isinstance(action, Craft) and outcome.code in ("ok", "no_result"):
            self._note_craft(Arrangement.from_grid(action.grid), outcome.inventory_delta, ok=outcome.ok)
        elif isinstance(action, Smelt):
            self._note_smelt(action, step)
        elif isinstance(action, Place) and outcome.code in ("ok", "not_placeable"):
            self._note_place(action, step)
        elif isinstance(action, Attack) and outcome.code in ("ok", "no_drop"):
            self._note_fight(action.mob, step)

    def worked_with(self, block: str) -> list[str | None]:
        """Return the held items with which `block` yielded something, in order of first use."""
        return [tool for tool, digging in self.digging.get(block, {}).items() if digging.yielded]

    def closed(self) -> list[str]:
        """Return the blocks that were dug and never yielded anything, in order of the first dig."""
        return [block for block in self.digging if block not in self._opened]

    def tried(self, arrangement: Arrangement) -> bool:
        """Return whether the arrangement was carried out before, whatever came of it."""
        if arrangement.smelts:
            return arrangement.fillers[0] in self.smelted
        return arrangement in self.grids

    def yield_of(self, block: str, item: str) -> float:
        """Return the mean number of `item` from one dig of `block` with items that worked."""
        digs = [d for d in self.digging.get(block, {}).values() if d.yielded]
        total = sum(d.digs for d in digs)
        return sum(d.drops[item] for d in digs) / total if total else 0.0

    def _note_dig(self, step: Step) -> None:
        block, outcome = step.outcome.block, step.outcome
        if block is None or outcome.code not in ("ok", "no_drop"):
            return
        digging = self.digging.setdefault(block, {}).setdefault(step.before.mainhand, Digging())
        digging.digs += 1
        digging.ticks = outcome.work_ticks
        for item, change in outcome.inventory_delta.items():
            if change > 0:
                digging.drops[item] += change
                self._opened[block] = None
                if block not in self.own_blocks:
                    self._add_way(Way(verb="collect", product=item, block=block))

    def _note_place(self, action: Place, step: Step) -> None:
        outcome = step.outcome
        self.placeable[action.item] = outcome.ok
        if outcome.ok and action.target is not None and (gain := goal_gain(outcome)) is not None:
            self.carries[action.item] = gain > 0
        block = outcome.block
        if (
            outcome.ok
            and block is not None
            and block not in self.last_seen
            and block not in step.before.blocks
        ):
            self.own_blocks[block] = None

    def _note_fight(self, mob: str, step: Step) -> None:
        outcome = step.outcome
        self.fights.setdefault(mob, {})[step.before.mainhand] = outcome.work_ticks
        for item, change in outcome.inventory_delta.items():
            if change > 0:
                self._add_way(Way(verb="attack", product=item, yields=change, mob=mob))

    def _note_craft(self, grid: Arrangement, delta: Mapping[str, int], *, ok: bool) -> None:
        used = grid.needs()
        gained = [item for item, change in delta.items() if change > 0 and item not in used]
        gained += [item for item, change in delta.items() if item in used and change > -used[item]]
        self.grids[grid] = gained[0] if ok and gained else None
        if ok and gained:
            product = gained[0]
            count = delta[product] + used.get(product, 0)
            self._add_way(
                Way(verb="craft", product=product, inputs=tuple(used.items()), yields=count, grid=grid)
            )

    def _note_smelt(self, action: Smelt, step: Step) -> None:
        outcome = step.outcome
        if outcome.code == "not_fuel":
            self.not_fuel[action.fuel] = None
        elif outcome.code == "no_result":
            self.smelted[action.input] = None
        elif outcome.ok:
            gained = [item for item, change in outcome.inventory_delta.items() if change > 0]
            self.smelted[action.input] = gained[0] if gained else None
            burnt = outcome.inventory_delta.get(action.fuel, 0) + (action.fuel == action.input)
            if burnt < 0 or action.fuel in self.fuels:
                tally = self.fuels.setdefault(action.fuel, [0, 0])
                tally[0] += 1
                tally[1] += burnt < 0
            for product in gained[:1]:
                self._add_way(Way(verb="smelt", product=product, inputs=((action.input, 1),)))

    def _index(self, item: str) -> None:
        if item not in self.index:
            self.index[item] = len(self.items)
            self.items.append(item)
            self.stack_size.setdefault(item, UNSEEN_STACK)

    def _add_way(self, way: Way) -> None:
        known = self.ways.setdefault(way.product, [])
        if not any(
            (w.verb, w.block, w.mob, w.inputs, w.grid) == (way.verb, way.block, way.mob, way.inputs, way.grid)
            for w in known
        ):
            known.append(way)

"""From wanted items to a sequence of known doings: what to gather, make and smelt first, and its price.

Plans use only ways the agent has found itself (`echo.agent.knowledge`). Prices are in counted actions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil

from echo.agent.arrangement import Arrangement
from echo.agent.knowledge import Knowledge, Way

UNREACHABLE = 1e6
"""Price of an item that no known way leads to."""
_TOOL_SHARE = 0.05
"""Part of a tool's price charged to one use: wooden tools last about 59 uses, better ones longer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One doing of a plan: `times` repetitions of a way."""

    way: Way
    times: int
    tool: str | None = None
    """Item to hold, for collect."""
    until: int = 0
    """For collect and attack: how many more of the product to get; chance decides how often it is done."""
    fuel: str | None = None


class Prices:
    """What one of each item costs in counted actions when none is held, from the ways known now."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._price: dict[str, float] = {}
        self._known = (0, 0)
        self.refresh()

    def of(self, item: str) -> float:
        """Return the price of one `item`, `UNREACHABLE` where no way is known."""
        return self._price.get(item, UNREACHABLE)

    def catch_up(self, *, news: bool) -> None:
        """Compute all prices anew where ways or blocks were found since the last call, or `news` says so."""
        known = (sum(map(len, self._knowledge.ways.values())), len(self._knowledge.last_seen))
        if news or known != self._known:
            self._known = known
            self.refresh()

    def refresh(self) -> None:
        """Compute all prices anew."""
        price: dict[str, float] = {}
        for _ in range(24):
            changed = False
            for item, ways in self._knowledge.ways.items():
                best = min(self._way_price(way, price) for way in ways)
                if best < price.get(item, UNREACHABLE) - 1e-6:
                    price[item] = best
                    changed = True
            if not changed:
                break
        self._price = price

    def best_way(self, item: str) -> Way | None:
        """Return the cheapest known way to `item`, ties by order of discovery; None where none is known.

        It may lead nowhere unless its inputs are held: what cannot be gathered has no price.
        """
        ways = self._knowledge.ways.get(item, [])
        return min(ways, key=lambda way: self._way_price(way, self._price), default=None)

    def fuel(self) -> str | None:
        """Return the fuel with the least price per item smelted, None where no fuel is known."""
        tallies = self._knowledge.fuels
        options = [
            (self.of(fuel) * max(burnt, 1) / max(smelted, 1), fuel)
            for fuel, (smelted, burnt) in tallies.items()
        ]
        return min(options)[1] if options else None

    def _way_price(self, way: Way, price: Mapping[str, float]) -> float:
        if way.verb == "collect" and way.block is not None:
            if way.block not in self._knowledge.last_seen:
                return UNREACHABLE
            rate = self._knowledge.yield_of(way.block, way.product)
            tools = self._knowledge.worked_with(way.block)
            tool = (
                0.0 if None in tools else min((price.get(t or "", UNREACHABLE) for t in tools), default=0.0)
            )
            return (1.0 + _TOOL_SHARE * tool) / rate if rate else UNREACHABLE
        if way.verb == "attack":
            return 1.0 / way.yields if way.mob in self._knowledge.creatures else UNREACHABLE
        inputs = sum(count * price.get(item, UNREACHABLE) for item, count in way.inputs)
        fuel = 0.5 if way.verb == "smelt" else 0.0
        return min((1.0 + fuel + inputs) / way.yields, UNREACHABLE)


@dataclass(slots=True)
class _Draft:
    """A plan in the making over a virtual inventory."""

    held: Counter[str]
    tasks: list[Task] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    """Items being planned for, to cut circles."""
    put_down: dict[str, None] = field(default_factory=dict)
    """Offers of stations that the plan puts down."""


class Planner:
    """Plans for items, grids and smelting from what is held."""

    def __init__(self, knowledge: Knowledge, prices: Prices) -> None:
        self._knowledge = knowledge
        self.prices = prices

    def for_items(
        self, wanted: Mapping[str, int], held: Mapping[str, int], offer: str | None = None
    ) -> tuple[Task, ...] | None:
        """Return the tasks that bring `wanted` into the inventory together, None if some way is missing.

        Args:
            wanted: item -> amount to hold at once in the end.
            held: item -> amount held now.
            offer: also have or reach a station with this offer.
        """
        draft = _Draft(held=Counter(held))
        if offer is not None and not self._plan_station(offer, draft):
            return None
        for item, count in wanted.items():
            if not self._plan(item, count, draft):
                return None
        return tuple(draft.tasks)

    def for_arrangement(self, wanted: Arrangement, held: Mapping[str, int]) -> tuple[Task, ...] | None:
        """Return the tasks that make `wanted` possible, fuel included; None if some way is missing."""
        needs = wanted.needs()
        fuel = self.prices.fuel() if wanted.smelts else None
        if fuel is not None:
            needs[fuel] = needs.get(fuel, 0) + 1
        return self.for_items(needs, held, wanted.offer)

    def tool_for(self, block: str, held: Mapping[str, int]) -> tuple[str | None, bool]:
        """Return (item to hold for `block`, whether it is at hand).

        Prefers an item that is held and worked; then the bare hand where it worked; then a held item
        that worked on some block on which a working item worked too; then the cheapest to make.
        """
        worked = self._knowledge.worked_with(block)
        for tool in worked:
            if tool is not None and held.get(tool, 0) > 0 and self._knowledge.stack_size.get(tool) == 1:
                return tool, True
        if None in worked or not worked:
            return None, True
        for tool in worked:
            if tool is not None and held.get(tool, 0) > 0:
                return tool, True
        for tool in self._alike(block, worked):
            if held.get(tool, 0) > 0:
                return tool, True
        return min((t for t in worked if t is not None), key=lambda t: (self.prices.of(t), t)), False

    def _alike(self, block: str, worked: list[str | None]) -> list[str]:
        tried = self._knowledge.digging.get(block, {})
        opened = [
            b for b in self._knowledge.digging if any(t in worked for t in self._knowledge.worked_with(b))
        ]
        found: dict[str, int] = {}
        for other in opened:
            for tool in self._knowledge.worked_with(other):
                if tool is not None and tool not in tried and self._knowledge.stack_size.get(tool) == 1:
                    found[tool] = found.get(tool, 0) + 1
        return sorted(found, key=lambda tool: (-found[tool], tool))

    def _plan(self, item: str, count: int, draft: _Draft) -> bool:
        taken = min(count, draft.held[item])
        draft.held[item] -= taken
        short = count - taken
        if short == 0:
            return True
        way = self.prices.best_way(item)
        if way is None or item in draft.open or len(draft.tasks) > 60:
            return False
        draft.open.append(item)
        if self.prices.of(item) < UNREACHABLE:
            done = self._plan_way(way, short, draft)
        else:
            done = self._plan_any_way(item, short, draft)
        draft.open.pop()
        return done

    def _plan_any_way(self, item: str, short: int, draft: _Draft) -> bool:
        """Plan by the first way that works of those that prices rule out: what cannot be got may be held."""
        held, tasks, put_down = draft.held, draft.tasks, draft.put_down
        for way in self._knowledge.ways[item]:
            draft.held, draft.tasks, draft.put_down = Counter(held), list(tasks), dict(put_down)
            if self._plan_way(way, short, draft):
                return True
        return False

    def _plan_way(self, way: Way, short: int, draft: _Draft) -> bool:
        if way.verb == "collect" and way.block is not None:
            return self._plan_dig(way, way.block, short, draft)
        times = ceil(short / way.yields)
        if way.verb == "attack":
            draft.tasks.append(Task(way=way, times=times, until=short))
            return way.mob in self._knowledge.creatures
        fuel = None
        if way.verb == "craft" and way.grid is not None:
            offer: str | None = way.grid.offer
        else:
            offer, fuel = "smelt", self.prices.fuel()
            if fuel is None:
                return False
        if offer is not None and not self._plan_station(offer, draft):
            return False
        for item, each in way.inputs:
            if not self._plan(item, each * times, draft):
                return False
        if fuel is not None and not self._plan(fuel, self._pieces(fuel, times), draft):
            return False
        draft.tasks.append(Task(way=way, times=times, fuel=fuel))
        draft.held[way.product] += times * way.yields - short
        return True

    def _pieces(self, fuel: str, times: int) -> int:
        smelted, burnt = self._knowledge.fuels[fuel]
        return max(1, ceil(times * burnt / max(smelted, 1)))

    def _plan_dig(self, way: Way, block: str, short: int, draft: _Draft) -> bool:
        tool, at_hand = self.tool_for(block, draft.held)
        if not at_hand and tool is not None:
            if not self._plan(tool, 1, draft):
                return False
            draft.held[tool] += 1
        rate = self._knowledge.yield_of(block, way.product)
        if rate <= 0 or block not in self._knowledge.last_seen:
            return False
        digs = ceil(short / rate)
        draft.tasks.append(Task(way=way, times=digs, tool=tool, until=short))
        return True

    def _plan_station(self, offer: str, draft: _Draft) -> bool:
        """Plan one station for all that the plan makes at it; what is put down is held no longer."""
        stands = any(offered == offer for _, offered in self._knowledge.stations.values())
        if stands or offer in draft.put_down:
            return True
        blocks = [block for block, offered in self._knowledge.offers.items() if offered == offer]
        held = [block for block in blocks if draft.held[block] > 0]
        known = [block for block in blocks if block in self._knowledge.ways and block not in draft.open]
        known.sort(key=lambda block: (self.prices.of(block), block))
        for block in held[:1] or known[:1]:
            if self._plan(block, 1, draft):
                draft.put_down[offer] = None
                return True
        return False

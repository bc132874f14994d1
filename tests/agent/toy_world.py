"""A world of a few rules that fit on a page: everything in sight, nothing left to chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from csd.episode import (
    COUNTED_KINDS,
    Action,
    Cell,
    Collect,
    Craft,
    Equip,
    Frame,
    ItemStack,
    Observation,
    Outcome,
    OutcomeCode,
    Place,
    SeenBlock,
    Smelt,
    Station,
    Vitals,
)
from echo.agent.arrangement import Arrangement

TOOL_USES = 4


@dataclass(frozen=True, kw_only=True)
class Block:
    """What one kind of block gives, and to which tools."""

    drop: str | None
    tools: tuple[str, ...] = ()
    """None named: the bare hand will do."""
    left: int = 1_000


@dataclass(frozen=True, kw_only=True)
class Rules:
    blocks: Mapping[str, Block]
    recipes: Mapping[Arrangement, tuple[str, int]]
    smelting: Mapping[str, str] = field(default_factory=dict)
    fuels: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    stations: Mapping[str, str] = field(default_factory=dict)
    """Item that can be put down -> what it then offers."""


HEAD_AND_HANDLE = "AAA/.B./.B."
RULES = Rules(
    blocks={
        "tree": Block(drop="log"),
        "rock": Block(drop="stone", tools=("pick", "stone_pick")),
        "ore": Block(drop="raw_ore", tools=("stone_pick",)),
        "dust": Block(drop=None),
    },
    recipes={
        Arrangement("A", ("log",)): ("plank", 4),
        Arrangement("A/A", ("plank",)): ("rod", 4),
        Arrangement("AA/AA", ("plank",)): ("table", 1),
        Arrangement(HEAD_AND_HANDLE, ("plank", "rod")): ("pick", 1),
        Arrangement(HEAD_AND_HANDLE, ("stone", "rod")): ("stone_pick", 1),
        Arrangement("AAA/A.A/AAA", ("stone",)): ("oven", 1),
    },
    smelting={"raw_ore": "ingot", "log": "coal"},
    fuels=("plank", "coal"),
    tools=("pick", "stone_pick"),
    stations={"table": "grid3", "oven": "smelt"},
)


class ToyWorld:
    """A world after `Rules`. Its actions are kept in `done`."""

    source = "toy"

    def __init__(
        self, rules: Rules = RULES, held: Mapping[str, int] | None = None, budget: int = 10_000
    ) -> None:
        self.rules = rules
        self.held = dict(held or {})
        self.done: list[tuple[Action, OutcomeCode]] = []
        self.counted = 0
        self._budget = budget
        self._left = {kind: block.left for kind, block in rules.blocks.items()}
        self._uses = dict.fromkeys(rules.tools, TOOL_USES)
        self._hand: str | None = None
        self._stations: list[Station] = []
        self._steps = 0

    def act(self, action: Action) -> Outcome:
        if self.counted >= self._budget:
            return Outcome(code="budget_spent", message="spent")
        self._steps += 1
        self.counted += action.kind in COUNTED_KINDS
        before = dict(self.held)
        code, block = self._carry_out(action)
        self.held = {item: count for item, count in sorted(self.held.items()) if count > 0}
        if self._hand not in self.held:
            self._hand = None
        names = sorted({*before, *self.held})
        delta = {item: self.held.get(item, 0) - before.get(item, 0) for item in names}
        self.done.append((action, code))
        return Outcome(
            code=code,
            message=code,
            inventory_delta={item: change for item, change in delta.items() if change},
            ticks=20,
            work_ticks=10,
            block=block,
        )

    def observe(self, frame: bool = False) -> Observation:
        seen = [kind for kind, left in sorted(self._left.items()) if left > 0]
        return Observation(
            step=self._steps,
            tick=20 * self._steps,
            position=(0.5, 64.0, 0.5),
            yaw=0.0,
            pitch=0.0,
            inventory={
                item: ItemStack(count=count, stack_size=1 if item in self.rules.tools else 64)
                for item, count in self.held.items()
            },
            mainhand=self._hand,
            blocks={
                kind: SeenBlock(count=1, nearest=_cell(n), distance=2.0, colour=(9, 9, 9))
                for n, kind in enumerate(seen)
            },
            mobs={},
            stations=tuple(self._stations),
            vitals=Vitals(),
            biome="page",
            frame=self.render() if frame else None,
        )

    def render(self) -> Frame:
        return np.full((8, 8, 3), self._steps % 256, dtype=np.uint8)

    def _carry_out(self, action: Action) -> tuple[OutcomeCode, str | None]:
        match action:
            case Collect():
                return self._dig(action.block), action.block
            case Craft():
                return self._craft(Arrangement.from_grid(action.grid)), None
            case Smelt():
                return self._smelt(action), None
            case Place():
                return self._place(action.item), action.item
            case Equip():
                self._hand = action.item
        return "ok", None

    def _dig(self, kind: str) -> OutcomeCode:
        block = self.rules.blocks.get(kind)
        if block is None or self._left[kind] == 0:
            return "not_seen"
        self._left[kind] -= 1
        gives = block.drop is not None and (not block.tools or self._hand in block.tools)
        if gives:
            self._gain(str(block.drop), 1)
        if self._hand in self._uses:
            self._uses[self._hand] -= 1
            if self._uses[self._hand] == 0:
                self._gain(self._hand, -1)
                self._uses[self._hand] = TOOL_USES
        return "ok" if gives else "no_drop"

    def _craft(self, laid: Arrangement) -> OutcomeCode:
        if any(self.held.get(item, 0) < count for item, count in laid.needs().items()):
            return "missing_item"
        if laid.offer is not None and not self._offered(laid.offer):
            return "no_station"
        if laid not in self.rules.recipes:
            return "no_result"
        product, count = self.rules.recipes[laid]
        for item, used in laid.needs().items():
            self._gain(item, -used)
        self._gain(product, count)
        return "ok"

    def _smelt(self, action: Smelt) -> OutcomeCode:
        if not self._offered("smelt"):
            return "no_station"
        if action.fuel not in self.rules.fuels:
            return "not_fuel"
        if action.input not in self.rules.smelting:
            return "no_result"
        self._gain(action.input, -1)
        self._gain(action.fuel, -1)
        self._gain(self.rules.smelting[action.input], 1)
        return "ok"

    def _place(self, item: str) -> OutcomeCode:
        if item not in self.rules.stations:
            return "not_placeable"
        self._gain(item, -1)
        offers = self.rules.stations[item]
        assert offers in ("grid3", "smelt")
        self._stations.append(Station(block=item, position=_cell(-len(self._stations)), offers=offers))
        return "ok"

    def _offered(self, offer: str) -> bool:
        return any(station.offers == offer for station in self._stations)

    def _gain(self, item: str, count: int) -> None:
        self.held[item] = self.held.get(item, 0) + count


def _cell(n: int) -> Cell:
    return (n, 64, 2)

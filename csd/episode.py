"""Episode records: what an agent saw, did and got back. The common currency of every floor.

A world emits `Observation` and `Outcome`; an agent emits an `Action`; a `Step` holds one turn of the
loop; an `Episode` is a run of steps towards one goal. These records hold only what the agent could
perceive: never a recipe, a drop table or a tool requirement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Cell = tuple[int, int, int]
"""Block coordinates (x, y, z); y is up."""

Grid = tuple[tuple[str | None, ...], ...]
"""A crafting grid, rows from top to bottom, `None` for an empty cell."""

Frame = NDArray[np.uint8]
"""An RGB picture, (height, width, 3) uint8."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GoTo:
    """Walk until `target` is within arm's reach."""

    target: Cell
    kind: Literal["go_to"] = "go_to"


@dataclass(frozen=True, kw_only=True, slots=True)
class LookAt:
    """Turn the view towards `target`."""

    target: Cell
    kind: Literal["look_at"] = "look_at"


@dataclass(frozen=True, kw_only=True, slots=True)
class Collect:
    """Walk to the nearest seen block of kind `block`, dig it with the held item, pick up the drops."""

    block: str
    kind: Literal["collect"] = "collect"


@dataclass(frozen=True, kw_only=True, slots=True)
class Mine:
    """Dig the block at `target`, which must be within reach, with the held item."""

    target: Cell
    kind: Literal["mine"] = "mine"


@dataclass(frozen=True, kw_only=True, slots=True)
class Craft:
    """Lay items into a grid and take what appears. Larger than 2x2 needs a station that offers it."""

    grid: Grid
    kind: Literal["craft"] = "craft"


@dataclass(frozen=True, kw_only=True, slots=True)
class Smelt:
    """Put one `input` and, where the fire is out, one `fuel` into a station that offers smelting."""

    input: str
    fuel: str
    kind: Literal["smelt"] = "smelt"


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Put one `item` down as a block; at `target`, or on any free cell within reach when it is None."""

    item: str
    target: Cell | None = None
    kind: Literal["place"] = "place"


@dataclass(frozen=True, kw_only=True, slots=True)
class Equip:
    """Hold `item`, or nothing when it is None."""

    item: str | None
    kind: Literal["equip"] = "equip"


@dataclass(frozen=True, kw_only=True, slots=True)
class Eat:
    """Eat one `item`."""

    item: str
    kind: Literal["eat"] = "eat"


@dataclass(frozen=True, kw_only=True, slots=True)
class Attack:
    """Walk to the nearest seen creature of kind `mob` and strike it until it falls."""

    mob: str
    kind: Literal["attack"] = "attack"


@dataclass(frozen=True, kw_only=True, slots=True)
class Drop:
    """Throw away `amount` of `item`."""

    item: str
    amount: int = 1
    kind: Literal["drop"] = "drop"


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitUntil:
    """Wait until `condition` holds, at most `ticks` ticks (20 a second)."""

    condition: Literal["time", "health", "food", "day"] = "time"
    ticks: int = 20
    kind: Literal["wait_until"] = "wait_until"


Action = GoTo | LookAt | Collect | Mine | Craft | Smelt | Place | Equip | Eat | Attack | Drop | WaitUntil

ACTIONS: Mapping[str, type[Action]] = {
    "go_to": GoTo,
    "look_at": LookAt,
    "collect": Collect,
    "mine": Mine,
    "craft": Craft,
    "smelt": Smelt,
    "place": Place,
    "equip": Equip,
    "eat": Eat,
    "attack": Attack,
    "drop": Drop,
    "wait_until": WaitUntil,
}
"""Kind of action -> its record."""

COUNTED_KINDS = frozenset({"collect", "mine", "craft", "smelt", "attack"})
"""Actions that count against a budget and in every speed-up; walking, placing and waiting cost ticks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemStack:
    """One kind of item as an inventory screen shows it."""

    count: int
    stack_size: int
    """How many fit on one slot: 1, 16 or 64."""
    wear: float = 0.0
    """Share of durability used up on the most worn piece, 0 (new or unbreakable) to below 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenBlock:
    """One kind of block in sight."""

    count: int
    """How many are in sight."""
    nearest: Cell
    distance: float
    """From the eyes to the nearest one, in blocks."""
    colour: tuple[int, int, int]
    """RGB as drawn in the frame."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Station:
    """Something within reach that can be used."""

    block: str
    position: Cell
    offers: Literal["grid3", "smelt"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Vitals:
    """How the body is."""

    health: float = 20.0
    """0..20"""
    food: float = 20.0
    """0..20"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Observation:
    """What the agent perceives at one moment."""

    step: int
    """Actions taken so far in this world."""
    tick: int
    """World time in ticks, 20 a second."""
    position: tuple[float, float, float]
    yaw: float
    """Degrees, 0 = +z, 90 = -x (Minecraft's convention)."""
    pitch: float
    inventory: Mapping[str, ItemStack]
    mainhand: str | None
    blocks: Mapping[str, SeenBlock]
    """Block kinds in sight, sorted by name."""
    mobs: Mapping[str, int]
    stations: tuple[Station, ...]
    vitals: Vitals
    biome: str
    frame: Frame | None = field(default=None, compare=False)

    @property
    def tool(self) -> str | None:
        """What is held, if only one of it fits on a slot; None for the bare hand or a handful of material."""
        stack = None if self.mainhand is None else self.inventory.get(self.mainhand)
        return self.mainhand if stack is not None and stack.stack_size == 1 else None

    def count(self, item: str) -> int:
        """Return how many of `item` are carried, 0 where none is."""
        stack = self.inventory.get(item)
        return 0 if stack is None else stack.count


OutcomeCode = Literal[
    "ok",
    "no_result",  # the grid or the smelting input gives nothing
    "no_drop",  # dug, nothing came out
    "no_station",
    "missing_item",
    "not_seen",
    "out_of_reach",
    "not_placeable",
    "not_edible",
    "not_fuel",
    "not_breakable",
    "inventory_full",
    "no_space",
    "budget_spent",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What one action brought about."""

    code: OutcomeCode
    message: str
    """Plain words; for a failure: expected, got, where, what to do."""
    inventory_delta: Mapping[str, int] = field(default_factory=dict)
    """Change in count per item, zeros left out, sorted by name."""
    ticks: int = 0
    """World time the action took."""
    work_ticks: int = 0
    """Of these, time spent digging, smelting or fighting, without the way there."""
    block: str | None = None
    """The block kind that was dug or placed."""
    cell: Cell | None = None
    """Where that was."""
    events: tuple[str, ...] = ()
    """What else happened, such as 'broke:wooden_pickaxe', 'damage:1'."""

    @property
    def ok(self) -> bool:
        """Whether the action did what it was for."""
        return self.code == "ok"


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One turn of the loop: seen before, done, brought about."""

    before: Observation
    action: Action
    outcome: Outcome


@dataclass(frozen=True, kw_only=True, slots=True)
class Episode:
    """A run of steps towards one goal."""

    id: str
    """MFM id such as 'ep_000012'; unique within one memory folder."""
    goal: str
    steps: tuple[Step, ...]
    after: Observation
    """What was seen after the last step."""
    source: str
    """The world that made it, such as 'minecraft-1.17.1', or 'demonstration'."""

    @property
    def inventory_delta(self) -> dict[str, int]:
        """Change in count per item over the whole episode, zeros left out, sorted by name."""
        total: dict[str, int] = {}
        for step in self.steps:
            for item, change in step.outcome.inventory_delta.items():
                total[item] = total.get(item, 0) + change
        return {item: total[item] for item in sorted(total) if total[item] != 0}


def action_to_json(action: Action) -> dict[str, Any]:
    """Return `action` as a JSON object whose ``kind`` names its type."""
    return {
        name: list(map(list, value)) if name == "grid" else list(value) if isinstance(value, tuple) else value
        for name, value in ((name, getattr(action, name)) for name in action.__dataclass_fields__)
    }

"""A world of a few rules, so that a run can be worked out by hand."""

from __future__ import annotations

import numpy as np

from csd.episode import (
    Action,
    Craft,
    Frame,
    GoTo,
    ItemStack,
    Observation,
    Outcome,
    Place,
    SeenBlock,
    Station,
    Vitals,
)


class SmallWorld:
    """`collect` always gives one of the block; one log makes four planks; waiting takes its ticks.

    What is in `surprises` comes instead, keyed by the number of the action, from 1.
    """

    source = "small-world"

    def __init__(self, **inventory: int) -> None:
        self.inventory = dict(inventory)
        self.surprises: dict[int, Outcome] = {}
        self.hurt: dict[int, float] = {}
        self.lies: set[int] = set()
        self.stations: list[str] = []
        self.position = (0.5, 64.0, 0.5)
        self.health = 20.0
        self.actions: list[Action] = []
        self.tick = 0

    def act(self, action: Action) -> Outcome:
        if getattr(action, "block", None) == "nonsense":
            raise ValueError("expected the name of a block, got 'nonsense'.")
        self.actions.append(action)
        number = len(self.actions)
        self.health -= self.hurt.get(number, 0.0)
        outcome = self.surprises.get(number) or self._outcome(action)
        if number not in self.lies:
            for item, change in outcome.inventory_delta.items():
                self.inventory[item] = self.inventory.get(item, 0) + change
        self.tick += outcome.ticks
        return outcome

    def _outcome(self, action: Action) -> Outcome:
        if action.kind == "collect":
            return Outcome(code="ok", message="dug", inventory_delta={action.block: 1}, ticks=10)
        if isinstance(action, Craft) and action.grid == (("oak_log",),):
            if self.inventory.get("oak_log", 0) < 1:
                return Outcome(code="missing_item", message="no oak_log")
            return Outcome(
                code="ok", message="made", inventory_delta={"oak_log": -1, "oak_planks": 4}, ticks=2
            )
        if isinstance(action, Craft):
            return Outcome(code="no_result", message="nothing appears", ticks=2)
        if isinstance(action, GoTo):
            self.position = tuple(part + 0.5 for part in action.target)
        if isinstance(action, Place):
            self.stations.append(action.item)
            return Outcome(code="ok", message="placed", inventory_delta={action.item: -1}, ticks=1)
        return Outcome(code="ok", message="done", ticks=getattr(action, "ticks", 5))

    def observe(self, frame: bool = False) -> Observation:
        picture: Frame | None = np.full((4, 4, 3), len(self.actions) % 256, dtype=np.uint8) if frame else None
        return Observation(
            step=len(self.actions),
            tick=self.tick,
            position=self.position,
            yaw=0.0,
            pitch=0.0,
            inventory={
                item: ItemStack(count=count, stack_size=64)
                for item, count in sorted(self.inventory.items())
                if count
            },
            mainhand=None,
            blocks={"oak_log": SeenBlock(count=3, nearest=(4, 64, 0), distance=4.0, colour=(1, 2, 3))},
            mobs={},
            stations=tuple(
                Station(block=block, position=(1, 64, 0), offers="grid3") for block in self.stations
            ),
            vitals=Vitals(health=self.health),
            biome="forest",
            frame=picture,
        )

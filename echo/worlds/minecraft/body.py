"""The body: where it stands and looks, health, food, effort.

Source: the game's hunger rule on Normal difficulty. Effort fills an exhaustion meter; every 4 points cost
one point of saturation, then of food. Full enough (18) it heals 1 every 80 ticks for 6 points of effort; with
no food it loses 1 every 80 ticks. Simplifications: starving stops at health 1, and hunger has no other effect
than that the body walks instead of running at food 6 or less; falls, drowning and fire do no harm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from csd.episode import Cell, Vitals

RUN_TICKS = 20 / 5.612
"""Ticks a block at a run, 5.612 blocks a second."""
WALK_TICKS = 20 / 4.317
RUN_EFFORT = 0.1
DIG_EFFORT = 0.005
STRIKE_EFFORT = 0.1
_PERIOD = 80
_HEAL_EFFORT = 6.0
_FULL = 20.0


@dataclass(slots=True)
class Body:
    """A body that gets tired. `feet` is the cell it stands in."""

    feet: Cell
    hunger: bool = True
    yaw: float = 0.0
    pitch: float = 0.0
    health: float = 20.0
    food: float = 20.0
    saturation: float = 5.0
    exhaustion: float = 0.0
    clock: int = 0
    """Ticks towards the next healing or starving."""

    @property
    def position(self) -> tuple[float, float, float]:
        """Middle of the feet."""
        return (self.feet[0] + 0.5, float(self.feet[1]), self.feet[2] + 0.5)

    @property
    def vitals(self) -> Vitals:
        """What the agent feels."""
        return Vitals(health=self.health, food=self.food)

    @property
    def ticks_a_block(self) -> float:
        """Walking time; too hungry to run at food 6 or less."""
        return RUN_TICKS if self.food > 6 else WALK_TICKS

    def tire(self, effort: float) -> None:
        """Add `effort` points of exhaustion."""
        if not self.hunger:
            return
        self.exhaustion += effort
        while self.exhaustion >= 4.0:
            self.exhaustion -= 4.0
            if self.saturation > 0:
                self.saturation = max(0.0, self.saturation - 1.0)
            else:
                self.food = max(0.0, self.food - 1.0)

    def pass_time(self, ticks: int) -> None:
        """Heal or starve for `ticks` ticks."""
        self.clock += ticks
        periods, self.clock = divmod(self.clock, _PERIOD)
        for _ in range(periods):
            if self.food >= 18 and self.health < _FULL:
                self.health = min(_FULL, self.health + 1.0)
                self.tire(_HEAL_EFFORT)
            elif self.food <= 0 and self.health > 1.0:
                self.health = max(1.0, self.health - 1.0)
            else:
                break

    def eat(self, points: float, saturation: float) -> None:
        """Fill up; food and saturation never go above what the body holds."""
        self.food = min(_FULL, self.food + points)
        self.saturation = min(self.food, self.saturation + saturation)

    def hurt(self, points: float) -> float:
        """Lose health, but never the last point; return how much was lost."""
        lost = min(points, self.health - 1.0)
        self.health -= lost
        return lost

    def satisfied(self, condition: str) -> bool:
        """Return whether ``health`` is full, or for ``food`` whether there is room for food."""
        return self.health >= _FULL if condition == "health" else self.food < _FULL

    def look_at(self, cell: Cell) -> None:
        """Turn towards the middle of `cell`."""
        dx = cell[0] - self.feet[0]
        dy = cell[1] + 0.5 - (self.feet[1] + 1.62)
        dz = cell[2] - self.feet[2]
        flat = math.hypot(dx, dz)
        if flat > 0:
            self.yaw = round(math.degrees(math.atan2(-dx, dz)) % 360.0, 3)
        self.pitch = round(-math.degrees(math.atan2(dy, flat)), 3)

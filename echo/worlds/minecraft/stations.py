"""Placed blocks that can be used: bigger crafting grids and furnaces, and the fire left in each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from csd.episode import Cell, Station
from echo.worlds.minecraft.facts import RecipeKind
from echo.worlds.minecraft.walking import REACH, eye_distance

GRID_STATIONS = ("crafting_table",)
FIRES = {
    "furnace": RecipeKind.SMELTING,
    "blast_furnace": RecipeKind.BLASTING,
    "smoker": RecipeKind.SMOKING,
}
"""What each fire does to its input."""


class StationsInReach:
    """Stations by cell, and which of them a body can touch."""

    def __init__(self, shown: Callable[[str], str]) -> None:
        """Start with none; `shown` turns a block name into the one to show."""
        self._shown = shown
        self._placed: dict[Cell, str] = {}
        self.burning: dict[Cell, int] = {}
        """Ticks of fire left in each furnace; it waits for the next input (the game lets it burn down)."""
        self._feet: Cell | None = None
        self._near: tuple[Station, ...] = ()

    def follow(self, cell: Cell, block: str | None) -> None:
        """Learn that `block` (None for air) is now at `cell`."""
        if cell in self._placed:
            del self._placed[cell]
            self.burning.pop(cell, None)
            self._feet = None
        if block in GRID_STATIONS or block in FIRES:
            self._placed[cell] = block
            self._feet = None

    def block_at(self, cell: Cell) -> str:
        """Return the real name of the station at `cell`."""
        return self._placed[cell]

    def cells_of(self, block: str) -> list[Cell]:
        """Return where stations of one kind stand, by real name, in order of cell."""
        return sorted(cell for cell, placed in self._placed.items() if placed == block)

    def in_reach(self, feet: Cell) -> tuple[Station, ...]:
        """Return the stations a body in `feet` can touch, nearest first, ties by cell."""
        if feet != self._feet:
            self._feet = feet
            near = sorted((eye_distance(feet, cell), cell) for cell in self._placed)
            self._near = tuple(self._station(cell) for distance, cell in near if distance <= REACH)
        return self._near

    def _station(self, cell: Cell) -> Station:
        block = self._placed[cell]
        offers: Literal["grid3", "smelt"] = "smelt" if block in FIRES else "grid3"
        return Station(block=self._shown(block), position=cell, offers=offers)

"""Creatures that roam the land.

Simplification: each kind is a herd of four that stands still; one that falls is replaced at once by another
elsewhere, as if it wandered in.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from csd.episode import Cell
from echo.worlds.minecraft.terrain import Land, cell_near, spawn_cell
from echo.worlds.minecraft.walking import eye_distance

HERD_SIZE = 4
HEALTH = {"chicken": 4.0, "cow": 10.0, "pig": 10.0, "sheep": 8.0, "spider": 16.0}
"""Health points of a full-grown one (the game's rules); 20 for kinds not listed."""
BITE = {"spider": 2.0}
"""Damage a second of those that strike back."""
_STRIKES_A_SECOND = {"sword": 1.6, "axe": 0.9, "pickaxe": 1.2, "shovel": 1.0, "hoe": 1.0}
_HAND_STRIKES_A_SECOND = 4.0


def fight_ticks(mob: str, attack: float, tool_class: str | None) -> tuple[int, int]:
    """Return how many strikes bring `mob` down and the ticks they take."""
    strikes = max(1, int(np.ceil(HEALTH.get(mob, 20.0) / attack)))
    rate = _STRIKES_A_SECOND.get(tool_class or "", _HAND_STRIKES_A_SECOND)
    return strikes, int(np.ceil((strikes - 1) * 20 / rate)) + 1


class Herd:
    """Where the creatures are."""

    def __init__(
        self,
        land: Land,
        kinds: tuple[str, ...],
        rng: np.random.Generator,
        around: tuple[Cell, int] | None = None,
    ) -> None:
        """Set four of each kind out at random places.

        Args:
            land: Where they stand.
            kinds: Which.
            rng: Chooses the places.
            around: A cell on open ground and the blocks from it within which they stand; None for anywhere.
        """
        self._land = land
        self._rng = rng
        self._around = around
        self._places: dict[str, list[Cell]] = {
            kind: [self._somewhere() for _ in range(HERD_SIZE)] for kind in sorted(kinds)
        }

    def places(self) -> list[tuple[str, Cell]]:
        """Return kind and cell of every creature."""
        return [(kind, cell) for kind, cells in self._places.items() for cell in cells]

    def seen(self, feet: Cell, sight: int, shown: Callable[[str], str]) -> dict[str, int]:
        """Return how many of each kind are in sight, by shown name, sorted by it."""
        if not self._places:
            return {}
        counts = (
            (shown(kind), sum(eye_distance(feet, cell) <= sight for cell in cells))
            for kind, cells in self._places.items()
        )
        return dict(sorted((kind, count) for kind, count in counts if count))

    def nearest(self, kind: str, feet: Cell, sight: int) -> Cell | None:
        """Return where the nearest one in sight stands, None where none is."""
        near = sorted((eye_distance(feet, cell), cell) for cell in self._places.get(kind, []))
        return near[0][1] if near and near[0][0] <= sight else None

    def fell(self, kind: str, cell: Cell) -> None:
        """Replace the creature at `cell` by another elsewhere."""
        self._places[kind].remove(cell)
        self._places[kind].append(self._somewhere())

    def _somewhere(self) -> Cell:
        if self._around is None:
            return spawn_cell(self._land, self._rng)
        return cell_near(self._land, *self._around, self._rng)

"""The land: blocks that can be read and changed, laid out from the captured strip, and where to appear on it.

Coordinates: world cells (x, y, z) with x and z from 0, y as in the game. Inside, one padded array holds a
small number per block kind, so that windows around the agent never leave it.
"""

from __future__ import annotations

from copy import copy
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from csd.episode import Cell
from echo.worlds.minecraft.facts import BlockFact, Facts, Terrain

PAD = 10
"""Cells of void around the land on every side; at least the radius of the near search in sight.py."""

SECTION = 16
AIR_NAMES = ("air", "cave_air", "void_air")
VOID = 0
"""Kind number of what lies outside the land: neither solid nor passable."""
AIR = 1
_SPAWN_TRIES = 200


class Land:
    """A box of blocks.

    Attributes:
        ids: (x + 2 PAD, y + 2 PAD, z + 2 PAD) uint16, the kind number of each cell.
        names: Block name of each kind number; 0 is the void, 1 is air.
        shape: Size of the land without padding, (x, y, z).
        min_y: World y of the lowest layer.
        counts: (sections, kinds) float32, how many blocks of each kind each 16 x 16 x 16 section holds. Air
            is not counted. Sections are numbered x-major, then y, then z.
        changed: Cells changed since the reader last took them, with old and new kind.
        origin: The land this one was copied from, which nobody changes; None for none.
    """

    def __init__(self, ids: NDArray[np.uint16], names: list[str], min_y: int, facts: Facts) -> None:
        """Take over a block array.

        Args:
            ids: (x, y, z) kind numbers, without padding; VOID does not occur in it.
            names: Block name per kind number, beginning with the void and air.
            min_y: World y of the lowest layer.
            facts: Facts of every block.
        """
        self._facts = facts
        self.shape: tuple[int, int, int] = (ids.shape[0], ids.shape[1], ids.shape[2])
        self.min_y = min_y
        self.names = names
        self.kind_of = {name: kind for kind, name in enumerate(names)}
        self.ids = np.zeros(tuple(size + 2 * PAD for size in ids.shape), dtype=np.uint16)
        self.ids[PAD:-PAD, PAD:-PAD, PAD:-PAD] = ids
        self.flat = self.ids.reshape(-1)
        across: tuple[int, int] = self.ids.shape[1:]
        self.strides: tuple[int, int, int] = (across[0] * across[1], across[1], 1)
        self.sections = tuple(-(-size // SECTION) for size in ids.shape)
        self.counts = np.zeros((int(np.prod(self.sections)), 64), dtype=np.float32)
        self.solid = np.zeros(64, dtype=np.bool_)
        self.passable = np.zeros(64, dtype=np.bool_)
        for kind in range(len(names)):
            self._describe(kind)
        self._count(ids)
        self.changed: list[tuple[int, int, int]] = []
        self.origin: Land | None = None

    def copy(self) -> Land:
        """Return a land of the same blocks that can be changed on its own; it counts as unchanged."""
        twin = copy(self)
        twin.names, twin.kind_of = list(self.names), dict(self.kind_of)
        twin.ids, twin.counts = self.ids.copy(), self.counts.copy()
        twin.flat = twin.ids.reshape(-1)
        twin.solid, twin.passable = self.solid.copy(), self.passable.copy()
        twin.changed = []
        twin.origin = self
        return twin

    def _describe(self, kind: int) -> None:
        if kind >= len(self.solid):
            grown = 2 * len(self.solid)
            self.solid = np.resize(self.solid, grown)
            self.passable = np.resize(self.passable, grown)
            self.counts = np.pad(self.counts, ((0, 0), (0, grown - self.counts.shape[1])))
        if kind == VOID:
            self.solid[kind] = self.passable[kind] = False
            return
        fact = self._facts.blocks[self.names[kind]]
        self.solid[kind] = fact.solid
        self.passable[kind] = not fact.solid and fact.name != "lava"

    def _count(self, ids: NDArray[np.uint16]) -> None:
        x, y, z = np.nonzero(ids != AIR)
        _, sections_y, sections_z = self.sections
        section = ((x // SECTION) * sections_y + y // SECTION) * sections_z + z // SECTION
        np.add.at(self.counts, (section, ids[x, y, z]), 1.0)

    def kind(self, name: str) -> int:
        """Return the kind number of block `name`, making one on first use."""
        known = self.kind_of.get(name)
        if known is not None:
            return known
        self.names.append(name)
        self.kind_of[name] = len(self.names) - 1
        self._describe(len(self.names) - 1)
        return len(self.names) - 1

    def fact(self, kind: int) -> BlockFact:
        """Return the facts of a kind number other than the void's."""
        return self._facts.blocks[self.names[kind]]

    def index(self, cell: Cell) -> int:
        """Return the position of `cell` in `flat`; the cell must lie within the padding."""
        x, y, z = cell
        return (x + PAD) * self.strides[0] + (y - self.min_y + PAD) * self.strides[1] + z + PAD

    def cell(self, index: int) -> Cell:
        """Return the world cell at position `index` of `flat`."""
        x, rest = divmod(index, self.strides[0])
        y, z = divmod(rest, self.strides[1])
        return (x - PAD, y - PAD + self.min_y, z - PAD)

    def inside(self, cell: Cell) -> bool:
        """Return whether `cell` is part of the land."""
        x, y, z = cell
        size_x, size_y, size_z = self.shape
        return 0 <= x < size_x and 0 <= y - self.min_y < size_y and 0 <= z < size_z

    def at(self, cell: Cell) -> int:
        """Return the kind at `cell`, VOID outside the land."""
        return int(self.flat[self.index(cell)]) if self.inside(cell) else VOID

    def name_at(self, cell: Cell) -> str:
        """Return the block name at `cell`, which must be inside."""
        return self.names[self.at(cell)]

    def put(self, cell: Cell, kind: int) -> None:
        """Set the block at `cell`, which must be inside."""
        index = self.index(cell)
        old = int(self.flat[index])
        if old == kind:
            return
        self.flat[index] = kind
        x, y, z = cell
        _, sections_y, sections_z = self.sections
        section = ((x // SECTION) * sections_y + (y - self.min_y) // SECTION) * sections_z + z // SECTION
        if old != AIR:
            self.counts[section, old] -= 1.0
        if kind != AIR:
            self.counts[section, kind] += 1.0
        self.changed.append((index, old, kind))

    def is_solid(self, cell: Cell) -> bool:
        """Return whether a body cannot pass through `cell`; True outside the land."""
        kind = self.at(cell)
        return kind == VOID or bool(self.solid[kind])


def lay_out(facts: Facts, copies: int, rng: np.random.Generator) -> Land:
    """Lay mirrored copies of the captured strip side by side along its short side.

    Neighbouring copies are mirror images, so that the ground joins without a step. The generator chooses
    which way round the first one lies. Mirrored copies make resources last longer than 16 x 80 columns do;
    the mix of resources stays the captured one.

    Args:
        facts: Holds the strip.
        copies: How many, at least 1.
        rng: Chooses among the four orientations.
    """
    turned = bool(rng.integers(2)), bool(rng.integers(2))
    return _laid_out(facts, copies, turned).copy()


@lru_cache(maxsize=8)
def _laid_out(facts: Facts, copies: int, turned: tuple[bool, bool]) -> Land:
    """Return the land before anyone changed it, mirrored along x and along z as `turned` says."""
    strip, names = _numbered(facts.terrain)
    if turned[0]:
        strip = strip[::-1]
    if turned[1]:
        strip = strip[:, :, ::-1]
    axis = 0 if strip.shape[0] <= strip.shape[2] else 2
    mirror = strip[::-1] if axis == 0 else strip[:, :, ::-1]
    whole = np.concatenate([mirror if turn % 2 else strip for turn in range(copies)], axis=axis)
    return Land(np.ascontiguousarray(whole), names, facts.terrain.min_y, facts)


def _numbered(terrain: Terrain) -> tuple[NDArray[np.uint16], list[str]]:
    """Return the strip in kind numbers, every sort of air as AIR, and the name of each number."""
    names = ["", "air"]
    numbers = np.empty(len(terrain.palette), dtype=np.uint16)
    for place, name in enumerate(terrain.palette):
        if name in AIR_NAMES:
            numbers[place] = AIR
        elif name in names:
            numbers[place] = names.index(name)
        else:
            numbers[place] = len(names)
            names.append(name)
    return numbers[terrain.blocks], names


def spawn_cell(land: Land, rng: np.random.Generator) -> Cell:
    """Return a cell on open ground: two passable, dry cells over a solid one that is no leaf, sky above.

    Raises:
        ValueError: if 200 random columns have no such place.
    """
    for _ in range(_SPAWN_TRIES):
        x, z = int(rng.integers(land.shape[0])), int(rng.integers(land.shape[2]))
        ground = _ground(land, x, z)
        if ground is not None:
            return (x, ground + 1, z)
    raise ValueError(
        f"expected open ground in some of {_SPAWN_TRIES} random columns of the land; got none. "
        f"Check the terrain."
    )


def cell_near(land: Land, centre: Cell, radius: int, rng: np.random.Generator) -> Cell:
    """Return a cell as `spawn_cell` does, within `radius` blocks of `centre`.

    Where 200 tries find none, it is `centre` itself.
    """
    for _ in range(_SPAWN_TRIES):
        dx, dz = (int(step) for step in rng.integers(-radius, radius + 1, 2))
        x, z = centre[0] + dx, centre[2] + dz
        if not (0 <= x < land.shape[0] and 0 <= z < land.shape[2]):
            continue
        ground = _ground(land, x, z)
        if ground is not None and dx * dx + dz * dz + (ground + 1 - centre[1]) ** 2 <= radius * radius:
            return (x, ground + 1, z)
    return centre


def _ground(land: Land, x: int, z: int) -> int | None:
    """Return the world y of the topmost block of a column if a body can stand on it."""
    column = land.ids[x + PAD, PAD:-PAD, z + PAD]
    filled = np.flatnonzero(land.solid[column] | ~land.passable[column])
    if not len(filled):
        return None
    top = int(filled[-1])
    name = land.names[int(column[top])]
    if not land.solid[column[top]] or name.endswith(("leaves", "log")) or top + 2 >= land.shape[1]:
        return None
    if land.names[int(column[top + 1])] == "water":
        return None
    return top + land.min_y

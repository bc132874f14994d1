"""Which blocks are known, how many of each kind, and the nearest one.

Source: Voyager's ``mineBlock`` primitive asks mineflayer for ``findBlocks({matching, maxDistance: 32})``,
which searches the loaded chunks section by section and sees through rock; so do we. `SeenBlock.count`
counts the 16 x 16 x 16 sections that the sphere of sight touches (what a section-wise search loads);
`nearest` is exact, and a kind whose nearest block lies outside the sphere is not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from csd.episode import Cell, SeenBlock
from echo.worlds.minecraft.few_kinds import FewKinds
from echo.worlds.minecraft.many_kinds import ManyKinds, SectionBounds
from echo.worlds.minecraft.terrain import AIR, Land

EYE_HEIGHT = 1.62
_EYE_RISE = EYE_HEIGHT - 0.5
_FEW = 3000
"""Kinds with at most this many blocks at the start go into the table of few."""
_FIRST_KIND = AIR + 1


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tables:
    """Where everything is."""

    few: FewKinds
    many: ManyKinds
    many_kinds: list[int]

    def copy(self, land: Land) -> _Tables:
        return _Tables(few=self.few.copy(land), many=self.many.copy(land), many_kinds=self.many_kinds)


def _sort_out(land: Land) -> _Tables:
    totals = land.counts.sum(axis=0).tolist()
    kinds = range(_FIRST_KIND, len(land.names))
    many_kinds = [kind for kind in kinds if totals[kind] > _FEW]
    return _Tables(
        few=FewKinds(land, [kind for kind in kinds if totals[kind] <= _FEW]),
        many=ManyKinds(land, many_kinds, _EYE_RISE),
        many_kinds=many_kinds,
    )


@lru_cache(maxsize=8)
def _sorted_out(origin: Land) -> _Tables:
    """Return the tables of a land that nobody changes, to be copied."""
    return _sort_out(origin)


class Sight:
    """Seen blocks around one body, kept up to date at little cost while it stands still."""

    def __init__(self, land: Land, radius: int, shown: Callable[[str], str]) -> None:
        """Index the land.

        Args:
            land: What to look at; its `changed` list is emptied by this reader.
            radius: Sight in blocks.
            shown: Turns a block name into the one to show.
        """
        self._land = land
        self._farthest = float(radius**2)
        self._shown = shown
        # What changed since the copy was made is still in `land.changed`, and is followed as ever.
        tables = _sort_out(land) if land.origin is None else _sorted_out(land.origin).copy(land)
        self._few, self._many, self._many_kinds = tables.few, tables.many, tables.many_kinds
        self._sections = SectionBounds(land)
        self._feet: Cell | None = None
        self._order: list[tuple[str, int, tuple[int, int, int]]] = []
        self._seen: dict[int, SeenBlock] = {}
        self._view: dict[str, SeenBlock] = {}

    def blocks(self, feet: Cell) -> dict[str, SeenBlock]:
        """Return what is seen by a body whose feet are in `feet`: by shown name, sorted by it.

        The dictionary is never changed afterwards.
        """
        changed = self._land.changed
        if feet == self._feet and not changed:
            return self._view
        for index, old, new in changed:
            self._follow(index, old, new)
        if len(self._order) != len(self._land.names) - _FIRST_KIND:
            self._name_kinds()
        if feet != self._feet:
            self._look_around(feet)
        else:
            for kind in dict.fromkeys(kind for _, old, new in changed for kind in (old, new)):
                self._look_for(feet, kind)
        changed.clear()
        seen = self._seen
        self._view = {name: seen[kind] for name, kind, _ in self._order if kind in seen}
        return self._view

    def _follow(self, index: int, old: int, new: int) -> None:
        if old != AIR:
            (self._many if old in self._many else self._few).remove(old, index)
        if new != AIR:
            (self._many if new in self._many else self._few).add(new, index)

    def _name_kinds(self) -> None:
        """Note shown name and colour of every kind, sorted by name."""
        land = self._land
        self._colours = [(0, 0, 0)] * _FIRST_KIND
        self._colours += [land.fact(kind).colour for kind in range(_FIRST_KIND, len(land.names))]
        self._order = sorted(
            (self._shown(land.names[kind]), kind, self._colours[kind])
            for kind in range(_FIRST_KIND, len(land.names))
        )

    def _look_around(self, feet: Cell) -> None:
        """See everything anew from a new place."""
        self._feet = feet
        self._eye = np.array((feet[0], feet[1] + _EYE_RISE, feet[2]), dtype=np.float32)
        self._bounds = self._sections.squares(self._eye)
        self._inside = (self._bounds <= self._farthest).astype(np.float32)
        counts = (self._inside @ self._land.counts).tolist()
        self._seen = {}
        found = self._few.nearest_of_each(self._eye)
        for kind, square, cell in zip(found.kinds, found.squares.tolist(), found.cells, strict=True):
            if square <= self._farthest:
                self._seen[kind] = self._block(kind, counts[kind], square, (cell[0], cell[1], cell[2]))
        ranks = self._many.ball(feet).tolist()
        for kind in self._many_kinds:
            if counts[kind]:
                self._look_for_common(feet, kind, counts[kind], ranks[kind])

    def _look_for(self, feet: Cell, kind: int) -> None:
        """See one kind anew from the same place."""
        self._seen.pop(kind, None)
        if kind < _FIRST_KIND:
            return
        count = float(self._inside @ self._land.counts[:, kind])
        if not count:
            return
        if kind in self._many:
            self._look_for_common(feet, kind, count, int(self._many.ball(feet)[kind]))
            return
        square, cell = self._few.nearest(kind, self._eye)
        if square <= self._farthest:
            self._seen[kind] = self._block(kind, count, square, (cell[0], cell[1], cell[2]))

    def _look_for_common(self, feet: Cell, kind: int, count: float, rank: int) -> None:
        square, cell = self._many.nearest(kind, feet, self._eye, self._bounds, self._farthest, rank)
        if square <= self._farthest:
            self._seen[kind] = self._block(kind, count, square, cell)

    def _block(self, kind: int, count: float, square: float, nearest: Cell) -> SeenBlock:
        return SeenBlock(
            count=int(count), nearest=nearest, distance=round(square**0.5, 3), colour=self._colours[kind]
        )

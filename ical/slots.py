"""What stood where and what came of it: the table of slots that transfer fills anew.

A slot is a grid that worked with one letter left open (rows, open letter, fillers of the other letters),
or the input of a smelting station. Items that worked in a slot and items that failed in it are its column
of evidence. The table is read from descriptors (successes) and from the failure log alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from csd.pattern import letters, shape

SMELT_ROWS = "smelt"
"""Stands for the input slot of a smelting station where other slots have grid rows."""


Offer = Literal["grid3", "smelt"]
"""What a station makes possible."""


def station_needed(rows: str) -> Offer | None:
    """Return what must be offered within reach: 'grid3' above 2x2, 'smelt' for smelting, else None.

    >>> station_needed("AAA/.B./.B."), station_needed("AA/AA"), station_needed("smelt")
    ('grid3', None, 'smelt')
    """
    if rows == SMELT_ROWS:
        return "smelt"
    return "grid3" if max(shape(rows)) > 2 else None


@dataclass(frozen=True, slots=True)
class Slot:
    """A place that an item can take."""

    rows: str
    letter: str
    others: tuple[str, ...]
    """Fillers of the other letters, in letter order."""

    def fillers(self, item: str) -> tuple[str, ...]:
        """Return the fillers of all letters with `item` in this slot."""
        if self.rows == SMELT_ROWS:
            return (item,)
        rest = iter(self.others)
        return tuple(item if letter == self.letter else next(rest) for letter in letters(self.rows))


def slots_of(rows: str, fillers: Sequence[str]) -> tuple[tuple[Slot, str], ...]:
    """Return each slot of a grid (or of a smelting input) with the item in it, in letter order."""
    if rows == SMELT_ROWS:
        return ((Slot(rows, "A", ()), fillers[0]),)
    names = letters(rows)
    return tuple(
        (Slot(rows, letter, tuple(f for n, f in zip(names, fillers, strict=True) if n != letter)), item)
        for letter, item in zip(names, fillers, strict=True)
    )


class SlotTable:
    """Slots of all successes, with the items that worked and failed in each.

    Rows are slots in order of first success, columns items in order of first mention.
    """

    def __init__(self) -> None:
        self.items: list[str] = []
        self.item_index: dict[str, int] = {}
        self.slots: list[Slot] = []
        self.slot_index: dict[Slot, int] = {}
        self.products: list[dict[str, str]] = []
        """Per slot: item -> product."""
        self.stale: list[bool] = []
        """Per slot: whether its first product was known from another arrangement."""
        self.revision = 0
        """Grows whenever an entry of `worked` or `failed` is written."""
        self._worked = np.zeros((64, 64), dtype=bool)
        self._failed = np.zeros((64, 64), dtype=bool)
        self._early: dict[Slot, list[str]] = {}

    @property
    def worked(self) -> NDArray[np.bool_]:
        """(slots, items) bool: the item worked in the slot."""
        return self._worked[: len(self.slots), : len(self.items)]

    @property
    def failed(self) -> NDArray[np.bool_]:
        """(slots, items) bool: the item failed in the slot."""
        return self._failed[: len(self.slots), : len(self.items)]

    def item(self, name: str) -> int:
        """Return the column of `name`, adding it where it is new."""
        if name not in self.item_index:
            self.item_index[name] = len(self.items)
            self.items.append(name)
            self._grow()
        return self.item_index[name]

    def success(self, rows: str, fillers: Sequence[str], product: str, *, known: bool = False) -> None:
        """Take in an arrangement that gave `product`.

        `known` says that the product is known from another arrangement of other rows.
        """
        for slot, item in slots_of(rows, fillers):
            column = self.item(item)
            if slot not in self.slot_index:
                self.slot_index[slot] = len(self.slots)
                self.slots.append(slot)
                self.products.append({})
                self.stale.append(known)
                self._grow()
                for early in self._early.pop(slot, []):
                    self._failed[self.slot_index[slot], self.item(early)] = True
            row = self.slot_index[slot]
            self.revision += 1
            self._worked[row, column] = True
            self._failed[row, column] = False
            self.products[row][item] = product

    def failure(self, rows: str, fillers: Sequence[str]) -> None:
        """Take in an arrangement that gave nothing."""
        for slot, item in slots_of(rows, fillers):
            column = self.item(item)
            if slot in self.slot_index:
                self.revision += 1
                self._failed[self.slot_index[slot], column] = True
            else:
                self._early.setdefault(slot, []).append(item)

    def early(self, slot: Slot) -> tuple[str, ...]:
        """Return the items that failed in a slot in which none has worked yet, oldest first."""
        return tuple(self._early.get(slot, ()))

    def _grow(self) -> None:
        tall, wide = self._worked.shape
        more = (tall * (len(self.slots) > tall), wide * (len(self.items) > wide))
        if any(more):
            pad = ((0, more[0]), (0, more[1]))
            self._worked, self._failed = np.pad(self._worked, pad), np.pad(self._failed, pad)

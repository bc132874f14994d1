"""How alike two slots are: what an item's success in one says about the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from csd.pattern import part
from ical.slots import SMELT_ROWS, Slot

Floats = NDArray[np.float64]


COMPANY = 0.1
"""Share of a slot's likeness that goes by the company it keeps: items that worked in both."""
PLACE, PART = 0.35, 0.15
"""Shares for the same letter in the same rows with other partners, and for the same kind of place."""


def slot_kernel(slots: Sequence[Slot], worked: NDArray[np.bool_]) -> Floats:
    """Return the likeness of slots, (n, n) float64 in [0, 1], diagonal 1, positive semi-definite.

    Args:
        slots: n slots.
        worked: (n, items) bool, which items worked in which slot.
    """
    own = _blend(slots, [(PLACE, _place), (PART, _part)])
    return np.asarray((1.0 - COMPANY) * own + COMPANY * _company(worked))


def _company(worked: NDArray[np.bool_]) -> Floats:
    """Return the cosine of slots as bags of items that worked in them, each bag with one unknown item."""
    bags = worked.astype(np.float64)
    size = np.sqrt(bags.sum(axis=1) + 1.0)
    shared = bags @ bags.T + np.eye(len(bags))
    return np.asarray(shared / size[:, None] / size[None, :])


def _blend(slots: Sequence[Slot], parts: Sequence[tuple[float, Callable[[Slot], object]]]) -> Floats:
    n = len(slots)
    total = np.eye(n) * (1.0 - sum(weight for weight, _ in parts))
    for weight, label in parts:
        names = [label(slot) for slot in slots]
        index = {name: i for i, name in enumerate(dict.fromkeys(names))}
        codes = np.array([index[name] for name in names])
        total += weight * (codes[:, None] == codes[None, :])
    return np.asarray(total)


def _place(slot: Slot) -> object:
    return slot.rows, slot.letter


def _part(slot: Slot) -> object:
    return SMELT_ROWS if slot.rows == SMELT_ROWS else part(slot.rows, slot.letter)

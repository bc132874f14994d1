"""How alike two items are on each axis, from what descriptors say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES, Axis
from csd.descriptor import Csd
from ical.cases import features_of
from ical.slots import SlotTable

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Likeness:
    """Similarity of all pairs of items on several channels, with how much each rests on."""

    channels: tuple[str, ...]
    """Names: the axes kept, in axis order; or one name for a memory without axes."""
    similarity: Floats
    """(channels, n, n) float64 in [0, 1], symmetric."""
    evidence: Floats
    """(channels, n, n) float64 >= 0: how many observations each rests on; 0 where nothing is known."""


class LikenessSource(Protocol):
    """Where the likeness of items comes from: five axes, names, or bags of words."""

    def remember(self, csd: Csd) -> None:
        """Take in one descriptor."""
        ...

    def likeness(self, items: Sequence[str], table: SlotTable) -> Likeness:
        """Return the likeness of `items`, (n,) names, from what is remembered and the slot table."""
        ...


class AxisProfiles:
    """Items as bags of features on each axis; a masked axis holds none."""

    def __init__(self, axes: tuple[Axis, ...] = AXES) -> None:
        self.axes = axes
        self._features: dict[Axis, dict[str, dict[str, int]]] = {axis: {} for axis in axes}
        self._names: dict[Axis, dict[str, int]] = {axis: {} for axis in axes}

    def remember(self, csd: Csd) -> None:
        """Take in what `csd` says of each thing on the axes kept."""
        for axis, found in features_of(csd, self.axes).items():
            names = self._names[axis]
            for thing, feature in found:
                names.setdefault(feature, len(names))
                bag = self._features[axis].setdefault(thing, {})
                bag[feature] = bag.get(feature, 0) + 1

    def features(self, axis: Axis, thing: str) -> tuple[str, ...]:
        """Return what is known of `thing` on `axis`, in order of first mention."""
        return tuple(self._features[axis].get(thing, {}))

    def likeness(self, items: Sequence[str], table: SlotTable) -> Likeness:
        """Return the likeness of `items` on the axes kept.

        struct and func compare by containment (shared / (fewer + 1)): an item with few roles, all shared
        with another, is alike to it; disagreement in slots that both were tried in lowers struct. attr,
        proc and inter compare by weighted overlap (Jaccard, rare features weigh more).
        """
        similarity, evidence = [], []
        for axis in self.axes:
            bags = self._matrix(axis, items)
            if axis in (Axis.STRUCT, Axis.FUNC):
                against = _disagreement(items, table) if axis is Axis.STRUCT else np.zeros((len(items),) * 2)
                alike, known = _containment(bags, against)
            else:
                alike, known = _overlap(bags)
            similarity.append(alike)
            evidence.append(known)
        return Likeness(
            channels=tuple(axis.value for axis in self.axes),
            similarity=np.array(similarity).reshape(len(self.axes), len(items), len(items)),
            evidence=np.array(evidence).reshape(len(self.axes), len(items), len(items)),
        )

    def _matrix(self, axis: Axis, items: Sequence[str]) -> Floats:
        names, bags = self._names[axis], self._features[axis]
        matrix = np.zeros((len(items), max(1, len(names))))
        for n, item in enumerate(items):
            for feature in bags.get(item, ()):
                matrix[n, names[feature]] = 1.0
        return matrix


def _containment(bags: Floats, against: Floats) -> tuple[Floats, Floats]:
    shared = bags @ bags.T
    sizes = bags.sum(axis=1)
    apart = np.minimum(sizes[:, None], sizes[None, :]) - shared
    basis = shared + against + APART * apart
    return np.divide(shared, basis, out=np.zeros_like(shared), where=basis > 0), basis


def _overlap(bags: Floats) -> tuple[Floats, Floats]:
    spread = bags.sum(axis=0)
    weight = np.where(spread < 2, 0.0, np.log2(1.0 + len(bags) / (1.0 + spread)))
    weighted = bags * weight
    shared = weighted @ bags.T
    sizes = weighted.sum(axis=1)
    either = sizes[:, None] + sizes[None, :] - shared
    counts = (bags * (spread >= 2)).sum(axis=1)
    fewer = np.minimum(counts[:, None], counts[None, :])
    return np.divide(shared, either, out=np.zeros_like(shared), where=either > 0), np.minimum(fewer, COLD)


COLD = 2.0
"""Observations that attr, proc or inter count for at most: they speak for items with few roles."""
APART = 0.25
"""Weight of a role that only one of two items has against one that both have: not tried is not refuted."""


def _disagreement(items: Sequence[str], table: SlotTable) -> Floats:
    """Return in how many slots one worked and the other failed, (n, n) float64."""
    columns = np.array([table.item(item) for item in items], dtype=np.int64)
    worked = table.worked[:, columns].astype(np.float64)
    failed = table.failed[:, columns].astype(np.float64)
    against = worked.T @ failed
    return np.asarray(against + against.T)

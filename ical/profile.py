"""How alike two items are on each axis, from what descriptors say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES, Axis
from csd.colour import colour_word
from csd.descriptor import Csd
from csd.episode import Observation
from ical.cases import SOURCE, features_of

Floats = NDArray[np.float64]

ORIGIN = 0.5
"""Share of likeness in proc that goes by how an item came about: dug, made, made of made things, smelted."""
ORIGIN_DEPTH = 2
COLD = 2.0
"""Observations that attr, proc or inter count for at most: they speak for items with few roles."""


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

    def likeness(self, items: Sequence[str]) -> Likeness:
        """Return the likeness of `items`, (n,) names, from what is remembered."""
        ...

    def kind(self, item: str) -> object:
        """Return the kind of thing `item` is by how it came about; None where the memory cannot say."""
        ...


class AxisProfiles:
    """Items as bags of features on each axis; a masked axis holds none."""

    def __init__(self, axes: tuple[Axis, ...] = AXES) -> None:
        self.axes = axes
        self._features: dict[Axis, dict[str, dict[str, int]]] = {axis: {} for axis in axes}
        self._names: dict[Axis, dict[str, int]] = {axis: {} for axis in axes}
        self._origin: dict[str, tuple[str, int]] = {}

    def remember(self, csd: Csd) -> None:
        """Take in what `csd` says of each thing on the axes kept."""
        if Axis.PROC in self.axes:
            self._trace_origin(csd)
        for axis, found in features_of(csd, self.axes).items():
            for thing, feature in found:
                self._add(axis, thing, feature)

    def look(self, seen: Observation) -> None:
        """Take in what inventory and land show of themselves, where attr is kept: stacks and colours."""
        if Axis.ATTR not in self.axes:
            return
        for item, stack in seen.inventory.items():
            self._add(Axis.ATTR, item, f"stack_size {stack.stack_size}")
        for block, sight in seen.blocks.items():
            self._add(Axis.ATTR, block, f"colour {colour_word(sight.colour)}")

    def _add(self, axis: Axis, thing: str, feature: str) -> None:
        names = self._names[axis]
        names.setdefault(feature, len(names))
        bag = self._features[axis].setdefault(thing, {})
        bag[feature] = bag.get(feature, 0) + 1

    def _trace_origin(self, csd: Csd) -> None:
        """Note how a product first came about: the verb, and the makings behind it (2 stands for more)."""
        product = csd.meta.product
        if product is None or product in self._origin:
            return
        made_by = [str(s.value) for s in csd.proc if s.predicate == "made_by" and s.subject == product]
        used = [str(s.value).rsplit(" x", 1)[0] for s in csd.proc if s.predicate == "consumes"]
        if made_by:
            depth = max((self._origin.get(item, ("", 0))[1] for item in used), default=-1) + 1
            self._origin[product] = (made_by[0], min(depth, ORIGIN_DEPTH))

    def kind(self, item: str) -> object:
        """Return (verb, makings behind it) of an item's first making; None without the proc axis."""
        return self._origin.get(item)

    def _same_origin(self, items: Sequence[str]) -> Floats:
        origins = [self._origin.get(item, ("", -1)) for item in items]
        index = {origin: n for n, origin in enumerate(dict.fromkeys(origins))}
        codes = np.array([index[origin] for origin in origins])
        return np.asarray((codes[:, None] == codes[None, :]).astype(np.float64))

    def features(self, axis: Axis, thing: str) -> tuple[str, ...]:
        """Return what is known of `thing` on `axis`, in order of first mention."""
        return tuple(self._features[axis].get(thing, {}))

    def likeness(self, items: Sequence[str]) -> Likeness:
        """Return the likeness of `items` on the axes kept.

        struct and func compare by containment (shared / (fewer + 1)): an item with few roles, all shared
        with another, is alike to it. attr, proc and inter compare by weighted overlap (Jaccard, rare
        features weigh more); half of proc is whether two items came about in the same way.
        """
        similarity, evidence = [], []
        for axis in self.axes:
            bags = self._matrix(axis, items)
            if axis in (Axis.STRUCT, Axis.FUNC):
                alike, known = _containment(bags)
            else:
                alike, known = _overlap(bags)
            if axis is Axis.PROC:
                alike = (1.0 - ORIGIN) * alike + ORIGIN * self._same_origin(items)
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
                if feature.startswith(SOURCE):
                    for of_block in bags.get(feature.removeprefix(SOURCE), ()):
                        matrix[n, names[of_block]] = 1.0
        return matrix


def _containment(bags: Floats) -> tuple[Floats, Floats]:
    shared = bags @ bags.T
    sizes = bags.sum(axis=1)
    fewer = np.minimum(sizes[:, None], sizes[None, :])
    alike = shared / (fewer + 1.0)
    np.fill_diagonal(alike, 1.0)
    return positive(alike), fewer


def positive(matrix: Floats) -> Floats:
    """Return the nearest positive semi-definite matrix with diagonal at most 1."""
    values, vectors = np.linalg.eigh(matrix)
    clipped = (vectors * np.maximum(values, 0.0)) @ vectors.T
    size = np.sqrt(np.maximum(np.diag(clipped), 1.0))
    return np.asarray(clipped / size[:, None] / size[None, :])


def _overlap(bags: Floats) -> tuple[Floats, Floats]:
    spread = bags.sum(axis=0)
    weight = np.where(spread < 2, 0.0, np.log2(np.maximum(1.0, len(bags) / np.maximum(spread, 1.0))))
    weighted = bags * weight
    shared = weighted @ bags.T
    sizes = weighted.sum(axis=1)
    either = sizes[:, None] + sizes[None, :] - shared
    counts = (bags * (spread >= 2)).sum(axis=1)
    fewer = np.minimum(counts[:, None], counts[None, :])
    alike = np.divide(shared, either, out=np.zeros_like(shared), where=either > 0)
    np.fill_diagonal(alike, 1.0)
    return alike, np.minimum(fewer, COLD)

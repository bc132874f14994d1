"""Likeness by bags of words, as the released Echo code compares descriptors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES
from csd.descriptor import Csd
from csd.render import render_axis
from ical.profile import Likeness

CHANNEL = "bow"

_WORD = re.compile(r"\w+")

Floats = NDArray[np.float64]


class BagLikeness:
    """One channel: the plain mean over five axes of the cosine of raw word counts.

    An item's text on an axis is that of all descriptors in which it is the subject of a statement, or the
    product. Source: the released code's retrieval (raw counts, cosine per axis, plain sum); differs in that
    items are compared, since the induction that it feeds puts items into slots, and in the division by five.
    """

    def __init__(self) -> None:
        """Start without any text."""
        self._bags = {axis: _Bags() for axis in AXES}

    def remember(self, csd: Csd) -> None:
        """Count the words of a descriptor for each item that it speaks of."""
        subjects = [statement.subject for axis in AXES for statement in csd.axis(axis)]
        things = dict.fromkeys((*subjects, csd.meta.product) if csd.meta.product else subjects)
        for axis in AXES:
            words = Counter(_WORD.findall(render_axis(csd, axis).lower()))
            if words:
                self._bags[axis].add(tuple(things), words)

    def likeness(self, items: Sequence[str]) -> Likeness:
        """Return the likeness of `items`; it rests on one observation where both have text on one axis."""
        n = len(items)
        similarity, known = np.zeros((n, n)), np.zeros((n, n), dtype=bool)
        for axis in AXES:
            cosines, has_text = self._bags[axis].cosines(items)
            similarity += cosines / len(AXES)
            known |= has_text[:, None] & has_text[None, :]
        np.fill_diagonal(similarity, 1.0)
        return Likeness(
            channels=(CHANNEL,), similarity=similarity[None], evidence=known[None].astype(np.float64)
        )

    def kind(self, item: str) -> object:
        """Return None: counted words do not say how a thing came about."""
        return None


class _Bags:
    """Word counts of things on one axis, with all their inner products kept up to date."""

    def __init__(self) -> None:
        self._row: dict[str, int] = {}
        self._column: dict[str, int] = {}
        self._counts: Floats = np.zeros((64, 256))
        self._products: Floats = np.zeros((64, 64))
        self._changed: dict[int, None] = {}

    def add(self, things: Sequence[str], words: Counter[str]) -> None:
        """Add the same words to the bag of each of `things`."""
        for word in words:
            self._column.setdefault(word, len(self._column))
        for thing in things:
            self._row.setdefault(thing, len(self._row))
        self._grow()
        columns = [self._column[word] for word in words]
        for thing in things:
            row = self._row[thing]
            self._counts[row, columns] += list(words.values())
            self._changed[row] = None

    def cosines(self, items: Sequence[str]) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the cosines of all pairs, (n, n) in [0, 1], 0 without text, and who has text, (n,) bool."""
        changed = list(self._changed)
        if changed:
            # Counts are whole numbers, so that these sums are exact in any order.
            self._products[changed] = self._counts[changed] @ self._counts.T
            self._products[:, changed] = self._products[changed].T
            self._changed.clear()
        rows = np.array([self._row.get(item, -1) for item in items], dtype=np.int64)
        has_text = rows >= 0
        products = self._products[np.ix_(rows, rows)] * (has_text[:, None] & has_text[None, :])
        size = np.sqrt(np.diag(products))
        size[size == 0.0] = 1.0
        return np.minimum(products / size[:, None] / size[None, :], 1.0), has_text

    def _grow(self) -> None:
        tall, wide = self._counts.shape
        more = (tall * (len(self._row) > tall), wide * (len(self._column) > wide))
        if any(more):
            self._counts = np.pad(self._counts, ((0, more[0]), (0, more[1])))
            self._products = np.pad(self._products, ((0, more[0]), (0, more[0])))

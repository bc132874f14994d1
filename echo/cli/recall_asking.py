"""What `echo-memory recall` asks a bank: the same question put as texts, as a descriptor, or as an item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.descriptor import Csd
from csd.store.where import Where
from ical.query import Mentions, Statements, query_for
from ical.retrieve import Exemplar, Stages, retrieve

MAX_MENTIONS = 1_000
"""Most descriptors that are read to learn what is known of one name; reading so many takes some 0.2 s."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asking:
    """How a bank is asked; every way of asking gives the same kind of answer."""

    k: int
    weights: Mapping[Axis, float] | None
    """Axis -> weight; None weighs all alike, an axis left out weighs 0."""
    where: Where
    map: bool
    exact: bool

    def texts(self, bank: Bank, said: Mapping[Axis, str]) -> list[Exemplar]:
        """Return what resembles a text on each axis; texts have no structure to map."""
        found = bank.recall(said, k=self.k, weights=self.weights, where=self.where, exact=self.exact)
        return [
            Exemplar(id=one.id, csd=bank.get(one.id), cosines=one.cosines, score=one.score, mapping=None)
            for one in found
        ]

    def like(self, bank: Bank, id: str) -> list[Exemplar]:
        """Return what resembles descriptor `id` of the bank, without itself.

        Raises:
            BankError: on an unknown id.
        """
        found = self._retrieve(bank, bank.get(id), self.k + 1)
        return [one for one in found if one.id != id][: self.k]

    def csd(self, bank: Bank, csd: Csd) -> list[Exemplar]:
        """Return what resembles `csd`."""
        return self._retrieve(bank, csd, self.k)

    def item(self, bank: Bank, name: str) -> list[Exemplar]:
        """Return what resembles all that the bank knows of an item; empty where it knows nothing."""
        axes = [axis for axis in AXES if self.weights is None or self.weights.get(axis)]
        known = _Known(bank)
        query = query_for(name, known, axes=axes)
        stages = Stages(structure=self.map, exact=self.exact, known=known)
        return list(
            retrieve(query, bank, axes=axes, weights=self.weights, k=self.k, where=self.where, stages=stages)
        )

    def _retrieve(self, bank: Bank, csd: Csd, k: int) -> list[Exemplar]:
        stages = Stages(structure=self.map, exact=self.exact)
        return list(retrieve(csd, bank, weights=self.weights, k=k, where=self.where, stages=stages))


class _Known(Mentions):
    """What a bank remembers of a name, read when it is asked for."""

    def __init__(self, bank: Bank) -> None:
        super().__init__()
        self._bank = bank
        self._read: dict[str, None] = {}

    def about(self, name: str, axes: Iterable[Axis] = AXES) -> Statements:
        """Return what `Mentions.about` does, out of at most `MAX_MENTIONS` descriptors, by id."""
        for id in self._bank.mentioning(f"thing:{name}")[:MAX_MENTIONS]:
            if id not in self._read:
                self._read[id] = None
                self.remember(self._bank.get(id))
        return super().about(name, axes)

"""Recall R(x, M, T): exemplars for a query, with a cosine an axis and the correspondences behind them.

Source: Echo §3.4 (top-K over the five fields, with cross-axis evidence). The two stages are those of MAC/FAC
(Forbus, Gentner & Law 1995): vectors choose a few candidates cheaply, structure mapping orders them. Differs
in that the second stage does not replace the first one's score but shares in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from csd.axes import AXES, Axis
from csd.descriptor import Csd
from csd.protocol import DescriptorBank
from csd.render import render_axis
from csd.score import Match, Vector, shares
from csd.store.where import Where
from csd.wording import read_amount, read_changes
from ical.map import StructureMapping, mapped, match_sides
from ical.match import Match as Likeness
from ical.query import Mentions, Query, Statements, statements_of
from ical.sides import Side, side_of, within

STRUCTURE = 0.75
"""Share of the mapping's score in an exemplar's score, as `echo.bench.two_stage` chose it."""

CANDIDATES = 64
"""How many of the nearest by cosine the mapping looks at, chosen so too; each costs 0.5 to 1 ms."""

FACTS = 100
"""Most facts of one side of a mapping; descriptors of one episode have up to 40, their context 200."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stages:
    """How the candidates that vectors found are ordered; the bounds are counts, never times."""

    structure: bool = True
    """Whether structure is mapped at all; without it cosines alone order, and nothing corresponds."""
    candidates: int = CANDIDATES
    """How many of the nearest by cosine the mapping looks at, >= 1."""
    share: float = STRUCTURE
    """Share of the mapping's score in the score, in [0, 1]; at 0 it gives evidence and orders nothing."""
    facts: int = FACTS
    """Most facts of either side of a mapping, >= 1; `ical.sides.within` says which are kept."""
    exact: bool = False
    """Whether the vectors may miss nothing, at any price; see `DescriptorBank.recall`."""
    known: Mentions | None = None
    """What is remembered of all things. With it a mapping to an item reads what else is known of an
    exemplar's materials."""

    def __post_init__(self) -> None:
        """Refuse settings out of range.

        Raises:
            ValueError: naming the setting.
        """
        for name, value in (("candidates", self.candidates), ("facts", self.facts)):
            if value < 1:
                raise ValueError(
                    f"expected {name} >= 1; got {value}. Use structure=False to leave out the mapping."
                )
        if not 0.0 <= self.share <= 1.0:
            raise ValueError(f"expected a share of the structure in [0, 1]; got {self.share}.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Exemplar:
    """A remembered experience that resembles the query, with the evidence for that."""

    id: str
    csd: Csd
    cosines: Mapping[Axis, float | None]
    """Every axis in canonical order -> cosine in [-1, 1]; None where masked, or one side says nothing."""
    score: float
    """In [-1, 1]: the weighted sum of the cosines, or its mean with the mapping's score."""
    mapping: StructureMapping | None
    """From the exemplar's things to the query's; None where it was not among the candidates of a mapping."""

    def axis_shares(self) -> dict[Axis, float]:
        """Return each axis' part in the sum of positive cosines, in canonical order; empty if none is."""
        positive = {
            axis: cosine for axis, cosine in self.cosines.items() if cosine is not None and cosine > 0
        }
        total = sum(positive.values())
        return {axis: cosine / total for axis, cosine in positive.items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Candidate:
    """What the first stage found, and what the second made of it."""

    found: Match
    csd: Csd
    score: float
    likeness: tuple[Side, Side, Likeness] | None


def retrieve(
    query: Query | Csd,
    bank: DescriptorBank,
    *,
    axes: Iterable[Axis] = AXES,
    weights: Mapping[Axis, float] | None = None,
    k: int = 3,
    where: Where | None = None,
    stages: Stages | None = None,
) -> tuple[Exemplar, ...]:
    """Return the `k` exemplars in `bank` that resemble `query` most.

    Args:
        query: what is known of an item; or a whole descriptor, which the bank need not hold (where it does,
            it recalls itself too).
        bank: the memory.
        axes: the axes that may take part; a masked one sends no text and no vector, gets no cosine and maps
            nothing.
        weights: axis -> weight >= 0, in any scale; None weighs all kept axes alike; 0 masks.
        k: how many at most.
        where: which descriptors to choose from, applied before the choice of the best.
        stages: how they are ordered; None for the defaults.

    Returns:
        Best score first, ties by id. With structure, `Stages.candidates` are mapped: one farther by cosine
        keeps its place behind them, scored as if nothing of it corresponded, and has no mapping. Empty
        where nothing is known of the query on these axes, or nothing in the bank passes `where`: that
        nothing is recalled is an expected answer.

    Raises:
        ValueError: if `axes` is empty, `k` is negative, or a weight is negative or not finite.
    """
    asked = tuple(axes)
    kept = [axis for axis in AXES if axis in asked]
    if not kept:
        raise ValueError(
            "expected at least one axis to recall on; got none. Keep one, or do not ask this memory."
        )
    if k < 0:
        raise ValueError(f"expected k >= 0; got {k}.")
    share = shares(weights, dict.fromkeys(kept))
    stages = stages or Stages()
    number = max(k, stages.candidates) if stages.structure and k else k
    found = bank.recall(_sent(query, bank, share), k=number, weights=share, where=where, exact=stages.exact)
    ranked = _Second(query, share, stages).ranked([(match, bank.get(match.id)) for match in found])
    return tuple(_exemplar(one, share) for one in ranked[:k])


def _sent(
    query: Query | Csd, bank: DescriptorBank, share: Mapping[Axis, float]
) -> Mapping[Axis, str | Vector]:
    """Return what is asked on the axes of `share`: vectors where the bank holds the query, else texts."""
    if isinstance(query, Query):
        return {axis: query.texts[axis] for axis in share if axis in query.texts}
    id = query.id
    if id in bank:
        # Rounding to float16 left them up to 1e-3 from unit length.
        stored = bank.vectors(id)
        return {axis: stored[axis] / np.linalg.norm(stored[axis]) for axis in share if axis in stored}
    return {axis: render_axis(query, axis) for axis in share}


class _Second:
    """The second stage for one query: its side of every mapping is made ready once."""

    def __init__(self, query: Query | Csd, share: Mapping[Axis, float], stages: Stages) -> None:
        self._query = query
        self._share = share
        self._stages = stages
        stated = query.statements if isinstance(query, Query) else statements_of(query, share)
        self._target = side_of(stated, share) if stages.structure else None

    def ranked(self, found: list[tuple[Match, Csd]]) -> list[_Candidate]:
        """Return the candidates in order; `found` has the nearest first."""
        share = self._stages.share if self._stages.structure else 0.0
        candidates = []
        for rank, (match, csd) in enumerate(found):
            likeness = self._likeness(csd) if rank < self._stages.candidates else None
            alike = 0.0 if likeness is None else likeness[2].score
            candidates.append(
                _Candidate(
                    found=match,
                    csd=csd,
                    score=(1.0 - share) * match.score + share * alike,
                    likeness=likeness,
                )
            )
        return sorted(candidates, key=lambda one: (-one.score, one.found.id))

    def _likeness(self, csd: Csd) -> tuple[Side, Side, Likeness] | None:
        if self._target is None:
            return None
        parts, context = self._parts(csd), None
        if isinstance(self._query, Query) and self._stages.known is not None:
            context = context_of(csd, self._stages.known, self._share)
        whole = side_of(statements_of(csd, self._share), self._share, context)
        base, target = within(whole, self._target, self._stages.facts, parts)
        return base, target, match_sides(base, target, self._share, parts)

    def _parts(self, csd: Csd) -> dict[str, Collection[str]]:
        """Return what may take the parts of what the query is about."""
        if isinstance(self._query, Query):
            # The item could be used as something was used here: not be the product, nor a bystander.
            return {self._query.item: materials_of(csd, self._share)}
        if self._query.meta.product is None or csd.meta.product is None:
            return {}
        return {self._query.meta.product: (csd.meta.product,)}


def _exemplar(one: _Candidate, share: Mapping[Axis, float]) -> Exemplar:
    return Exemplar(
        id=one.found.id,
        csd=one.csd,
        cosines=one.found.cosines,
        score=one.score,
        mapping=None if one.likeness is None else mapped(*one.likeness, share),
    )


def context_of(csd: Csd, known: Mentions, axes: Iterable[Axis] = AXES) -> Statements:
    """Return what else is known, on `axes`, of the materials of an exemplar.

    One experience says little of its own materials: that planks come from a log is told by another. What
    the materials are is read from the same axes, so that a masked one does not speak through this either.
    """
    asked = tuple(axes)
    about = [known.about(material, asked) for material in materials_of(csd, asked)]
    return {
        axis: tuple(statement for said in about for statement in said.get(axis, ()))
        for axis in AXES
        if any(axis in said for said in about)
    }


def materials_of(csd: Csd, axes: Iterable[Axis] = AXES) -> tuple[str, ...]:
    """Return what an experience put to use, as far as `axes` tell, in the order in which they tell it.

    Stack sizes are read only where no other axis tells: a station in the bag has one too.
    """
    asked = tuple(axes)
    used: dict[str, None] = {}
    carried: dict[str, None] = {}
    for statement in (statement for axis in AXES if axis in asked for statement in csd.axis(axis)):
        value = str(statement.value)
        if statement.predicate in ("fills", "slot", "serves"):
            used[statement.subject] = None
        elif statement.predicate == "consumes" and (counted := read_amount(value)):
            used[counted[0]] = None
        elif statement.predicate == "feedback":
            changes = read_changes(value.split("; ", 1)[0]) or {}
            used.update(dict.fromkeys(item for item, change in changes.items() if change < 0))
        elif statement.predicate == "stack_size":
            carried[statement.subject] = None
    return tuple(name for name in used or carried if name != csd.meta.product)

"""Recall R(x, M, T): exemplars for a query, with a cosine an axis and the correspondences behind them.

Source: Echo §3.4 (top-K over the five fields, with cross-axis evidence). The two stages are those of MAC/FAC
(Forbus, Gentner & Law 1995): vectors choose a few candidates cheaply, structure mapping orders them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.descriptor import Csd
from csd.rows import Where
from csd.score import Match
from csd.wording import read_amount, read_changes
from ical.map import StructureMapping, map_statements
from ical.query import Mentions, Query, Statements, statements_of

STRUCTURE = 0.5
"""Share of the mapping's score in an exemplar's score, where correspondences are asked for."""

CANDIDATES = 2
"""How many candidates an exemplar is chosen from; each costs one mapping, 2 to 4 ms."""


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
    """From the exemplar's things to the query's; None where correspondences were not asked for."""

    def axis_shares(self) -> dict[Axis, float]:
        """Return each axis' part in the sum of positive cosines, in canonical order; empty if none is."""
        positive = {
            axis: cosine for axis, cosine in self.cosines.items() if cosine is not None and cosine > 0
        }
        total = sum(positive.values())
        return {axis: cosine / total for axis, cosine in positive.items()}


def retrieve(
    query: Query,
    bank: Bank,
    *,
    axes: Iterable[Axis] = AXES,
    weights: Mapping[Axis, float] | None = None,
    k: int = 3,
    where: Where | None = None,
    known: Mentions | None = None,
) -> tuple[Exemplar, ...]:
    """Return the `k` exemplars in `bank` that resemble `query` most.

    Args:
        query: what is known of an item.
        bank: the memory.
        axes: the axes that may take part; a masked one sends no text, gets no cosine and maps nothing.
        weights: axis -> weight >= 0, in any scale; None weighs all kept axes alike.
        k: how many at most.
        where: which descriptors to choose from, applied before the choice of the best.
        known: what is remembered of all things. With it the exemplars are mapped to the query and ordered
            by cosine and structure; without it by cosine alone.

    Returns:
        Best score first, ties by id. Empty where nothing is known of the query's item on these axes, or
        nothing in the bank passes `where`: that nothing is recalled is an expected answer.

    Raises:
        ValueError: if `axes` is empty, `k` is negative, or a weight is negative or not finite.
    """
    asked = tuple(axes)
    kept = [axis for axis in AXES if axis in asked]
    if not kept:
        raise ValueError(
            "expected at least one axis to recall on; got none. Keep one, or do not ask this memory."
        )
    share = {axis: 1.0 if weights is None else weights.get(axis, 0.0) for axis in kept}
    texts = {axis: query.texts[axis] for axis in kept if axis in query.texts}
    found = bank.query_text(texts, k=k if known is None else CANDIDATES * k, weights=share, where=where)
    exemplars = [_exemplar(match, bank.get(match.id), query, share, known) for match in found]
    return tuple(sorted(exemplars, key=lambda one: (-one.score, one.id))[:k])


def _exemplar(
    match: Match, csd: Csd, query: Query, share: Mapping[Axis, float], known: Mentions | None
) -> Exemplar:
    mapping, score = None, match.score
    if known is not None:
        mapping = map_statements(
            statements_of(csd, share),
            query.statements,
            axes=share,
            weights=share,
            context=context_of(csd, known, share),
            # The item could be used as something was used here: not be the product, nor a bystander.
            parts={query.item: materials_of(csd, share)},
        )
        score = (1.0 - STRUCTURE) * match.score + STRUCTURE * mapping.score
    return Exemplar(id=match.id, csd=csd, cosines=match.cosines, score=score, mapping=mapping)


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

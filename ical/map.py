"""Structure mapping: which thing of an exemplar plays the part of which thing of the query.

Source: Gentner 1983 (structure mapping: one-to-one, parallel connectivity, systematicity) and Falkenhainer,
Forbus & Gentner 1989 with the greedy merge of Forbus & Oblinger 1990 (SME); used in Echo §3.4 as "cross-axis
evidence". Differs in that statements are flat triples without relations of relations, so that systematicity
is taken from how many other matched relations a matched fact hangs together with; and in that a thing is more
readily mapped to itself, because base and target come from one world.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from csd.axes import AXES, Axis
from csd.descriptor import Statement, Value
from csd.score import shares
from ical.facts import Fact
from ical.inference import Inference, carried
from ical.match import Match, best_match, single_values
from ical.query import Statements
from ical.sides import Side, side_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Correspondence:
    """One thing of the base and the thing of the target that takes its part."""

    base: str
    target: str
    axes: Mapping[Axis, float]
    """Axes whose statements support it, in canonical order -> share of the support; adds up to 1."""
    statements: tuple[Statement, ...]
    """The base's statements that support it, axes in canonical order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StructureMapping:
    """What corresponds, what follows from it, and what is left over."""

    correspondences: tuple[Correspondence, ...]
    """Best supported first, ties by name; one-to-one."""
    score: float
    """Matched structure in [0, 1]: 1 where base and target say the same of the same things."""
    inferences: tuple[Inference, ...]
    """What the base itself states, carried over, in the order of its facts. They build on the best
    correspondence, on things that stay themselves and on what more than one match supports, and leave out
    what the target contradicts."""
    unexplained: Statements
    """Statements of the target that nothing in the base matches."""
    axes: tuple[Axis, ...]
    """The axes that were allowed to speak, in canonical order."""

    @property
    def partial(self) -> bool:
        """Whether something of the target is left unexplained."""
        return bool(self.unexplained)

    @property
    def substitution(self) -> dict[str, str]:
        """Base thing -> target thing."""
        return {one.base: one.target for one in self.correspondences}

    def standing_for(self, target: str) -> Correspondence | None:
        """Return the correspondence of the target's thing `target`, or None where it has none."""
        return next((one for one in self.correspondences if one.target == target), None)


def map_statements(
    base: Statements,
    target: Statements,
    *,
    axes: Iterable[Axis] = AXES,
    weights: Mapping[Axis, float] | None = None,
    context: Statements | None = None,
    parts: Mapping[str, Collection[str]] | None = None,
) -> StructureMapping:
    """Return the best mapping found from the things of `base` to the things of `target`.

    Args:
        base: what an exemplar states.
        target: what is known of the query.
        axes: the axes that may speak; a masked axis supports, infers and explains nothing.
        weights: axis -> weight >= 0, in any scale; None weighs all kept axes alike; 0 masks.
        context: what else is known of the base's things; it is matched, but nothing is inferred from it.
        parts: target thing -> the base things whose part it may take, such as the query's item -> the
            exemplar's materials, or the one that it is to replace; a thing not named may take any.

    Returns:
        One-to-one correspondences and what follows from them; an empty mapping of score 0 where nothing
        matches. Ties are broken by name, so equal input gives equal output.

    Raises:
        ValueError: on a weight that is negative or not finite.
    """
    share = shares(weights, dict.fromkeys(axes))
    here, there = side_of(base, share, context), side_of(target, share)
    return mapped(here, there, match_sides(here, there, share, parts), share)


def match_sides(
    base: Side,
    target: Side,
    share: Mapping[Axis, float],
    parts: Mapping[str, Collection[str]] | None = None,
) -> Match:
    """Return the best match of two sides made ready with `share`; `map_statements` says what `parts` is."""
    size = math.sqrt(base.value * target.value)
    return best_match(base.facts, target.facts, share, parts=parts, size=size)


def mapped(base: Side, target: Side, match: Match, share: Mapping[Axis, float]) -> StructureMapping:
    """Return what follows from a match of these sides: the part that only those at the top need."""
    correspondences = _correspondences(match, base.facts)
    return StructureMapping(
        correspondences=correspondences,
        score=match.score,
        inferences=_inferences(base.own, base.facts, target.facts, correspondences),
        unexplained=_unexplained(target.own, target.facts, match),
        axes=tuple(share),
    )


def _correspondences(match: Match, base: Sequence[Fact]) -> tuple[Correspondence, ...]:
    found: list[tuple[float, Correspondence]] = []
    for one, other in match.names.items():
        behind = [h for h in match.hypotheses if (one, other) in h.pairs]
        weight = {
            axis: math.fsum(h.weight for h in behind if base[h.base].axis is axis)
            for axis in AXES
            if any(base[h.base].axis is axis for h in behind)
        }
        total = math.fsum(weight.values())
        facts = sorted((h.base for h in behind), key=lambda place: (AXES.index(base[place].axis), place))
        correspondence = Correspondence(
            base=one,
            target=other,
            axes={axis: part / total for axis, part in weight.items()},
            statements=tuple(base[place].statements[0] for place in facts),
        )
        found.append((total, correspondence))
    found.sort(key=lambda entry: (-round(entry[0], 9), entry[1].base))
    return tuple(one for _, one in found)


def _inferences(
    own: Statements,
    base: Sequence[Fact],
    target: Sequence[Fact],
    correspondences: Sequence[Correspondence],
) -> tuple[Inference, ...]:
    """Carry over what the base itself states, and the target neither states nor contradicts."""
    names = {
        one.base: one.target
        for rank, one in enumerate(correspondences)
        if rank == 0 or one.base == one.target or len(one.statements) > 1
    }
    stated = {(fact.axis, fact.head, fact.args) for fact in target}
    known = single_values(target)
    sources = {id(statement) for said in own.values() for statement in said}
    kept: dict[tuple[Axis, str, str, Value], Inference] = {}
    for fact in base:
        there = (fact.axis, fact.head, tuple(names.get(name, name) for name in fact.args))
        if there in stated or all(id(statement) not in sources for statement in fact.statements):
            continue
        for one in carried(fact, names):
            if one.value in known.get((one.axis, one.subject, one.predicate), (one.value,)):
                kept.setdefault((one.axis, one.subject, one.predicate, one.value), one)
    return tuple(kept.values())


def _unexplained(target: Statements, facts: Sequence[Fact], match: Match) -> Statements:
    explained = {id(statement) for h in match.hypotheses for statement in facts[h.target].statements}
    left = {axis: tuple(s for s in said if id(s) not in explained) for axis, said in target.items()}
    return {axis: said for axis, said in left.items() if said}

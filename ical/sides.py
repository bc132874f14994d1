"""One side of a structure mapping made ready once, and cut to the facts that bear on the other side.

Source: MAC/FAC (Forbus, Gentner & Law 1995) maps whole descriptions; differs in that a graph above a budget
is cut first, so that the time of a mapping has a bound that does not depend on how much was experienced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from csd.axes import AXES, Axis
from ical.facts import Fact, facts_of
from ical.match import SINGLE, own_value
from ical.query import Statements


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """The statements of an exemplar or a query as a mapping reads them."""

    own: Statements
    """What it states itself, on the axes that may speak."""
    facts: tuple[Fact, ...]
    """Those of `own` and of its context, axes in canonical order."""
    value: float
    """`own_value` of all its facts, those that were cut too: what is cut counts as not matched."""


def side_of(statements: Statements, share: Mapping[Axis, float], context: Statements | None = None) -> Side:
    """Make ready what is stated on the axes of `share`.

    Args:
        statements: what an exemplar or a query states.
        share: axis -> weight of its facts, > 0; an axis that is missing may not speak.
        context: what else is known of its things.
    """
    own = {axis: statements[axis] for axis in share if statements.get(axis)}
    more = context or {}
    facts = facts_of({axis: (*own.get(axis, ()), *more.get(axis, ())) for axis in AXES if axis in share})
    return Side(own=own, facts=facts, value=own_value(facts, share))


def within(base: Side, target: Side, most: int, parts: Collection[str] = ()) -> tuple[Side, Side]:
    """Cut both sides to at most `most` facts, the larger one first, by how much they bear on the other.

    A fact bears on the other side the more the earlier it stands in this order: facts that can match one
    over there (same axis, head and number of things) or contradict one (single values) come first; then
    what the side itself states, before its context; then what has fewer counterparts, as rare heads tell
    more; then what names more things that the other side names too, or that `parts` names; then its place.
    What is kept stays in its order. A side within the budget is not touched.

    Args:
        base: an exemplar.
        target: a query.
        most: facts a side, >= 1.
        parts: things of the target that the mapping is about.
    """
    if len(base.facts) >= len(target.facts):
        base = _cut(base, target, most, parts)
        return base, _cut(target, base, most, parts)
    target = _cut(target, base, most, parts)
    return _cut(base, target, most, parts), target


def _cut(side: Side, other: Side, most: int, parts: Collection[str]) -> Side:
    if len(side.facts) <= most:
        return side
    heads = Counter(_kind(fact) for fact in other.facts)
    named = dict.fromkeys(name for fact in other.facts for name in fact.args) | dict.fromkeys(parts)
    stated = {id(statement) for said in side.own.values() for statement in said}

    def bearing(place: int) -> tuple[bool, bool, int, int, int]:
        fact = side.facts[place]
        return (
            _kind(fact) not in heads and fact.statements[0].predicate not in SINGLE,
            all(id(statement) not in stated for statement in fact.statements),
            heads[_kind(fact)],
            -sum(name in named for name in fact.args),
            place,
        )

    kept = sorted(sorted(range(len(side.facts)), key=bearing)[:most])
    return replace(side, facts=_at(side.facts, kept))


def _kind(fact: Fact) -> tuple[Axis, str, int]:
    return fact.axis, fact.head, len(fact.args)


def _at(facts: Sequence[Fact], places: Sequence[int]) -> tuple[Fact, ...]:
    return tuple(facts[place] for place in places)

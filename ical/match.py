"""Match hypotheses and their greedy merge: the search inside a structure mapping.

Source: Falkenhainer, Forbus & Gentner 1989 and, for the merge, Forbus & Oblinger 1990; `ical.map` says what
differs. Bounded: at most `LIMIT` hypotheses and `STARTS` merges, so a few milliseconds at any size.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from csd.axes import Axis
from csd.descriptor import Value
from ical.facts import Fact

LIMIT = 200
"""Most match hypotheses considered; the most telling are kept."""

CROWDED = 64
"""Pairs of one head above which only those that share a thing are looked at: the rest tell little."""

STARTS = 4
"""How many of the most telling hypotheses a greedy merge is started from; the best result is kept."""

ATTRIBUTE = 0.5
"""Weight of a match between attributes of one thing, against 1 for a relation between things."""

SAME = 0.25
"""How much more a match weighs when all its things are mapped to themselves."""

CONFLICT = 0.5
"""What remains of the support of a pair of things for each attribute on which they differ."""

SINGLE = ("grid", "symmetry", "stack_size", "colour", "placeable", "wears", "edible", "burns")
"""Predicates that hold with one value: another value speaks against a pair, and against an inference."""

SYSTEMATIC = 1.0
"""How much more a match weighs when it hangs together with `CONNECTED` other matched relations."""

CONNECTED = 4


Attribute = tuple[Axis, str, str]
"""Axis, thing and single-valued predicate."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hypothesis:
    """That a fact of the base matches a fact of the target."""

    base: int
    target: int
    pairs: tuple[tuple[str, str], ...]
    weight: float
    telling: float
    """Weight over how many ways there were to match facts with this head."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """The best mapping found between two sets of facts."""

    hypotheses: tuple[Hypothesis, ...]
    """Every one that holds under the mapping."""
    names: Mapping[str, str]
    """Thing of the base -> thing of the target, one-to-one."""
    score: float
    """Matched structure in [0, 1], as a share of the geometric mean of what either side holds."""


def best_match(
    base: Sequence[Fact],
    target: Sequence[Fact],
    share: Mapping[Axis, float],
    *,
    parts: Mapping[str, Collection[str]] | None = None,
    size: float | None = None,
) -> Match:
    """Return the best mapping found from the things of `base` to those of `target`.

    Args:
        base: facts, such as those of an exemplar.
        target: facts, such as those of a query.
        share: axis -> weight of its facts, > 0; holds every axis on which there are facts.
        parts: target thing -> the base things whose part it may take; a target thing not named may take any.
        size: what the score is a share of, > 0; None for the geometric mean of `own_value` of both sides.

    Returns:
        An empty match of score 0 where nothing matches. Ties are broken by name.
    """
    found = _by_support(_hypotheses(base, target, share, parts or {}), base, target)
    # What was asked for comes first, or a stronger rival could take the other things of its relations.
    found.sort(key=lambda hypothesis: not any(other in (parts or {}) for _, other in hypothesis.pairs))
    matched, names = _best_merge(found, base)
    if not matched:
        return Match(hypotheses=(), names={}, score=0.0)
    if size is None:
        size = math.sqrt(own_value(base, share) * own_value(target, share))
    return Match(hypotheses=tuple(matched), names=names, score=min(1.0, _value(matched, base) / size))


def single_values(facts: Sequence[Fact]) -> dict[Attribute, list[Value]]:
    """Return what single-valued predicates say; more than one value where it was seen to vary after all."""
    said: dict[Attribute, list[Value]] = {}
    for fact in facts:
        for statement in fact.statements:
            if statement.predicate in SINGLE:
                said.setdefault((fact.axis, statement.subject, statement.predicate), []).append(
                    statement.value
                )
    return said


def _by_head(facts: Sequence[Fact]) -> dict[tuple[Axis, str, int], list[int]]:
    groups: dict[tuple[Axis, str, int], list[int]] = {}
    for place, fact in enumerate(facts):
        groups.setdefault((fact.axis, fact.head, len(fact.args)), []).append(place)
    return groups


def _hypotheses(
    base: Sequence[Fact],
    target: Sequence[Fact],
    share: Mapping[Axis, float],
    parts: Mapping[str, Collection[str]],
) -> list[Hypothesis]:
    """Return the most telling hypotheses, best first, ties by names."""
    there = _by_head(target)
    found: list[Hypothesis] = []
    for key, places in _by_head(base).items():
        others = there.get(key, ())
        ways = len(places) * len(others)
        weight = share[key[0]] * (1.0 if key[2] > 1 else ATTRIBUTE)
        sharing = _by_argument(target, others) if ways > CROWDED else None
        for one in places:
            for other in others if sharing is None else _sharing(base[one], sharing):
                same = _same(base[one].args, target[other].args)
                pairs = _pairs(base[one].args, target[other].args)
                if pairs and (not parts or all(name in parts.get(to, (name,)) for name, to in pairs)):
                    worth = weight * (1.0 + SAME * same)
                    found.append(
                        Hypothesis(
                            base=one, target=other, pairs=pairs, weight=worth, telling=worth / math.sqrt(ways)
                        )
                    )
    found.sort(key=lambda h: (-h.telling, h.pairs, base[h.base].axis, base[h.base].head))
    return found[:LIMIT]


def _by_argument(facts: Sequence[Fact], places: Iterable[int]) -> dict[tuple[int, str], list[int]]:
    """Return which of the facts at `places` have a thing as which argument."""
    found: dict[tuple[int, str], list[int]] = {}
    for place in places:
        for argument in enumerate(facts[place].args):
            found.setdefault(argument, []).append(place)
    return found


def _sharing(fact: Fact, by_argument: Mapping[tuple[int, str], Sequence[int]]) -> list[int]:
    """Return the places of the facts that have a thing where `fact` has it, in order."""
    return sorted(
        dict.fromkeys(place for argument in enumerate(fact.args) for place in by_argument.get(argument, ()))
    )


def _pairs(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of things that a match implies; none where they are not one-to-one."""
    if len(one) == 1:
        return ((one[0], other[0]),)
    pairs = tuple(dict.fromkeys(zip(one, other, strict=True)))
    return pairs if len(dict(pairs)) == len(pairs) == len({name for _, name in pairs}) else ()


def _by_support(
    found: Sequence[Hypothesis], base: Sequence[Fact], target: Sequence[Fact]
) -> list[Hypothesis]:
    """Order hypotheses by how much else speaks for the pairs of things in them (parallel connectivity)."""
    support: dict[tuple[str, str], float] = {}
    for hypothesis in found:
        for pair in hypothesis.pairs:
            support[pair] = support.get(pair, 0.0) + hypothesis.telling
    there = single_values(target)
    of_base: dict[str, list[tuple[Axis, str, list[Value]]]] = {}
    for (axis, name, predicate), values in single_values(base).items():
        of_base.setdefault(name, []).append((axis, predicate, values))
    for one, other in support:
        differing = sum(
            not any(value in values for value in there.get((axis, other, predicate), values))
            for axis, predicate, values in of_base.get(one, ())
        )
        support[one, other] *= CONFLICT**differing
    return sorted(
        found,
        # Rounded, so that the order in which support was added up decides no tie.
        key=lambda h: (
            -round(math.fsum(support[pair] for pair in h.pairs), 9),
            h.pairs,
            base[h.base].axis,
            base[h.base].head,
        ),
    )


def _best_merge(
    hypotheses: Sequence[Hypothesis], base: Sequence[Fact]
) -> tuple[list[Hypothesis], dict[str, str]]:
    best: tuple[float, list[Hypothesis], dict[str, str]] = (0.0, [], {})
    tried: list[dict[str, str]] = []
    for start in hypotheses:
        if any(_holds(start, names) for names in tried):
            continue  # An earlier merge holds it already, and would come out again.
        names = _merge([start, *hypotheses])
        tried.append(names)
        matched = [hypothesis for hypothesis in hypotheses if _holds(hypothesis, names)]
        value = _value(matched, base)
        if value > best[0] + 1e-9:
            best = (value, matched, names)
        if len(tried) == STARTS:
            break
    return best[1], best[2]


def _holds(hypothesis: Hypothesis, names: Mapping[str, str]) -> bool:
    return all(names.get(one) == other for one, other in hypothesis.pairs)


def _merge(hypotheses: Iterable[Hypothesis]) -> dict[str, str]:
    """Take in each hypothesis that leaves the mapping one-to-one, in order."""
    names: dict[str, str] = {}
    taken: dict[str, str] = {}
    for hypothesis in hypotheses:
        for one, other in hypothesis.pairs:
            if names.get(one, other) != other or taken.get(other, one) != one:
                break
        else:
            for one, other in hypothesis.pairs:
                names[one] = other
                taken[other] = one
    return names


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Return the share of arguments that are the same thing in both."""
    if one == other:
        return 1.0
    return sum(a == b for a, b in zip(one, other, strict=True)) / len(one) if len(one) > 1 else 0.0


def own_value(facts: Sequence[Fact], share: Mapping[Axis, float]) -> float:
    """Return the value of mapping facts to themselves, the most that a mapping of them can reach."""
    weights = [share[fact.axis] * (1.0 if len(fact.args) > 1 else ATTRIBUTE) * (1.0 + SAME) for fact in facts]
    return _systematic(weights, [fact.args for fact in facts])


def _value(matched: Sequence[Hypothesis], base: Sequence[Fact]) -> float:
    return _systematic([h.weight for h in matched], [base[h.base].args for h in matched])


def _systematic(weights: Sequence[float], arguments: Sequence[tuple[str, ...]]) -> float:
    """Return the sum of weights, each raised by how many other relations share a thing with its fact."""
    around: dict[str, list[int]] = {}
    for place, args in enumerate(arguments):
        if len(args) > 1:
            for name in dict.fromkeys(args):
                around.setdefault(name, []).append(place)
    return math.fsum(
        weight * (1.0 + SYSTEMATIC * min(1.0, _others(place, args, around) / CONNECTED))
        for place, (weight, args) in enumerate(zip(weights, arguments, strict=True))
    )


def _others(place: int, args: tuple[str, ...], around: Mapping[str, Sequence[int]]) -> int:
    """Return how many other relations share a thing with the fact at `place`, exact below `CONNECTED`."""
    if len(args) == 1:
        return len(around.get(args[0], ()))
    others: dict[int, None] = {}
    for name in args:
        sharing = around.get(name, ())
        if len(sharing) > CONNECTED:
            return CONNECTED
        others.update(dict.fromkeys(sharing))
    others.pop(place, None)
    return len(others)

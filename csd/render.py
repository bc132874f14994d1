"""The text of a descriptor, one axis at a time: what encoders embed and what prompts quote.

Pure and deterministic: equal statements give equal text in every process. Bank vectors were made from
this text, so `FORMAT` changes whenever any wording here does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from csd.axes import AXES, Axis
from csd.descriptor import Csd, Statement, Value

FORMAT = 1
"""Version of the wording; a bank remembers the one that its vectors were made from."""

_CLAUSES: dict[Axis, dict[str, str]] = {
    Axis.STRUCT: {
        "grid": "{s} is laid as {v}",
        "fills": "{s} is {v}",
        "cells": "{s} fills {v} cells",
        "part": "{s} forms the {v}",
        "above": "{s} above {v}",
        "beside": "{s} beside {v}",
        "symmetry": "{s} has {v} symmetry",
        "slot": "{s} goes into the {v} slot",
        "lies": "{s} lies {v}",
        "near": "{s} is near {v}",
    },
    Axis.ATTR: {
        "colour": "{s} is {v}",
        "stack_size": "{s} stacks to {v}",
        "placeable": "{s} can be placed",
        "dig_ticks": "{s} took {v} ticks to dig",
        "yielded_to": "{s} yielded to {v}",
        "refused": "{s} refused {v}",
        "drops": "{s} drops {v}",
        "wears": "{s} wears down with use",
        "edible": "{s} can be eaten",
        "burns": "{s} burns as fuel",
    },
    Axis.PROC: {
        "made_by": "{s} is made by {v}",
        "consumes": "{s} uses up {v}",
        "yields": "{v} of {s} come out",
        "after": "{s} needs {v} first",
        "step": "{s}. {v}",
        "ticks": "{s} took {v} ticks",
    },
    Axis.FUNC: {
        "plays": "{s} plays {v}",
        "supports": "{s} works together with {v}",
        "serves": "{s} becomes part of {v}",
        "opens": "{s} opens {v}",
        "affords": "{s} affords {v}",
    },
    Axis.INTER: {
        "tried": "{s}: {v}",
        "feedback": "{s} gave {v}",
        "failed": "{s} failed: {v}",
        "station": "{s} was made at {v}",
    },
}
"""Axis -> predicate -> clause; {s} is the subject, {v} the value."""

_NEGATED: dict[str, str] = {
    "placeable": "{s} cannot be placed",
    "wears": "{s} does not wear down",
    "edible": "{s} cannot be eaten",
    "burns": "{s} does not burn",
}
"""Predicates that ask yes or no -> the clause for no."""


def render_axis(csd: Csd, axis: Axis) -> str:
    """Return the text of one axis of `csd`, '' when nothing is stated on it.

    Statements become clauses in their own order, joined by '; '. A clause that repeats (one fact with
    evidence from several steps) is said once. Underscores in names become spaces, which is how words
    were written where sentence encoders learned them.
    """
    return "; ".join(clauses(axis, csd.axis(axis)))


def clauses(axis: Axis, statements: Iterable[Statement]) -> tuple[str, ...]:
    """Return the clauses of statements on one axis in their order, each said once."""
    return tuple(dict.fromkeys(_clause(axis, statement) for statement in statements))


def render(csd: Csd, axes: Sequence[Axis] = AXES) -> str:
    """Return the text of `csd` on `axes`, one line an axis, in canonical axis order.

    An axis that is masked (not in `axes`) or empty leaves no text at all, not even its name.
    """
    kept = [(axis, render_axis(csd, axis)) for axis in AXES if axis in axes]
    return "\n".join(f"{axis.value}: {text}" for axis, text in kept if text)


def _clause(axis: Axis, statement: Statement) -> str:
    clause = _CLAUSES[axis][statement.predicate]
    if statement.value is False and statement.predicate in _NEGATED:
        clause = _NEGATED[statement.predicate]
    return clause.format(s=_words(statement.subject), v=_words(statement.value))


def _words(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    # split() folds line breaks too: one axis is one line, whatever the names hold.
    return " ".join(str(value).replace("_", " ").split())

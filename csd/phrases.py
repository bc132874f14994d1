"""The wording of single statements: clauses for the predicates of each axis.

Apart from `csd.render` so that it can be had without reading descriptors, which is what takes time to load.
"""

from __future__ import annotations

from csd.axes import Axis

WORDING = 1
"""Version of the wording: changes whenever any clause does. Vectors and full text were made from it."""

CLAUSES: dict[Axis, dict[str, str]] = {
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

NEGATED: dict[str, str] = {
    "placeable": "{s} cannot be placed",
    "wears": "{s} does not wear down",
    "edible": "{s} cannot be eaten",
    "burns": "{s} does not burn",
}
"""Predicates that ask yes or no -> the clause for no."""


def clause(axis: Axis, subject: str, predicate: str, value: str | int | float | bool) -> str:
    """Return one statement in words.

    Underscores become spaces, which is how words were written where sentence encoders learned them.

    Raises:
        KeyError: on a predicate that is not of `axis`.
    """
    form = CLAUSES[axis][predicate]
    if value is False and predicate in NEGATED:
        form = NEGATED[predicate]
    return form.format(s=_words(subject), v=_words(value))


def _words(value: str | int | float | bool) -> str:
    if isinstance(value, str):
        # split() folds line breaks too: one axis is one line, whatever the names hold.
        return " ".join(value.replace("_", " ").split())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)

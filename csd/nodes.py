"""Statements as edges between named nodes: which kind of node each end of a predicate is.

A node's key is its kind and its name ('thing:oak_planks', 'role:head', 'letter:A'). Apart from `csd.graph` so
that it can be had without reading descriptors, which is what takes time to load.
"""

from __future__ import annotations

import json
import re

from csd.axes import Axis

ENDS: dict[Axis, dict[str, tuple[str, str]]] = {
    Axis.STRUCT: {
        "grid": ("thing", "pattern"),
        "fills": ("thing", "letter"),
        "cells": ("thing", "amount"),
        "part": ("thing", "place"),
        "above": ("letter", "letter"),
        "beside": ("letter", "letter"),
        "symmetry": ("thing", "symmetry"),
        "slot": ("thing", "slot"),
        "lies": ("thing", "place"),
        "near": ("thing", "thing"),
    },
    Axis.ATTR: {
        "colour": ("thing", "colour"),
        "stack_size": ("thing", "amount"),
        "placeable": ("thing", "truth"),
        "dig_ticks": ("thing", "ticks"),
        "yielded_to": ("thing", "thing"),
        "refused": ("thing", "thing"),
        "drops": ("thing", "thing"),
        "wears": ("thing", "truth"),
        "edible": ("thing", "truth"),
        "burns": ("thing", "truth"),
    },
    Axis.PROC: {
        "made_by": ("thing", "verb"),
        "consumes": ("thing", "thing"),
        "yields": ("thing", "amount"),
        "after": ("thing", "thing"),
        "step": ("order", "action"),
        "ticks": ("thing", "ticks"),
    },
    Axis.FUNC: {
        "plays": ("thing", "role"),
        "supports": ("thing", "thing"),
        "serves": ("thing", "thing"),
        "opens": ("thing", "thing"),
        "affords": ("thing", "affordance"),
    },
    Axis.INTER: {
        "tried": ("action", "outcome"),
        "feedback": ("action", "change"),
        "failed": ("action", "message"),
        "station": ("thing", "thing"),
    },
}
"""Axis -> predicate -> what kind of node its subject and its value are."""

LOCAL = ("letter", "order")
"""Kinds that mean nothing outside their descriptor; a graph of several keeps them apart by its id."""

_AMOUNT = re.compile(r"(?P<name>\S+) x(?P<amount>\d{1,18})")
"""An amount as descriptors word it; 18 digits fit in 64 bits."""


def ends(
    axis: Axis, subject: str, predicate: str, value: str | int | float | bool
) -> tuple[str, str, int | None]:
    """Return the edge that a statement is: keys of its source and target, and how many of the target.

    Raises:
        KeyError: on a predicate that is not of `axis`.
    """
    subject_kind, value_kind = ENDS[axis][predicate]
    name, amount = value if isinstance(value, str) else json.dumps(value, allow_nan=False), None
    if value_kind == "thing" and " x" in name and (counted := _AMOUNT.fullmatch(name)):
        name, amount = counted["name"], int(counted["amount"])
    return f"{subject_kind}:{subject}", f"{value_kind}:{name}", amount

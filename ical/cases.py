"""What transfer reads from a descriptor: the arrangement that worked, and what each axis says of what."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

from csd.axes import AXES, Axis
from csd.descriptor import Csd, Statement
from csd.pattern import letters
from ical.slots import SMELT_ROWS

SOURCE = "source "
"""Begins the feature that names the block an item came out of."""

Feature = tuple[str, str]
"""(thing, feature): one thing the descriptor says of one item or block on one axis."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One success as transfer sees it."""

    csd: str
    product: str | None
    rows: str | None
    """Grid rows, 'smelt', or None where nothing was arranged."""
    fillers: tuple[str, ...]
    parents: tuple[str, ...]
    """Things that had to be there: used up, held, or stood beside."""


def case_of(csd: Csd, csd_id: str) -> Case:
    """Return the arrangement and the dependencies that a descriptor states."""
    rows: str | None = None
    fillers: tuple[str, ...] = ()
    grids = [s for s in csd.struct if s.predicate == "grid"]
    inputs = [s.subject for s in csd.struct if s.predicate == "slot" and s.value == "input"]
    if grids and csd.meta.success:
        rows = str(grids[0].value)
        filled = {str(s.value): s.subject for s in csd.struct if s.predicate == "fills"}
        fillers = tuple(filled[letter] for letter in letters(rows))
    elif inputs and csd.meta.success:
        rows, fillers = SMELT_ROWS, (inputs[0],)
    parents = [str(s.value) for s in csd.proc if s.predicate == "after" and s.subject == csd.meta.product]
    return Case(
        csd=csd_id,
        product=csd.meta.product,
        rows=rows,
        fillers=fillers,
        parents=tuple(dict.fromkeys(parents)),
    )


def features_of(csd: Csd, axes: tuple[Axis, ...] = AXES) -> dict[Axis, list[Feature]]:
    """Return what a descriptor says of each thing, axis by axis; a masked axis says nothing."""
    readers = {
        Axis.STRUCT: _struct,
        Axis.ATTR: _attr,
        Axis.PROC: _proc,
        Axis.FUNC: _func,
        Axis.INTER: _inter,
    }
    return {axis: readers[axis](csd.axis(axis)) for axis in axes}


def _struct(statements: tuple[Statement, ...]) -> list[Feature]:
    rows = next((str(s.value) for s in statements if s.predicate == "grid"), None)
    found = [(s.subject, f"part {s.value}") for s in statements if s.predicate == "part"]
    found += [(s.subject, f"slot {s.value}") for s in statements if s.predicate == "slot"]
    if rows is not None:
        found += [(s.subject, f"fills {rows} {s.value}") for s in statements if s.predicate == "fills"]
        found += [(s.subject, f"laid {s.value}") for s in statements if s.predicate == "grid"]
    return found


def _attr(statements: tuple[Statement, ...]) -> list[Feature]:
    found: list[Feature] = []
    held = {s.subject: str(s.value) for s in statements if s.predicate in ("yielded_to", "refused")}
    for s in statements:
        if s.predicate == "drops":
            found.append((str(s.value), f"{SOURCE}{s.subject}"))
        elif s.predicate == "dig_ticks":
            found.append(
                (s.subject, f"dug with {held.get(s.subject)} in 2^{round(2 * log2(1 + float(s.value))) / 2}")
            )
        else:
            found.append((s.subject, f"{s.predicate} {s.value}"))
    return found


def _proc(statements: tuple[Statement, ...]) -> list[Feature]:
    found: list[Feature] = []
    for s in statements:
        if s.predicate in ("made_by", "after", "yields"):
            found.append((s.subject, f"{s.predicate} {s.value}"))
        elif s.predicate == "consumes":
            found.append((s.subject, f"consumes {str(s.value).rsplit(' x', 1)[-1]}"))
    return found


def _func(statements: tuple[Statement, ...]) -> list[Feature]:
    roles: dict[str, str] = {}
    for s in statements:
        if s.predicate == "plays":
            roles.setdefault(s.subject, str(s.value))
    found: list[Feature] = []
    for s in statements:
        if s.predicate == "plays":
            found.append((s.subject, f"plays {s.value}"))
        elif s.predicate == "supports":
            found.append((s.subject, f"{roles.get(s.subject, 'part')} with {s.value}"))
        elif s.predicate == "serves":
            found.append((s.subject, "serves"))
        elif s.predicate == "opens":
            found.append((s.subject, "opens"))
        elif s.predicate == "affords":
            found.append((s.subject, f"affords {s.value}"))
    return found


def _inter(statements: tuple[Statement, ...]) -> list[Feature]:
    found: list[Feature] = []
    for s in statements:
        if s.predicate == "station":
            found.append((s.subject, f"station {s.value}"))
        elif s.predicate == "tried":
            words = s.subject.replace(",", " ").split()
            found += [(word, f"{words[0]} {s.value}") for word in dict.fromkeys(words[1:])]
    return found

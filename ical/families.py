"""Families: items that fill the same places, and the places in which the rest have still to be tried.

Source: Echo §3.4 (clusters of successes) and Fig. 2 (similar items unlock together). A family is a formal
concept (Wille 1982) of items and slots: every item of it works in every slot of it, and no slot more could be
added. Names play no part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from csd.pattern import letters
from ical.cases import Case
from ical.patterns import Pattern
from ical.slots import SMELT_ROWS, Slot, slots_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Family:
    """Items that stood for one another more than once."""

    items: tuple[str, ...]
    """At least two, sorted by name."""
    slots: tuple[Slot, ...]
    """Where every one of them worked; at least two, in the order of the patterns."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """One arrangement not seen yet that a family suggests."""

    slot: Slot
    item: str
    alike: float
    """In (0, 1): share of the family that worked in the slot; or, for an item from outside it, share of the
    family's slots that the item worked in."""
    family: Family


def slot_of(pattern: Pattern) -> Slot | None:
    """Return the slot that a pattern leaves open, or None where it leaves none or several."""
    if len(pattern.open_letters) != 1:
        return None
    (letter,) = pattern.open_letters
    if pattern.rows == SMELT_ROWS:
        return Slot(SMELT_ROWS, letter, ())
    others = tuple(pattern.fixed[name] for name in letters(pattern.rows) if name != letter)
    return Slot(pattern.rows, letter, others)


def families(patterns: Iterable[Pattern], *, shared: int = 2) -> tuple[Family, ...]:
    """Return the families that the open places of patterns show.

    Args:
        patterns: what `ical.patterns.generalise` found; those with one open letter count.
        shared: how many items two places must have in common, >= 2.

    Returns:
        Those with most items times slots first, ties by items.

    Raises:
        ValueError: if `shared` is below 2: one item alone is no family.
    """
    if shared < 2:
        raise ValueError(f"expected families of at least 2 shared items; got {shared}.")
    fillers: dict[Slot, frozenset[str]] = {}
    for pattern in patterns:
        slot = slot_of(pattern)
        if slot is not None:
            fillers.setdefault(slot, frozenset(next(iter(pattern.open_letters.values()))))
    cores = {one & other: None for one, other in combinations(fillers.values(), 2)}
    found = [
        Family(items=tuple(sorted(core)), slots=tuple(s for s, items in fillers.items() if core <= items))
        for core in cores
        if len(core) >= shared
    ]
    return tuple(sorted(found, key=lambda family: (-len(family.items) * len(family.slots), family.items)))


def proposals(found: Sequence[Family], cases: Iterable[Case]) -> tuple[Proposal, ...]:
    """Return the arrangements that families suggest and no case shows.

    Two kinds: an item of a family put where others of it worked, and an item that joined a family's slots
    in one place put into the rest of them. What failed is not known here: the verifier rejects it.

    Returns:
        Most alike first, ties by rows, letter, other fillers and item; each arrangement once.
    """
    worked: dict[Slot, dict[str, None]] = {}
    for case in cases:
        if case.rows is not None:
            for slot, item in slots_of(case.rows, case.fillers):
                worked.setdefault(slot, {})[item] = None
    best: dict[tuple[Slot, str], Proposal] = {}
    for family in found:
        for proposal in (*_spread(family, worked), *_joining(family, worked)):
            place = (proposal.slot, proposal.item)
            if proposal.item in worked[proposal.slot] or proposal.item in proposal.slot.others:
                continue
            if place not in best or best[place].alike < proposal.alike:
                best[place] = proposal
    return tuple(
        sorted(
            best.values(),
            key=lambda p: (-p.alike, p.slot.rows, p.slot.letter, p.slot.others, p.item),
        )
    )


def _spread(family: Family, worked: dict[Slot, dict[str, None]]) -> Iterable[Proposal]:
    for slot, items in worked.items():
        inside = sum(item in items for item in family.items)
        if 0 < inside < len(family.items):
            for item in family.items:
                yield Proposal(slot=slot, item=item, alike=inside / len(family.items), family=family)


def _joining(family: Family, worked: dict[Slot, dict[str, None]]) -> Iterable[Proposal]:
    newcomers: dict[str, int] = {}
    for slot in family.slots:
        for item in worked.get(slot, {}):
            newcomers[item] = newcomers.get(item, 0) + 1
    for item, places in newcomers.items():
        if item not in family.items:
            for slot in family.slots:
                if slot in worked:
                    yield Proposal(slot=slot, item=item, alike=places / len(family.slots), family=family)

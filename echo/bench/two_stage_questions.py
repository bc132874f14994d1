"""Questions for recall with what is alike by the rules; every life in names of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from csd.descriptor import Csd
from csd.store.where import Where
from echo.bench.decision import items_in
from echo.bench.two_stage_truth import Role, Truth
from echo.worlds.minecraft.facts import Facts
from echo.worlds.minecraft.names import NameBook
from ical.query import Mentions, Query, query_for
from ical.retrieve import materials_of

KINDS = ("item", "making", "digging")

MAKING = Where(success=True, verbs=("craft", "smelt"))
"""What an item is asked about: recall for an item looks among what was made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One thing asked, and which remembered descriptors are alike."""

    kind: str
    query: Query | Csd
    where: Where | None
    alike: frozenset[str]
    """Ids; at least one."""
    choice: int
    """How many descriptors of the memory pass `where`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Remembered:
    """The memory as the rules see it."""

    shapes: Mapping[str, Mapping[str, None]]
    """Shape of what was made -> ids."""
    roles: Mapping[Role, Mapping[str, None]]
    """Role of a material -> ids."""
    dug: Mapping[str, Mapping[str, None]]
    """Class of block -> ids."""
    made: int
    all: int


def ask(
    facts: Facts,
    memory: Mapping[int, Sequence[Csd]],
    asking: Mapping[int, Sequence[Csd]],
    most: int,
    *,
    invented: bool = True,
) -> list[Question]:
    """Return at most `most` questions of each kind, evenly spread over those that can be asked.

    Args:
        facts: the rules of every life's world.
        memory: seed -> descriptors of a life that is remembered.
        asking: seed -> descriptors of a life that asks.
        most: questions of a kind.
        invented: whether each life has names of its own.
    """
    remembered = _read({seed: (_truth(seed, facts, invented), csds) for seed, csds in memory.items()})
    found: dict[str, list[Question]] = {kind: [] for kind in KINDS}
    for seed, csds in asking.items():
        truth = _truth(seed, facts, invented)
        for question in (*_about_items(csds, truth, remembered), *_about_csds(csds, truth, remembered)):
            if question.alike:
                found[question.kind].append(question)
    return [question for kind in KINDS for question in _spread(found[kind], most)]


def truth_of(seed: int | None, facts: Facts) -> Truth:
    """Return the rules under the names of the life of `seed`; None for the real names."""
    return Truth(facts, NameBook((*facts.items, *facts.blocks, *facts.mobs), seed))


def without_uses(item: str, csds: Sequence[Csd]) -> list[Csd]:
    """Return `csds` but for the successes that used `item`: who asks for a use must not know it."""
    return [
        csd
        for csd in csds
        if csd.meta.verb not in ("craft", "smelt") or not csd.meta.success or item not in materials_of(csd)
    ]


def _truth(seed: int, facts: Facts, invented: bool) -> Truth:
    return truth_of(seed if invented else None, facts)


def _read(memory: Mapping[int, tuple[Truth, Sequence[Csd]]]) -> _Remembered:
    held: dict[str, tuple[Truth, Csd]] = {}
    for truth, csds in memory.values():
        for csd in csds:
            held.setdefault(csd.id, (truth, csd))
    shapes: dict[str, dict[str, None]] = {}
    roles: dict[Role, dict[str, None]] = {}
    dug: dict[str, dict[str, None]] = {}
    for id, (truth, csd) in held.items():
        if (recipe := truth.made(csd)) is not None:
            shapes.setdefault(recipe.shape, {})[id] = None
            for role in recipe.roles:
                roles.setdefault(role, {})[id] = None
        if (block := truth.dug(csd)) is not None:
            dug.setdefault(block, {})[id] = None
    made = sum(csd.meta.success and csd.meta.verb in ("craft", "smelt") for _, csd in held.values())
    return _Remembered(shapes=shapes, roles=roles, dug=dug, made=made, all=len(held))


def _about_items(csds: Sequence[Csd], truth: Truth, remembered: _Remembered) -> Iterator[Question]:
    for item in items_in(csds):
        query = query_for(item, Mentions(without_uses(item, csds)))
        if not query.empty:
            alike = (id for role in truth.roles_of(item) for id in remembered.roles.get(role, ()))
            yield Question(
                kind="item", query=query, where=MAKING, alike=frozenset(alike), choice=remembered.made
            )


def _about_csds(csds: Sequence[Csd], truth: Truth, remembered: _Remembered) -> Iterator[Question]:
    for csd in csds:
        recipe, block = truth.made(csd), truth.dug(csd)
        if recipe is not None:
            alike = remembered.shapes.get(recipe.shape, {})
            yield Question(
                kind="making", query=csd, where=None, alike=frozenset(alike), choice=remembered.all
            )
        if block is not None:
            alike = remembered.dug.get(block, {})
            yield Question(
                kind="digging", query=csd, where=None, alike=frozenset(alike), choice=remembered.all
            )


def _spread(found: Sequence[Question], most: int) -> Iterator[Question]:
    number = min(most, len(found))
    for n in range(number):
        yield found[n * len(found) // number]

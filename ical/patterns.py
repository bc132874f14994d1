"""Patterns: the least general generalisation of arrangements that worked.

Source: Plotkin 1970 (anti-unification); used in Echo §3.4 (offline maintenance: clusters support pattern
abstraction, "smelt iron ore" extended to "smelt gold ore"). A grid is read as a term whose functor is its
shape with its empty cells and whose arguments are the items in the others, so that grids generalise only
with grids of the same outline; smelting is a term with one argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from string import ascii_uppercase

from csd.pattern import EMPTY, letters
from csd.roles import grid_roles
from ical.cases import Case
from ical.slots import SMELT_ROWS

MAX_KINDS = 4
"""Grids of more kinds of items are generalised as a whole only: each kind doubles the ways to fix some."""

_Term = tuple[str, tuple[str, ...]]
"""Outline (empty cells and line breaks, '#' for a filled cell) and the items in the filled cells."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """What several successes have in common: an arrangement with some items left open."""

    rows: str
    """Grid rows, one letter a kind that may differ, or 'smelt'."""
    open_letters: Mapping[str, tuple[str, ...]]
    """Letter that may be filled anew -> items seen there, each once, in the order of the cases."""
    fixed: Mapping[str, str]
    """Letter that was the same in all -> its item."""
    support: tuple[str, ...]
    """Ids of the descriptors it was drawn from, in the order of the cases."""
    products: tuple[str, ...]
    """What each of them gave, in the same order."""

    @property
    def description(self) -> str:
        """Say the pattern in one line: '[head]/.stick./.stick. with head in {oak_planks, cobblestone}'."""
        names = self._names()
        said = {**{letter: f"[{name}]" for letter, name in names.items()}, **self.fixed}
        if self.rows == SMELT_ROWS:
            return f"smelt {said['A']}" + _seen(names, self.open_letters)
        lines = (_line([said.get(cell, cell) for cell in line]) for line in self.rows.split("/"))
        return "/".join(lines) + _seen(names, self.open_letters)

    def _names(self) -> dict[str, str]:
        roles = {"A": "charge"} if self.rows == SMELT_ROWS else grid_roles(self.rows)
        shared = [roles[letter] for letter in self.open_letters]
        return {
            letter: f"{roles[letter]} {letter}" if shared.count(roles[letter]) > 1 else roles[letter]
            for letter in self.open_letters
        }


def _seen(names: Mapping[str, str], fillers: Mapping[str, tuple[str, ...]]) -> str:
    listed = [f"{names[letter]} in {{{', '.join(items)}}}" for letter, items in fillers.items()]
    return f" with {', '.join(listed)}" if listed else ""


def _line(cells: Sequence[str]) -> str:
    """Join the cells of a row; a full row of one thing is said once, neighbours are kept apart."""
    if len(set(cells)) == 1 and cells[0] != EMPTY:
        return cells[0]
    text = cells[0]
    for left, right in pairwise(cells):
        text += right if EMPTY in (left, right) else f" {right}"
    return text


def generalise(cases: Iterable[Case]) -> tuple[Pattern, ...]:
    """Return the patterns that at least two successes share.

    For each arrangement, every choice of its items to hold fixed gathers the successes that agree on them;
    their least general generalisation is a pattern. All successes of one outline give one more, in which
    kinds that one of them tells apart stay apart. A case without an arrangement is passed over, and of
    several with equal arrangements the first counts.

    Returns:
        The best supported first, then those that fix more, ties by rows and fixed items.
    """
    distinct: dict[_Term, Case] = {}
    for case in cases:
        if case.rows is not None:
            distinct.setdefault(_term(case.rows, case.fillers), case)
    groups: dict[object, list[_Term]] = {}
    for term, case in distinct.items():
        groups.setdefault(term[0], []).append(term)
        for agreed in _agreements(case):
            groups.setdefault((case.rows, agreed), []).append(term)
    found: dict[tuple[str, tuple[tuple[str, str], ...]], Pattern] = {}
    for terms in groups.values():
        if len(terms) > 1:
            pattern = _pattern([distinct[term] for term in terms], terms)
            key = (pattern.rows, tuple(pattern.fixed.items()))
            if key not in found or len(found[key].support) < len(pattern.support):
                found[key] = pattern
    return tuple(
        sorted(
            found.values(),
            key=lambda p: (-len(p.support), -len(p.fixed), p.rows, tuple(p.fixed.items())),
        )
    )


def anti_unify(terms: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the least general generalisation of argument lists as one letter an argument.

    Two arguments get the same letter where they are equal in every term: the substitution of each term is
    the same for both (Plotkin's condition).

    Raises:
        ValueError: if there is no term, or the terms differ in length.

    >>> anti_unify([("planks", "planks", "stick"), ("stone", "stone", "stick")])
    ('A', 'A', 'B')
    >>> anti_unify([("coal", "coal"), ("coal", "sand")])
    ('A', 'B')
    """
    if len({len(term) for term in terms}) != 1:
        raise ValueError(
            f"expected terms of one length; got lengths {[len(term) for term in terms]}. "
            f"Generalise grids of one outline."
        )
    named: dict[tuple[str, ...], str] = {}
    return tuple(named.setdefault(across, ascii_uppercase[len(named)]) for across in zip(*terms, strict=True))


def _term(rows: str, fillers: Sequence[str]) -> _Term:
    if rows == SMELT_ROWS:
        return SMELT_ROWS, tuple(fillers)
    filled = dict(zip(letters(rows), fillers, strict=True))
    outline = "".join(cell if cell in (EMPTY, "/") else "#" for cell in rows)
    return outline, tuple(filled[cell] for cell in rows if cell in filled)


def _agreements(case: Case) -> Iterable[tuple[tuple[str, str], ...]]:
    """Return each proper part of a case's (letter, item) pairs that others may agree on."""
    names = ("A",) if case.rows == SMELT_ROWS else letters(case.rows or "")
    pairs = tuple(zip(names, case.fillers, strict=True))
    sizes = range(len(pairs)) if len(pairs) <= MAX_KINDS else (0,)
    return (agreed for size in sizes for agreed in combinations(pairs, size))


def _pattern(cases: Sequence[Case], terms: Sequence[_Term]) -> Pattern:
    outline = terms[0][0]
    cells = anti_unify([term[1] for term in terms])
    across = dict(zip(cells, zip(*(term[1] for term in terms), strict=True), strict=True))
    named = iter(cells)
    rows = outline if outline == SMELT_ROWS else "".join(next(named) if c == "#" else c for c in outline)
    return Pattern(
        rows=rows,
        open_letters={a: tuple(dict.fromkeys(items)) for a, items in across.items() if len(set(items)) > 1},
        fixed={a: items[0] for a, items in across.items() if len(set(items)) == 1},
        support=tuple(case.csd for case in cases),
        products=tuple(case.product or "" for case in cases),
    )

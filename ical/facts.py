"""Statements as a structure mapping reads them: a head that must be the same, arguments that may differ.

The head is the predicate with everything in it that is no name of a thing; the arguments are the things, in
order. 'oak_planks x3, stick x2' in an action becomes a pattern over two things, so that actions match when
the same was done with other things.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import log2

from csd.axes import AXES, Axis
from csd.descriptor import Statement, Value
from csd.graph import value_kind
from csd.wording import HAND, NONE, read_amount
from ical.query import WORD, Statements, holds_action

_NO_THING = (HAND, NONE)
"""Values that stand where a thing would, and name none."""

_NAME = re.compile(r"(?!x\d+$)[a-z][a-z0-9_]*")

_NO_NAMES = (
    *("craft", "smelt", "collect", "mine", "attack", "place", "eat", "hold", "drop", "wait", "go", "look"),
    *("of", "with", "for", "to", "at", "then", "times", "an", "empty", "grid", "nothing"),
    *("time", "health", "food", "day"),
)
"""Words of `csd.wording` that name no thing."""

_DURATIONS = ("dig_ticks", "ticks")
"""Predicates with a measured time: alike when within a factor of about two."""

_Reading = tuple[str, tuple[str, ...]]
"""Head and arguments of a fact."""

_Place = tuple[str, int]
"""Where a grid was seen: (episode, step)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """One or more statements that say the same of the same things."""

    axis: Axis
    head: str
    """Predicate and constants, such as 'plays head' or 'above'."""
    args: tuple[str, ...]
    """Names of things, in order; at least one."""
    statements: tuple[Statement, ...]

    @property
    def relation(self) -> bool:
        """Whether it holds between things, rather than of one."""
        return len(self.args) > 1


@dataclass(frozen=True, kw_only=True, slots=True)
class _Laid:
    """A grid that statements speak of."""

    rows: str
    fillers: Mapping[str, str]
    """Letter -> item."""


def facts_of(statements: Statements) -> tuple[Fact, ...]:
    """Return the facts that statements tell about things, axes in canonical order.

    Amounts in 'consumes' are left out of the head: a relative that needs eight still is used up. Letters
    become the items that fill them, and a place in a grid carries the grid; a letter whose grid is not among
    the statements (or is one of several seen at one moment) tells nothing and gives no fact.
    """
    grids = _grids(statements.get(Axis.STRUCT, ()))
    groups: dict[tuple[Axis, str, tuple[str, ...]], list[Statement]] = {}
    for axis in AXES:
        for statement in statements.get(axis, ()):
            if value_kind(axis, statement.predicate) == "letter":
                read = _lettered(statement, grids.get(_place(statement)))
            elif isinstance(statement.value, float):
                read = _read(axis, statement.subject, statement.predicate, statement.value)
            else:
                read = _read_before(axis, statement.subject, statement.predicate, statement.value)
            if read is not None and read[1]:
                groups.setdefault((axis, *read), []).append(statement)
    return tuple(
        Fact(axis=axis, head=head, args=args, statements=tuple(group))
        for (axis, head, args), group in groups.items()
    )


def _read(axis: Axis, subject: str, predicate: str, value: Value) -> _Reading | None:
    """Read a statement that needs no other to be read."""
    if holds_action(axis, predicate):
        return _action(subject, predicate, str(value))
    return _plain(axis, subject, predicate, value)


_read_before = lru_cache(maxsize=1 << 14, typed=True)(_read)
"""`_read` of what comes up again and again; typed, as True is not 1, and not for floats, as -0.0 is 0.0."""


def _action(subject: str, predicate: str, value: str) -> _Reading | None:
    """Read an action with what came of it; the message of a failure is prose and is not read."""
    match predicate:
        case "step":
            # The number of a step is its place in one episode, and nothing outside it.
            action, _, outcome = value.partition(": ")
        case "tried":
            action, outcome = subject, value
        case "feedback":
            # Events (broke, damage) are chances of the moment; the changes come first.
            action, outcome = f"{subject}, then {value.partition('; ')[0]}", ""
        case _:
            return None
    args: list[str] = []

    def blank(found: re.Match[str]) -> str:
        if not _NAME.fullmatch(found[0]) or found[0] in _NO_NAMES:
            return found[0]
        args.append(found[0])
        return "_"

    return f"{predicate} {WORD.sub(blank, action)} {outcome}".strip(), tuple(args)


def _plain(axis: Axis, subject: str, predicate: str, value: Value) -> _Reading:
    kind = value_kind(axis, predicate)
    if kind == "thing" and value not in _NO_THING:
        counted = read_amount(str(value))
        return predicate, (subject, counted[0] if counted else str(value))
    return f"{predicate} {_constant(predicate, value)}", (subject,)


def _lettered(statement: Statement, laid: _Laid | None) -> _Reading | None:
    if laid is None:
        return None
    if statement.predicate == "fills":
        return f"fills {laid.rows} {statement.value}", (statement.subject,)
    one, other = laid.fillers.get(statement.subject), laid.fillers.get(str(statement.value))
    return None if one is None or other is None else (statement.predicate, (one, other))


def _constant(predicate: str, value: Value) -> str:
    if predicate in _DURATIONS and isinstance(value, int | float) and value >= 0:
        return f"2^{round(log2(1 + value))}"
    return str(value)


def _grids(struct: Iterable[Statement]) -> dict[_Place, _Laid]:
    """Return the grid seen at each moment; a moment with several tells of none."""
    rows: dict[_Place, list[str]] = {}
    fillers: dict[_Place, dict[str, str]] = {}
    for statement in struct:
        if statement.predicate == "grid":
            rows.setdefault(_place(statement), []).append(str(statement.value))
        elif statement.predicate == "fills":
            fillers.setdefault(_place(statement), {})[str(statement.value)] = statement.subject
    return {
        place: _Laid(rows=laid[0], fillers=fillers.get(place, {}))
        for place, laid in rows.items()
        if len(laid) == 1
    }


def _place(statement: Statement) -> _Place:
    seen = statement.evidence[0]
    return seen.episode, seen.step

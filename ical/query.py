"""What is known of one item, axis by axis: the query that recall starts from.

Source: Echo §3.4 (retrieval by an observation's own descriptor); differs in that the query is about one thing
and is put together from every descriptor that mentions it, because an item in the inventory has no
descriptor of its own. What is not known is left empty, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from csd.axes import AXES, Axis
from csd.descriptor import Csd, Statement, Value
from csd.graph import value_kind
from csd.render import clauses
from csd.vocabulary import PREDICATES
from csd.wording import read_amount

if TYPE_CHECKING:
    from csd.bank import Bank

Statements = Mapping[Axis, tuple[Statement, ...]]
"""Statements by axis, in canonical axis order, without the axes on which nothing is said."""

MAX_WORDS = 60
"""Longest text of a query on one axis: encoders learned from single sentences, and time grows with words."""

MAX_STATEMENTS = 20
"""Most statements of a query on one axis; the mapping that reads them grows with their square."""

_ABOUT_THEIR_SUBJECT_ALONE = ("near",)
"""Predicates whose value is a landmark: they tell where their subject was and nothing of the landmark."""

WORD = re.compile(r"[^\s,;:]+")
"""A word of an action: names never hold white space or these marks."""

_OF_A_GRID = ("grid", "fills")
"""Predicates that say another thing in another grid: a letter means nothing without the grid it stands in."""

_Key = tuple[str, str, type, Value, str]
"""Subject, predicate, type of the value (True is not 1), value, and the grid where that matters."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """What is known of one item on the axes asked."""

    item: str
    statements: Statements
    """Every axis asked on which something is known -> statements, most often seen first."""
    texts: Mapping[Axis, str]
    """The same axes -> their text in the wording of descriptors, at most `MAX_WORDS` words each."""

    @property
    def empty(self) -> bool:
        """Whether nothing is known of the item on any axis asked."""
        return not self.texts


class Mentions:
    """An index of remembered statements by the names they mention; grows as descriptors come in."""

    def __init__(self, csds: Iterable[Csd] = ()) -> None:
        """Start with the statements of `csds`."""
        self._said: dict[str, dict[Axis, dict[_Key, Statement]]] = {}
        self._times: dict[tuple[Axis, _Key], int] = {}
        self._ranks: dict[tuple[str, Axis], tuple[Statement, ...]] = {}
        """What was asked since the last descriptor came in; a new one may change any order."""
        for csd in csds:
            self.remember(csd)

    def remember(self, csd: Csd) -> None:
        """Take in the statements of `csd`; the same fact again counts once more."""
        self._ranks.clear()
        rows = next((str(s.value) for s in csd.struct if s.predicate == "grid"), "")
        fillers = tuple(s.subject for s in csd.struct if s.predicate == "fills")
        for axis in AXES:
            if axis is Axis.STRUCT and not csd.meta.success:
                continue  # Where a thing lay in vain is no place that it can take.
            for statement in csd.axis(axis):
                names = names_in(axis, statement)
                laid_at = rows if statement.predicate in _OF_A_GRID else ""
                if statement.predicate == "grid":
                    names = tuple(dict.fromkeys((*names, *fillers)))
                key: _Key = (
                    statement.subject,
                    statement.predicate,
                    type(statement.value),
                    statement.value,
                    laid_at,
                )
                self._times[axis, key] = self._times.get((axis, key), 0) + 1
                for name in names:
                    self._said.setdefault(name, {}).setdefault(axis, {}).setdefault(key, statement)

    def about(self, name: str, axes: Iterable[Axis] = AXES) -> Statements:
        """Return the distinct statements that mention `name` on `axes`.

        Most often seen first, then in the order of the vocabulary, then by name; at most
        `MAX_STATEMENTS` an axis.
        """
        asked, said = tuple(axes), self._said.get(name, {})
        return {axis: self._ranked(name, axis, said[axis]) for axis in AXES if axis in asked and axis in said}

    def _ranked(self, name: str, axis: Axis, said: Mapping[_Key, Statement]) -> tuple[Statement, ...]:
        if (name, axis) in self._ranks:
            return self._ranks[name, axis]
        order = list(PREDICATES[axis])
        keys = sorted(
            said,
            key=lambda key: (-self._times[axis, key], order.index(key[1]), key[0], str(key[3]), key[4]),
        )
        ranked = self._ranks[name, axis] = tuple(said[key] for key in keys[:MAX_STATEMENTS])
        return ranked


def query_for(item: str, known: Mentions | Iterable[Csd], *, axes: Iterable[Axis] = AXES) -> Query:
    """Return what is known of `item` on `axes`.

    Args:
        item: a name as the agent saw it.
        known: the index of what is remembered; or descriptors, which are then indexed at each call.
        axes: the axes asked. A masked axis leaves neither statements nor text.

    Returns:
        A query; an empty one where nothing that is remembered mentions the item.

    Raises:
        ValueError: if `item` is blank.
    """
    if not item.strip():
        raise ValueError(f"expected the name of an item; got {item!r}. Ask about one thing by name.")
    mentions = known if isinstance(known, Mentions) else Mentions(known)
    statements = mentions.about(item, axes)
    return Query(
        item=item,
        statements=statements,
        texts={axis: _short("; ", clauses(axis, said)) for axis, said in statements.items()},
    )


def csds_mentioning(item: str, bank: Bank) -> list[Csd]:
    """Return the descriptors of `bank` in which `item` is a thing, by id; read anew at each call."""
    return [bank.get(id) for id in bank.mentioning(f"thing:{item}")]


def statements_of(csd: Csd, axes: Iterable[Axis] = AXES) -> Statements:
    """Return the statements of a descriptor on `axes`, without the empty ones."""
    asked = tuple(axes)
    return {axis: csd.axis(axis) for axis in AXES if axis in asked and csd.axis(axis)}


def names_in(axis: Axis, statement: Statement) -> tuple[str, ...]:
    """Return the names that a statement says something about: things, and any word of an action.

    >>> from csd.descriptor import Evidence, Statement
    >>> seen = (Evidence(episode="ep_000001", step=0, kind="action"),)
    >>> one = Statement(subject="torch", predicate="consumes", value="coal x1", evidence=seen)
    >>> names_in(Axis.PROC, one)
    ('torch', 'coal')
    """
    value = str(statement.value)
    if holds_action(axis, statement.predicate):
        return tuple(dict.fromkeys(WORD.findall(f"{statement.subject} {value}")))
    if value_kind(axis, statement.predicate) == "letter" and statement.predicate != "fills":
        return ()
    names = [statement.subject]
    if (
        value_kind(axis, statement.predicate) == "thing"
        and statement.predicate not in _ABOUT_THEIR_SUBJECT_ALONE
    ):
        counted = read_amount(value)
        names.append(counted[0] if counted else value)
    return tuple(dict.fromkeys(names))


def holds_action(axis: Axis, predicate: str) -> bool:
    """Return whether a statement with `predicate` holds an action in words ('smelt raw_iron with coal')."""
    kind = value_kind(axis, predicate)
    return kind == "action" or (axis is Axis.INTER and kind != "thing")


def _short(joint: str, parts: Iterable[str]) -> str:
    """Join the parts that fit into `MAX_WORDS`, in their order; a first one too long alone is cut."""
    kept: list[str] = []
    left = MAX_WORDS
    for part in parts:
        words = part.split()
        if len(words) <= left:
            kept.append(part)
            left -= len(words)
        elif not kept:
            kept.append(" ".join(words[:MAX_WORDS]))
            left = 0
    return joint.join(kept)

"""What a mapping lets one expect: statements of an exemplar carried over to other things.

Source: Falkenhainer, Forbus & Gentner 1989 (candidate inferences); differs in that a thing without a
counterpart keeps its name and is listed as open: base and target come from one world, and it may be at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from csd.axes import Axis
from csd.descriptor import Statement, Value
from csd.graph import value_kind
from ical.facts import Fact
from ical.query import WORD, holds_action


@dataclass(frozen=True, kw_only=True, slots=True)
class Inference:
    """A statement of the base, carried over to the target's things: a conjecture, never evidence."""

    axis: Axis
    subject: str
    predicate: str
    value: Value
    source: Statement
    """The statement it was carried over from."""
    open: tuple[str, ...]
    """Things of the base in it that have no counterpart and keep their names."""


def carried(fact: Fact, names: Mapping[str, str]) -> Iterator[Inference]:
    """Yield the statements of `fact` under the names that take their part, where that changes any."""
    if all(names.get(name, name) == name for name in fact.args):
        return
    for statement in fact.statements:
        kind = value_kind(fact.axis, statement.predicate)
        if kind == "letter" and statement.predicate != "fills":
            continue  # It names letters: the same grid holds for both.
        in_words = kind == "thing" or holds_action(fact.axis, statement.predicate)
        yield Inference(
            axis=fact.axis,
            subject=renamed(statement.subject, names),
            predicate=statement.predicate,
            value=renamed(str(statement.value), names) if in_words else statement.value,
            source=statement,
            open=tuple(dict.fromkeys(name for name in fact.args if name not in names)),
        )


def renamed(words: str, names: Mapping[str, str]) -> str:
    """Return `words` with every whole word that `names` knows replaced.

    >>> renamed("smelt raw_iron with coal", {"raw_iron": "raw_copper"})
    'smelt raw_copper with coal'
    """
    return WORD.sub(lambda found: names.get(found[0], found[0]), words)

"""The text of a descriptor, one axis at a time: what encoders embed and what prompts quote.

Pure and deterministic: equal statements give equal text in every process. Bank vectors were made from
this text, so `FORMAT` changes whenever any wording does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from csd.axes import AXES, Axis
from csd.descriptor import Csd, Statement
from csd.phrases import WORDING, clause

FORMAT = WORDING
"""Version of the wording; a bank remembers the one that its vectors were made from."""


def render_axis(csd: Csd, axis: Axis) -> str:
    """Return the text of one axis of `csd`, '' when nothing is stated on it.

    Statements become clauses in their own order, joined by '; '. A clause that repeats (one fact with
    evidence from several steps) is said once. Underscores in names become spaces, which is how words
    were written where sentence encoders learned them.
    """
    return "; ".join(clauses(axis, csd.axis(axis)))


def clauses(axis: Axis, statements: Iterable[Statement]) -> tuple[str, ...]:
    """Return the clauses of statements on one axis in their order, each said once."""
    return tuple(dict.fromkeys(clause(axis, one.subject, one.predicate, one.value) for one in statements))


def render(csd: Csd, axes: Sequence[Axis] = AXES) -> str:
    """Return the text of `csd` on `axes`, one line an axis, in canonical axis order.

    An axis that is masked (not in `axes`) or empty leaves no text at all, not even its name.
    """
    kept = [(axis, render_axis(csd, axis)) for axis in AXES if axis in axes]
    return "\n".join(f"{axis.value}: {text}" for axis, text in kept if text)

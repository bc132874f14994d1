"""Setting the scene: exemplars and their correspondences as one text within a budget.

Source: Echo §3.4 (context construction) and Fig. 6 (prompt builder). One mask rules: an axis that is masked
leaves no statement, no correspondence that rests on it alone, and not even its name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from csd.axes import AXES, Axis
from csd.render import clauses
from ical.query import Query
from ical.retrieve import Exemplar

TOKENS_A_WORD = 1.3
"""Tokens of a word in English prose, for byte-pair vocabularies of some 50,000; grids take more."""

MAX_CORRESPONDENCES = 4
"""Most correspondences told of one exemplar; the weaker ones rest on single coincidences."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """What a reasoner is shown, and where it comes from."""

    text: str
    """Blocks parted by blank lines: the query, then exemplars, best first."""
    used_ids: tuple[str, ...]
    """Ids of the exemplars of which something is told, in their order."""
    tokens: int
    """Estimated length; never above the budget."""


def estimated_tokens(text: str) -> int:
    """Return about how many tokens `text` has: 1.3 a word, rounded up.

    >>> estimated_tokens("three short words")
    4
    """
    return math.ceil(TOKENS_A_WORD * len(text.split()))


def build_context(
    exemplars: Sequence[Exemplar],
    query: Query,
    *,
    axes: Iterable[Axis] = AXES,
    budget_tokens: int = 1200,
) -> Context:
    """Return the scene for inducing something from `exemplars` about `query`.

    The query comes first, then exemplars in their order. Each is told as far as it fits: axis by axis in
    canonical order, the last one cut at a clause. An exemplar whose heading and first clause do not fit
    ends the text.

    Args:
        exemplars: what was recalled, best first.
        query: what it was recalled for.
        axes: the axes that may be told; the others leave no text.
        budget_tokens: how long the text may be, in estimated tokens (`estimated_tokens`).

    Raises:
        ValueError: if the budget does not hold the query's heading.
    """
    asked = tuple(axes)
    kept = tuple(axis for axis in AXES if axis in asked)
    words_left = math.floor(budget_tokens / TOKENS_A_WORD)
    said = {axis: clauses(axis, query.statements.get(axis, ())) for axis in kept}
    # At most half for the query: without exemplars there is nothing to transfer from.
    block = _block([f"What is known of {query.item}:"], said, words_left // 2)
    if len(block.split()) > words_left:
        raise ValueError(
            f"expected a budget that holds the heading {block!r}; got {budget_tokens} tokens. "
            f"Give at least {estimated_tokens(block)}."
        )
    blocks, used = [block], []
    words_left -= len(block.split())
    for exemplar in exemplars:
        heading = [_heading(exemplar), *_correspondences(exemplar, kept)]
        told = {axis: clauses(axis, exemplar.csd.axis(axis)) for axis in kept}
        block = _block(heading, told, words_left)
        if len(block.split()) > words_left or len(block.split("\n")) == len(heading):
            break
        blocks.append(block)
        used.append(exemplar.id)
        words_left -= len(block.split())
    text = "\n\n".join(blocks)
    return Context(text=text, used_ids=tuple(used), tokens=estimated_tokens(text))


def _block(heading: Sequence[str], said: dict[Axis, tuple[str, ...]], words: int) -> str:
    """Return a heading with one line an axis, whole clauses within `words`; the heading always stands."""
    lines = list(heading)
    left = words - sum(len(line.split()) for line in lines)
    for axis, parts in said.items():
        kept: list[str] = []
        left -= 1  # The axis name.
        for part in parts:
            if len(part.split()) > left:
                break
            kept.append(part)
            left -= len(part.split())
        if kept:
            lines.append(f"{axis.value}: {'; '.join(kept)}")
        else:
            left += 1
    return "\n".join(lines)


def _heading(exemplar: Exemplar) -> str:
    meta = exemplar.csd.meta
    outcome = "worked" if meta.success else "did not work"
    return f"Experience {exemplar.id}: {meta.verb} {meta.product or 'nothing'}, {outcome}"


def _correspondences(exemplar: Exemplar, kept: Sequence[Axis]) -> tuple[str, ...]:
    if exemplar.mapping is None:
        return ()
    told = []
    for one in exemplar.mapping.correspondences:
        axes = [axis.value for axis in one.axes if axis in kept]
        if axes and one.base != one.target:
            told.append(f"{one.base} -> {one.target} ({', '.join(axes)})")
    return (f"corresponds: {'; '.join(told[:MAX_CORRESPONDENCES])}",) if told else ()

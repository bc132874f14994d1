"""From judged answers to figures: shares, and precision, recall and F1 of statements axis by axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Annotated

from pydantic import Field

from csd.axes import AXES, Axis
from csd.descriptor import Record
from finetune.evaluation.judging import Judged

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]


class Pooled(Record):
    """Of the statements of all answers together."""

    precision: Share | None
    recall: Share | None
    f1: Share | None


class Figures(Record):
    """What a column of answers is worth. What cannot be said, such as shares of no answers, is null."""

    rows: Count
    """Answers that the figures are of."""
    unanswered: Count
    """Questions that the model refused; in no figure."""
    valid_json: Share | None
    """Share of answers that are one JSON object by the letter."""
    schema_valid: Share | None
    """Share that are that and of the schema of compact descriptors."""
    usable: Share | None
    """Share in which a reader that mends finds a descriptor that states something."""
    silent: Share | None
    """Share that are of the schema and state nothing."""
    grounded: Share | None
    """Share of the statements in usable answers for which the episode has evidence."""
    f1: dict[str, Share | None]
    """Axis -> mean over the rows in which the right answer or the written one says something there. An answer
    that is not usable says nothing."""
    mean_f1: Share | None
    """Mean of `f1` over the axes."""
    precision: dict[str, Share | None]
    """Axis -> mean over the rows in which the answer says something there."""
    recall: dict[str, Share | None]
    """Axis -> mean over the rows in which the right answer says something there."""
    pooled: dict[str, Pooled]
    """Axis, or 'all' -> the same of all statements together (micro average)."""
    exact: Share | None
    """Share that are the right answer to the letter."""
    same: Share | None
    """Share with the circumstances and statements of the right answer, in any order."""
    copied_prompt: Share | None
    """Share that say again what was asked."""
    cut: Share | None
    """Share that ended at the limit of tokens."""
    held_to_schema: Share | None
    """Share written under a grammar."""
    prompt_tokens: float | None
    """Mean of those that say them, as all below."""
    tokens_per_csd: float | None
    """Tokens written."""
    seconds_per_csd: float | None
    """Wall time, of a batch its share; answers of a cache apart."""


def figures(judged: Sequence[Judged], *, unanswered: int = 0) -> Figures:
    """Return the figures of a column.

    Statements are compared as multisets: a statement written twice and right once is one right and one wrong.

    Args:
        judged: the answers.
        unanswered: questions without one.
    """
    told = [one for one in judged if one.gold is not None]
    f1 = {axis.value: _mean(_f1(one, axis) for one in told) for axis in AXES}
    said = [one for one in judged if one.ungrounded is not None]
    answers = [one.answer for one in judged]
    return Figures(
        rows=len(judged),
        unanswered=unanswered,
        valid_json=_mean(one.valid_json for one in judged),
        schema_valid=_mean(one.schema_valid for one in judged),
        usable=_mean(one.usable for one in judged),
        silent=_mean(one.silent for one in judged),
        grounded=_ratio(
            sum(one.stated - (one.ungrounded or 0) for one in said), sum(one.stated for one in said)
        ),
        f1=f1,
        mean_f1=_mean(f1.values()),
        precision={axis.value: _mean(_precision(one, axis) for one in told) for axis in AXES},
        recall={axis.value: _mean(_recall(one, axis) for one in told) for axis in AXES},
        pooled=_pooled(told),
        exact=_mean(one.exact for one in told),
        same=_mean(one.same for one in told),
        copied_prompt=_mean(one.copied_prompt for one in judged),
        cut=_mean(one.cut for one in answers),
        held_to_schema=_mean(one.held_to_schema for one in answers),
        prompt_tokens=_mean(one.prompt_tokens for one in answers),
        tokens_per_csd=_mean(one.completion_tokens for one in answers),
        seconds_per_csd=_mean(one.seconds for one in answers if not one.cached),
    )


def _counts(one: Judged, axis: Axis) -> tuple[int, int, int]:
    """Return how many statements are right, written, and in the right answer."""
    gold = (one.gold or {})[axis]
    return (one.written[axis] & gold).total(), one.written[axis].total(), gold.total()


def _f1(one: Judged, axis: Axis) -> float | None:
    right, written, gold = _counts(one, axis)
    return _ratio(2 * right, written + gold)


def _precision(one: Judged, axis: Axis) -> float | None:
    right, written, _ = _counts(one, axis)
    return _ratio(right, written)


def _recall(one: Judged, axis: Axis) -> float | None:
    right, _, gold = _counts(one, axis)
    return _ratio(right, gold)


def _pooled(judged: Sequence[Judged]) -> dict[str, Pooled]:
    sums: Mapping[str, tuple[int, int, int]] = {
        axis.value: _added(_counts(one, axis) for one in judged) for axis in AXES
    }
    return {
        name: Pooled(
            precision=_ratio(right, written),
            recall=_ratio(right, gold),
            f1=_ratio(2 * right, written + gold),
        )
        for name, (right, written, gold) in {**sums, "all": _added(sums.values())}.items()
    }


def _added(counts: Iterable[tuple[int, int, int]]) -> tuple[int, int, int]:
    right, written, gold = 0, 0, 0
    for one in counts:
        right, written, gold = right + one[0], written + one[1], gold + one[2]
    return right, written, gold


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [float(value) for value in values if value is not None]
    return fmean(known) if known else None

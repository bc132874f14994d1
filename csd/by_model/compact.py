"""The compact form of a descriptor: one line of JSON that language models read and write.

It names no step and no evidence and leaves out what any record of the episode says (position, tick, objects):
`expand` looks that up again, so that a model is asked only for what describing is.

    {"meta":{"verb":"craft","product":"stick","success":true},"struct":{"grid":[["stick","A/A"]]},"attr":{},
     "proc":{"step":[["1","craft A/A of oak_planks x2"]]},"func":{},"inter":{"tried":[["1","ok"]]}}

Each axis maps its predicates to lists of [subject, value]. On the axis inter a subject that is the number of
a step under proc stands for what was done in that step.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from csd.axes import AXES, Axis
from csd.build import NotDescribed, circumstances, decided
from csd.by_model.evidence import evidence_for
from csd.by_model.shape import shape_faults
from csd.descriptor import Csd, Meta, Statement, Value
from csd.episode import Episode, OutcomeCode
from csd.scene import Scene
from csd.vocabulary import PREDICATES

REFERRING = frozenset({"tried", "feedback", "failed"})
"""Predicates whose subject, the words of an action, may be given as the number of a step."""

BY_NAME = ("colour", "stack_size")
"""Predicates whose statements have no order of their own."""

_ENDING = re.compile(rf": (?:{'|'.join(get_args(OutcomeCode))})$")

_TIMES = re.compile(r", \d+ times$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Unshown:
    """A statement that no record of the episode bears out."""

    axis: str
    """An axis, or 'meta'."""
    subject: str
    predicate: str
    value: Value | None
    reason: str
    """Expected, got, and what to do."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Expanded:
    """A descriptor made of a compact one."""

    csd: Csd | None
    """With evidence for each of its statements; None where no statement is left."""
    ungrounded: tuple[Unshown, ...]
    """What was written and left out of it, in the order in which it was written."""


def compact(csd: Csd) -> str:
    """Return the compact form of a descriptor, in one line of ASCII JSON.

    Predicates come in the order of the vocabulary, the statements of one in their own order; but colours
    and stack sizes by name, as traces tell them: a small model copies best what it need not sort.
    """
    words = _words_of_steps((one.subject, one.value) for one in csd.proc if one.predicate == "step")
    numbers: dict[str, str] = {}
    for number, told in words.items():
        numbers.setdefault(told, number)
    written: dict[str, Any] = {
        "meta": {"verb": csd.meta.verb, "product": csd.meta.product, "success": csd.meta.success}
    }
    for axis in AXES:
        pairs: dict[str, list[list[Value]]] = {predicate: [] for predicate in PREDICATES[axis]}
        for one in csd.axis(axis):
            short = numbers.get(one.subject, one.subject) if one.predicate in REFERRING else one.subject
            pairs[one.predicate].append([short, one.value])
        for predicate in BY_NAME:
            pairs.get(predicate, []).sort(key=lambda pair: str(pair[0]))
        written[axis.value] = {predicate: told for predicate, told in pairs.items() if told}
    return json.dumps(written, separators=(",", ":"))


def expand(
    written: Mapping[str, Any], episode: Episode, *, builder: str, product: str | None = None
) -> Expanded:
    """Make a descriptor of a compact one by looking up each statement in the episode it describes.

    Args:
        written: an object in which `csd.by_model.shape.shape_faults` finds no fault.
        episode: what it describes.
        builder: who wrote it, such as 'model/1 smollm2'; goes into `meta.builder`.
        product: the item the episode was for, where the caller knows it.

    Returns:
        The descriptor with the evidence found, and what was left out because there is none. Circumstances
        are the episode's; where `written` differs in one of them, that is named.

    Raises:
        ValueError: if `written` is not a compact descriptor; the text names each place.
    """
    faults = shape_faults(written)
    if faults:
        raise ValueError(
            f"expected a compact descriptor; got {'; '.join(faults[:5])}. Mend it, or ask for another."
        )
    scene = decided(episode, product)
    if isinstance(scene, NotDescribed):
        return Expanded(csd=None, ungrounded=tuple(_refused(written, scene.reason)))
    gained = written["meta"]["product"]
    if product is None and gained is not None and gained in _gains(episode):
        other = decided(episode, gained)
        scene = other if isinstance(other, Scene) else scene
    meta = circumstances(scene, product, builder=builder)
    left = list(_differing(written["meta"], meta))
    # The type keeps True apart from 1, which are equal as dictionary keys.
    kept: dict[str, dict[tuple[Any, ...], Statement]] = {axis.value: {} for axis in AXES}
    for axis, subject, predicate, value in _statements(written):
        evidence = evidence_for(scene, axis, subject, predicate, value)
        if evidence:
            made = Statement(subject=subject, predicate=predicate, value=value, evidence=evidence)
            kept[axis.value].setdefault((subject, predicate, type(value), value), made)
        else:
            left.append(_unshown(axis.value, subject, predicate, value))
    csd = (
        Csd(meta=meta, **{axis: tuple(told.values()) for axis, told in kept.items()})
        if any(kept.values())
        else None
    )
    return Expanded(csd=csd, ungrounded=tuple(left))


def statements(written: Mapping[str, Any]) -> tuple[tuple[str, str, str, Value], ...]:
    """Return (axis, subject, predicate, value) of each statement of a compact descriptor, as written.

    Numbers of steps on the axis inter are given as what was done, so that two ways to write a statement
    count as one.
    """
    return tuple(
        (axis.value, subject, predicate, value) for axis, subject, predicate, value in _statements(written)
    )


def _statements(written: Mapping[str, Any]) -> Iterator[tuple[Axis, str, str, Value]]:
    words = _words_of_steps((number, told) for number, told in written["proc"].get("step", ()))
    for axis in AXES:
        for predicate, pairs in written[axis.value].items():
            for subject, value in pairs:
                named = words.get(subject, subject) if predicate in REFERRING else subject
                yield axis, named, predicate, value


def _words_of_steps(steps: Iterable[tuple[str, Value]]) -> dict[str, str]:
    """Number of a step -> what was done in it, without outcome and count."""
    return {number: _TIMES.sub("", _ENDING.sub("", str(told))) for number, told in steps}


def _gains(episode: Episode) -> frozenset[str]:
    changes = (change for step in episode.steps for change in step.outcome.inventory_delta.items())
    return frozenset(item for item, change in changes if change > 0)


def _differing(written: Mapping[str, Any], meta: Meta) -> Iterator[Unshown]:
    for field, seen in (("verb", meta.verb), ("product", meta.product), ("success", meta.success)):
        if written[field] != seen:
            reason = f"expected {seen!r}, as the episode shows; got {written[field]!r}. Correct it."
            yield Unshown(axis="meta", subject="meta", predicate=field, value=written[field], reason=reason)


def _refused(written: Mapping[str, Any], reason: str) -> Iterator[Unshown]:
    for axis, subject, predicate, value in _statements(written):
        yield Unshown(axis=axis.value, subject=subject, predicate=predicate, value=value, reason=reason)


def _unshown(axis: str, subject: str, predicate: str, value: Value) -> Unshown:
    return Unshown(
        axis=axis,
        subject=subject,
        predicate=predicate,
        value=value,
        reason=f"expected a statement that a record of the episode shows; got ({subject}, {predicate}, "
        f"{value}), which none does. Correct or remove it.",
    )

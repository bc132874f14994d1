"""What an answer is worth: a descriptor where it holds one, and everything that is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from csd.by_model.compact import Unshown, compact, expand
from csd.by_model.leak import copied, repeats_prompt
from csd.by_model.prompts import Shot
from csd.by_model.shape import shape_faults
from csd.by_model.tolerant import Unreadable, read_json
from csd.chat import Message
from csd.descriptor import Csd
from csd.episode import Episode


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """An answer, looked through."""

    csd: Csd | None
    """With the statements that the episode shows, and none but these; None where there is none."""
    findings: tuple[str, ...]
    """What is wrong with the answer, as a model is told; empty where nothing is."""
    mended: tuple[str, ...] = ()
    """What was not JSON by the letter and was read all the same."""
    ungrounded: tuple[Unshown, ...] = ()
    """The statements that were left out, because no record shows them."""
    cut: bool = False
    """Whether the answer ended within its object."""


def check(
    answer: str,
    episode: Episode,
    *,
    builder: str,
    product: str | None = None,
    asked: Sequence[Message] = (),
    shots: Sequence[Shot] = (),
) -> Checked:
    """Read an answer and look up each of its statements in the episode.

    Both the compact form and a whole descriptor (`csd.descriptor`) are taken; of the latter, evidence is
    looked up anew.

    Args:
        answer: what the model wrote.
        episode: what it was to describe; must not be one that `csd.build.decided` refuses.
        builder: who wrote it; goes into `meta.builder`.
        product: the item the episode was for, where the caller knows it.
        asked: the conversation before the answer; an answer that repeats it is none.
        shots: the examples in it.
    """
    if repeats_prompt(answer, asked):
        return Checked(
            csd=None,
            findings=("expected a descriptor of this experience; got what was asked, word for word.",),
        )
    try:
        read = read_json(answer, fits=_fits)
    except Unreadable as error:
        return Checked(csd=None, findings=(str(error),), cut=error.cut)
    written = _as_compact(read.value)
    faults = shape_faults(written)
    if faults:
        return Checked(csd=None, findings=faults, mended=read.mended)
    made = expand(written, episode, builder=builder, product=product)
    theirs = copied(made.ungrounded, shots)
    return Checked(
        csd=made.csd,
        findings=tuple(finding(one, copied=one in theirs) for one in made.ungrounded),
        mended=read.mended,
        ungrounded=made.ungrounded,
    )


def finding(one: Unshown, *, copied: bool = False) -> str:
    """Return what a model is told of a statement that no record shows."""
    if one.axis == "meta":
        return f"meta.{one.predicate}: {one.reason}"
    where = f"{one.axis}.{one.predicate} [{one.subject}, {one.value}]"
    if copied:
        return f"{where}: is of the example, not of this experience. Remove it."
    return f"{where}: nothing told shows it. Correct or remove it."


def _fits(value: dict[str, Any]) -> bool:
    return not shape_faults(_as_compact(value))


def _as_compact(value: dict[str, Any]) -> Mapping[str, Any]:
    """Return the compact form of a whole descriptor, and anything else as it is."""
    meta = value.get("meta")
    if not isinstance(meta, dict) or "task" not in meta:
        return value
    try:
        whole = Csd.from_json(json.dumps(value))
    except ValidationError:
        return value
    written: Mapping[str, Any] = json.loads(compact(whole))
    return written

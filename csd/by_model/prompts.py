"""What a model is asked, made from the prompt files in ``data/prompts``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import Template
from typing import get_args

from csd.axes import AXES
from csd.by_model.look import Looked
from csd.by_model.trace import trace
from csd.chat import Message
from csd.episode import Episode
from csd.resources import data_file
from csd.roles import PARTS, ROLES
from csd.scene import Verb
from csd.vocabulary import PREDICATES

VERSION = "describe/2"
"""Name and version of the prompts, kept in each `meta.builder`; changes with any of the files."""

MOST_FINDINGS = 8
"""How many findings a model is shown at once; more only fill its context."""


MOST_ANSWER = 4_000
"""Characters of a wrong answer that a model is shown again: a runaway one would fill its context."""


@dataclass(frozen=True, kw_only=True)
class Shot:
    """An example in a prompt: what was told, and the compact descriptor of it."""

    told: str
    written: str


def conversation(
    episode: Episode,
    *,
    style: str,
    product: str | None = None,
    shots: Sequence[Shot] = (),
    image: bytes | None = None,
    looked: Looked | None = None,
) -> tuple[Message, ...]:
    """Return what a model is asked in order to describe `episode`.

    Without shots that is one short line and the trace: what models are tuned with. With shots the line
    becomes an explanation of every predicate, for models that never saw a descriptor.

    Args:
        episode: any run of steps; grids must be rectangular.
        style: one of `csd.by_model.trace.STYLES`.
        product: the item the episode was for, where the caller knows it.
        shots: examples, given as earlier turns of the conversation.
        image: PNG file of what was seen at the deciding step.
        looked: what was said of that picture; goes under the trace.

    Raises:
        ValueError: on an unknown style, or if a crafting grid has rows of different lengths.
    """
    told = [Message(role="system", text=explained() if shots else _file("describe"))]
    for shot in shots:
        told += [Message(role="user", text=shot.told), Message(role="assistant", text=shot.written)]
    images = () if image is None else (image,)
    text = trace(episode, style=style, product=product)
    if looked is not None:
        text += f"\nPicture: {looked.caption} In it: {', '.join(looked.objects) or 'nothing known'}."
    return (*told, Message(role="user", text=text, images=images))


def repair(findings: Sequence[str]) -> Message:
    """Return what a model is told when what it wrote will not do, with the first `MOST_FINDINGS` reasons."""
    lines = [f"- {one}" for one in findings[:MOST_FINDINGS]]
    if len(findings) > MOST_FINDINGS:
        lines.append(f"- and {len(findings) - MOST_FINDINGS} more of the kind")
    return Message(role="user", text=_filled("repair", findings="\n".join(lines)))


def after_answer(asked: Sequence[Message], answer: str, findings: Sequence[str]) -> tuple[Message, ...]:
    """Return the conversation in which a model is to mend its answer.

    Args:
        asked: what it was asked at first.
        answer: what it wrote; of one longer than `MOST_ANSWER` characters its beginning is shown.
        findings: what is wrong with it.
    """
    # Half a surrogate pair cannot be sent on as UTF-8.
    sendable = answer[:MOST_ANSWER].encode("utf-8", "backslashreplace").decode()
    wrong = Message(role="assistant", text=sendable or "{}")
    return (*asked, wrong, repair(findings))


def look_conversation(image: bytes) -> tuple[Message, ...]:
    """Return what a model is asked about a PNG file: a caption, and a list of objects."""
    return (Message(role="user", text=_file("look"), images=(image,)),)


@lru_cache(maxsize=1)
def explained() -> str:
    """Return the long instruction, with every axis and predicate and what it means."""
    axes = (f"{axis.value}\n{_listed(PREDICATES[axis].items())}" for axis in AXES)
    return _filled(
        "describe-explained",
        verbs=", ".join(get_args(Verb)),
        predicates="\n".join(axes),
        parts=", ".join(PARTS),
        roles=", ".join(ROLES),
    )


def _listed(meanings: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"  {predicate}: {meaning}" for predicate, meaning in meanings)


def _filled(name: str, **blanks: str) -> str:
    return Template(_file(name)).substitute(blanks)


@lru_cache(maxsize=8)
def _file(name: str) -> str:
    return data_file("prompts", f"{name}.md").read_text(encoding="utf-8").strip()

"""Does an answer repeat what the model was shown, rather than say something of its own?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from csd.by_model.compact import Unshown, statements
from csd.by_model.prompts import Shot
from csd.by_model.shape import shape_faults
from csd.by_model.tolerant import Unreadable, read_json
from csd.chat import Message
from csd.descriptor import Value

RUN = 40
"""Characters in a row that count as repeated: longer than names and most messages, which are to be copied."""

MOST_REPEATED = 0.8
"""Share of an answer's characters, in such runs, from which on it repeats the prompt."""


def repeated_share(answer: str, messages: Sequence[Message]) -> float:
    """Return how much of an answer stands word for word in what was asked, 0 to 1.

    Counted are characters in runs of at least `RUN` that also stand in one message; white space counts as
    one blank. An answer shorter than that repeats nothing.
    """
    text = " ".join(answer.split())
    shown = [" ".join(each.text.split()) for each in messages]
    known = {one[place : place + RUN] for one in shown for place in range(len(one) - RUN + 1)}
    covered = bytearray(len(text))
    for place in range(len(text) - RUN + 1):
        if text[place : place + RUN] in known:
            covered[place : place + RUN] = b"\1" * RUN
    return sum(covered) / len(text) if text else 0.0


def repeats_prompt(answer: str, messages: Sequence[Message]) -> bool:
    """Return whether an answer is what was asked, or an example in it, said again: see `MOST_REPEATED`."""
    return repeated_share(answer, messages) >= MOST_REPEATED


def copied(ungrounded: Iterable[Unshown], shots: Sequence[Shot]) -> tuple[Unshown, ...]:
    """Return those statements without evidence that stand in one of the examples, in their order."""
    theirs = {_key(*one) for shot in shots for one in _statements(shot)}
    return tuple(
        one
        for one in ungrounded
        if one.value is not None and _key(one.axis, one.subject, one.predicate, one.value) in theirs
    )


def _key(axis: str, subject: str, predicate: str, value: Value) -> tuple[str, ...]:
    return axis, subject, predicate, type(value).__name__, str(value)


def _statements(shot: Shot) -> tuple[tuple[str, str, str, Value], ...]:
    try:
        value = read_json(shot.written).value
    except Unreadable:
        return ()
    return () if shape_faults(value) else statements(value)

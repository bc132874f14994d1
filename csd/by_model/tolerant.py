"""Reading the JSON object in what a language model answers, whatever it writes around it.

Nothing is read by half: an object that ends too early or cannot be read is an error that says where, and is
never taken for an empty answer or for one of its own parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from csd.by_model.loose import QUOTES, Fault, LooseParser

THOUGHT = ("<think>", "</think>")
"""Marks around what a reasoning model says to itself before it answers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """The object of an answer."""

    value: dict[str, Any]
    mended: tuple[str, ...]
    """What was not JSON by the letter, such as 'trailing comma'; empty where nothing was."""
    objects: int
    """How many objects the answer holds."""
    taken: int
    """Which of them this is, from 1."""


class Unreadable(ValueError):
    """An answer without an object that can be read."""

    def __init__(self, reason: str, *, place: int, cut: bool = False) -> None:
        """Say why; `place` is the character, from 0, and `cut` whether the answer ended within its object."""
        super().__init__(reason)
        self.place, self.cut = place, cut


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    value: dict[str, Any]
    mends: tuple[str, ...]
    start: int
    end: int


def read_json(text: str, *, fits: Callable[[dict[str, Any]], bool] | None = None) -> Read:
    """Read the JSON object in `text`.

    Args:
        text: what a model answered: the object, with prose, fences or more objects around it.
        fits: which objects are of the kind that was asked for; of several the first that fits is taken, and
            where none does the first that is not empty.

    Raises:
        Unreadable: if there is no object, or only such as cannot be read or end too early.

    >>> read_json("Here it is: {'meta': {'success': True,}}").value
    {'meta': {'success': True}}
    """
    start, thought = _answer_start(text)
    faults: list[Fault] = []
    found = list(_objects(text, start, faults))
    if not found:
        raise _unreadable(text, faults)
    fitting = (one for one in found if fits is not None and fits(one.value))
    # Braces with nothing between them are rather a part of the prose than the answer.
    taken = next(fitting, None) or next((one for one in found if one.value), found[0])
    number = found.index(taken) + 1
    mended = [*thought, *_around(text[start:], taken, start, alone=len(found) == 1), *taken.mends]
    if len(found) > 1:
        mended.append(f"took object {number} of {len(found)}")
    mended += [f"left out an object that {_ended(fault)}" for fault in faults]
    return Read(value=taken.value, mended=tuple(dict.fromkeys(mended)), objects=len(found), taken=number)


def _answer_start(text: str) -> tuple[int, tuple[str, ...]]:
    opened, closed = THOUGHT
    end = text.rfind(closed)
    if end >= 0:
        return end + len(closed), ("thinking before the answer",)
    if text.lstrip().startswith(opened):
        raise Unreadable(
            f"expected an answer after {closed}; got thinking without an end ({len(text)} characters). "
            f"Let the model write more tokens.",
            place=len(text),
            cut=True,
        )
    return 0, ()


def _objects(text: str, start: int, faults: list[Fault]) -> Iterator[_Found]:
    """Yield the outermost objects of `text`; what begins like one and cannot be read goes to `faults`."""
    place = start
    while (place := _next_bracket(text, place)) < len(text):
        parser = LooseParser(text, place)
        try:
            value = parser.value()
        except Fault as fault:
            if parser.keys == 0 and not fault.cut:
                place += 1
                continue
            if parser.keys or text[place] == "{":
                faults.append(fault)
            place = _end_of(text, place)
            continue
        mends = parser.mends
        inner = value if isinstance(value, list) else [value]
        if isinstance(value, list) and any(isinstance(one, dict) for one in value):
            mends = ("a list around it", *mends)
        for one in inner:
            if isinstance(one, dict):
                yield _Found(value=one, mends=mends, start=place, end=parser.place)
        place = parser.place


def _next_bracket(text: str, place: int) -> int:
    found = [at for at in (text.find("{", place), text.find("[", place)) if at >= 0]
    return min(found, default=len(text))


def _end_of(text: str, place: int) -> int:
    """Return where the bracket at `place` closes by count, the end of the text where it never does."""
    depth, quote = 0, ""
    while place < len(text):
        char = text[place]
        if quote:
            if char == "\\":
                place += 1
            elif char == quote:
                quote = ""
        elif char == '"':
            quote = QUOTES[char]
        elif char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            if depth == 0:
                return place + 1
        place += 1
    return len(text)


def _around(answer: str, taken: _Found, start: int, *, alone: bool) -> Iterator[str]:
    before, after = answer[: taken.start - start].strip(), answer[taken.end - start :].strip()
    if "```" in before or "```" in after:
        yield "a fence around it"
    if before.rpartition("```")[0].strip() or (before and "```" not in before):
        yield "text before it"
    if alone and (after.partition("```")[2].strip() or (after and "```" not in after)):
        yield "text after it"


def _ended(fault: Fault) -> str:
    return f"ends at character {fault.place}" if fault.cut else f"breaks at character {fault.place}"


def _unreadable(text: str, faults: list[Fault]) -> Unreadable:
    if not faults:
        shown = " ".join(text.split())[:60]
        return Unreadable(
            f"expected a JSON object; got {f'{shown!r}' if shown else 'an empty answer'}. Ask again.", place=0
        )
    fault = faults[0]
    line = text.count("\n", 0, fault.place) + 1
    column = fault.place - text.rfind("\n", 0, fault.place)
    advice = "Let the model write more tokens." if fault.cut else "Mend it there, or ask again."
    return Unreadable(
        f"{fault.reason}, at line {line}, column {column}. {advice}", place=fault.place, cut=fault.cut
    )

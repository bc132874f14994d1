"""Making a right descriptor wrong, in the ways in which models get it wrong.

Each corruption takes the compact form and gives a text that a model might have written instead. Whether the
text is wrong for its episode too is not decided here: a name swapped for another can happen to be right.
The checks of `csd.by_model` decide, and what passes them is no repair example.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from csd.axes import AXES

Written = dict[str, Any]
"""A descriptor in the compact form, parsed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Material:
    """What a corruption has to work with."""

    right: str
    """The right descriptor, compact."""
    other: str
    """The right descriptor of another episode."""
    seen: tuple[str, ...]
    """Names in the records of the episode."""
    unseen: tuple[str, ...]
    """Names of other episodes that this one's records do not hold."""
    examples: tuple[str, ...]
    """The answers in the examples of the few-shot prompt."""

    @property
    def value(self) -> Written:
        """The right descriptor, parsed anew, to be changed."""
        return _parsed(self.right)


Corrupt = Callable[[Material, np.random.Generator], str | None]
"""From material to a wrong text, or None where this corruption has nothing to change."""

_AMOUNT = re.compile(r"(?<= x)\d+\b|(?<= [+-])\d+\b|\b\d+(?= times\b)|\b\d+(?= blocks\b)")


def wrong_amount(material: Material, generator: np.random.Generator) -> str | None:
    """Change one number: so many came out, were used up, were laid."""
    value = material.value
    places = [place for place in _statements(value) if _has_amount(place.pair[1])]
    if not places:
        return None
    pair = _pick(places, generator).pair
    factor = int(generator.integers(2, 4))
    pair[1] = (
        pair[1] * factor or factor
        if isinstance(pair[1], int)
        else _AMOUNT.sub(lambda found: str(int(found[0]) * factor or factor), pair[1], count=1)
    )
    return _text(value)


def other_item(material: Material, generator: np.random.Generator) -> str | None:
    """Put another item that was in sight in the place of one, in all that one axis says."""
    return _renamed(material, generator, material.seen)


def unseen_item(material: Material, generator: np.random.Generator) -> str | None:
    """Put an item that the episode does not hold in the place of one, in all that one axis says."""
    return _renamed(material, generator, material.unseen)


def not_seen(material: Material, generator: np.random.Generator) -> str | None:
    """Add one or two statements that are true of another episode."""
    value, other = material.value, _parsed(material.other)
    known = {(place.axis, place.predicate, *map(str, place.pair)) for place in _statements(value)}
    strange = [
        place
        for place in _statements(other)
        if (place.axis, place.predicate, *map(str, place.pair)) not in known
    ]
    if not strange:
        return None
    for place in (_pick(strange, generator) for _ in range(int(generator.integers(1, 3)))):
        value[place.axis].setdefault(place.predicate, []).append(list(place.pair))
    return _text(value)


def missing_axis(material: Material, generator: np.random.Generator) -> str | None:
    """Leave out one axis."""
    value = material.value
    told = [axis.value for axis in AXES if value.get(axis.value)]
    if not told:
        return None
    del value[_pick(told, generator)]
    return _text(value)


def wrong_axis(material: Material, generator: np.random.Generator) -> str | None:
    """Tell all of one predicate on an axis that does not have it."""
    value = material.value
    places = [(axis.value, predicate) for axis in AXES for predicate in value.get(axis.value, ())]
    if not places:
        return None
    axis, predicate = _pick(places, generator)
    target = _pick([each.value for each in AXES if each.value != axis], generator)
    value.setdefault(target, {})[predicate] = value[axis].pop(predicate)
    return _text(value)


def wrong_result(material: Material, generator: np.random.Generator) -> str | None:
    """Tell a failure for a success or the other way round, or name a product that was not gained."""
    value = material.value
    meta = value["meta"]
    if material.seen and generator.random() < 0.5:
        names = [name for name in material.seen if name != meta.get("product")]
        if names:
            meta["product"] = _pick(names, generator)
            return _text(value)
    meta["success"] = not meta["success"]
    return _text(value)


def cut_short(material: Material, generator: np.random.Generator) -> str | None:
    """End in the middle, as at a limit of tokens."""
    return material.right[: int(len(material.right) * generator.uniform(0.4, 0.95))]


def broken(material: Material, generator: np.random.Generator) -> str | None:
    """Leave out one bracket or quotation mark somewhere in the text."""
    places = [index for index, mark in enumerate(material.right) if mark in '[]{}"']
    place = _pick(places, generator)
    return material.right[:place] + material.right[place + 1 :]


def in_words(material: Material, generator: np.random.Generator) -> str | None:
    """Say it in a sentence instead of JSON."""
    meta = material.value["meta"]
    made = meta.get("product") or "nothing"
    return f"The agent did {meta['verb']} and got {made}, which {'worked' if meta['success'] else 'failed'}."


def copied_example(material: Material, generator: np.random.Generator) -> str | None:
    """Give back the answer of one of the prompt's examples."""
    return _pick(material.examples, generator) if material.examples else None


def repeated(material: Material, generator: np.random.Generator) -> str | None:
    """Say the same statement over and over, as weak models do, up to a limit of tokens."""
    value = material.value
    places = list(_statements(value))
    if not places:
        return None
    place = _pick(places, generator)
    said = json.dumps(place.pair, separators=(",", ":"))
    at = material.right.find(said)
    if at < 0:
        return None
    return material.right[: at + len(said)] + f",{said}" * int(generator.integers(4, 8))


CORRUPTIONS: Mapping[str, Corrupt] = {
    "wrong amount": wrong_amount,
    "other item": other_item,
    "unseen item": unseen_item,
    "not seen": not_seen,
    "missing axis": missing_axis,
    "wrong axis": wrong_axis,
    "wrong result": wrong_result,
    "cut short": cut_short,
    "broken": broken,
    "in words": in_words,
    "copied example": copied_example,
    "repeated": repeated,
}
"""Name -> corruption, in the order in which they take turns."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Statement:
    axis: str
    predicate: str
    pair: list[Any]
    """[subject, value], as it stands in the descriptor."""


def _statements(value: Written) -> Iterator[_Statement]:
    for axis in AXES:
        for predicate, pairs in value.get(axis.value, {}).items():
            for pair in pairs:
                yield _Statement(axis=axis.value, predicate=predicate, pair=pair)


def _has_amount(value: Any) -> bool:
    if isinstance(value, str):
        return _AMOUNT.search(value) is not None
    return isinstance(value, int) and not isinstance(value, bool)


def _renamed(material: Material, generator: np.random.Generator, names: Sequence[str]) -> str | None:
    """Put one of `names` in the place of a name, everywhere on one axis."""
    value = material.value
    known = dict.fromkeys((*material.seen, *([value["meta"]["product"]] if value["meta"]["product"] else [])))
    held = [
        (axis.value, name)
        for axis in AXES
        for name in known
        if _mentions(json.dumps(value.get(axis.value)), name)
    ]
    if not held:
        return None
    axis, name = _pick(held, generator)
    others = [other for other in names if other != name]
    if not others:
        return None
    other = _pick(others, generator)
    text = json.dumps(value[axis])
    value[axis] = json.loads(_whole(name).sub(lambda _: other, text))
    return _text(value)


def _mentions(text: str, name: str) -> bool:
    return _whole(name).search(text) is not None


def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])")


def _parsed(text: str) -> Written:
    parsed: Written = json.loads(text)
    return parsed


def _text(value: Written) -> str:
    return json.dumps(value, separators=(",", ":"))


def _pick(things: Sequence[Any], generator: np.random.Generator) -> Any:
    return things[int(generator.integers(len(things)))]

"""What must hold before, during and after a procedure: small literal conditions on what is perceived.

```
{"inventory": {"oak_log": 2}, "near": ["crafting_table"], "health_at_least": 10}
```

A text such as "{log}" stands for the argument `log` of the procedure, whole or not at all.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from csd.episode import Observation

Conditions = Mapping[str, Any]
"""Names of `CONDITIONS` -> what is asked; all must hold. Empty holds always."""

CONDITIONS: dict[str, str] = {
    "inventory": "at least so many of each item are carried, such as {'oak_log': 2}",
    "inventory_at_most": "at most so many of each item are carried, such as {'dirt': 0}",
    "gained": "at least so many more of each item are carried than at the start, such as {'oak_log': 1}",
    "holds": "the item in the hand, or None for an empty one",
    "near": "blocks to use within reach, such as ['crafting_table']",
    "sees": "blocks in sight, such as ['oak_log']",
    "mobs": "creatures in sight, such as ['sheep']",
    "health_at_least": "health, 0 to 20",
    "health_below": "health, 0 to 20",
    "food_at_least": "food, 0 to 20",
    "y_below": "height of the feet, in blocks",
    "y_above": "height of the feet, in blocks",
    "moved": "at least so many blocks away from the start",
    "damage": "True where hurt since the start, False where not",
}
"""Name of a condition -> what its value says. The start is that of the step, the watch or the procedure."""

SINCE = ("gained", "moved", "damage")
"""Conditions that compare with the start; they cannot be asked before anything is done."""

_LARGEST = 10**9
_PLACEHOLDER = re.compile(r"\{([a-z_][a-z0-9_]*)\}", re.ASCII)


class ConditionError(ValueError):
    """Conditions are malformed."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A condition that does not hold."""

    condition: str
    """Its name, a key of `CONDITIONS`, or of the rules of `echo.mfm.procedural.surprise`."""
    expected: str
    got: str

    def __str__(self) -> str:
        """Say both in one line."""
        return f"{self.condition}: expected {self.expected}, got {self.got}"


def check_conditions(conditions: Any, *, before: bool = False, unfilled: bool = False) -> None:
    """Refuse what are no conditions.

    Args:
        conditions: A mapping, as read from a file.
        before: Whether they are asked before anything is done, so that nothing can be compared with a start.
        unfilled: Whether "{parameter}" may stand where a number is asked.

    Raises:
        ConditionError: on the first that is unknown, has a wrong value, or cannot be asked `before`.
    """
    if not isinstance(conditions, Mapping):
        raise ConditionError(
            f"expected conditions such as {{'inventory': {{'oak_log': 1}}}}, {_got(conditions)}"
        )
    for name, asked in conditions.items():
        if name not in CONDITIONS:
            raise ConditionError(f"expected one of {', '.join(CONDITIONS)}, {_got(name)}")
        if before and name in SINCE:
            raise ConditionError(
                f"expected what can be seen before the start, {_got(name)}. Ask it in expects instead."
            )
        if not _SHAPES[name](asked, unfilled):
            raise ConditionError(f"expected for {name}: {CONDITIONS[name]}; {_got(asked)}")


def fill_in(value: Any, arguments: Mapping[str, Any]) -> Any:
    """Return `value` with every text "{name}", keys included, replaced by that argument.

    Raises:
        ConditionError: if there is no such argument, or it would be a key and is no text.

    >>> fill_in({"inventory": {"{log}": "{amount}"}}, {"log": "oak_log", "amount": 2})
    {'inventory': {'oak_log': 2}}
    """
    if isinstance(value, str):
        found = _PLACEHOLDER.fullmatch(value)
        if found is None:
            return value
        if found[1] not in arguments:
            raise ConditionError(
                f"expected a parameter out of {', '.join(arguments) or '(none)'}, {_got(value)}"
            )
        return arguments[found[1]]
    if isinstance(value, Mapping):
        filled = {fill_in(key, arguments): fill_in(each, arguments) for key, each in value.items()}
        for key in filled:
            if not isinstance(key, str):
                raise ConditionError(f"expected an argument that is a name, {_got(key)}")
        return filled
    if isinstance(value, Sequence):
        return [fill_in(each, arguments) for each in value]
    return value


def placeholders(value: Any) -> list[str]:
    """Return the names of the arguments that `fill_in` would ask for, in order, each once.

    >>> placeholders({"inventory": {"{log}": 1}, "near": ["{station}", "furnace"]})
    ['log', 'station']
    """
    if isinstance(value, str):
        found = _PLACEHOLDER.fullmatch(value)
        return [] if found is None else [found[1]]
    if isinstance(value, Mapping):
        inner = [name for pair in value.items() for each in pair for name in placeholders(each)]
    elif isinstance(value, Sequence):
        inner = [name for each in value for name in placeholders(each)]
    else:
        return []
    return list(dict.fromkeys(inner))


def findings(conditions: Conditions, now: Observation, start: Observation | None = None) -> list[Finding]:
    """Return which of `conditions` do not hold, in their order.

    Args:
        conditions: Checked and filled in.
        now: What is perceived.
        start: What `gained`, `moved` and `damage` compare with; `now` where None.
    """
    return [
        finding
        for name, asked in conditions.items()
        for finding in _CHECKS[name](name, asked, now, now if start is None else start)
    ]


def _got(value: Any) -> str:
    shown = repr(value)
    return f"got {shown if len(shown) <= 80 else f'{shown[:77]}...'}"


def _is_number(value: Any, unfilled: bool) -> bool:
    if isinstance(value, str):
        return unfilled and _PLACEHOLDER.fullmatch(value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _is_name(value: Any, unfilled: bool) -> bool:
    return isinstance(value, str) and value != ""


def _is_hand(value: Any, unfilled: bool) -> bool:
    return value is None or _is_name(value, unfilled)


def _is_truth(value: Any, unfilled: bool) -> bool:
    return isinstance(value, bool)


def _are_counts(value: Any, unfilled: bool) -> bool:
    return isinstance(value, Mapping) and all(
        _is_name(item, unfilled)
        and not isinstance(count, float)
        and _is_number(count, unfilled)
        and (isinstance(count, str) or count >= 0)
        for item, count in value.items()
    )


def _are_names(value: Any, unfilled: bool) -> bool:
    return isinstance(value, list | tuple) and all(_is_name(each, unfilled) for each in value)


_SHAPES: dict[str, Callable[[Any, bool], bool]] = {
    "inventory": _are_counts,
    "inventory_at_most": _are_counts,
    "gained": _are_counts,
    "holds": _is_hand,
    "near": _are_names,
    "sees": _are_names,
    "mobs": _are_names,
    "health_at_least": _is_number,
    "health_below": _is_number,
    "food_at_least": _is_number,
    "y_below": _is_number,
    "y_above": _is_number,
    "moved": _is_number,
    "damage": _is_truth,
}

Check = Callable[[str, Any, Observation, Observation], list[Finding]]


def _carried(name: str, asked: Mapping[str, int], now: Observation, start: Observation) -> list[Finding]:
    return [
        Finding(condition=name, expected=f"at least {count} {item}", got=str(now.count(item)))
        for item, count in asked.items()
        if now.count(item) < count
    ]


def _not_carried(name: str, asked: Mapping[str, int], now: Observation, start: Observation) -> list[Finding]:
    return [
        Finding(condition=name, expected=f"at most {count} {item}", got=str(now.count(item)))
        for item, count in asked.items()
        if now.count(item) > count
    ]


def _gained(name: str, asked: Mapping[str, int], now: Observation, start: Observation) -> list[Finding]:
    return [
        Finding(condition=name, expected=f"+{count} {item}", got=f"{now.count(item) - start.count(item):+d}")
        for item, count in asked.items()
        if now.count(item) - start.count(item) < count
    ]


def _holds(name: str, asked: str | None, now: Observation, start: Observation) -> list[Finding]:
    if now.mainhand == asked:
        return []
    return [Finding(condition=name, expected=asked or "an empty hand", got=now.mainhand or "an empty hand")]


def _near(name: str, asked: Sequence[str], now: Observation, start: Observation) -> list[Finding]:
    there = [station.block for station in now.stations]
    return [
        Finding(condition=name, expected=f"{block} within reach", got=", ".join(there) or "none")
        for block in asked
        if block not in there
    ]


def _in_sight(seen: Callable[[Observation], Mapping[str, Any]]) -> Check:
    def check(name: str, asked: Sequence[str], now: Observation, start: Observation) -> list[Finding]:
        there = seen(now)
        return [
            Finding(condition=name, expected=f"{kind} in sight", got=", ".join(there) or "none")
            for kind in asked
            if kind not in there
        ]

    return check


def _bound(
    value: Callable[[Observation, Observation], float], holds: Callable[[float, float], bool], words: str
) -> Check:
    def check(name: str, asked: float, now: Observation, start: Observation) -> list[Finding]:
        got = value(now, start)
        if holds(got, asked):
            return []
        return [Finding(condition=name, expected=f"{words} {asked:g}", got=f"{round(got, 2):g}")]

    return check


def _damage(name: str, asked: bool, now: Observation, start: Observation) -> list[Finding]:
    change = now.vitals.health - start.vitals.health
    if (change < 0) == asked:
        return []
    return [Finding(condition=name, expected="damage" if asked else "no damage", got=f"{change:+g} health")]


_CHECKS: dict[str, Check] = {
    "inventory": _carried,
    "inventory_at_most": _not_carried,
    "gained": _gained,
    "holds": _holds,
    "near": _near,
    "sees": _in_sight(lambda now: now.blocks),
    "mobs": _in_sight(lambda now: now.mobs),
    "health_at_least": _bound(lambda now, _: now.vitals.health, operator.ge, "health of at least"),
    "health_below": _bound(lambda now, _: now.vitals.health, operator.lt, "health below"),
    "food_at_least": _bound(lambda now, _: now.vitals.food, operator.ge, "food of at least"),
    "y_below": _bound(lambda now, _: now.position[1], operator.lt, "y below"),
    "y_above": _bound(lambda now, _: now.position[1], operator.gt, "y above"),
    "moved": _bound(
        lambda now, start: math.dist(now.position, start.position), operator.ge, "blocks moved, at least"
    ),
    "damage": _damage,
}

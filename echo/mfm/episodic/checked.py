"""Refuse records that could be written but not read back, by the type hints that `echo.mfm.codec` reads by.

What passes comes back equal, but for a list where a tuple belongs, which comes back as the tuple.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from echo.mfm.codec import Hint, Mismatch

Check = Callable[[Any], None]

DEEPEST = 64
"""Lists and mappings within each other that a value of any kind may have."""

_LARGEST = 1 << 1023
"""Whole numbers below it can be reckoned with as floats."""


def check(kind: Hint, value: Any) -> None:
    """Refuse a value that `from_json(kind, ...)` would not give back equal once it is written.

    Args:
        kind: A record, or another type that a field of one may have; `Any` is any JSON value.
        value: What is to be written.

    Raises:
        Mismatch: with the path to what is wrong. Fields left out of comparison are not looked at.
    """
    _checker(kind)(value)


@cache
def _checker(hint: Hint) -> Check:
    origin: Any = get_origin(hint)
    args = get_args(hint)
    if hint in _SCALARS:
        return _SCALARS[hint]
    if hint is Any:
        return _any
    if isinstance(hint, type) and is_dataclass(hint):
        return _record(hint)
    if origin is Literal:
        return _choice(args)
    if origin in (Union, types.UnionType):
        return _union(args)
    if origin is tuple:
        return _many(args[0]) if len(args) == 2 and args[1] is Ellipsis else _fixed(args)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(args[1])
    raise TypeError(f"expected a record field of a JSON-like type, got {hint!r}. Extend the checks by it.")


def _text(value: Any) -> None:
    if type(value) is not str and not isinstance(value, str):
        raise Mismatch("text", value)


def _whole(value: Any) -> None:
    if type(value) is not int and (isinstance(value, bool) or not isinstance(value, Integral)):
        raise Mismatch("a whole number", value)


def _number(value: Any) -> None:
    if type(value) is float:
        # Neither NaN nor an infinity is itself less itself.
        if value - value != 0.0:
            raise Mismatch("a finite number", value)
    elif type(value) is int:
        if not -_LARGEST < value < _LARGEST:
            raise Mismatch("a number that a float can hold", value)
    elif isinstance(value, bool) or not isinstance(value, Real):
        raise Mismatch("a number", value)
    else:
        _other_number(value)


def _other_number(value: Real) -> None:
    try:
        same = float(value)
    except (OverflowError, ValueError) as error:
        raise Mismatch("a number that a float can hold", value) from error
    if same - same != 0.0 or same != value:
        raise Mismatch("a finite number that a float can hold exactly", value)


def _truth(value: Any) -> None:
    if type(value) is not bool:
        raise Mismatch("True or False", value)


def _none(value: Any) -> None:
    if value is not None:
        raise Mismatch("None", value)


_SCALARS: dict[Hint, Check] = {
    str: _text,
    int: _whole,
    float: _number,
    bool: _truth,
    type(None): _none,
}


def _any(value: Any, left: int = DEEPEST) -> None:
    """Refuse what is no JSON value."""
    if value is None or isinstance(value, str | bool | Integral):
        return
    if isinstance(value, Real):
        _number(value)
        return
    if not isinstance(value, Mapping | list | tuple):
        raise Mismatch("text, numbers, lists and mappings", value)
    if left == 0:
        raise Mismatch(f"at most {DEEPEST} lists and mappings within each other", value)
    named = isinstance(value, Mapping)
    for key, each in value.items() if isinstance(value, Mapping) else enumerate(value):
        try:
            if named:
                _key(key)
            _any(each, left - 1)
        except Mismatch as mismatch:
            mismatch.path.append(str(key))
            raise


def _choice(allowed: tuple[Any, ...]) -> Check:
    texts = frozenset(allowed)

    def check(value: Any) -> None:
        if not isinstance(value, str) or value not in texts:
            raise Mismatch(f"one of {', '.join(map(repr, allowed))}", value)

    return check


def _union(members: tuple[Any, ...]) -> Check:
    """Check `X | None`, or a union of records told apart by their `kind`."""
    solid = [member for member in members if member is not type(None)]
    if len(solid) == 1:
        inner = _checker(solid[0])

        def check_optional(value: Any) -> None:
            if value is not None:
                inner(value)

        return check_optional
    by_type = {member: _checker(member) for member in solid}
    kinds = ", ".join(f"{get_args(get_type_hints(one)['kind'])[0]} ({one.__name__})" for one in solid)

    def check(value: Any) -> None:
        one = by_type.get(type(value))
        if one is None:
            raise Mismatch(f"a record of one of the kinds {kinds}", value)
        one(value)

    return check


def _many(item: Any) -> Check:
    inner = _checker(item)

    def check(value: Any) -> None:
        if not isinstance(value, tuple | list):
            raise Mismatch("a list", value)
        place = 0
        try:
            for each in value:
                inner(each)
                place += 1
        except Mismatch as mismatch:
            mismatch.path.append(str(place))
            raise

    return check


def _fixed(items: tuple[Any, ...]) -> Check:
    inner = [_checker(item) for item in items]
    count = len(inner)
    # Of these the type says all: the usual case in one comparison.
    plain = list(items) if all(item in (int, str, bool) for item in items) else None

    def check(value: Any) -> None:
        if not isinstance(value, tuple | list) or len(value) != count:
            raise Mismatch(f"a list of {count}", value)
        if [*map(type, value)] == plain:
            return
        place = 0
        try:
            for one, each in zip(inner, value, strict=True):
                one(each)
                place += 1
        except Mismatch as mismatch:
            mismatch.path.append(str(place))
            raise

    return check


def _mapping(item: Any) -> Check:
    inner = _checker(item)

    def check(value: Any) -> None:
        if type(value) is not dict and not isinstance(value, Mapping):
            raise Mismatch("a mapping", value)
        key: Any = None
        try:
            for key, each in value.items():
                if type(key) is not str or not key.isascii():
                    _key(key)
                inner(each)
        except Mismatch as mismatch:
            mismatch.path.append(str(key))
            raise

    return check


def _key(key: Any) -> None:
    if not isinstance(key, str):
        raise Mismatch("text as a key", key)
    if not key.isascii() and key != key.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"):
        # They would become that character, and two keys one.
        raise Mismatch("a key without two halves of one character side by side", key)


def _record(kind: type) -> Check:
    hints = get_type_hints(kind)
    names = [each.name for each in fields(kind) if each.compare]
    inner = [(name, _checker(hints[name])) for name in names]
    expected = f"{kind.__name__}({', '.join(names)})"

    def check(value: Any) -> None:
        if type(value) is not kind:
            raise Mismatch(expected, value)
        name = ""
        try:
            for name, one in inner:
                one(getattr(value, name))
        except Mismatch as mismatch:
            mismatch.path.append(name)
            raise

    return check

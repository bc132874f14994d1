"""Turn the frozen records of `csd.episode` into JSON values and back, exactly, by their type hints.

Not pydantic: its strings are Rust strings, which cannot hold the lone surrogates that real text
streams contain, and an episode has to come back as it was.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

Record = TypeVar("Record")
Decode = Callable[[Any], Any]
Hint = Any
"""A type or a typing construct; both can be looked up in a cache, which type checkers cannot express."""


class Mismatch(ValueError):
    """A JSON value does not fit its record."""

    def __init__(self, expected: str, got: Any) -> None:
        shown = repr(got)
        self.expected = expected
        self.got = shown if len(shown) <= 80 else f"{shown[:77]}..."
        self.path: list[str] = []
        super().__init__(expected, self.got)

    def __str__(self) -> str:
        """Say where, what was expected and what was found."""
        return f"at {'.'.join(reversed(self.path)) or 'the top'}: expected {self.expected}, got {self.got}"


def to_json(value: Any) -> Any:
    """Return a record as JSON values; pictures (fields left out of comparison) are left out.

    Mappings keep their order, tuples become lists.

    Raises:
        TypeError: if a mapping has a key that is not text (JSON would change it).
    """
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"expected text as a key, got {key!r}. Use names, not numbers or tuples.")
        return {key: to_json(item) for key, item in value.items()}
    if is_dataclass(value):
        kind: Hint = type(value)
        return {name: to_json(getattr(value, name)) for name in _kept_names(kind)}
    return value


def from_json(kind: type[Record], value: Any) -> Record:
    """Return the record of type `kind` that `to_json` turned into `value`.

    Raises:
        Mismatch: on a missing or unknown key, a wrong type, or a value outside its choices.
    """
    hint: Hint = kind
    record: Record = _decoder(hint)(value)
    return record


@cache
def _kept_names(kind: Hint) -> tuple[str, ...]:
    return tuple(each.name for each in _kept(kind))


def _kept(kind: Hint) -> list[Field[Any]]:
    return [each for each in fields(kind) if each.compare]


@cache
def _decoder(hint: Hint) -> Decode:
    origin: Any = get_origin(hint)
    args = get_args(hint)
    if hint in (str, bool, int, float, type(None)):
        return _scalar(hint)
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
    raise TypeError(f"expected a record field of a JSON-like type, got {hint!r}. Extend echo.mfm.codec.")


def _scalar(kind: type) -> Decode:
    accepted = (int, float) if kind is float else (kind,)

    def decode(value: Any) -> Any:
        if type(value) not in accepted:
            raise Mismatch("null" if kind is type(None) else kind.__name__, value)
        return value

    return decode


def _choice(allowed: tuple[Any, ...]) -> Decode:
    def decode(value: Any) -> Any:
        if value not in allowed:
            raise Mismatch(f"one of {', '.join(map(repr, allowed))}", value)
        return value

    return decode


def _union(members: tuple[Any, ...]) -> Decode:
    """Decode `X | None`, or a union of records told apart by their `kind`."""
    solid = [member for member in members if member is not type(None)]
    if len(solid) == 1:
        inner = _decoder(solid[0])
        return lambda value: None if value is None else inner(value)
    by_kind = {get_args(get_type_hints(member)["kind"])[0]: _decoder(member) for member in solid}

    def decode(value: Any) -> Any:
        kind = value.get("kind") if isinstance(value, dict) else None
        if not isinstance(kind, str) or kind not in by_kind:
            raise Mismatch(f"an object whose kind is one of {', '.join(by_kind)}", value)
        return by_kind[kind](value)

    return decode


def _many(item: Any) -> Decode:
    inner = _decoder(item)

    def decode(value: Any) -> Any:
        if not isinstance(value, list):
            raise Mismatch("a list", value)
        return tuple(_within(str(place), inner, each) for place, each in enumerate(value))

    return decode


def _fixed(items: tuple[Any, ...]) -> Decode:
    inner = [_decoder(item) for item in items]

    def decode(value: Any) -> Any:
        if not isinstance(value, list) or len(value) != len(inner):
            raise Mismatch(f"a list of {len(inner)}", value)
        return tuple(
            _within(str(place), one, each) for place, (one, each) in enumerate(zip(inner, value, strict=True))
        )

    return decode


def _mapping(item: Any) -> Decode:
    inner = _decoder(item)

    def decode(value: Any) -> Any:
        if not isinstance(value, dict):
            raise Mismatch("an object", value)
        return {key: _within(key, inner, each) for key, each in value.items()}

    return decode


def _record(kind: type) -> Decode:
    for each in fields(kind):
        if not each.compare and each.default is MISSING:
            raise TypeError(f"expected a default for {kind.__name__}.{each.name}, which no file holds")
    hints = get_type_hints(kind)
    inner = {name: _decoder(hints[name]) for name in _kept_names(kind)}

    def decode(value: Any) -> Any:
        if not isinstance(value, dict) or value.keys() != inner.keys():
            raise Mismatch(f"an object with the keys {', '.join(inner)}", value)
        return kind(**{name: _within(name, one, value[name]) for name, one in inner.items()})

    return decode


def _within(key: str, decode: Decode, value: Any) -> Any:
    try:
        return decode(value)
    except Mismatch as mismatch:
        mismatch.path.append(key)
        raise

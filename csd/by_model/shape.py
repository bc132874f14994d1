"""The shape of a compact descriptor: which keys and values it may hold, as a checker and as a JSON Schema.

One table says both, so that what a grammar lets through is what the reader takes. Everything is bounded:
with open lists and texts a weak model runs on to its limit of tokens.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from types import GenericAlias
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, ValidationError, create_model

from csd.axes import AXES, Axis
from csd.chat import JsonSchema
from csd.episode import OutcomeCode
from csd.pattern import Symmetry
from csd.roles import PARTS, ROLES
from csd.scene import Verb
from csd.vocabulary import PREDICATES

Name = Annotated[str, Field(pattern=r'^[^"\\\x00-\x1f]{1,64}$')]
"""A name as the agent saw it."""

Words = Annotated[str, Field(pattern=r'^[^"\\\x00-\x1f]{1,240}$')]
"""A message, or what was done or came back."""

Letter = Annotated[str, Field(pattern="^[A-Z]$")]

Number = Annotated[str, Field(pattern="^[1-9][0-9]{0,2}$")]

Ticks = Annotated[StrictInt, Field(ge=0, le=99_999)]

Count = Annotated[StrictInt, Field(ge=1, le=999)]

VALUES: dict[str, Any] = {
    "grid": Annotated[str, Field(pattern=r"^[A-Z.]{1,3}(/[A-Z.]{1,3}){0,2}$")],
    "fills": Letter,
    "cells": Annotated[StrictInt, Field(ge=1, le=9)],
    "part": Literal[tuple(PARTS)],
    "above": Letter,
    "beside": Letter,
    "symmetry": Literal[get_args(Symmetry)],
    "slot": Literal["input", "fuel"],
    "lies": Annotated[str, Field(pattern="^(above|level|below), [0-9]{1,4} blocks$")],
    "stack_size": Count,
    "placeable": StrictBool,
    "dig_ticks": Ticks,
    "wears": StrictBool,
    "edible": StrictBool,
    "burns": StrictBool,
    "made_by": Literal["craft", "smelt", "collect", "attack"],
    "yields": Count,
    "step": Words,
    "ticks": Ticks,
    "plays": Literal[tuple(ROLES)],
    "affords": Literal["grid3", "smelt"],
    "tried": Literal[get_args(OutcomeCode)],
    "feedback": Words,
    "failed": Words,
}
"""Predicate -> type of its values; a name where it is not in the table."""

SUBJECTS: dict[str, Any] = {
    "above": Letter,
    "beside": Letter,
    "step": Number,
    "tried": Words,
    "feedback": Words,
    "failed": Words,
}
"""Predicate -> type of its subjects; a name where it is not in the table."""

MOST_PAIRS = 24
"""Most statements of one predicate."""

MOST_STEPS = 48
"""Most statements of a predicate that tells of steps one by one."""

OF_STEPS = frozenset({"step", "tried", "feedback", "failed"})
"""Predicates that tell of steps one by one."""


class CompactRecord(BaseModel):
    """A part of a compact descriptor as it was written."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class CompactMeta(CompactRecord):
    """What the writer says of the whole; all other circumstances are the episode's."""

    verb: Verb
    product: Name | None
    success: StrictBool


def _axis_model(axis: Axis) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for predicate in PREDICATES[axis]:
        pair = GenericAlias(tuple, (SUBJECTS.get(predicate, Name), VALUES.get(predicate, Name)))
        most = MOST_STEPS if predicate in OF_STEPS else MOST_PAIRS
        few = Field(default=None, min_length=1, max_length=most)
        fields[predicate] = (GenericAlias(list, (pair,)), few)
    return create_model(f"Compact{axis.value.title()}", __base__=CompactRecord, **fields)


@lru_cache(maxsize=1)
def _model() -> type[BaseModel]:
    axes: dict[str, Any] = {axis.value: (_axis_model(axis), ...) for axis in AXES}
    return create_model("Compact", __base__=CompactRecord, meta=(CompactMeta, ...), **axes)


@lru_cache(maxsize=1)
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = _plain(_model().model_json_schema())
    return schema


def compact_schema() -> JsonSchema:
    """Return the JSON Schema of a compact descriptor, for grammars: every list, text and number is bounded.

    Keys come in the order in which they are written. No `$ref`, titles or defaults: some servers read none.
    """
    return _schema()


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    parts = schema.pop("$defs", {})

    def resolve(value: Any) -> Any:
        if isinstance(value, list):
            return [resolve(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            return resolve(parts[value["$ref"].rpartition("/")[2]])
        dropped = ("title", "default", "description")
        return {
            key: {name: resolve(one) for name, one in inner.items()}
            if key == "properties"
            else resolve(inner)
            for key, inner in value.items()
            if key not in dropped
        }

    plain: dict[str, Any] = resolve(schema)
    return plain


def shape_faults(value: object) -> tuple[str, ...]:
    """Return what keeps `value` from being a compact descriptor, empty if it is one.

    Each fault names the place as it would be written, such as 'proc.yields[0][1]', and what was expected.
    Whether a statement is true is another matter: see `csd.by_model.compact.expand`.
    """
    if not isinstance(value, Mapping):
        return (f"expected an object with meta and the axes; got {type(value).__name__}.",)
    try:
        found = _model().model_validate_json(json.dumps(value))
    except ValidationError as error:
        return tuple(
            f"{_place(fault['loc'])}: {fault['msg']}; got {_short(fault['input'])}"
            for fault in error.errors(include_url=False)
        )
    except (TypeError, ValueError) as error:
        return (f"expected JSON values; got {error}.",)
    if not any(getattr(found, axis.value).model_fields_set for axis in AXES):
        return ("expected a statement on at least one axis; got none.",)
    return ()


def _place(location: tuple[int | str, ...]) -> str:
    told = ""
    for step in location:
        told += f"[{step}]" if isinstance(step, int) else f".{step}" if told else step
    return told or "the object"


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."

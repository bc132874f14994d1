"""Actions as a model reads and writes them: short JSON, the same in prompts, schemas and answers."""

from __future__ import annotations

from typing import Any

from csd.chat import JsonSchema
from csd.episode import Action, Attack, Collect, Craft, Place, Smelt

NAME = r"[a-z][a-z0-9_]{0,39}"
"""A name where no list of names is given."""


def action_json(action: Action) -> dict[str, Any]:
    """Return an action as a model is to write it.

    >>> action_json(Smelt(input="raw_iron", fuel="coal"))
    {'do': 'smelt', 'input': 'raw_iron', 'fuel': 'coal'}

    Raises:
        TypeError: on an action that tasks do not consist of.
    """
    match action:
        case Craft():
            return {"do": "craft", "grid": [list(row) for row in action.grid]}
        case Smelt():
            return {"do": "smelt", "input": action.input, "fuel": action.fuel}
        case Place():
            return {"do": "place", "item": action.item}
        case Collect():
            return {"do": "collect", "block": action.block}
        case Attack():
            return {"do": "attack", "mob": action.mob}
        case _:
            raise TypeError(f"expected an action of a task; got {type(action).__name__}.")


def name_schema(names: tuple[str, ...]) -> JsonSchema:
    """Return the schema of a name: one of `names`, or anything like a name where there are none."""
    return {"enum": list(names)} if names else {"type": "string", "pattern": f"^{NAME}$"}


def action_schema(names: tuple[str, ...], *, lays: bool = False) -> JsonSchema:
    """Return the bounded schema of one action over `names`; with `lays` only crafting, smelting, placing."""
    name = name_schema(names)
    cell = {"anyOf": [name, {"type": "null"}]}
    row = {"type": "array", "items": cell, "minItems": 1, "maxItems": 3}
    grid = {"type": "array", "items": row, "minItems": 1, "maxItems": 3}
    laying = [
        record(do={"const": "craft"}, grid=grid),
        record(do={"const": "smelt"}, input=name, fuel=name),
        record(do={"const": "place"}, item=name),
    ]
    getting = [record(do={"const": "collect"}, block=name), record(do={"const": "attack"}, mob=name)]
    return {"anyOf": laying if lays else [*laying, *getting]}


def record(**fields: Any) -> JsonSchema:
    """Return the schema of an object with exactly these fields, in this order."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def short_text(most: int) -> JsonSchema:
    """Return the schema of one line of plain text of 1 to `most` characters, without quotes or brackets."""
    return {"type": "string", "pattern": rf"^[a-zA-Z0-9 _,.:;-]{{1,{most}}}$"}

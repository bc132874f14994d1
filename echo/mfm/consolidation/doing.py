"""An action in few words: what was done, and to what."""

from __future__ import annotations

import json
from collections.abc import Mapping

from echo.mfm.consolidation.attempts import Attempt
from echo.mfm.consolidation.findings import grid_pattern, materials_text, named, thing

OBJECTS = ("block", "item", "mob", "input", "condition")
"""Keys of an action that say what it was done to, the first one counts."""


WIDE, SMALL = "a wide grid", "a small grid"


def object_name(attempt: Attempt) -> str:
    """Return what an action was done to: a name, a cell, the size of a grid; empty where it tells none."""
    if attempt.kind == "craft":
        return WIDE if _wide(attempt.action.get("grid")) else SMALL
    if attempt.kind == "mine" and (attempt.block or attempt.target_block):
        return attempt.block or attempt.target_block or ""
    told = (attempt.action[key] for key in OBJECTS if isinstance(attempt.action.get(key), str))
    return next(map(str, told), _cell_text(attempt.action.get("target")))


def object_text(name: str) -> str:
    """Return what `object_name` says as it may stand in a line."""
    return named(name) if name in (WIDE, SMALL) or name.startswith("(") else thing(name)


def names_cell(attempt: Attempt) -> bool:
    """Return whether `object_name` is a cell: another life may have other things there."""
    return object_name(attempt).startswith("(") and "target" in attempt.action


def doing(attempt: Attempt) -> str:
    """Return an action in few words: its kind and what it was done to, a grid by its shape."""
    if attempt.kind == "craft" and isinstance(attempt.action.get("grid"), list):
        shape, materials = grid_pattern(attempt.action["grid"])
        return f"craft {shape} of {materials_text(materials) or 'nothing'}"
    if attempt.code is None:
        return call_text(attempt)
    return " ".join(f"{named(attempt.kind)} {object_text(object_name(attempt))}".split())


def call_text(attempt: Attempt) -> str:
    """Return an action of another tool on one line: its name and its arguments."""
    rest = {key: value for key, value in attempt.action.items() if key != "kind" and value is not None}
    arguments = rest.get("args", rest)
    if isinstance(arguments, Mapping):
        words = [f"{key}={_word(value)}" for key, value in arguments.items()]
    else:
        words = [_word(value) for value in arguments] if isinstance(arguments, list) else [_word(arguments)]
    return named(" ".join([attempt.kind, *words]))


def _cell_text(target: object) -> str:
    """Return a cell as it is written: what happened at one tells nothing of another."""
    if not isinstance(target, list | tuple) or len(target) != 3:
        return ""
    return f"({', '.join(str(each) for each in target)})" if all(type(each) is int for each in target) else ""


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def _wide(grid: object) -> bool:
    rows = grid if isinstance(grid, list | tuple) else ()
    return len(rows) > 2 or any(isinstance(row, list | tuple) and len(row) > 2 for row in rows)

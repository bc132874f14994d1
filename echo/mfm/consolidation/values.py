"""Values of an episode as its documents give them: counts, cells, places, words; what is none is left out."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from echo.mfm.layout import MfmError, read_json

_EXPECTED = re.compile(r"expected (.{1,100})$")
_CELL = re.compile(r"\(-?\d+(?:, ?-?\d+){2}\)")


def json_object(path: Path) -> Mapping[str, Any]:
    """Return the JSON object in a file.

    Raises:
        MfmError: if it is missing, unreadable or something else.
    """
    held = read_json(path)
    if not isinstance(held, dict):
        raise MfmError(
            f"expected a JSON object in {path}, got {type(held).__name__}. "
            f"Restore this file from a copy; the rest of the memory stays usable."
        )
    return held


def counts(held: Mapping[str, Any]) -> dict[str, int]:
    """Return whole counts by item; other tools also write objects with a count."""
    found = {}
    for item, value in held.items():
        number = value.get("count", value.get("n")) if isinstance(value, Mapping) else value
        if isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number):
            found[item] = int(number)
    return found


def aimed_at(action: Mapping[str, Any], before: Mapping[str, Any]) -> str | None:
    """Return the block that was seen at the target of digging at a cell."""
    target, blocks = action.get("target"), before.get("blocks")
    if action["kind"] != "mine" or not isinstance(target, list) or not isinstance(blocks, Mapping):
        return None
    return next(
        (
            name
            for name, seen in blocks.items()
            if isinstance(seen, Mapping) and seen.get("nearest") == target
        ),
        None,
    )


def wanted_of(message: str) -> str | None:
    """Return what a message such as 'expected a block in sight; got stone. Go on.' asks for."""
    clause, semicolon, _ = message.partition(";")
    found = _EXPECTED.match(clause)
    return without_cells(found[1]) if found is not None and semicolon else None


def without_cells(message: str) -> str:
    """Return a message with the cells taken out, so that it may be the same elsewhere.

    >>> without_cells("the door at (3, 64, -9) is locked")
    'the door at a certain cell is locked'
    """
    return _CELL.sub("a certain cell", message)


def texts(held: Any) -> tuple[str, ...]:
    """Return the texts of a list."""
    return tuple(each for each in held if isinstance(each, str)) if isinstance(held, list | tuple) else ()


def position_of(held: Any) -> tuple[float, float, float] | None:
    """Return a place of three finite numbers; None for all else."""
    numbers = [each for each in held if isinstance(each, int | float) and not isinstance(each, bool)]
    if len(numbers) != 3 or not all(math.isfinite(each) for each in numbers):
        return None
    return float(numbers[0]), float(numbers[1]), float(numbers[2])


def cell_of(held: Any) -> tuple[int, int, int] | None:
    """Return a cell; None for none."""
    return None if held is None else (int(held[0]), int(held[1]), int(held[2]))

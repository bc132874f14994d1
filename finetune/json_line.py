"""Reading one line of a file of JSON objects."""

from __future__ import annotations

import json
from typing import Any


def json_object(line: bytes, where: str, error: type[ValueError]) -> dict[str, Any]:
    """Return the JSON object in a line.

    Args:
        line: without what ends it.
        where: it stands, for the error.
        error: what to raise.

    Raises:
        ValueError: of the kind `error`, if the line is no JSON, nested too deep to be read, or no object.
    """
    try:
        told = json.loads(line)
        # Writing takes as many levels as reading: whoever quotes what was read must not fail.
        json.dumps(told)
    except ValueError as found:
        raise error(f"expected a JSON object in {where}; got: {found}.") from found
    except RecursionError as found:
        raise error(f"expected a JSON object in {where}; got: JSON nested too deep to be read.") from found
    if not isinstance(told, dict):
        raise error(f"expected a JSON object in {where}; got {type(told).__name__}.")
    return told


def half_pair(told: Any) -> str | None:
    """Return the half surrogate pairs in a JSON value as escapes, None where it has none.

    No tokenizer and no file takes a text with one.
    """
    try:
        json.dumps(told, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        return ascii(error.object[error.start : error.end])
    return None

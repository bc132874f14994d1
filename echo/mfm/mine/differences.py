"""What a change did to the lines of its files."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from echo.mfm.layout import MfmError
from echo.mfm.mine.change import Change
from echo.mfm.mine.writable import Mine


def differences(mine: Mine, change: Change) -> Iterator[str]:
    """Yield a unified diff of all files of a change, line by line; a text that is no UTF-8 is named only.

    Raises:
        MfmError: if a text is missing from the history, or damaged.
    """
    for path, (before, after) in change.files.items():
        try:
            old, new = ([] if one is None else mine.text_at(one).split("\n") for one in (before, after))
        except MfmError as error:
            if not isinstance(error.__context__, UnicodeDecodeError):
                raise
            yield f"{path}: {error}"
            continue
        yield from difflib.unified_diff(old, new, f"{path} before", f"{path} after", lineterm="")

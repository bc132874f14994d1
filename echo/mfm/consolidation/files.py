"""What is to become of single files of mine/, and how that is shown."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from echo.mfm.layout import MINE


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """One file of mine/ that is written, or goes."""

    path: str
    """Relative to mine/."""
    before: str | None
    """None where there is no such file."""
    after: str | None
    """None where it goes."""


def differences(files: Iterable[FileChange]) -> str:
    """Return all changes as one unified diff; empty where nothing differs."""
    return "".join(line for file in files for line in _differences(file))


def _differences(file: FileChange) -> Iterator[str]:
    before = (file.before or "").splitlines(keepends=True)
    after = (file.after or "").splitlines(keepends=True)
    old = "/dev/null" if file.before is None else f"a/{MINE}/{file.path}"
    new = "/dev/null" if file.after is None else f"b/{MINE}/{file.path}"
    for line in difflib.unified_diff(before, after, old, new):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"

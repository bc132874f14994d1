"""One inconsistency of a memory folder, as an examination names it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from echo.mfm.layout import MfmError, told_error

MENDS = "put the index and the folders in step; what is taken out is kept in mended/"
RESTORE = "nothing: what was recorded is gone; restore it from a copy of the memory"
UNREADABLE = "unreadable"

Read = TypeVar("Read")


@dataclass(frozen=True, kw_only=True)
class Flaw:
    """One inconsistency of a memory folder."""

    kind: str
    """Short name of the kind of fault, such as 'altered episode'."""
    where: str
    """Episode, 'life_1/ep_000012' for one of an earlier life, or file."""
    what: str
    """Expected and got, in plain words."""
    repair: str
    """What a repair does about it, or why it leaves it."""
    mendable: bool


def mendable(kind: str, where: str, what: str) -> Flaw:
    """Return a flaw that opening the memory for writing mends."""
    return Flaw(kind=kind, where=where, what=what, repair=MENDS, mendable=True)


def unreadable(where: str, what: str) -> Flaw:
    """Return the flaw of a file or folder that cannot be looked into."""
    repair = "nothing: give the right to read it, or move away what is in its place"
    return Flaw(kind=UNREADABLE, where=where, what=what, repair=repair, mendable=False)


def tried(read: Callable[[], Read], instead: Read, where: str, expected: str, flaws: list[Flaw]) -> Read:
    """Return what `read` gives; where it cannot be had, add the flaw to `flaws` and return `instead`."""
    try:
        return read()
    except MfmError as error:
        flaws.append(unreadable(where, str(error)))
    except OSError as error:
        flaws.append(unreadable(where, f"expected {expected}, got {told_error(error)}"))
    return instead

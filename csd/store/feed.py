"""How caches follow a bank: marks in its history, what changed since, and what it holds, in blocks.

A cache remembers the mark up to which it is made. A bank that passed through that mark can be followed
from there; one that did not (another bank, an older copy put back, vectors of another encoder) makes the
cache worthless, and it is built again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """A point in the history of a bank."""

    epoch: str
    """Random name of one set of vectors: new when a bank is made and when it is embedded anew."""
    sequence: int
    """Number of the newest change, 0 before the first."""
    chain: str
    """Digest of all changes up to it, each taken in with the digest before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """What happened to one row."""

    sequence: int
    kind: Literal["add", "retire", "remove"]
    """'retire': superseded, still held; found only where a filter names it."""
    row: int
    """Never used twice; later additions have greater rows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """The vectors of some descriptors, in ascending order of rows."""

    rows: NDArray[np.int64]
    """(n,)"""
    keys: NDArray[np.uint64]
    """(n,) the 16 hexadecimal digits of each id as a number, so that order by key is order by id."""
    present: NDArray[np.uint8]
    """(n,) bit a is set where axis `AXES[a]` has a vector."""
    retired: NDArray[np.bool_]
    """(n,) whether superseded."""
    halves: NDArray[np.float16]
    """(n, 5, d) unit rows, zero where an axis has no vector."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """The record of one descriptor."""

    row: int
    id: str
    retired: bool
    """Whether superseded."""
    record: str
    """Canonical JSON."""


class Feed(Protocol):
    """A bank as caches see it: one moment of it, the same in all calls."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def mark(self) -> Mark:
        """Return where the bank stands."""
        ...

    def passed(self, mark: Mark) -> bool:
        """Return whether the bank's history leads through `mark` and is known from there on."""
        ...

    def changes(self, after: int) -> list[Change]:
        """Return the changes with a sequence above `after`, in order."""
        ...

    def blocks(self, after_row: int = 0, size: int = 4096) -> Iterator[Block]:
        """Yield what is held in rows above `after_row`, at most `size` descriptors at a time."""
        ...

    def texts(self, after_row: int = 0) -> Iterator[Text]:
        """Yield the records held in rows above `after_row`, ascending."""
        ...

"""What `Places` answers with. All lists are in a total order, ties by name and cell, and name episodes.

A step is the number of actions taken; it is None where the files do not tell it. Distances are level, from
(x, z) to the middle of a block cell or to where a body stood, in blocks. `unread` names what of the episodes
could not be used, `elsewhere` counts episodes of other worlds, which are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from echo.mfm.spatial.facts import Elsewhere, HappeningKind, Unread

How = Literal["seen", "station", "placed", "creature", "got", "made", "felled"]
"""How something is known: seen as the nearest of its kind, within reach to be used, placed by the body
itself; creature: seen from there; got, made, felled: that happened there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class When:
    """A moment with its evidence."""

    step: int | None
    episode: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Gone:
    """Why something is no longer there."""

    how: str
    """'dug', 'replaced' or 'not seen there'."""
    step: int | None
    episode: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """Something that is, or was, known to be at a place."""

    name: str
    how: How
    x: float
    y: float | None
    z: float
    exact: bool
    """Whether this is the block cell itself; otherwise the body stood there when it saw or got it."""
    distance: float
    count: int | None
    """How many were in sight, or came of it, then; None where that is not told."""
    first: When
    last: When
    gone: Gone | None = None
    """None while nothing says it is gone."""

    @property
    def middle(self) -> tuple[float, float]:
        """Its place on the map, (x, z): the middle of a cell, or where the body stood."""
        shift = 0.5 if self.exact or self.how == "creature" else 0.0
        return (self.x + shift, self.z + shift)


@dataclass(frozen=True, kw_only=True, slots=True)
class Happened:
    """Something that happened at a place."""

    kind: HappeningKind
    name: str | None
    amount: float | None
    during: str | None
    x: float
    y: float | None
    z: float
    """The cell it happened to, or where the body stood."""
    step: int | None
    episode: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Near:
    """What is known of the surroundings of a place."""

    x: float
    z: float
    radius: float
    moments: int
    """How often the body was within `radius`: moments at which something was recorded."""
    seen: tuple[Known, ...]
    """Blocks within `radius` or in sight from there, by name the nearest one; the nearest first."""
    creatures: tuple[Known, ...]
    """Creatures seen last from within `radius`; the nearest first."""
    gone: tuple[Known, ...]
    """What stood within `radius` and is gone; the nearest first."""
    happened: tuple[Happened, ...]
    """What happened within `radius`; the latest first."""
    episodes: tuple[str, ...]
    """Episodes in which the body was within `radius`, in order of time."""
    unread: tuple[Unread, ...]
    elsewhere: tuple[Elsewhere, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Nearest:
    """Where something is, as far as it is known."""

    asked: str
    match: Literal["exact", "part", "none"]
    """Whether names are the one asked for, or hold it as a part."""
    found: tuple[Known, ...]
    """What is still known, the nearest first."""
    gone: tuple[Known, ...]
    """What is gone, the nearest first."""
    unread: tuple[Unread, ...]
    elsewhere: tuple[Elsewhere, ...]

    @property
    def best(self) -> Known | None:
        """The nearest one that is still known."""
        return self.found[0] if self.found else None


ChangeKind = Literal["dug", "placed", "new", "more", "fewer", "gone"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """Something that is not as it was."""

    kind: ChangeKind
    """dug, placed: done by the body itself. new, more, fewer, gone: seen from the same spot, then and now."""
    name: str | None
    creature: bool
    before: int | None
    """How many were in sight then; None for dug and placed."""
    after: int | None
    """How many are in sight now."""
    x: float
    y: float | None
    z: float
    """The cell, or the spot it was seen from."""
    exact: bool
    step: int | None
    episodes: tuple[str, ...]
    """The evidence: for what was seen, then and now."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """What has changed since a step."""

    since: int
    changes: tuple[Change, ...]
    """The latest first."""
    unread: tuple[Unread, ...]
    elsewhere: tuple[Elsewhere, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class VisitedCell:
    """A column of the map that the body was in."""

    x: float
    z: float
    """Its corner with the least coordinates."""
    visits: int
    """Times it came, however long it stayed."""
    moments: int
    """Moments recorded there."""
    first: When
    last: When


@dataclass(frozen=True, kw_only=True, slots=True)
class Stay:
    """A time without a break in one block cell."""

    x: int
    y: int | None
    z: int
    moments: int
    first: When
    last: When


@dataclass(frozen=True, kw_only=True, slots=True)
class Visited:
    """Where the body was."""

    cells: tuple[VisitedCell, ...]
    """By z, then x."""
    path: tuple[Stay, ...]
    """In order of time."""
    size: float
    """Edge of a cell in blocks."""
    unread: tuple[Unread, ...]
    elsewhere: tuple[Elsewhere, ...]


PointKind = Literal["station", "container", "made", "found", "damage", "death"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """A place worth knowing."""

    kind: PointKind
    name: str | None
    """Of the block or item; for damage and death the cause, else what the body did; None where untold."""
    x: float
    y: float | None
    z: float
    exact: bool
    times: int
    """How often it happened; 1 for a block."""
    first: When
    last: When

    @property
    def middle(self) -> tuple[float, float]:
        """Its place on the map, (x, z): the middle of a cell, or where the body stood."""
        shift = 0.5 if self.exact else 0.0
        return (self.x + shift, self.z + shift)


@dataclass(frozen=True, kw_only=True, slots=True)
class Points:
    """All points of interest."""

    points: tuple[Point, ...]
    """By kind in the order of `PointKind`, then name, then place."""
    unread: tuple[Unread, ...]
    elsewhere: tuple[Elsewhere, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Hazard:
    """A place where harm was done."""

    kind: Literal["damage", "death"]
    cause: str | None
    """As the events tell it."""
    during: str | None
    """What the body was doing, such as 'attack zombie'."""
    x: float
    y: float | None
    z: float
    """Where the body stood the last time."""
    times: int
    amount: float | None
    """All damage together; None where no event told how much."""
    first: When
    last: When
    episodes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Hazards:
    """All hazards."""

    hazards: tuple[Hazard, ...]
    """Deaths first, then the greatest damage, then the most frequent, then by place."""
    unread: tuple[Unread, ...]
    elsewhere: tuple[Elsewhere, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Containers:
    """All containers."""

    containers: tuple[Known, ...]
    """Those still known; by name, then cell."""
    gone: tuple[Known, ...]
    unread: tuple[Unread, ...]
    elsewhere: tuple[Elsewhere, ...]

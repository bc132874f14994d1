"""What one episode says about places: where the body was, what it saw there, what happened there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Cell = tuple[int, int, int]
"""Block coordinates (x, y, z); y is up."""

HappeningKind = Literal["dug", "placed", "got", "made", "felled", "damage", "death"]

MOST = 2.0**53
"""Coordinates and steps beyond this, in either direction, are no place or time that could be told apart."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stand:
    """Where a body was."""

    x: float
    y: float | None
    z: float
    yaw: float | None
    """Degrees, 0 = +z (south), 90 = -x (west)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenKind:
    """One kind of block in sight."""

    count: int
    cell: Cell
    """Of the nearest one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenStation:
    """Something within reach that could be used."""

    name: str
    cell: Cell
    offers: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """What was seen at one moment."""

    step: int | None
    """Actions taken before it."""
    stand: Stand
    blocks: Mapping[str, SeenKind] | None
    """By name; None where the files do not say which blocks were in sight."""
    mobs: Mapping[str, int] | None
    """Creature -> how many; None where the files do not say."""
    stations: tuple[SeenStation, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Happening:
    """One thing that happened at a place."""

    kind: HappeningKind
    name: str | None
    """Block, item or creature; for damage and death the cause. None where it is not told."""
    amount: float | None
    """How many, or for damage how much; None where it is not told."""
    cell: Cell | None
    """The block or creature it happened to, where that is told."""
    stand: Stand
    during: str | None
    """The action in words, such as 'attack zombie'."""
    step: int | None
    """Number of that action, from 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """A view and what happened next."""

    view: View
    happenings: tuple[Happening, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Unread:
    """Something of an episode that could not be used."""

    episode: str
    """Its id; empty for a stretch of the index that holds no row."""
    file: str
    """Path within the memory folder."""
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Elsewhere:
    """Episodes that were left out because they come from another world than the one the life lives in."""

    source: str
    """That other world, as the episodes name it."""
    episodes: int
    """How many."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EpisodeFacts:
    """All that one episode says about places."""

    episode: str
    source: str | None
    """The world it comes from; None where the files do not say, as those of other tools."""
    first_step: int | None
    last_step: int | None
    moments: tuple[Moment, ...]
    """In order of time; empty where nothing says where it was."""
    frame: str | None
    """Hash of the picture of the first moment, where there is one."""
    unread: tuple[Unread, ...]
